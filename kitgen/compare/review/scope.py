"""Two states of one thing, where a change holds in them, and what is different there in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.compare.objects.difference import ABSENT, Difference, format_sides
from kitgen.compare.review.change import ChangeLocation
from kitgen.compare.review.webhooks import Served, collect_served_versions
from kitgen.crd.definition import is_crd
from kitgen.findings import Path
from kitgen.kit.model.moves import NO_MOVES, DeclaredMoves
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.text.values import value_at
from kitgen.text.yaml import Json


class ReviewScope(Struct, frozen=True, kw_only=True, dict=True):
    """Two states of one thing."""

    name: str = ""
    """The target, where several are compared."""
    before: Sequence[Manifest]
    after: Sequence[Manifest]
    minor: int
    """The oldest minor of Kubernetes that it is for."""
    components: Mapping[ObjectId, str] = field(default_factory=dict)
    """What each object belongs to."""
    moves: DeclaredMoves = NO_MOVES
    """Kinds that are said to move."""
    revisions: tuple[str, str] = ("", "")
    """Of git, if one side or the other was not read from the work tree."""

    @cached_property
    def served_versions(self) -> Served:
        """Return the versions that are served in the end, by CRDs that are there."""
        return collect_served_versions(each.body for each in self.after if is_crd(each.body))

    def build_location(
        self, one: Manifest, path: Path, told: Iterable[Difference] = (), *, gone: bool = False
    ) -> ChangeLocation:
        """Return that a change holds at a place of an object, as it is or, if it is gone, as it was."""
        origin, revision = one.find_origin(path) if one.sources else None, self.revisions[not gone]
        if origin and revision:
            origin = replace(origin, file=f"{revision}:{origin.file}")
        return ChangeLocation(
            scope=self.name,
            object=one.id,
            component=self.components.get(one.id, ""),
            origin=origin,
            differences=tuple(told),
        )


def format_before_after(difference: Difference) -> str:
    """Write what was, and what is now; of an item that has a name, that it came or went."""
    now, was = format_sides(difference)
    if difference.order:
        return f"the order was {was}, now {now}"
    for missing, other, said, word in (
        (difference.right, difference.left, now, "new"),
        (difference.left, difference.right, was, "gone"),
    ):
        if missing is ABSENT:
            named = difference.field.endswith("]") and isinstance(other, dict)
            return f"{'it' if named else said} is {word}"
    return f"was {was}, now {now}"


def format_path(body: Json, path: Path) -> str:
    """Write a place as differences do: items of lists by their names."""
    said = ""
    for step in path:
        body = value_at(body, step)
        if isinstance(step, int):
            name = value_at(body, "name")
            said += f"[{name if isinstance(name, str) else step}]"
        else:
            said += f"[{step}]" if "." in step or "/" in step else f".{step}"
    return said.removeprefix(".")
