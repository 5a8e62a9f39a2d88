# Completion of twofold for bash. Put this line into ~/.bashrc:
#   eval "$(twofold completion bash)"

_twofold() {
    local line kind=""
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
    done < <(
        TWOFOLD_COMPLETE=bash TWOFOLD_LINE="${COMP_LINE:0:COMP_POINT}" \
            TWOFOLD_BREAKS="$COMP_WORDBREAKS" "${1/#\~/$HOME}" 2>/dev/null
    )
    if [[ ${#COMPREPLY[@]} -eq 0 ]] && type compopt &>/dev/null; then
        if [[ $kind == files ]]; then compopt +o nospace; else compopt +o bashdefault +o default; fi
    fi
}

complete -o nospace -o bashdefault -o default -F _twofold twofold
