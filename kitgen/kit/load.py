"""Load a whole kit: every component, target and release, and the references between them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import chain, islice

from msgspec import Struct
from msgspec.structs import replace

from kitgen.crd.schema_edits import find_schema_references, has_type_references
from kitgen.files.root import MARK
from kitgen.findings import (
    MAX_FINDINGS,
    Finding,
    Origin,
    Severity,
    apply_exceptions,
    deduplicate_findings,
    make_problem,
    read_exceptions,
    read_grades,
    report_findings_limit,
)
from kitgen.findings.errors import FindingsError
from kitgen.kit.apis import Apis, collect_apis
from kitgen.kit.component import build_component, build_listing
from kitgen.kit.feature_use import check_features
from kitgen.kit.fleet import build_fleet, check_fleet
from kitgen.kit.inheritance import Chains
from kitgen.kit.inherited_files import CompanionFiles
from kitgen.kit.locks import check_stray_locks, load_locks
from kitgen.kit.merge import SpecValue
from kitgen.kit.model import Component, Kit, Release, Target
from kitgen.kit.permissions import check_permissions
from kitgen.kit.publishing import build_matrix, build_publishing, check_component_names, check_publishing
from kitgen.kit.ranges import check_ranges, read_range
from kitgen.kit.references import check_references
from kitgen.kit.releases import build_releases, check_releases, list_release_names, select_release_files
from kitgen.kit.spec_files import SpecFiles
from kitgen.kit.spec_formats import check_kit_format
from kitgen.kit.succession import check_successor
from kitgen.kit.target import build_target, check_declared_drift, check_target_exceptions
from kitgen.kit.unused_settings import check_reasons_and_ranges, check_unused_settings
from kitgen.kit.webhooks import check_webhooks
from kitgen.kube.definitions import format_minors, list_minors
from kitgen.text.semver import is_version, version_key
from kitgen.text.values import group_pairs


class KitSelection(Struct, frozen=True, kw_only=True):
    """Which targets and release are wanted, so that other versions of components need not be read."""

    targets: tuple[str, ...] = ()
    """All of them when empty."""
    release: str | None = None
    """What each of them pins when absent."""
    judged: bool = True
    """Whether that is told which builds, and is likely a mistake."""
    alone: bool = False
    """Whether nothing but components of these targets is compiled: no bundle, no fleet, no other target."""
    outlined: bool = False
    """Whether everything is wanted, but of what stands beside a component.yaml the names alone."""


def load_kit(files: SpecFiles, only: KitSelection | None = None, *, releases: bool = True) -> Kit:
    """Load the kit, or what is wanted of it; raise FindingsError with everything that is wrong with that.

    What releases say is no part of it if the caller looks at `releases` itself.
    """
    if other := [each.to_finding(Origin(MARK)) for each in check_kit_format(files.read_data(MARK)[0])]:
        raise FindingsError(other)  # nothing else can be judged by what it means in this form
    listed, findings = files.list_specs()
    chains = Chains(files, listed)
    loaded, wanted, wrong = _build_kit(chains, only)
    findings += [*wrong, *chains.findings]
    chosen = {
        name: {
            version: each for version, each in known.items() if wanted is None or (name, version) in wanted
        }
        for name, known in loaded.components.items()
        if not (only and only.outlined)
    }
    asked = replace(loaded, components=chosen)  # others were only read because these build on them
    complete = not findings
    findings += [*check_references(asked, complete=complete), *check_ranges(asked)]
    findings += [
        *check_declared_drift(asked.targets.values()),
        *check_target_exceptions(asked.targets.values()),
    ]
    findings += [*check_publishing(loaded), *check_fleet(loaded, complete=complete)]
    findings += check_features(loaded, files.files.list_names("migrations"))
    if releases:
        findings += [*check_releases(loaded), *check_component_names(loaded)]
        findings += [wrong for each in loaded.releases.values() for wrong in check_successor(loaded, each)]
    findings = apply_exceptions(findings, loaded.exceptions, loaded.grades)
    judged = only is None or only.judged
    if judged and not any(each.is_blocking for each in findings):  # ranges can be read, names lead somewhere
        findings += apply_exceptions(
            _check_usage_in_releases(chains, asked, loaded), loaded.exceptions, loaded.grades
        )
    by_error = group_pairs(
        (bool(each.accepted) and each.severity is Severity.ERROR, each)
        for each in deduplicate_findings(findings)
    )
    accepted, left = by_error.get(True, []), by_error.get(False, [])
    if any(finding.is_blocking for finding in left):
        raise FindingsError(left)
    return replace(loaded, warnings=tuple(left), accepted=tuple(accepted))


def _build_kit(
    chains: Chains, only: KitSelection | None
) -> tuple[Kit, set[tuple[str, str]] | None, list[Finding]]:
    """Build the kit, and return which components in which versions are wanted; None is all."""
    kit, wrong = chains.files.read_validated(MARK, "kit")
    kit = kit or {"kit": "", "kubernetes": ""}
    findings = [*wrong]
    span, wrong = read_range(kit["kubernetes"], Origin(MARK, ("kubernetes",)))
    exceptions, odd = read_exceptions(kit.get("exceptions", ()), Origin(MARK, ("exceptions",)))
    grades, odd_grades = read_grades(kit.get("rules", {}), Origin(MARK, ("rules",)))
    findings += (*wrong, *odd, *odd_grades)
    beside = CompanionFiles(chains, read=not (only and only.outlined))
    only, targets = _load_targets(chains, None if only and only.outlined else only)
    needed = None if only is None else select_release_files(only.release, targets, chains, only.alone)
    releases, accepted = build_releases(_load_specs(chains, "release", needed), chains)
    locks, wrong = load_locks(chains.files, releases)
    releases = {name: replace(each, lock=locks.get(name)) for name, each in releases.items()}
    findings += [*wrong, *(check_stray_locks(chains.files, releases) if needed is None else ())]
    versions = _list_versions(chains.listed)
    wanted = None if only is None else _select_components(only, targets, releases)
    loaded = Kit(
        name=kit["kit"],
        about=kit.get("about", ""),
        minors=span,
        components=_build_components(chains, beside, versions, wanted),
        versions={name: tuple(filter(is_version, known)) for name, known in versions.items()},
        targets=targets,
        releases=releases,
        project=kit.get("project", ""),
        matrix=build_matrix(kit["matrix"], Origin(MARK, ("matrix",))) if "matrix" in kit else None,
        publishing=build_publishing(kit.get("publishing", {}), Origin(MARK, ("publishing",))),
        fleet=build_fleet(kit["fleet"], Origin(MARK, ("fleet",)), targets)
        if "fleet" in kit and not (only and only.alone)
        else None,
        target_names=tuple(
            file[len("targets/") : -len(".yaml")] for file, kind in chains.listed.items() if kind == "target"
        ),
        release_names=list_release_names(chains.listed),
        exceptions=(*exceptions, *accepted),
        grades=grades,
    )
    return loaded, wanted, findings


def _load_targets(chains: Chains, only: KitSelection | None) -> tuple[KitSelection | None, dict[str, Target]]:
    """Build the targets that are wanted, and return what is wanted of the rest.

    That is everything if one is missing, whose finding knows the others, or upgrades from what may be any.
    """
    files = {f"targets/{each}.yaml" for each in only.targets} if only and only.alone else None
    if files and files <= chains.listed.keys():
        found = _build_targets(chains, files)
        if all(is_version(each.upgrades_from or each.release) for each in found.values()):
            return only, found
    return (None if files else only), _build_targets(chains)


def _build_targets(chains: Chains, wanted: Container[str] | None = None) -> dict[str, Target]:
    return {
        said.data["target"]: build_target(said.data, said.origin, chains.describe_chain(said.origin.file))
        for said in _load_specs(chains, "target", wanted)
    }


def _check_usage_in_releases(chains: Chains, asked: Kit, loaded: Kit) -> list[Finding]:
    """Return the names of APIs that lead nowhere, and what nothing takes up, in any release of the kit."""
    findings = _check_usage(asked, loaded)
    odd = check_reasons_and_ranges(asked)
    if findings and not loaded.is_whole:  # others may give it a meaning
        releases, _ = build_releases(_load_specs(chains, "release"), chains)
        rest = {"releases": releases, "targets": _build_targets(chains)}
        places = {(each.rule, each.origin) for each in findings}
        findings = _check_usage(replace(asked, **rest), replace(loaded, **rest))
        if len(asked.targets) < len(asked.target_names):  # what is wrong with others is not asked
            findings = [each for each in findings if (each.rule, each.origin) in places]
    return [*findings, *odd]


def _select_components(
    only: KitSelection, targets: Mapping[str, Target], releases: Mapping[str, Release]
) -> set[tuple[str, str]]:
    """Return the components that targets take, with their versions."""
    chosen = [each for name, each in targets.items() if not only.targets or name in only.targets]
    names = ((each, name) for each in chosen for name in (only.release or each.release, each.upgrades_from))
    pairs = ((each, releases.get(name)) for each, name in names)
    try:
        return set().union(
            *(target.component_versions(release).items() for target, release in pairs if release)
        )
    except ValueError:
        return set()  # a range that cannot be read, which is a finding


def _load_specs(chains: Chains, kind: str, wanted: Container[str] | None = None) -> Iterator[SpecValue]:
    """Yield the specs of a kind, or those of some files, each as it is in the end."""
    files = [file for file, each in chains.listed.items() if each == kind]
    for file in files if wanted is None else [file for file in files if file in wanted]:
        if (said := chains.spec(file)) is not None:
            chains.findings += _check_spec_path(file, kind, said)
            yield said


def _check_spec_path(file: str, kind: str, said: SpecValue) -> Iterator[Finding]:
    """Yield a finding for every name in a spec that is not the one that its path says."""
    steps = file.removesuffix(".yaml").split("/")
    yield from (
        make_problem(
            "spec-path",
            f"found {said.data[key]!r}, expected {want!r}, as the path says",
            hint="rename one of them",
        ).to_finding(said.origin.at(key))
        for key, want in zip((kind, "version"), steps[1:3], strict=False)
        if said.data[key] != want
    )


def _check_minor(said: SpecValue, crds: Iterable[SpecValue]) -> Iterator[Finding]:
    """Yield a finding where it is not said, or not known, whose types the declarations mean."""
    data = said.data
    if "kubernetes" in data:
        if int(data["kubernetes"].removeprefix("1.")) not in list_minors():
            yield make_problem(
                "crd-minor",
                (
                    f"found the unknown minor {data['kubernetes']}, expected one of "
                    f"{format_minors(list_minors())}"
                ),
            ).to_finding(said.origin.at("kubernetes"))
    elif file := next(_list_files_with_types(said, crds), None):
        yield make_problem(
            "crd-minor",
            f"found no kubernetes, expected the minor whose types {file} names",
            hint="take the minor that upstream builds with; kitgen crd import finds the one that fits",
        ).to_finding(said.origin)


def _list_files_with_types(said: SpecValue, crds: Iterable[SpecValue]) -> Iterator[str]:
    """Yield the files of declarations, and of features that change them, which name types of Kubernetes."""
    yield from (crd.origin.file for crd in crds if has_type_references(crd.data))
    yield from (
        said.origin.at("features", name, "crds").file
        for name, feature in said.data.get("features", {}).items()
        if any(find_schema_references(feature.get("crds"), "$type"))
    )


def _list_versions(listed: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the versions of every component that there is, whether or not they are read."""
    parted = (file.split("/") for file in listed)
    found = group_pairs((steps[1], steps[2]) for steps in parted if steps[-1] == "component.yaml")
    return {name: tuple(sorted(each, key=_version_sort_key)) for name, each in sorted(found.items())}


