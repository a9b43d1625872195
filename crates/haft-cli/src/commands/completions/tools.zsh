# Names of tools and their parameters, which depend on the configuration.
functions[_haft_verbs]=$functions[_haft]
_haft() {
    local -a found
    case " $words " in
        *" call "* | *" explain "* | *" policy "* | *" trust "*)
            found=("${(@f)$($words[1] complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
            ;;
    esac
    if [[ -z $found[1] ]]; then
        _haft_verbs "$@"
    elif [[ $found[1] == *= ]]; then
        compadd -S '' -- $found
    else
        compadd -- $found
    fi
}
