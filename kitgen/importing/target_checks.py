"""Validate the trees, check a new version for each target, and find the minors that it supports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kitgen.check.context import CheckContext
from kitgen.check.engine import findings
from kitgen.check.schemas import objects as schemas
from kitgen.check.schemas.catalog import is_own
from kitgen.crd.definition import by_kind, is_crd
from kitgen.findings import FINDINGS_LIMIT, Finding, sort_key
from kitgen.importing.tree_reader import refuse
from kitgen.kit.model import Component
from kitgen.kit.shipped_trees import ShippedTree
from kitgen.kit.unused_settings import REASON_MISSING
from kitgen.kube.definitions import minors as known_minors
from kitgen.kube.definitions import narrow
from kitgen.kube.identity import split_api_version
from kitgen.kube.manifest import Manifest
from kitgen.report.text import with_lines
from kitgen.text.yaml import JsonObject
from kitgen.workspace.compilation import check_built, compiled, placement_of
from kitgen.workspace.kit import Opened
from kitgen.workspace.sources import SourceKind, SourceName


class VersionChecks(Struct, frozen=True, kw_only=True):
    """What `kitgen check` finds in a version."""

    findings: tuple[tuple[Finding, tuple[str, ...]], ...] = ()
    """Each with the targets in which it is found; none if that is all of them."""
    range: str = ""
    """The minors of Kubernetes that it runs on, such as `>=1.30`, if it does not on all of the kit's."""


def check_version(
    opened: Opened, component: Component, carried: Mapping[str, str], known: Sequence[Finding]
) -> VersionChecks:
    """Check a version in every target that would have it; what is known of the kit already is left out."""
    sources = _sources(opened, component)
    found: dict[Finding, list[str]] = {}
    for source in sources:
        for each in _checked(opened, source, carried):
            if each not in known and each.rule is not REASON_MISSING and not each.accepted:
                found.setdefault(each, []).append(source.name)
    lined = with_lines((each.origin for each in found), opened.texts.get)
    told = [
        (replace(each, origin=lined[each.origin]), () if len(whos) == len(sources) else tuple(whos))
        for each, whos in sorted(found.items(), key=lambda pair: (not pair[0].blocks, sort_key(pair[0])))
    ]
    wrong = {whos[0] for each, whos in found.items() if each.blocks}  # one target of each error is enough
    some = [each for each in sources if each.name in wrong]
    # With errors that were not looked for, minors cannot be told apart.
    whole = not any(each.rule is FINDINGS_LIMIT for each in found)
    spanned = _range(opened, component, some, carried) if some and whole else ""
    return VersionChecks(findings=tuple(told), range=spanned)


def _sources(opened: Opened, component: Component) -> list[SourceName]:
    """Return the version as each target has it that manages it; by itself, if there is none."""
    name, version = component.name, component.version
    targets = [
        SourceName(kind=SourceKind.TARGET, name=who, component=name, component_version=version)
        for who, target in opened.kit.targets.items()
        if placement_of(opened, target, {name: version}).settings(component).managed
    ]
    return targets or [SourceName(kind=SourceKind.COMPONENT, name=name, version=version)]


def _checked(
    opened: Opened, source: SourceName, carried: Mapping[str, str], minors: tuple[int, ...] = ()
) -> list[Finding]:
    return opened.judged(check_built(opened, source.name, compiled(opened, source, others=carried), minors))


def _range(
    opened: Opened, component: Component, sources: Sequence[SourceName], carried: Mapping[str, str]
) -> str:
    """Return the minors without errors that others have; empty if all or none of the kit's are so."""
    wrong = {
        minor: {
            (each.rule, each.origin)
            for source in sources
            for each in _checked(opened, source, carried, (minor,))
            if each.blocks
        }
        for minor in known_minors()
    }
    everywhere = set.intersection(*wrong.values())
    fine = tuple(minor for minor, some in wrong.items() if some <= everywhere)
    fine = narrow(fine, component.clusters) if component.clusters else fine
    releases = [opened.release(target, None) for target in opened.kit.targets.values()]
    if not fine or {minor for each in releases for minor in opened.kit.minors_for(each)} <= set(fine):
        return ""
    last = fine[-1]
    first = min(minor for minor in fine if set(range(minor, last + 1)) <= set(fine))
    parts = [f">=1.{first}"] if first > known_minors()[0] else []
    return " ".join([*parts, *([f"<=1.{last}"] if last < known_minors()[-1] else [])])


FIELDS = "field-"
"""How the rules begin that hold fields to a schema."""


def check_trees(reals: Mapping[str, ShippedTree], opened: Opened) -> None:
    """Raise if there is an object that Kubernetes itself would refuse."""
    wrong: list[Finding] = []
    for real in reals.values():
        crds = [each.body for each in real.manifests if is_crd(each.body)]
        others = [each for each in real.manifests if not is_crd(each.body)]
        strange = {_kind(each) for each in others if _is_custom(each, opened)} - by_kind(crds).keys()
        known = [*_declared(opened, strange), *crds]
        context = CheckContext(targets={"": others}, minors=opened.kit.minors, crds=known)
        for hit in schemas.check(context):
            (found,) = findings(context, [hit])
            if found.blocks and found.rule.id.startswith(FIELDS) and not _is_custom(hit.manifest, opened):
                wrong.append(found)
    refuse(wrong, reals)


def _declared(opened: Opened, wanted: set[tuple[str, str]]) -> Iterator[JsonObject]:
    """Yield the CRDs of the kit for some kinds, those of all versions."""
    for versions in opened.kit.components.values():
        for component in versions.values():
            names = {(data.get("group"), (data.get("names") or {}).get("kind")) for _, data in component.crds}
            if names & wanted:
                yield from (each.body for each in opened.session.crds(component).value)


def _is_custom(manifest: Manifest, opened: Opened) -> bool:
    return not is_own(_kind(manifest)[0], opened.kit.minors)


def _kind(manifest: Manifest) -> tuple[str, str]:
    group, _ = split_api_version(str(manifest.body.get("apiVersion")))
    return group, str(manifest.body.get("kind"))