def _version_sort_key(version: str) -> tuple[bool, object]:
    """Sort versions, and behind them what is none: that is a finding, if it is read."""
    return (False, version_key(version)) if is_version(version) else (True, version)


def _build_components(
    chains: Chains,
    beside: CompanionFiles,
    versions: Mapping[str, Iterable[str]],
    wanted: Container[tuple[str, str]] | None,
) -> dict[str, dict[str, Component]]:
    """Build components in the versions that are wanted, and those that they build on."""
    found: dict[str, dict[str, Component]] = {}
    for name, known in versions.items():
        chosen = set()
        for version in known if wanted is None else [each for each in known if (name, each) in wanted]:
            file: str | None = f"components/{name}/{version}/component.yaml"
            while file is not None and file not in chosen and chains.spec(file) is not None:
                chosen.add(file)
                file = chains.parent(file)
        ordered = (f"components/{name}/{version}/component.yaml" for version in known)
        made = [_load_component(chains, beside, file) for file in ordered if file in chosen]
        if made or wanted is None:
            found[name] = {each.version: each for each in made}
    return found


def _load_component(chains: Chains, beside: CompanionFiles, file: str) -> Component:
    said, crds, parent = chains.spec(file), beside.crds(file), chains.parent(file)
    assert said is not None  # else it was not chosen
    chains.findings += [*_check_spec_path(file, "component", said), *_check_minor(said, crds)]
    made = build_component(said, beside.config(file), crds, parent.split("/")[2] if parent else "")
    listing, wrong = build_listing(said, chains.files)
    chains.findings += wrong
    return replace(made, listing=listing, chain=chains.describe_chain(file))


def _check_usage(asked: Kit, loaded: Kit) -> list[Finding]:
    """Return the names of APIs that lead nowhere, and what nothing takes up; no more than anybody reads."""
    found = [
        *islice(
            chain(_check_api_names(asked, collect_apis(loaded)), check_unused_settings(asked)), MAX_FINDINGS
        )
    ]
    return [*found, report_findings_limit(found[-1].origin.file)] if len(found) == MAX_FINDINGS else found


def _check_api_names(kit: Kit, apis: Apis) -> Iterator[Finding]:
    """Yield a finding for every name of an API that leads nowhere, in every component and feature."""
    parts = [(component, part) for component in kit.every_component for part in component.parts]
    yield from check_permissions([part for _, part in parts], apis)
    for component, part in parts:
        yield from check_webhooks(component, part, apis)
