"""What `kitgen compare` does: hold what the kit builds against the real thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compare.bundled_versions import choose_bundled_versions, match_bundled_versions
from kitgen.compare.change import Change
from kitgen.compare.crd_match import select_valid_crds
from kitgen.compare.objects.compare import Comparison, compare_object_sets
from kitgen.compare.objects.difference import ABSENT, Difference
from kitgen.crd.definition import is_crd
from kitgen.files.root import find_root, has_kit
from kitgen.findings import Origin
from kitgen.findings.errors import UsageError
from kitgen.kit.load import KitSelection
from kitgen.kit.manifests import exists
from kitgen.kit.model import Component
from kitgen.kit.shipped_trees import ShippedTree, read_shipped_tree, start_reading_tree
from kitgen.kube.manifest import Manifest
from kitgen.render.families.table import keys_by_kind
from kitgen.report.text import locate_origins
from kitgen.text.values import group_pairs
from kitgen.workspace.compilation import compile_source
from kitgen.workspace.kit import raise_on_errors
from kitgen.workspace.sources import (
    FORMS,
    Kits,
    SourceKind,
    SourceName,
    add_revision_to_errors,
    component_of,
    parse_source,
    to_target_source,
)

CRD = "CustomResourceDefinition"
PERMISSIONS = "permissions"


class ComparedObjects(Struct, frozen=True, kw_only=True):
    """What is different, and where the specs say so."""

    root: Path | None
    comparison: Comparison
    names: tuple[str, str]
    """What the two sides are called."""
    origins: tuple[Origin | None, ...]
    """Of each difference the place in the specs that is about it, if there are any."""
    changes: Mapping[str, Sequence[Change]]
    """CRD → what changes for those who use it, if its schemas are different."""
    texts: Mapping[str, str]
    """The specs, for their lines."""
    remarks: tuple[str, ...] = ()
    """Which versions were chosen, that nobody named."""


class ComparedSide(Struct, frozen=True, kw_only=True):
    """One of the two that are compared."""

    objects: Sequence[Manifest]
    component: Component | None = None
    spec: Origin | None = None
    """The spec that could say more, if the objects come from specs."""
    texts: Mapping[str, str]
    revision: str = ""


def compare_sources(root: Path | None, left_name: str, right_name: str, *, in_words: bool) -> ComparedObjects:
    """Compare what a source builds with the real thing; `in_words` adds what `crd diff` says of CRDs."""
    source, real = parse_source(left_name), parse_source(right_name)
    if source.kind is real.kind is SourceKind.STDIN:
        raise UsageError("both sides are standard input", hint="name a file for one of them")
    kits = Kits(root, _build_kit_selection(root, (source, real)))
    other = kits.resolve(real)
    reading = start_reading_tree(other.file, kits.intake) if other.is_foreign else nullcontext()
    with reading as read:  # kustomize works while the kit is read
        named = kits.resolve(source)
        left = _load_side(kits, named)
        right = _to_compared_side(read()) if read else _load_side(kits, other)
    if chosen := _choose_bundled_versions(kits, named, left, right):
        left = _load_side(kits, named, {name: version for name, (_, version) in chosen.items()})
    found = compare_object_sets([each.body for each in left.objects], [each.body for each in right.objects])
    words = left.spec is not None and right.spec is None
    return ComparedObjects(
        root=kits.open_at().root if left.spec and not left.revision else None,
        comparison=found,
        names=("the kit", "the real thing") if words else (str(source), str(real)),
        origins=_find_origins(found.differences, left),
        changes=_collect_crd_changes(found.differences, left, right) if in_words else {},
        texts=left.texts,
        remarks=tuple(
            f"{name} {version} has the CRDs of the real thing, and was taken instead of {before or 'none'}; "
            "a release needs a version with the same CRDs"
            for name, (before, version) in chosen.items()
        ),
    )


def _choose_bundled_versions(
    kits: Kits, name: SourceName, left: ComparedSide, right: ComparedSide
) -> dict[str, tuple[str, str]]:
    """Return other versions of what a component carries, as `kitgen import` chooses them.

    No release says which versions go with a component's version that is named by itself.
    """
    alone = name.kind is SourceKind.COMPONENT or (name.component_version and not name.version)
    if not alone or left.component is None or right.spec is not None:
        return {}
    opened = kits.open_at(name.revision)
    bodies = {each.id.name: each.body for each in right.objects if is_crd(each.body)}
    return choose_bundled_versions(
        opened,
        name.name if name.component else "",
        left.component,
        {key: fit.versions for key, fit in match_bundled_versions(opened, left.component, bodies).items()},
    )


def _build_kit_selection(root: Path | None, names: Sequence[SourceName]) -> KitSelection | None:
    """Return what has to be read of the kit as it is: a target's own if one is meant, and nothing else."""
    ours = [each for each in names if not (each.is_foreign or each.revision)]
    if not has_kit(root):
        return None
    folder = find_root(root) / "targets"
    targets = [each for each in map(to_target_source, ours) if each and exists(folder / f"{each.name}.yaml")]
    others = [to_target_source(each) for each in ours if not exists(Path(each.name))]
    if len(targets) != 1 or others not in ([], targets):
        return None
    (target,) = targets
    if target.component_version:
        return None  # other versions of the component, and of those that it carries, count too
    return KitSelection(targets=(target.name,), release=target.version or None, judged=False)


