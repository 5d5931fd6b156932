"""The context that a check of objects gets, and the hits that it returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from msgspec import Struct, field

from kitgen.check.index import TargetIndex
from kitgen.crd.definition import is_crd
from kitgen.findings import Path, Problem
from kitgen.kit.model.moves import NO_MOVES, DeclaredMoves
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import Json, JsonObject

if TYPE_CHECKING:
    from kitgen.kit.model import PublishedImage
    from kitgen.render.plan import TargetPlan

PATTERNS = frozenset(
    {
        "apiextensions.crossplane.io",
        "kyverno.io",
        "mutations.gatekeeper.sh",
        "policies.kyverno.io",
        "policy.open-cluster-management.io",
    }
)
"""Groups whose objects hold patterns and parts of other objects."""


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
    walked: dict[int, list[tuple[Path, JsonObject]]] = field(default_factory=dict)
    """The mappings inside each body: several checks ask for them."""

    def list_objects(self) -> Iterator[tuple[str, Manifest]]:
        """Yield every object with the name of its target."""
        for target, manifests in self.targets.items():
            yield from ((target, manifest) for manifest in manifests)

    def get_index(self, target: str) -> TargetIndex:
        """Return the objects of a target by what they are called."""
        if target not in self.indexes:
            self.indexes[target] = TargetIndex(self.targets[target])
        return self.indexes[target]

    def minors_of(self, target: str, manifest: Manifest) -> tuple[int, ...]:
        """Return the minors that an object of a target is for."""
        return self.ranges.get((target, id(manifest.body)), self.minors)

    def list_mappings(self, manifest: Manifest) -> Sequence[tuple[Path, JsonObject]]:
        """Return every mapping inside an object, with its path; what is above comes first.

        Of a CRD it is the metadata alone: its schemas look like objects but are none. So do patterns.
        """
        body = manifest.body
        if id(body) not in self.walked:
            alone = is_crd(body) or manifest.id.group in PATTERNS
            self.walked[id(body)] = list(
                _walk_mappings({"metadata": body.get("metadata")} if alone else body)
            )
        return self.walked[id(body)]

    def list_texts(self, manifest: Manifest) -> Iterator[tuple[Path, str]]:
        """Yield the texts in those mappings and in their lists, with their paths."""
        for path, mapping in self.list_mappings(manifest):
            for key, value in mapping.items():
                if isinstance(value, str):
                    yield (*path, key), value
                elif isinstance(value, list):
                    texts = ((at, each) for at, each in enumerate(value) if isinstance(each, str))
                    yield from (((*path, key, at), each) for at, each in texts)


class CheckHit(NamedTuple):
    """A problem of an object; the engine leads it back to the spec behind the field."""

    target: str
    manifest: Manifest
    problem: Problem
    accepted: str = ""
    """Why it is no error, if something besides exceptions says so."""


def _walk_mappings(body: JsonObject) -> Iterator[tuple[Path, JsonObject]]:
    """Yield every mapping inside a body, with its path, as they are written."""
    todo: list[tuple[Path, Json]] = [((), body)]
    while todo:
        path, value = todo.pop()
        if isinstance(value, dict):
            yield path, value
            inner = [((*path, key), item) for key, item in value.items() if isinstance(item, dict | list)]
        else:
            inner = [((*path, at), item) for at, item in enumerate(value) if isinstance(item, dict | list)]
        todo += reversed(inner)
