"""A tree before or after an import, with names that do not depend on prefix and namespace."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from kitgen.importing.ownership import objects_of
from kitgen.importing.survey import prefix_now, survey
from kitgen.importing.trees import InvertedTree
from kitgen.kit.model import Component
from kitgen.render.families.permissions_inverse import lines
from kitgen.render.kustomize.field_paths import places
from kitgen.text.yaml import Json, JsonObject
from kitgen.workspace.kit import Opened

Rights: TypeAlias = Mapping[str, Collection[str]]
"""Resource, object or URL → verbs."""


class TreeSide(Struct, frozen=True, kw_only=True):
    """The objects of a tree, and what surrounds them."""

    bodies: Sequence[JsonObject] = ()
    prefix: str = ""
    home: str = ""
    """The namespace that most of them are in."""

    def short(self, name: str) -> str:
        """Return a name without the prefix."""
        return name.removeprefix(self.prefix)

    def is_home(self, namespace: str) -> bool:
        """Return whether a namespace is that of the component."""
        return namespace in ("", self.home)


class TreePair(Struct, frozen=True, kw_only=True):
    """What a target had before, if it had anything, and what it gets."""

    who: str
    before: TreeSide | None
    now: TreeSide


Line: TypeAlias = tuple[str, str]
"""What it is about, if that has lines of its own, and a line."""
Told: TypeAlias = Mapping[str, Sequence[Line]]
"""Title → what is told below it."""


def pair_of(opened: Opened, older: Component | None, read: InvertedTree) -> TreePair:
    """Return a tree and what the older version builds in its place."""
    bodies, who = read.given.bodies, read.given.who
    objects = objects_of(opened, older, who) if older else None
    if older is None or objects is None:
        return TreePair(who=who, before=None, now=_side(bodies, read.found.prefix))
    prefix = prefix_now(bodies, objects, older.prefix)
    return TreePair(who=who, before=_side(objects, older.prefix), now=_side(bodies, prefix))


def _side(bodies: Sequence[JsonObject], prefix: str) -> TreeSide:
    return TreeSide(bodies=bodies, prefix=prefix, home=survey(bodies, prefix).namespace)


def maps(body: Json, way: str) -> list[JsonObject]:
    """Return the mappings that a way leads to, whatever else stands there."""
    return [each for _, each in places(body, way) if isinstance(each, dict)]


def surplus(more: Rights, less: Rights) -> dict[str, set[str]]:
    """Return what one grants beyond the other."""
    found = {what: {*verbs} - {*less.get(what, ())} for what, verbs in more.items()}
    return {what: verbs for what, verbs in found.items() if verbs}


def in_lines(rights: Rights) -> list[str]:
    """Write rights in the words of specs, in lines that are not too long."""
    words = lines({what: " ".join(sorted(verbs)) for what, verbs in rights.items()})
    return [f"{what}: {verbs}" for what, verbs in words.items()]
