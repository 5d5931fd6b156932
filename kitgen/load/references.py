"""What crosses spec files: names that must lead somewhere, and orders that must end."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Chapter, Finding, Origin, Rule, near
from kitgen.model import Component, Kit, Part, Release, Target
from kitgen.model.component import SECTIONS
from kitgen.schema.rules import REFERENCE_MISSING
from kitgen.semver import in_range

REFERENCE_CYCLE = Rule(
    id="reference-cycle",
    chapter=Chapter.REFERENCE,
    title="a cycle",
    checks="No component comes after itself, by way of others.",
    fix="Remove one of the names from `after`.",
)

RELEASE_UNLISTED = Rule(
    id="release-unlisted",
    chapter=Chapter.REFERENCE,
    title="a pinned release that is not in the list",
    checks="A target that lists its `releases` lists the one that it pins.",
    fix="Add it to the list, or pin another one.",
)

CARRIED_MORE = Rule(
    id="carried-more",
    chapter=Chapter.REFERENCE,
    title="a carried component that is more than CRDs",
    checks=(
        "A component in `carries` has CRDs and nothing else. It gets no overlay of its own, so its "
        "objects would be in none."
    ),
    fix="Take it out of `carries`, or move its CRDs to a component of their own.",
)

NAME_TAKEN = Rule(
    id="name-taken",
    chapter=Chapter.REFERENCE,
    title="a name that kitgen needs itself",
    checks=(
        "No target, component or export is called like a folder that kitgen writes beside it: `base` and "
        "`crds`. No two components of a target are exported into one folder."
    ),
    fix="Choose another name.",
)

VERSION_RANGE = Rule(
    id="version-range",
    chapter=Chapter.REFERENCE,
    title="a version range that cannot be read",
    checks="Ranges of versions consist of signs and versions.",
    fix="Write a range such as `>=1.5.0 <1.6.0`.",
)


BASES, CRDS = "base", "crds"
"""Folders that kitgen writes beside those that targets and components are called after."""


def check_references(kit: Kit, *, complete: bool) -> list[Finding]:
    """Return a finding for every name that leads nowhere.

    With specs missing because they are broken (not complete), only what can still be told is.
    """
    findings: list[Finding] = []
    if complete:
        for release in kit.releases.values():
            findings += _release(kit, release)
        for target in kit.targets.values():
            findings += _target(kit, target)
    for versions in kit.components.values():
        for component in versions.values():
            findings += _component(kit, component, complete=complete)
    findings += _ranges(kit)
    return findings


def _release(kit: Kit, release: Release) -> Iterator[Finding]:
    for name, version in release.components.items():
        origin = release.origin.at("components", name)
        if name not in kit.components:
            yield _missing("component", name, origin, list(kit.components))
        elif version not in kit.components[name]:
            known = list(kit.components[name])
            yield _missing(f"version of {name}", version, origin, known, folder=f"components/{name}")
    yield from _carried(kit, release)
    names = [*release.components]
    cycle = find_cycle({name: _after(kit, release, name) for name in names})
    if cycle:
        first = kit.components[cycle[0]][release.components[cycle[0]]]
        message = f"found a cycle: {' after '.join([*cycle, cycle[0]])}"
        yield REFERENCE_CYCLE(message).at(first.origin.at("after"))


def _carried(kit: Kit, release: Release) -> Iterator[Finding]:
    """Yield a finding for every component that another one carries and that is more than CRDs.

    It has no overlay of its own, so whatever else it has would be lost.
    """
    found = [kit.components.get(name, {}).get(version) for name, version in release.components.items()]
    built = {component.name: component for component in found if component is not None}
    for component in built.values():
        for index, name in enumerate(component.carries):
            more = _besides_crds(built[name]) if name in built else ""
            if more:
                message = f"found the component {name!r} with {more}, expected CRDs and nothing else to carry"
                hint = "take it out of carries, or move its CRDs to a component of their own"
                origin = component.origin.at("carries", index)
                yield CARRIED_MORE(message, hint=hint).at(origin)


def _besides_crds(component: Component) -> str:
    """Return what a component has besides CRDs, or nothing."""
    sections = {section: getattr(component.part, section) for section in SECTIONS}
    has = {
        **sections,
        "carries": component.carries,
        "features": component.features,
        "config": component.config_type,
    }
    names = {"account": "serviceAccount", "access_roles": "accessRoles", "election": "leaderElection"}
    return next((names.get(key, key) for key, value in has.items() if value), "")


def _after(kit: Kit, release: Release, name: str) -> list[str]:
    component = kit.components.get(name, {}).get(release.components[name])
    return [] if component is None else [other for other in component.after if other in release.components]


def find_cycle(edges: dict[str, list[str]]) -> list[str]:
    """Return the names of one cycle, or nothing."""
    done: set[str] = set()

    def visit(name: str, trail: list[str]) -> list[str]:
        if name in trail:
            return trail[trail.index(name) :]
        if name in done:
            return []
        for other in edges.get(name, []):
            found = visit(other, [*trail, name])
            if found:
                return found
        done.add(name)
        return []

    return next((found for name in sorted(edges) if (found := visit(name, []))), [])


def _taken(kit: Kit, target: Target) -> Iterator[Finding]:
    """Yield a finding for every name that would put a target's files over others that kitgen writes."""
    if target.name == BASES:
        yield _clash(target.name, target.origin.at("target"), "with the bases")
    folders: dict[str, str] = {}
    release = kit.releases.get(target.release)
    for name, blocks in target.settings.items():
        settings = blocks[0][1]
        export = settings.export
        if export is None:
            continue
        for folder, key in {export.params: "params", export.build: "build"}.items():
            if folder in (BASES, CRDS):
                yield _clash(folder, export.origin.at(key), "with the component's base or CRDs")
        if release and name in release.components and settings.managed:
            other = folders.setdefault(export.folder, name)
            if other != name:
                yield _clash(export.folder, export.origin.at("folder"), f"with {other}")


