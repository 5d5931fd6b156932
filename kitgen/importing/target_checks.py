"""Validate the trees, and check a new version for each target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.check.context import CheckContext
from kitgen.check.engine import to_findings
from kitgen.check.schemas import objects as schemas
from kitgen.check.schemas.catalog import is_kubernetes_group
from kitgen.crd.definition import group_by_kind, is_crd
from kitgen.findings import Finding, sort_key
from kitgen.importing.tree_reader import raise_findings
from kitgen.kit.model import Component
from kitgen.kit.shipped_trees import ShippedTree
from kitgen.kit.unused_settings import REASON_MISSING
from kitgen.kube.identity import split_api_version
from kitgen.kube.manifest import Manifest
from kitgen.report.text import locate_origins
from kitgen.text.values import group_pairs
from kitgen.text.yaml import JsonObject
from kitgen.workspace.compilation import build_target_placement, check_built_objects, compile_source
from kitgen.workspace.kit import OpenedKit
from kitgen.workspace.sources import SourceKind, SourceName

FoundIn: TypeAlias = tuple[Finding, tuple[str, ...]]
"""What `kitgen check` finds in a version, and in which targets; none if that is all of them."""


def check_version(
    opened: OpenedKit, component: Component, carried: Mapping[str, str], known: Sequence[Finding]
) -> list[FoundIn]:
    """Check a version in every target that would have it; what is known of the kit already is left out."""
    sources = _list_sources(opened, component)
    found = group_pairs(
        (each, source.name)
        for source in sources
        for each in opened.apply_exceptions(
            check_built_objects(opened, source.name, compile_source(opened, source, others=carried))
        )
        if each not in known and each.rule is not REASON_MISSING and not each.accepted
    )
    lined = locate_origins((each.origin for each in found), opened.texts.get)
    return [
        (replace(each, origin=lined[each.origin]), () if len(whos) == len(sources) else tuple(whos))
        for each, whos in sorted(found.items(), key=lambda pair: (not pair[0].is_blocking, sort_key(pair[0])))
    ]


def _list_sources(opened: OpenedKit, component: Component) -> list[SourceName]:
    """Return the version as each target has it that manages it; by itself, if there is none."""
    name, version = component.name, component.version
    targets = [
        SourceName(kind=SourceKind.TARGET, name=who, component=name, component_version=version)
        for who, target in opened.kit.targets.items()
        if build_target_placement(opened, target, {name: version}).settings_for(component).is_managed
    ]
    return targets or [SourceName(kind=SourceKind.COMPONENT, name=name, version=version)]


FIELDS = "field-"
"""How the rules begin that hold fields to a schema."""


def check_trees(reals: Mapping[str, ShippedTree], opened: OpenedKit) -> None:
    """Raise if there is an object that Kubernetes itself would refuse."""
    wrong: list[Finding] = []
    for real in reals.values():
        crds = [each.body for each in real.manifests if is_crd(each.body)]
        others = [each for each in real.manifests if not is_crd(each.body)]
        strange = {
            _group_kind_of(each) for each in others if _is_custom_resource(each, opened)
        } - group_by_kind(crds).keys()
        known = [*_find_declared_crds(opened, strange), *crds]
        context = CheckContext(targets={"": others}, minors=opened.kit.minors, crds=known)
        for hit in schemas.check(context):
            (found,) = to_findings(context, [hit])
            if (
                found.is_blocking
                and found.rule.id.startswith(FIELDS)
                and not _is_custom_resource(hit.manifest, opened)
            ):
                wrong.append(found)
    raise_findings(wrong, reals)


def _find_declared_crds(opened: OpenedKit, wanted: set[tuple[str, str]]) -> Iterator[JsonObject]:
    """Yield the CRDs of the kit for some kinds, those of all versions."""
    for versions in opened.kit.components.values():
        for component in versions.values():
            names = {(data.get("group"), (data.get("names") or {}).get("kind")) for _, data in component.crds}
            if names & wanted:
                yield from (each.body for each in opened.session.expand_crds(component).value)


def _is_custom_resource(manifest: Manifest, opened: OpenedKit) -> bool:
    return not is_kubernetes_group(_group_kind_of(manifest)[0], opened.kit.minors)


def _group_kind_of(manifest: Manifest) -> tuple[str, str]:
    group, _ = split_api_version(str(manifest.body.get("apiVersion")))
    return group, str(manifest.body.get("kind"))
