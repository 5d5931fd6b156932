"""What `kitgen compare` does: hold what the kit builds against the real thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from kitgen.crds.schema.crd import crd_faults, is_crd
from kitgen.diff.change import Change
from kitgen.diff.crds.compare import compare as compare_crds
from kitgen.diff.objects import Comparison, Difference, compare
from kitgen.diff.objects.compare import same_to_a_cluster
from kitgen.errors import UsageError
from kitgen.findings import Origin
from kitgen.load.real import read_real
from kitgen.model import Component
from kitgen.objects import Manifest, ObjectId
from kitgen.pipeline.build import compiled
from kitgen.pipeline.opened import require
from kitgen.pipeline.sources import FORMS, Kind, Kits, SourceName, component_of, in_revision, parse_source
from kitgen.yamlio import JsonObject

SECTIONS = {
    "ClusterRole": "roles",
    "ClusterRoleBinding": "bindings",
    "Deployment": "deployment",
    "Role": "roles",
    "RoleBinding": "bindings",
    "Service": "services",
    "ServiceAccount": "serviceAccounts",
}
"""Kind → the key of a component that could make such an object; `objects` takes all others."""


class CompareRequest(Struct, frozen=True, kw_only=True):
    """What to hold against what."""

    root: Path | None = None
    source: str
    real: str


class Compared(Struct, frozen=True, kw_only=True):
    """What is different, and where the specs say so."""

    root: Path | None
    comparison: Comparison
    origins: tuple[Origin | None, ...]
    """Of each difference the place in the specs that is about it, if there are any."""
    changes: Mapping[str, tuple[Change, ...]]
    """CRD → what changes for those who use it."""
    texts: Mapping[str, str]
    """The specs, for their lines."""


class Side(Struct, frozen=True, kw_only=True):
    """One of the two that are compared."""

    objects: Sequence[Manifest]
    component: Component | None = None
    texts: Mapping[str, str]
    specs: bool
    """Whether the objects come from specs."""


def compare_real(request: CompareRequest) -> Compared:
    """Compare what a source builds with the real thing."""
    kits = Kits(request.root)
    left = side(kits, kits.resolve(parse_source(request.source)))
    right = side(kits, kits.resolve(parse_source(request.real)))
    found = compare([each.body for each in left.objects], [each.body for each in right.objects])
    owners = {same_to_a_cluster(each.body): each for each in left.objects}
    origins = tuple(_origin(each, left, owners) for each in found.differences)
    root = kits.at().root if left.specs else None
    return Compared(
        root=root,
        comparison=found,
        origins=origins,
        changes=_crd_changes(left.objects, right.objects),
        texts=left.texts,
    )


def side(kits: Kits, name: SourceName) -> Side:
    """Return the objects of a source; what cannot be read or compiled is a FindingsError."""
    if name.foreign:
        real = read_real(name.file, kits.intake)
        return Side(objects=[each.manifest for each in real.objects], texts=real.texts, specs=False)
    if name.kind not in (Kind.TARGET, Kind.COMPONENT):
        hint = f"expected {FORMS[Kind.TARGET]}, or {FORMS[Kind.COMPONENT]}"
        raise UsageError(f"{name} is neither a target nor a component", hint=hint)
    opened = kits.at(name.revision)
    with in_revision(opened):
        made = compiled(opened, name)
        require(made.findings, opened.root)
    component = component_of(opened, name) if name.kind is Kind.COMPONENT else made.component
    return Side(objects=made.objects, component=component, texts=opened.texts, specs=True)


def _origin(difference: Difference, left: Side, owners: Mapping[ObjectId, Manifest]) -> Origin | None:
    """Return the place in the specs that a difference is about, or where they could say it."""
    if not left.specs:
        return None
    if difference.left is not None and (owner := _owner(difference, owners)):
        return owner.origin(difference.path)
    if left.component is None:
        return None
    return left.component.origin.at(SECTIONS.get(difference.object.kind, "objects"))


def _owner(difference: Difference, owners: Mapping[ObjectId, Manifest]) -> Manifest | None:
    wanted = difference.object
    return next((each for key, each in owners.items() if wanted in (each.id, key)), None)


def _crd_changes(left: Sequence[Manifest], right: Sequence[Manifest]) -> dict[str, tuple[Change, ...]]:
    """Return what changes in each CRD that both have, in the words of `crd diff`."""
    mine, other = _crds(left), _crds(right)
    found: dict[str, list[Change]] = {}
    common = mine.keys() & other.keys()
    for change in compare_crds([mine[each] for each in common], [other[each] for each in common]):
        found.setdefault(change.object, []).append(change)
    return {name: tuple(some) for name, some in found.items()}


def _crds(objects: Sequence[Manifest]) -> dict[str, JsonObject]:
    """Return the CRDs that have the shape of one; others are compared as any object."""
    return {
        each.id.name: each.body
        for each in objects
        if is_crd(each.body) and not list(crd_faults(each.body, Origin("")))
    }