def _clash(name: str, origin: Origin, what: str) -> Finding:
    message = f"found {name!r}, which is the folder {what}, expected another name"
    return NAME_TAKEN(message).at(origin)


def _target(kit: Kit, target: Target) -> Iterator[Finding]:
    yield from _taken(kit, target)
    if target.release not in kit.releases:
        yield _missing("release", target.release, target.origin.at("release"), list(kit.releases))
    for index, name in enumerate(target.releases):
        if name not in kit.releases:
            yield _missing("release", name, target.origin.at("releases", index), list(kit.releases))
    if target.releases and target.release not in target.releases:
        message = f"found no {target.release!r}, which the target pins"
        origin = target.origin.at("releases")
        yield RELEASE_UNLISTED(message, hint="add it to the list").at(origin)
    for name in target.settings:
        if name and name not in kit.components:
            yield _missing("component", name, target.origin.at("components", name), list(kit.components))
    cluster = target.data_science_cluster
    for key, name in cluster.components.items() if cluster else ():
        if cluster and name not in kit.components:
            yield _missing("component", name, cluster.origin.at("components", key), list(kit.components))


def _component(kit: Kit, component: Component, *, complete: bool) -> Iterator[Finding]:
    if component.name == CRDS:
        yield _clash(CRDS, component.origin.at("component"), "with the CRDs for a bundle")
    for key, names in (("after", component.after), ("carries", component.carries)):
        for index, name in enumerate(names):
            if complete and name not in kit.components:
                yield _missing("component", name, component.origin.at(key, index), list(kit.components))
    parts = [component.part, *(feature.part for feature in component.features.values())]
    aggregates = [
        name
        for part in parts
        for item in part.access_roles
        for layer in item.layers
        for name in layer.data.get("aggregates", {})
    ]
    for part in parts:
        yield from _audiences(part, aggregates)
        for item in part.deployment:
            for layer in item.layers:
                for name, container in layer.data.get("containers", {}).items():
                    image = container.get("image")
                    if image is not None and image not in component.images:
                        origin = layer.origin.at("containers", name, "image")
                        yield _missing("image", image, origin, list(component.images))
        for item in part.params:
            for layer in item.layers:
                for key, content in layer.data["keys"].items():
                    image = content.get("image")
                    if image is not None and image not in component.images:
                        origin = layer.origin.at("keys", key, "image")
                        yield _missing("image", image, origin, list(component.images))


def _audiences(part: Part, known: list[str]) -> Iterator[Finding]:
    for item in part.access_roles:
        for layer in item.layers:
            for index, content in enumerate(layer.data.get("sets", [])):
                for key in ("editors", "viewers"):
                    for number, name in enumerate(content[key]):
                        if name not in known:
                            origin = layer.origin.at("sets", index, key, number)
                            yield _missing("audience", name, origin, known)


def _ranges(kit: Kit) -> Iterator[Finding]:
    """Yield a finding for every version range that cannot be read."""
    places: list[tuple[str, Origin]] = []
    for target in kit.targets.values():
        for name, blocks in target.settings.items():
            for wanted, settings in blocks:
                places.append((wanted, target.origin.at("components", name, "versions", wanted)))
                for patch in settings.patches:
                    layer = patch.layers[0]
                    places.append((layer.data.get("versions", ""), layer.origin.at("versions")))
    for versions in kit.components.values():
        for component in versions.values():
            for part in (component.part, *(feature.part for feature in component.features.values())):
                for patch in part.patches:
                    layer = patch.layers[0]
                    places.append((layer.data.get("versions", ""), layer.origin.at("versions")))
    for wanted, origin in places:
        try:
            in_range("v0.0.0", wanted)
        except ValueError as error:
            yield VERSION_RANGE(str(error), hint='such as ">=1.5.0 <1.6.0"').at(origin)


def _missing(what: str, name: str, origin: Origin, known: list[str], *, folder: str = "") -> Finding:
    hint = near(name, known) or (f"known are {', '.join(known)}" if known else "there is none")
    where = f" in {folder}" if folder else ""
    return REFERENCE_MISSING(f"found no {what} {name!r}{where}", hint=hint).at(origin)
