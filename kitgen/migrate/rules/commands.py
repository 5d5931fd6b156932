"""Find kinds in commands, arguments, scripts and environment variables of containers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kitgen.findings import Path
from kitgen.migrate.kinds import MovedKinds, OldKind
from kitgen.migrate.rules.kind_references import MentionPlace
from kitgen.migrate.rules.spelling import LONGEST, is_group, names_kind, selects, spelled_lines
from kitgen.text.values import entries_at
from kitgen.text.yaml import Json, JsonObject

LISTS = ("command", "args")
VERBS = frozenset(
    {
        *("annotate", "apply", "create", "delete", "describe", "edit", "explain", "get", "label", "patch"),
        *("replace", "scale", "wait", "watch"),
    }
)
"""What kubectl and the like do with the kind that is named behind it."""


class ContainerText(NamedTuple):
    """A text that a container gets."""

    path: Path
    text: str
    where: MentionPlace
    named: bool = False
    """Whether it is what a verb before it is about, and no label that is selected by."""


class TextMention(NamedTuple):
    """A mention of an old kind in such a text."""

    path: Path
    old: OldKind
    where: MentionPlace
    words: str
    line: int


def told(value: JsonObject) -> list[ContainerText]:
    """Return the texts that a mapping hands to a program, if it is a container or the like."""
    found = [*_arguments(value)]
    if isinstance(script := value.get("script"), str):
        found.append(ContainerText(("script",), script[:LONGEST], MentionPlace.COMMAND))
    for at, each in entries_at(value, "env"):
        if isinstance(text := each.get("value"), str):
            found.append(ContainerText(("env", at, "value"), text[:LONGEST], MentionPlace.VARIABLE))
    return found


def _arguments(value: JsonObject) -> Iterator[ContainerText]:
    """Yield the words of a command; a verb before one marks it as the subject of the command."""
    verb, last = False, ""
    for field in LISTS:
        said: Json = value.get(field)
        for at, text in enumerate(said if isinstance(said, list) else ()):
            if isinstance(text, str):
                yield ContainerText(
                    (field, at), text[:LONGEST], MentionPlace.COMMAND, verb and not selects(last)
                )
                verb, last = verb or text in VERBS, text


def spoken(some: list[ContainerText], kinds: MovedKinds) -> Iterator[TextMention]:
    """Yield what texts of one container say of old kinds; together they may name what none says alone."""
    keys = kinds.declared
    for old in kinds.old:
        named = any(names_kind(each.text, old) for each in some)
        for each in some:
            declared = keys - {each.text} if each.named else keys
            lines = [*spelled_lines(each.text, old, declared, named=named)]
            if not lines and named and is_group(each.text, old):
                lines = [(1, old.before.group)]
            for line, words in lines:
                yield TextMention(each.path, old, each.where, words, line if "\n" in each.text else 0)