def _to_compared_side(real: ShippedTree) -> ComparedSide:
    real.raise_on_findings()
    return ComparedSide(objects=real.manifests, texts=real.texts)


def _load_side(kits: Kits, name: SourceName, others: Mapping[str, str] | None = None) -> ComparedSide:
    """Return the objects of a source; what cannot be read or compiled is a FindingsError.

    `others` are versions of other components than the one that is named.
    """
    if name.is_foreign:
        return _to_compared_side(read_shipped_tree(name.file, kits.intake))
    if name.kind not in (SourceKind.TARGET, SourceKind.COMPONENT):
        raise UsageError(
            f"{name} is neither a target nor a component",
            hint=f"expected {FORMS[SourceKind.TARGET]}, or {FORMS[SourceKind.COMPONENT]}",
        )
    opened = kits.open_at(name.revision)
    with add_revision_to_errors(opened):
        made = compile_source(opened, name, checked=False, others=others)
        raise_on_errors(made.findings, opened.root)
    component = component_of(opened, name) if name.kind is SourceKind.COMPONENT else made.component
    spec = component.origin if component else opened.target(name.name).origin
    return ComparedSide(
        objects=made.objects, component=component, spec=spec, texts=opened.texts, revision=opened.revision
    )


def _find_origins(differences: Sequence[Difference], left: ComparedSide) -> tuple[Origin | None, ...]:
    """Return the places in the specs that differences are about, or where they could say it."""
    if left.spec is None:
        return (None,) * len(differences)
    owners = {each.id: each for each in left.objects}
    found = [_find_origin(each, left, left.spec, owners.get(each.object)) for each in differences]
    if not left.revision:
        return tuple(found)
    lined = locate_origins(found, left.texts.get)
    return tuple(replace(lined[each], file=f"{left.revision}:{each.file}") for each in found)


def _find_origin(difference: Difference, left: ComparedSide, spec: Origin, owner: Manifest | None) -> Origin:
    if owner and (difference.field or difference.right is ABSENT):
        return (
            _find_permissions_origin(owner)
            if difference.path == ("rules",)
            else owner.find_origin(difference.path)
        )
    section = keys_by_kind().get(difference.object.kind, "objects")
    if left.component and section in left.component.part.sections:
        return left.component.origin.at(section)
    return spec


def _find_permissions_origin(role: Manifest) -> Origin:
    """Return where the specs could grant more: beside what a role grants already, if it does."""
    origins = (each.origin for each in role.sources if each.path[:1] == ("rules",))
    above = (
        Origin(each.file, each.path[: each.path.index(PERMISSIONS) + 1])
        for each in origins
        if PERMISSIONS in each.path
    )
    return next(above, role.find_origin(("rules",)))


def _collect_crd_changes(
    differences: Sequence[Difference], left: ComparedSide, right: ComparedSide
) -> Mapping[str, Sequence[Change]]:
    """Return what changes in each CRD that is different, in the words of `crd diff`."""
    if not (names := {each.object.name for each in differences if each.object.kind == CRD and each.field}):
        return {}
    from kitgen.compare.crds.compare import compare_crds  # most comparisons need none of it

    mine, other = (
        select_valid_crds(each for each in side.objects if each.id.name in names) for side in (left, right)
    )
    common = mine.keys() & other.keys()
    return group_pairs(
        (name, each)
        for each in compare_crds([mine[each] for each in common], [other[each] for each in common])
        for name in {place.object for place in each.places}
    )
