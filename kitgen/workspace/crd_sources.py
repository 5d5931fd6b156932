"""The CRDs of a source: of a component, a target or a release of the kit, or foreign ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from kitgen.crd.definition import check_crd_shape, is_crd
from kitgen.findings import Finding, Origin, make_problem
from kitgen.kit.foreign_objects import ForeignObject, read_foreign_objects
from kitgen.kit.manifests import ReadBudget
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.text.wording import format_count
from kitgen.text.yaml import JsonObject
from kitgen.workspace.checks import list_shipping_targets
from kitgen.workspace.compilation import BuiltObjects, compile_source
from kitgen.workspace.kit import OpenedKit, raise_on_errors
from kitgen.workspace.sources import Kits, SourceKind, SourceName, add_revision_to_errors, component_of


class ForeignCrds(Struct, frozen=True, kw_only=True):
    """The CRDs that were read behind some names."""

    found: Mapping[str, ForeignObject]
    """By the name of the CRD."""
    others: tuple[ForeignObject, ...]
    texts: Mapping[str, str]

    @property
    def bodies(self) -> list[JsonObject]:
        """Return the CRDs themselves."""
        return [each.body for each in self.found.values()]


def read_foreign_crds(
    names: tuple[str, ...],
    faults: Callable[[JsonObject, Origin], Iterable[Finding]] = check_crd_shape,
    intake: ReadBudget | None = None,
) -> ForeignCrds:
    """Read CRDs; other objects are passed over, and whatever is wrong with one is a FindingsError.

    A CRD may come again if it is the same.
    """
    read = read_foreign_objects(names, intake)
    found: dict[str, ForeignObject] = {}
    findings: list[Finding] = []
    others = tuple(each for each in read.objects if not is_crd(each.body))
    for each in filter(lambda each: is_crd(each.body), read.objects):
        if wrong := list(faults(each.body, each.origin)):
            findings += wrong
            continue
        name = each.body["metadata"]["name"]
        first = found.setdefault(name, each)
        if first.body != each.body:
            findings.append(
                make_problem(
                    "crd-twice",
                    f"found {name!r} a second time, and not the same; {first.origin.file} has it too",
                ).to_finding(each.origin)
            )
    if not (found or findings or read.findings):
        none = make_problem(
            "crd-none",
            "found no CRDs, expected at least one",
            hint=f"found {format_count(len(others), 'other object')}" if others else "",
        )
        findings.append(none.to_finding(Origin(names[0], (), 1)))
    read.raise_on_findings(*findings)
    return ForeignCrds(found=found, others=others, texts=read.texts)


def read_source_crds(kits: Kits, name: SourceName) -> list[JsonObject]:
    """Return the CRDs of a source; wrong ones are a FindingsError."""
    if name.is_foreign:
        return read_foreign_crds((name.file,), intake=kits.intake).bodies
    opened = kits.open_at(name.revision)
    with add_revision_to_errors(opened):
        made, findings = _collect_objects(opened, name)
        raise_on_errors(findings, opened.root)
    return [each.body for each in made if is_crd(each.body)]


def _collect_objects(opened: OpenedKit, name: SourceName) -> tuple[Iterable[Manifest], Iterable[Finding]]:
    """Return objects with the CRDs of a source, each CRD once, and what is wrong with them.

    The whole kit has a CRD in as many versions as there are, the newest first.
    """
    match name.kind:
        case SourceKind.KIT:
            return (crd for made in opened.crds().values() for crd in made), ()
        case SourceKind.COMPONENT:
            return opened.session.expand_crds(component_of(opened, name))
        case SourceKind.RELEASE:
            plans = [opened.plan(target, name.name) for target in list_shipping_targets(opened, name.name)]
        case SourceKind.TARGET if name.component:
            made = compile_source(opened, name)
            return (*made.objects, *_list_bundled_crds(opened, made)), made.findings
        case _:
            plans = [opened.plan(opened.target(name.name), name.version)]
    found: dict[ObjectId, Manifest] = {}
    for plan in plans:
        for manifest in (*(each for unit in plan.units for each in unit.final), *plan.outside_objects):
            found.setdefault(manifest.id, manifest)
    return found.values(), [finding for plan in plans for finding in plan.findings]


def _list_bundled_crds(opened: OpenedKit, made: BuiltObjects) -> Iterator[Manifest]:
    """Yield the CRDs that a component of a target carries and that the platform's bundle installs."""
    placement = made.placement
    for each in placement.bundled_components if placement else ():
        if placement and placement.carrier_of(each) == made.component:
            yield from opened.session.compile_labelled_crds(placement, each)
