"""Permissions that a target has for objects with a name alone, where the component has them for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.findings import Path
from kitgen.importer.owners import Solution
from kitgen.importer.places import is_permission
from kitgen.yamlio import Json, JsonObject


def narrow(made: Solution) -> None:
    """Let targets keep for some names what is withheld from them, rather than have a feature grant it again.

    What is withheld is withheld for every name, whoever grants it.
    """
    for owner, edit in list(made.edits.items()):
        if isinstance(owner, str):
            continue
        for path, words in [each for each in edit.new.items() if is_permission(each[0])]:
            wide, name = parted(path)
            lacking = [_verbs(made.withheld.get(who, {}).get(wide, "")) for who in owner]
            if not name or not (kept := _verbs(words).intersection(*lacking)):
                continue
            del edit.new[path]
            if left := _verbs(words) - kept:
                edit.new[path] = _words(left)
            for who in owner:
                made.kept.setdefault(who, {})[path] = _words(kept)
        if not edit.new and not edit.gone:
            del made.edits[owner]


def parted(path: Path) -> tuple[Path, str]:
    """Return the place of a permission for all names, and the name that it is for; empty if it is for all."""
    key, _, name = str(path[-1]).removesuffix("]").partition("[")
    return (*path[:-1], key), name


WHY = "the imported tree does not grant this"


def in_words(lacking: Mapping[Path, Json], kept: Mapping[Path, Json]) -> list[JsonObject]:
    """Say what is withheld from each role, and for which names it is not."""
    found: dict[tuple[str, tuple[str, ...]], dict[str, Json]] = {}
    for path, words in lacking.items():
        for names, verbs in _by_names(path, _verbs(words), kept):
            found.setdefault((str(path[1]), names), {})[str(path[3])] = _words(verbs)
    return [
        {"role": role, "permissions": verbs, **({"keep": list(names)} if names else {}), "why": WHY}
        for (role, names), verbs in found.items()
    ]


def _by_names(
    path: Path, verbs: set[str], kept: Mapping[Path, Json]
) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """Yield the verbs of a permission that go together, with the names for which they stay."""
    names: dict[str, list[str]] = {verb: [] for verb in sorted(verbs)}
    for place, words in sorted(kept.items()):
        wide, name = parted(place)
        for verb in _verbs(words) if wide == path else ():
            names[verb].append(name)
    together: dict[tuple[str, ...], set[str]] = {}
    for verb, some in names.items():
        together.setdefault(tuple(some), set()).add(verb)
    yield from together.items()


def _verbs(words: Json) -> set[str]:
    return set(str(words).split())


def _words(verbs: set[str]) -> str:
    return " ".join(sorted(verbs))
