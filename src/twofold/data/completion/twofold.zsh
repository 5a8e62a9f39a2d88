#compdef twofold
# Completion of twofold for zsh. Put this line into ~/.zshrc, after compinit:
#   eval "$(twofold completion zsh)"

_twofold() {
    local -a lines part final final_shown open open_shown
    local line shown
    lines=("${(@f)$(TWOFOLD_COMPLETE=zsh TWOFOLD_LINE="${(j: :)words[1,CURRENT]}" \
        ${~words[1]} 2>/dev/null)}")
    for line in "${(@)lines[2,-1]}"; do
        part=("${(@ps:\t:)line}")
        shown="${part[1]}${part[3]:+  -- ${part[3]}}"
        if [[ ${part[2]} == 1 ]]; then
            final+=("${part[1]}") final_shown+=("$shown")
        else
            open+=("${part[1]}") open_shown+=("$shown")
        fi
    done
    (( $#final )) && compadd -l -d final_shown -a final
    (( $#open )) && compadd -S '' -l -d open_shown -a open
    if [[ ${lines[1]} == files ]]; then
        compset -P '*='
        _files
    fi
}

if [[ ${funcstack[1]} == _twofold ]]; then _twofold "$@"; else compdef _twofold twofold; fi
