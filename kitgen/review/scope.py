"""Two states of one thing, and where a change holds in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.crds.schema.crd import is_crd
from kitgen.diff.objects import Difference
from kitgen.findings import Origin, Path
from kitgen.model.moves import NO_MOVES, DeclaredMoves
from kitgen.objects import Manifest, ObjectId
from kitgen.review.change import Hold
from kitgen.review.webhooks import Served, served_versions


class Scope(Struct, frozen=True, kw_only=True, dict=True):
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
    def served(self) -> Served:
        """Return the versions that are served in the end, by CRDs that are there."""
        return served_versions(each.body for each in self.after if is_crd(each.body))

    def hold(self, one: Manifest, path: Path, told: Iterable[Difference] = (), *, gone: bool = False) -> Hold:
        """Return that a change holds at a place of an object, as it is or, if it is gone, as it was."""
        return Hold(
            scope=self.name,
            object=one.id,
            component=self.components.get(one.id, ""),
            origin=self.origin(one, path, gone=gone),
            differences=tuple(told),
        )

    def origin(self, one: Manifest, path: Path, *, gone: bool = False) -> Origin | None:
        """Return the place in the specs, or in a file of manifests, that a place of an object comes from."""
        if not one.sources:
            return None
        origin, revision = one.origin(path), self.revisions[not gone]
        return replace(origin, file=f"{revision}:{origin.file}") if revision else origin
