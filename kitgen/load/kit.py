"""Load a whole kit: every component, target and release, and what ties them together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kitgen.configtype.declaration import wrong_declaration
from kitgen.crds.declare.parts import names_types
from kitgen.errors import FindingsError, KitgenError
from kitgen.findings import Chapter, Finding, Origin, Rule, Severity, read_accepted, unique
from kitgen.kubernetes import minors, parse_range, spans
from kitgen.load.apis import apis_of
from kitgen.load.component import build_component
from kitgen.load.formats import other_format
from kitgen.load.permissions import check_permissions
from kitgen.load.references import check_references
from kitgen.load.specfiles import SpecFiles
from kitgen.load.target import build_target
from kitgen.load.unused import check_unused
from kitgen.load.webhooks import check_webhooks
from kitgen.model import Component, Kit, Release, Target
from kitgen.root import MARK
from kitgen.semver import version_key
from kitgen.yamlio import JsonObject

SPEC_PATH = Rule(
    id="spec-path",
    chapter=Chapter.REFERENCE,
    title="a name that its path contradicts",
    checks="The name and version in a spec are those of its file or folder.",
    fix="Rename one of them.",
)

KIT_RANGE = Rule(
    id="kit-range",
    chapter=Chapter.REFERENCE,
    title="a range of minors that cannot be",
    checks=(
        "The kit's range of Kubernetes minors can be read, and kitgen has the schemas of each minor in it."
    ),
    fix="Write a range such as `>=1.27 <=1.32`.",
)

CRD_MINOR = Rule(
    id="crd-minor",
    chapter=Chapter.CRD,
    title="types of no minor",
    checks="A component whose CRDs name types of Kubernetes says the minor, and kitgen knows it.",
    fix="Set `kubernetes` in component.yaml.",
)


def load_kit(files: SpecFiles) -> Kit:
    """Load the kit; raise FindingsError with everything that is wrong with its specs."""
    if other := [each.at(Origin(MARK)) for each in other_format(files.parsed(MARK))]:
        raise FindingsError(other)  # nothing else can be judged by what it means in this form
    kit = files.data(MARK, "kit") or {"kit": "", "kubernetes": ""}
    span: tuple[int, ...] = ()
    if kit["kubernetes"]:
        try:
            span = parse_range(kit["kubernetes"])
        except (ValueError, KitgenError) as error:
            files.findings.append(KIT_RANGE(str(error)).at(Origin(MARK, ("kubernetes",))))
    exceptions, wrong = read_accepted(kit.get("exceptions", ()), Origin(MARK, ("exceptions",)))
    files.findings += wrong
    loaded = Kit(
        name=kit["kit"],
        about=kit.get("about", ""),
        minors=span,
        components=_components(files),
        targets=_targets(files),
        releases=_releases(files),
        exceptions=exceptions,
    )
    complete = not files.findings
    files.findings += check_references(loaded, complete=complete)
    if not files.findings:  # ranges can be read, and names of specs lead somewhere
        files.findings += [*_names(loaded), *check_unused(loaded)]
    if any(finding.severity is Severity.ERROR for finding in files.findings):
        raise FindingsError(unique(files.findings))
    return replace(loaded, warnings=tuple(unique(files.findings)))


def _names(kit: Kit) -> Iterator[Finding]:
    """Yield a finding for every name of an API that leads nowhere, in every component and feature."""
    apis = apis_of(kit)
    for component in kit.every_component:
        for part in component.parts:
            yield from check_permissions(part, apis)
            yield from check_webhooks(component, part, apis)


def spec_names(files: SpecFiles) -> Iterator[str]:
    """Yield the path of every spec that there is."""
    yield MARK
    for name in files.names("components", suffix=""):
        for version in files.names(f"components/{name}", suffix=""):
            folder = f"components/{name}/{version}"
            own = (f"{folder}/{each}" for each in ("component.yaml", "config.yaml"))
            yield from (each for each in own if files.exists(each))
            yield from (f"{folder}/crds/{each}" for each in files.names(f"{folder}/crds"))
    for folder in ("targets", "releases"):
        yield from (f"{folder}/{each}" for each in files.names(folder))


def _components(files: SpecFiles) -> dict[str, dict[str, Component]]:
    found: dict[str, dict[str, Component]] = {}
    for name in files.names("components", suffix=""):
        versions = []
        for version in files.names(f"components/{name}", suffix=""):
            component = _component(files, f"components/{name}/{version}")
            if component is not None:
                versions.append(component)
        versions.sort(key=lambda component: version_key(component.version))
        if versions:
            found[name] = {component.version: component for component in versions}
    return found


def _component(files: SpecFiles, folder: str) -> Component | None:
    file = f"{folder}/component.yaml"
    data = files.data(file, "component")
    config = None
    if files.exists(f"{folder}/config.yaml"):
        content = files.data(f"{folder}/config.yaml", "config")
        config = (Origin(f"{folder}/config.yaml"), content) if content else None
        if config:
            files.findings += [each.at(config[0]) for each in wrong_declaration(config[1])]
    crds = []
    for name in files.names(f"{folder}/crds"):
        crd = files.data(f"{folder}/crds/{name}", "crd")
        if crd is not None:
            crds.append((Origin(f"{folder}/crds/{name}"), crd))
    if data is None:
        return None
    _, name, version = folder.split("/")
    files.findings += _misplaced(Origin(file), data, {"component": name, "version": version})
    files.findings += _minor(data, Origin(file), crds)
    return build_component(data, Origin(file), config, tuple(crds))


def _minor(data: JsonObject, origin: Origin, crds: list[tuple[Origin, JsonObject]]) -> Iterator[Finding]:
    """Yield a finding where it is not said, or not known, whose types the declarations mean."""
    if "kubernetes" in data:
        if int(data["kubernetes"].removeprefix("1.")) not in minors():
            message = f"found the unknown minor {data['kubernetes']}, expected one of {spans(minors())}"
            yield CRD_MINOR(message).at(origin.at("kubernetes"))
    elif named := next((at.file for at, crd in crds if names_types(crd)), None):
        message = f"found no kubernetes, expected the minor whose types {named} names"
        hint = "take the minor that upstream builds with; kitgen crd import finds the one that fits"
        yield CRD_MINOR(message, hint=hint).at(origin)


def _named(files: SpecFiles, kind: str) -> Iterator[tuple[Origin, JsonObject]]:
    """Yield the targets, or the releases, whose shape is right."""
    for name in files.names(f"{kind}s"):
        origin = Origin(f"{kind}s/{name}")
        data = files.data(origin.file, kind)
        if data is not None:
            files.findings += _misplaced(origin, data, {kind: name.removesuffix(".yaml")})
            yield origin, data


def _targets(files: SpecFiles) -> dict[str, Target]:
    return {data["target"]: build_target(data, origin) for origin, data in _named(files, "target")}


def _releases(files: SpecFiles) -> dict[str, Release]:
    found = [
        Release(
            name=data["release"],
            date=data.get("date", ""),
            components=data["components"],
            records=data.get("records", {}),
            origin=origin,
        )
        for origin, data in _named(files, "release")
    ]
    found.sort(key=lambda release: version_key(release.name))
    return {release.name: release for release in found}


def _misplaced(origin: Origin, data: JsonObject, wanted: dict[str, str]) -> Iterator[Finding]:
    """Yield a finding for every name that is not the one that the path says."""
    for key, want in wanted.items():
        if data[key] != want:
            message = f"found {data[key]!r}, expected {want!r}, as the path says"
            yield SPEC_PATH(message, hint="rename one of them").at(origin.at(key))
