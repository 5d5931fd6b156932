# Completion of kitgen for bash; the names of the program, its variable and its function are filled in.
# bash cuts words at @, : and =, so the line itself is passed on, and what it does not take for a part of
# the word ($2) is taken off the answers again. Its own completion of paths, which knows ~ and
# quotes, is only there for words without other matches.
%(complete_func)s() {
    local IFS=$'\n' line="${COMP_LINE:0:COMP_POINT}" completion type value kind= action= path=
    local word="${line##*[[:space:]]}"
    local before="${word%%"$2"}"

    for completion in $(
        env COMP_WORDS="$line" COMP_CWORD= %(complete_var)s=bash_complete "$1" 2>/dev/null
    ); do
        IFS=',' read -r type value <<< "$completion"
        case $type in
            dir) kind=dirnames action=directory path=$value ;;
            file) kind=default action=file path=$value ;;
            plain) COMPREPLY+=("${value#"$before"}") ;;
        esac
    done

    if [[ -n $kind && ${#COMPREPLY[@]} -eq 0 ]]; then
        compopt -o "$kind"
    elif [[ -n $kind ]]; then
        for value in $(compgen -A "$action" -- "$path"); do
            compopt -o filenames
            COMPREPLY+=("${value#"$before"}")
        done
    fi
    return 0
}

%(complete_func)s_setup() {
    complete -o nosort -F %(complete_func)s %(prog_name)s
}

%(complete_func)s_setup;
