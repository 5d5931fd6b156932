"""Check references between spec files: names must resolve, and chains must end."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from typing import NamedTuple

from kitgen.crd.declaration import list_crd_aliases
from kitgen.files.root import APPS, ARGOCD, BASES, BUNDLE, CRDS, FLEET, INSTALL, MARK
from kitgen.findings import Finding, Origin, get_rule, make_problem, suggest_or_list
from kitgen.kit.model import REAL, Component, Export, Kit, Release, Target
from kitgen.kit.model.component import list_access_sets
from kitgen.kit.ranges import check_range_syntax
from kitgen.text.schema_errors import REFERENCE_MISSING
from kitgen.text.semver import is_version

TAKEN = {
    CRDS: "with the CRDs for a bundle",
    BUNDLE: "with the OLM bundle of a target",
    INSTALL: "with what installs the OLM bundle of a target",
    APPS: "with the Applications of a target",
}
"""Folders of a target that no component can have, and why."""


class SpecReference(NamedTuple):
    """A name in a spec that must be one of those that are known."""

    what: str
    name: str
    origin: Origin
    known: Collection[str]
    folder: str = ""
    """Where it must stand, if the name alone does not say it."""


def check_references(kit: Kit, *, complete: bool) -> list[Finding]:
    """Return a finding for every name that leads nowhere.

    With specs missing because they are broken (not complete), only what can still be told is.
    """
    components, releases, targets = kit.every_component, kit.releases.values(), kit.targets.values()
    references = chain.from_iterable(map(_list_component_references, components))
    findings = [
        _report_taken_name(each.name, each.origin.at("component"), TAKEN[each.name])
        for each in components
        if each.name in TAKEN
    ]
    findings += _check_ranges(kit)
    if complete:
        named = [
            *(_list_release_references(kit, each) for each in releases),
            *(_list_target_references(kit, each) for each in targets),
        ]
        references = chain(references, _list_kit_references(kit), *named)
        faults = [
            *(_check_release(kit, each) for each in releases),
            *(_check_target(kit, each) for each in targets),
        ]
        findings += chain(*faults)
    return [*findings, *(_report_missing(each) for each in references if each.name not in each.known)]


def _report_missing(reference: SpecReference) -> Finding:
    hint = suggest_or_list(reference.name, list(reference.known))
    where = f" in {reference.folder}" if reference.folder else ""
    return REFERENCE_MISSING(f"found no {reference.what} {reference.name!r}{where}", hint=hint).to_finding(
        reference.origin
    )


def _list_release_references(kit: Kit, release: Release) -> Iterator[SpecReference]:
    for name, version in release.components.items():
        origin = release.origin.at("components", name)
        yield SpecReference("component", name, origin, kit.versions)
        if name in kit.versions:
            yield SpecReference(
                f"version of {name}", version, origin, kit.versions[name], f"components/{name}"
            )


def _list_target_references(kit: Kit, target: Target) -> Iterator[SpecReference]:
    at = target.origin
    releases = [(target.release, at.at("release"))]
    releases += [(name, at.at("releases", index)) for index, name in enumerate(target.releases)]
    releases += [(target.upgrades_from, at.at("upgradesFrom"))] if is_version(target.upgrades_from) else []
    yield from (SpecReference("release", name, origin, kit.release_names) for name, origin in releases)
    components = [(name, at.at("components", name)) for name in filter(None, target.settings)]
    if target.bundle:
        components.append((target.bundle.component, target.bundle.origin.at("component")))
    if cluster := target.data_science_cluster:
        components += [
            (name, cluster.origin.at("components", key)) for key, name in cluster.components.items()
        ]
    yield from (SpecReference("component", name, origin, kit.versions) for name, origin in components)
    for name, overrides in target.overrides.items():
        for own in overrides:
            what, there = f"version of {name}", kit.versions.get(name, ())
            yield SpecReference(what, own.version, own.origin.at("version"), there, f"components/{name}")
    for name in target.drift:
        yield SpecReference("target", name, at.at("drift", name), (*kit.target_names, REAL))


def _list_kit_references(kit: Kit) -> Iterator[SpecReference]:
    """Yield what components say of each other, and what the kit says of them."""
    if kit.project:
        yield SpecReference("component", kit.project, Origin(MARK, ("project",)), kit.versions)
    for component in kit.every_component:
        yield from (
            SpecReference("component", name, component.origin.at(key, index), kit.versions)
            for key, names in (("after", component.after), ("carries", component.carries))
            for index, name in enumerate(names)
        )


def _list_component_references(component: Component) -> Iterator[SpecReference]:
    access = [layer for part in component.parts for layer in part.layers("accessRoles")]
    audiences = [name for layer in access for name in layer.data.get("aggregates", {})]
    for layer in access:
        for step, content in list_access_sets(layer.data):
            yield from (
                SpecReference("audience", name, layer.origin.at("sets", step, key, number), audiences)
                for key in ("editors", "viewers")
                for number, name in enumerate(content[key])
            )
    for section, key in (("deployment", "containers"), ("params", "keys")):
        yield from (
            SpecReference("image", image, layer.origin.at(key, name, "image"), component.images)
            for layer in (layer for part in component.parts for layer in part.layers(section))
            for name, content in layer.data.get(key, {}).items()
            if (image := content.get("image")) is not None
        )
    for feature in component.features.values():
        known = list_crd_aliases(component.crds) if feature.crds else {}
        for name, layer in feature.crds.items():
            yield SpecReference("CRD", name, layer.origin, known, f"{component.name} {component.version}")


def _check_release(kit: Kit, release: Release) -> Iterator[Finding]:
    """Yield a finding for components that wait for each other, or that are carried and more than CRDs."""
    found = [kit.components.get(name, {}).get(version) for name, version in release.components.items()]
    built = {component.name: component for component in found if component is not None}
    for component in built.values():
        for index, name in enumerate(component.carries):
            # It has no overlay of its own, so whatever else it has would be lost.
            if more := _find_non_crd_section(built[name]) if name in built else "":
                yield make_problem(
                    "carried-more",
                    f"found the component {name!r} with {more}, expected CRDs and nothing else to carry",
                    hint="take it out of carries, or move its CRDs to a component of their own",
                ).to_finding(component.origin.at("carries", index))
    after = {name: [other for other in each.after if other in built] for name, each in built.items()}
    if cycle := find_cycle(after):
        yield make_problem(
            "reference-cycle", f"found a cycle: {' after '.join([*cycle, cycle[0]])}"
        ).to_finding(built[cycle[0]].origin.at("after"))


def _find_non_crd_section(component: Component) -> str:
    """Return what a component has besides CRDs, or nothing."""
    features = [each for each in component.features.values() if each.part.sections]
    more = {"config": component.config_type, "carries": component.carries, "features": features}
    return next((key for key, value in {**component.part.sections, **more}.items() if value), "")


def find_cycle(edges: dict[str, list[str]]) -> list[str]:
    """Return the names of one cycle, from its first name on, or nothing."""
    try:
        TopologicalSorter(dict(sorted(edges.items()))).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1][:0:-1]
        first = cycle.index(min(cycle))
        return [*cycle[first:], *cycle[:first]]
    return []


def _check_target(kit: Kit, target: Target) -> Iterator[Finding]:
    """Yield a finding for a release that is not listed, and for names that put files over each other."""
    if target.releases and target.release not in target.releases:
        yield make_problem(
            "release-unlisted",
            f"found no {target.release!r}, which the target pins",
            hint="add it to the list",
        ).to_finding(target.origin.at("releases"))
    yield from _check_bundle(target)
    taken = {BASES: "with the bases", ARGOCD: "with what Argo CD syncs"}
    if target.argocd and kit.fleet:
        taken[FLEET] = "with what Argo CD syncs of the fleet"
    if target.name in taken:
        yield _report_taken_name(target.name, target.origin.at("target"), taken[target.name])
    release = kit.releases.get(target.release)
    exports: list[tuple[str, Export]] = []
    for name, blocks in target.settings.items():
        settings = blocks[0].settings
        if (export := settings.export) is None:
            continue
        yield from (
            _report_taken_name(folder, export.origin.at(key), "with the component's base or CRDs")
            for folder, key in {export.params: "params", export.build: "build"}.items()
            if folder in (BASES, CRDS)
        )
        if release and name in release.components and settings.is_managed:
            exports.append((name, export))
    yield from check_shared_folders(exports)


def _check_bundle(target: Target) -> Iterator[Finding]:
    """Yield channels that a bundle is not in, and an installation of none."""
    said, install = target.bundle, target.install
    if install is not None and said is None:
        yield REFERENCE_MISSING(
            "found how to install a bundle, but the target has none", hint="add bundle, or remove it"
        ).to_finding(install.origin)
    if said is None:
        return
    named = [(said.default_channel, said.origin.at("defaultChannel"))]
    named += [(install.channel, install.origin.at("channel"))] if install else []
    for name, origin in named:
        if name and name not in said.channels:
            yield REFERENCE_MISSING(
                f"found the channel {name!r}, expected one that the bundle is in",
                hint=suggest_or_list(name, [*said.channels], "it is in"),
            ).to_finding(origin)


def check_shared_folders(exports: Iterable[tuple[str, Export]]) -> Iterator[Finding]:
    """Yield a finding for every component that is exported into the folder of another one."""
    folders: dict[str, str] = {}
    yield from (
        _report_taken_name(export.folder, export.origin.at("folder"), f"with {other}")
        for name, export in exports
        if (other := folders.setdefault(export.folder, name)) != name
    )


def _report_taken_name(name: str, origin: Origin, what: str) -> Finding:
    return make_problem(
        "name-taken", f"found {name!r}, which is the folder {what}, expected another name"
    ).to_finding(origin)


def _check_ranges(kit: Kit) -> Iterator[Finding]:
    """Yield a finding for every version range that cannot be read."""
    targets = kit.targets.values()
    blocks = [block for target in targets for some in target.settings.values() for block in some]
    places = [(wanted, each.settings.origin) for each in blocks for wanted in (each.versions, each.releases)]
    exports = [block.settings.export for block in blocks]
    places += [
        (export.metadata.releases, export.origin.at("metadata", "releases"))
        for export in exports
        if export and export.metadata
    ]
    overrides = [own for target in targets for some in target.overrides.values() for own in some]
    places += [(own.releases, own.origin.at("releases")) for own in overrides]
    patches = [
        *(layer for each in kit.every_component for part in each.parts for layer in part.layers("patches")),
        *(patch.layers[0] for block in blocks for patch in block.settings.patches),
    ]
    for key in ("versions", "releases"):
        places += [(layer.data.get(key, ""), layer.origin.at(key)) for layer in patches]
    return check_range_syntax(places, get_rule("version-range"), 'such as ">=1.5.0 <1.6.0"')
