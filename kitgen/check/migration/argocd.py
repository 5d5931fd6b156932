"""What Argo CD is told of kinds by patterns: lists of a project, and what it includes and excludes."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from kitgen.check.migration.kinds import OldKind
from kitgen.findings import Path
from kitgen.yamlio import Dialect, Json, JsonObject, YamlError, lines_of, read_all

LISTS = frozenset(
    f"{scope}Resource{kind}" for scope in ("cluster", "namespace") for kind in ("Whitelist", "Blacklist")
)
"""Of an AppProject."""
TEXTS = frozenset({"resource.inclusions", "resource.exclusions", "resourceInclusions", "resourceExclusions"})
"""Of argocd-cm, and of what an operator makes it from."""
WILD = frozenset("*?[{")


def in_project(value: JsonObject, old: OldKind, path: Path) -> bool:
    """Tell whether an entry of a project's list means the old kind by a pattern, and not the new one."""
    if len(path) < 2 or path[-2] not in LISTS:
        return False
    return _misses(str(value.get("group", "")), str(value.get("kind", "")), old)


def in_setting(text: str, old: OldKind) -> Iterator[tuple[int, str]]:
    """Yield the lines of such a setting with a pattern that means the old kind, and not the new one."""
    try:
        documents = read_all(text, dialect=Dialect.TEXT)
    except (YamlError, RecursionError):
        return
    entries: Json = documents[0] if documents else None
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if not isinstance(entry, dict):
            continue
        kinds = _words(entry, "kinds") or ["*"]
        for at, group in enumerate(_words(entry, "apiGroups")):
            wild = WILD & {*group}  # a group as it is called is found as in any rule
            if wild and any(_misses(group, kind, old) for kind in kinds):
                path = (index, "apiGroups", at)
                yield lines_of(text, {path})[path], group


def _misses(group: str, kind: str, old: OldKind) -> bool:
    if old.after is None or old.within or not WILD & {*group, *kind}:
        return False
    was, now = (_meant(group, each.group) and _meant(kind, each.kind) for each in (old.before, old.after))
    return was and not now


def _meant(pattern: str, name: str) -> bool:
    return fnmatchcase(name, pattern)


def _words(entry: JsonObject, key: str) -> list[str]:
    found: Json = entry.get(key)
    return [str(each) for each in found] if isinstance(found, list) else []
