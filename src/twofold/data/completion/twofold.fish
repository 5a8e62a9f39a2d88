# Completion of twofold for fish. Put this line into ~/.config/fish/config.fish:
#   twofold completion fish | source

function __twofold_complete
    set -l program (commandline -opc)[1]
    set -l line (commandline -cp | string collect)
    set -l found (env TWOFOLD_COMPLETE=fish TWOFOLD_LINE="$line" $program 2>/dev/null)
    if test "$found[1]" = files
        __fish_complete_path (commandline -ct)
    end
    set -e found[1]
    printf '%s\n' $found
end

complete --command twofold --no-files --arguments '(__twofold_complete)'
