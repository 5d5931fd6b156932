"""Completion beyond what click does: names with paths in bash, and values behind --option= in every shell."""

from __future__ import annotations

import os

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

# bash cuts words at @, : and =, so the line itself is passed on, and what it does not take for a part of
# the word ($2) is taken off the answers again. Its own completion of paths, which knows ~ and
# quotes, is only there for words without other matches.
SCRIPT = """\
%(complete_func)s() {
    local IFS=$'\\n' line="${COMP_LINE:0:COMP_POINT}" completion type value kind= action= path=
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
"""


class Bash(BashComplete):
    """Completion for bash; without a number of the word, the line ends in the one to complete."""

    source_template = SCRIPT

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one to complete, and that one."""
        if os.environ.get("COMP_CWORD"):
            return super().get_completion_args()
        line = os.environ.get("COMP_WORDS", "")
        words = split_arg_string(line)
        incomplete = words.pop() if words and not line[-1:].isspace() else ""
        return words[1:], incomplete


class _WholeWords(ShellComplete):
    """Completion for shells that put an answer in the place of the whole word, --option= included."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return what fits, with the option before it that is part of the word."""
        found = super().get_completions(args, incomplete)
        option, equals, _ = incomplete.partition("=")
        if not equals or not option.startswith("--"):
            return found
        return [
            CompletionItem(f"{option}={each.value}", help=each.help) if each.type == "plain" else each
            for each in found
        ]


class Zsh(_WholeWords, ZshComplete):
    """Completion for zsh."""


class Fish(_WholeWords, FishComplete):
    """Completion for fish."""


def register() -> None:
    """Make click use them."""
    for shell in (Bash, Zsh, Fish):
        add_completion_class(shell)
