"""Spellings of a kind in texts: those of kubectl, Argo CD, Kueue, Kyverno, OLM and webhooks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache

from kitgen.migrate.kinds import OldKind
from kitgen.text.patterns import compile_late

LONGEST = 1_000_000
"""Of a text that is looked at."""
VERSION = r"v[0-9][a-z0-9]*"
BEFORE, AFTER = r"(?<![\w.-])", r"(?![\w-]|\.\w)"
ROLES = r"(?:admin|edit|view|crdview)"
"""How the roles end that OLM makes for a CRD."""
SELECTS = compile_late(r"(?:^|\s)(?:-[lL]|--selector|--label-columns)[=\s]*[\"']?!?$")
SELECTED = compile_late(r"\s*(?:!?=|(?:not)?in\s*\()")
"""What stands before and behind a key that something is selected by."""
CUSTOMIZED = compile_late(r"resource\.customizations\.[A-Za-z]+\.(?P<group>[^_]*)_(?P<kind>\w+)")
"""A key of argocd-cm that says something of a kind."""


@cache
def build_pattern(moved: OldKind) -> re.Pattern[str]:
    """Return what finds the old kind in a text; a name without a version counts unless the kind keeps it."""
    old = moved.before
    group, kind = re.escape(old.group), re.escape(old.kind)
    plural = re.escape(moved.old.plural)
    version = re.escape(old.version) if moved.within else VERSION
    matched = version if moved.within else rf"(?:{version}|\*)"
    names = f"(?:{kind}|{plural}|{kind.lower()})"
    hooked = rf"(?<=-){old.group.replace('.', '-')}-{version}-{kind.lower()}(?![\w-])"
    forms = [
        rf"{names}\.{version}\.{group}",
        rf"{group}/{matched}/{kind}",
        rf"{plural}\.{group}-{version}-{ROLES}",
        # As paths of the API have it; the namespace is no part of how the kind is spelled.
        rf"{group}/{version}(?=/(?:namespaces/[^/\s]{{1,253}}/)?{plural}\b)",
    ]
    if not moved.within:
        forms += [rf"{plural}\.{group}", rf"{group}[_/]{kind}"]
    return re.compile(rf"{BEFORE}(?:{'|'.join(forms)}){AFTER}|{hooked}", re.ASCII)


@cache
def _build_line_patterns(moved: OldKind) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds an apiVersion of the old kind, and its name, in a text that is no data."""
    old = moved.before
    version = re.escape(old.version) if moved.within else VERSION
    return (
        re.compile(rf"{BEFORE}{re.escape(old.group)}/{version}(?![\w/.-])", re.ASCII),
        re.compile(rf"\b(?:{re.escape(old.kind)}|{re.escape(moved.old.plural)})\b", re.ASCII),
    )


def find_spelling(text: str, moved: OldKind, declared: Collection[str] = ()) -> str:
    """Return how a text spells the old kind first; empty if not, or if it means a declared key."""
    for found in build_pattern(moved).finditer(text):
        if found[0] not in declared or not _is_label_key(text, found):
            return found[0]
    return ""


def _is_label_key(text: str, found: re.Match[str]) -> bool:
    """Return whether a word is the key of a label: by itself, or as something selects by it."""
    alone = text.strip() == found[0]
    before = text[: found.start()][-30:]
    return alone or bool(SELECTS.search(before) or SELECTED.match(text, found.end()))


def find_spelling_lines(
    text: str, moved: OldKind, declared: Collection[str] = ()
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text that is no data, such as a script, that speak of the old kind.

    An apiVersion counts if the text names the kind too.
    """
    version, names = _build_line_patterns(moved)
    is_named = names.search(text)
    for number, line in enumerate(text.splitlines(), 1):
        found = version.search(line) if is_named else None
        if words := find_spelling(line, moved, declared) or (found[0] if found else ""):
            yield number, words


def is_customization_key(key: str, moved: OldKind) -> bool:
    """Return whether a key of argocd-cm is about the old kind; such keys know no versions."""
    found = CUSTOMIZED.fullmatch(key)
    return found is not None and not moved.within and moved.is_old_kind(found["group"], found["kind"], "")


def find_framework_name(text: str, moved: OldKind) -> str:
    """Return how a framework of Kueue spells the old kind, such as example.com/greeting; empty if not."""
    name = f"{moved.before.group}/{moved.before.kind.lower()}"
    return name if not moved.within and text == name else find_spelling(text, moved)
