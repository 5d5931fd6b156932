"""The request and the result of an import."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from kitgen.compare.objects.compare import Comparison


class ImportRequest(Struct, frozen=True, kw_only=True):
    """What to import, and as what."""

    root: Path | None = None
    real: str
    """The component's own tree, or that of a target."""
    component: str
    version: str
    older: str | None = None
    """The version to build on; the one before if it is None, and none at all if it is empty."""
    targets: tuple[tuple[str, str], ...] = ()
    """Target and its tree."""
    dry_run: bool = False

    @property
    def folder(self) -> str:
        """Return the version's folder in the kit."""
        return f"components/{self.component}/{self.version}"


class VerifiedTree(Struct, frozen=True, kw_only=True):
    """A tree compared with what the new spec builds."""

    who: str
    name: str
    comparison: Comparison
    families: int
    """How many of its objects come from families."""
    objects: int
    """How many objects it has, CRDs aside."""
    carried: tuple[tuple[str, str], ...] = ()
    """Components that it carries, and the versions that have the CRDs of the trees."""
    because: str = ""
    """Why it is the tree of this target, if nobody named that."""


class ReviewItem(Struct, frozen=True, kw_only=True):
    """Something that a person should look at."""

    title: str
    lines: tuple[str, ...]


class ImportResult(Struct, frozen=True, kw_only=True):
    """What an import made, and what people should look at."""

    root: Path
    request: ImportRequest
    older: str
    """The version that it builds on, if it does."""
    asked: str = ""
    """The version that it was to build on."""
    texts: Mapping[str, str]
    """The files that are written, by path."""
    before: Mapping[str, str]
    """Those of them that were there before, as they were."""
    verified: tuple[VerifiedTree, ...]
    looks: tuple[ReviewItem, ...]
    errors: tuple[str, ...] = ()
    """The errors that `kitgen check` finds in the new version, in targets of these trees or in all."""

    @property
    def difference_count(self) -> int:
        """Return how many differences are left."""
        return sum(len(each.comparison.differences) for each in self.verified)

    @property
    def has_failed(self) -> bool:
        """Return whether there is something to correct before a target can take the version."""
        return bool(self.difference_count or self.errors)
