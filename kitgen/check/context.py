"""The context that a check of objects gets, and the hits that it returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from msgspec import Struct, field

from kitgen.check.index import TargetIndex
from kitgen.check.views import Minors, ObjectCheck, ObjectView, ObjectViews
from kitgen.findings import Problem
from kitgen.kit.model.moves import NO_MOVES, DeclaredMoves
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import JsonObject

if TYPE_CHECKING:
    from kitgen.kit.model import PublishedImage
    from kitgen.render.plan import TargetPlan

Place: TypeAlias = tuple[str, str]
"""The address of a repository, in its normal form, and a path in it."""


class CheckContext(Struct, frozen=True, kw_only=True):
    """Everything that is checked together."""

    targets: Mapping[str, Sequence[Manifest]]
    """The objects of each target; foreign manifests stand under an empty name."""
    minors: tuple[int, ...]
    """The minors of Kubernetes 1 that the objects are for, oldest first."""
    ranges: Mapping[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    """Target and id of a body → other minors that this object is for."""
    crds: Sequence[JsonObject] = ()
    """CustomResourceDefinitions that the kit declares but a target may leave to others."""
    before: Mapping[str, Sequence[Manifest]] = field(default_factory=dict)
    """The objects that are there when those of a target come, by target; absent where none are known."""
    accepted: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What the upgrade of a target may break, by target: rule → reason."""
    moves: DeclaredMoves = field(default_factory=lambda: NO_MOVES)
    """Kinds that are said to move, and which files say it."""
    plans: Sequence[TargetPlan] = ()
    """What the kit says of its own targets, each of which is there once."""
    published: Sequence[PublishedImage] = ()
    """Images that come out with its releases."""
    folders: Mapping[Place, Sequence[Manifest]] = field(default_factory=dict)
    """What Applications bring by naming a folder, as far as that is known."""
    indexes: dict[str, TargetIndex] = field(default_factory=dict)
    """What `get_index` made so far."""
    views: ObjectViews = field(default_factory=ObjectViews)
    """What was looked at so far: what is checked after one another shares it."""

    seen: list[tuple[str, Manifest, ObjectView, Minors]] = field(default_factory=list)
    """What `check_each` looks at."""

    def list_objects(self) -> Iterator[tuple[str, Manifest]]:
        """Yield every object with the name of its target."""
        for target, manifests in self.targets.items():
            yield from ((target, manifest) for manifest in manifests)

    def get_index(self, target: str) -> TargetIndex:
        """Return the objects of a target by what they are called."""
        if target not in self.indexes:
            self.indexes[target] = TargetIndex(self.targets[target], self.views.read_permits)
        return self.indexes[target]

    def minors_of(self, target: str, manifest: Manifest) -> tuple[int, ...]:
        """Return the minors that an object of a target is for."""
        return self.ranges.get((target, id(manifest.body)), self.minors)

    def get_view(self, target: str, manifest: Manifest) -> ObjectView:
        """Return an object as checks look at it; others of the same content share that."""
        return self.views.get(manifest, rendered=bool(target))

    def check_each(self, check: ObjectCheck) -> Iterator[CheckHit]:
        """Yield what a check finds in each object; those of the same content are looked at once."""
        if not self.seen:
            self.seen.extend(
                (target, each, self.get_view(target, each), self.minors_of(target, each))
                for target, each in self.list_objects()
            )
        for target, manifest, view, minors in self.seen:
            for problem in view.list_problems(check, minors):
                yield CheckHit(target, manifest, problem)


class CheckHit(NamedTuple):
    """A problem of an object; the engine leads it back to the spec behind the field."""

    target: str
    manifest: Manifest
    problem: Problem
    accepted: str = ""
    """Why it is no error, if something besides exceptions says so."""
