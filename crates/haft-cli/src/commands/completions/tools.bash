# Names of tools and their parameters, which depend on the configuration.
_haft_tools() {
    local found=()
    case " ${COMP_WORDS[*]} " in
        *" call "* | *" explain "* | *" policy "* | *" trust "*)
            mapfile -t found < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
            ;;
    esac
    if ((${#found[@]} > 0)); then
        COMPREPLY=("${found[@]}")
        if [[ ${found[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
        return 0
    fi
    _haft "$@"
}
complete -F _haft_tools -o bashdefault -o default haft
