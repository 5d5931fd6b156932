"""Extend click's shell completion: names with paths in bash, values after `--option=` everywhere."""

from __future__ import annotations

import os
from pathlib import Path

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)


class Bash(BashComplete):
    """Completion for bash; without a number of the word, the line ends in the one to complete."""

    source_template = (Path(__file__).parent / "bash_completion.sh").read_text(encoding="utf-8")

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


def register_shells() -> None:
    """Make click use them."""
    for shell in (Bash, Zsh, Fish):
        add_completion_class(shell)
