"""How texts spell a kind: as kubectl, Argo CD, Kueue, Kyverno, OLM and webhooks do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from kitgen.check.migration.kinds import OldKind

VERSION = r"v[0-9][a-z0-9]*"
BEFORE, AFTER = r"(?<![\w.-])", r"(?![\w-]|\.\w)"
ROLES = r"(?:admin|edit|view|crdview)"
"""How the roles end that OLM makes for a CRD."""
CUSTOMIZED = re.compile(r"resource\.customizations\.[A-Za-z]+\.(?P<group>[^_]*)_(?P<kind>\w+)")
"""A key of argocd-cm that says something of a kind."""


@cache
def pattern(moved: OldKind) -> re.Pattern[str]:
    """Return what finds the old kind in a text; a name without a version counts unless the kind keeps it."""
    old = moved.before
    group, kind = re.escape(old.group), re.escape(old.kind)
    plural = re.escape(moved.plural)
    version = re.escape(old.version) if moved.within else VERSION
    matched = version if moved.within else rf"(?:{version}|\*)"
    names = f"(?:{kind}|{plural}|{kind.lower()})"
    hooked = rf"(?<=-){old.group.replace('.', '-')}-{version}-{kind.lower()}(?![\w-])"
    forms = [
        rf"{names}\.{version}\.{group}",
        rf"{group}/{matched}/{kind}",
        rf"{plural}\.{group}-{version}-{ROLES}",
    ]
    if not moved.within:
        forms += [rf"{plural}\.{group}", rf"{group}[_/]{kind}"]
    return re.compile(rf"{BEFORE}(?:{'|'.join(forms)}){AFTER}|{hooked}", re.ASCII)


@cache
def _versioned(moved: OldKind) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds an apiVersion of the old kind, and its name, in a text that is no data."""
    old = moved.before
    version = re.escape(old.version) if moved.within else VERSION
    return (
        re.compile(rf"{BEFORE}{re.escape(old.group)}/{version}(?![\w/.-])", re.ASCII),
        re.compile(rf"\b(?:{re.escape(old.kind)}|{re.escape(moved.plural)})\b", re.ASCII),
    )


def spelled(text: str, moved: OldKind) -> str:
    """Return how a text spells the old kind first; empty if it does not."""
    found = pattern(moved).search(text)
    return found[0] if found else ""


def spelled_lines(text: str, moved: OldKind) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text that is no data, such as a script, that speak of the old kind."""
    version, name = _versioned(moved)
    named = name.search(text) is not None
    for number, line in enumerate(text.splitlines(), 1):
        found = pattern(moved).search(line) or (version.search(line) if named else None)
        if found:
            yield number, found[0]


def customized(key: str, moved: OldKind) -> bool:
    """Tell whether a key of argocd-cm is about the old kind; such keys know no versions."""
    found = CUSTOMIZED.fullmatch(key)
    return found is not None and not moved.within and moved.is_old(found["group"], found["kind"], "")


def framework(text: str, moved: OldKind) -> bool:
    """Tell whether a framework of Kueue is the old kind, such as example.com/greeting."""
    old = moved.before
    return not moved.within and text == f"{old.group}/{old.kind.lower()}"
