"""Guess which field that is gone has another name now: only where name and shape both speak for it."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from kitgen.crds.outline.nodes import Node
from kitgen.diff.patience import Patience

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
MOST_VALUES = 100
NAMES, WORDS, FIELDS = 0.6, 0.8, 0.5
"""How much of two names, of two words in them, and of the fields of two objects must be equal."""
LONG, MANY = 100, 10_000
"""No name is longer. With more pairs to choose from, a likeness says nothing, and it takes long to find."""


def renames(old: Node, new: Node, patience: Patience) -> dict[str, str]:
    """Return by the name of a field that is gone the name that it likely has now, each only once."""
    come = [name for name in new.properties if name not in old.properties and len(name) <= LONG]
    gone = [name for name in old.properties if name not in new.properties and len(name) <= LONG]
    size = sum(map(len, gone)) * sum(map(len, come))
    if len(gone) * len(come) > MANY or not patience.allows(size // 12):
        return {}
    pairs = [
        (-_share(name.casefold(), other.casefold()), name, other)
        for name in gone
        for other in come
        if _like_shape(old.properties[name], new.properties[other]) and _like_words(name, other)
    ]
    found: dict[str, str] = {}
    taken: set[str] = set()
    for share, name, other in sorted(pairs):
        if -share >= NAMES and name not in found and other not in taken:
            found[name] = other
            taken.add(other)
    return found


def _share(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _like_words(one: str, other: str) -> bool:
    """Tell whether each word of the shorter name is in the longer one: minAge is not what maxAge was."""
    if one.casefold() == other.casefold():
        return True
    short, long = sorted(([word.casefold() for word in WORD.findall(name)] for name in (one, other)), key=len)
    return bool(short) and all(any(_share(word, each) >= WORDS for each in long) for word in short)


def _like_shape(old: Node, new: Node) -> bool:
    """Tell whether a value of one could be a value of the other: never across types."""
    if old is new:
        return True
    if old.kind != new.kind:
        return False
    values = [{str(value) for value in (node.facts.get("enum") or ())[:MOST_VALUES]} for node in (old, new)]
    if values[0] and values[1] and not values[0] & values[1]:
        return False
    for before, after in ((old.items, new.items), (old.values, new.values)):
        if before and after and not _like_shape(before, after):
            return False
    fields = (old.properties.keys(), new.properties.keys())
    every = fields[0] | fields[1]
    return not every or len(fields[0] & fields[1]) >= FIELDS * len(every)
