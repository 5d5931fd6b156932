"""Load a whole kit: every component, target and release, and what ties them together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec.structs import replace

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
from kitgen.model import Component, Kit, Release
from kitgen.root import MARK
from kitgen.semver import version_key
from kitgen.yamlio import JsonObject

SPEC_PATH = Rule(
    id="spec-path",
    chapter=Chapter.REFERENCE,
    checks="The name and version in a spec are those of its file or folder.",
    fix="Rename one of them.",
)

KIT_RANGE = Rule(
    id="kit-range",
    chapter=Chapter.REFERENCE,
    checks=(
        "The kit's range of Kubernetes minors can be read, and kitgen has the schemas of each minor in it."
    ),
    fix="Write a range such as `>=1.27 <=1.32`.",
)

CRD_MINOR = Rule(
    id="crd-minor",
    chapter=Chapter.CRD,
    checks="A component whose CRDs name types of Kubernetes says the minor, and kitgen knows it.",
    fix="Set `kubernetes` in component.yaml.",
)

Specs: TypeAlias = dict[str, dict[str, JsonObject]]
"""Name of a schema → path of a spec → its data."""


def load_kit(files: SpecFiles) -> Kit:
    """Load the kit; raise FindingsError with everything that is wrong with its specs."""
    if other := [each.at(Origin(MARK)) for each in other_format(files.parsed(MARK)[0])]:
        raise FindingsError(other)  # nothing else can be judged by what it means in this form
    specs, findings = _specs(files)
    kit = specs["kit"].get(MARK, {"kit": "", "kubernetes": ""})
    span: tuple[int, ...] = ()
    if kit["kubernetes"]:
        try:
            span = parse_range(kit["kubernetes"])
        except (ValueError, KitgenError) as error:
            findings.append(KIT_RANGE(str(error)).at(Origin(MARK, ("kubernetes",))))
    exceptions, wrong = read_accepted(kit.get("exceptions", ()), Origin(MARK, ("exceptions",)))
    findings += wrong
    loaded = Kit(
        name=kit["kit"],
        about=kit.get("about", ""),
        minors=span,
        components=_components(specs),
        targets={data["target"]: build_target(data, Origin(file)) for file, data in specs["target"].items()},
        releases=_releases(specs),
        exceptions=exceptions,
    )
    complete = not findings
    findings += check_references(loaded, complete=complete)
    if not findings:  # ranges can be read, and names of specs lead somewhere
        findings += [*_names(loaded), *check_unused(loaded)]
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise FindingsError(unique(findings))
    return replace(loaded, warnings=tuple(unique(findings)))


def _specs(files: SpecFiles) -> tuple[Specs, list[Finding]]:
    """Return the data of every spec that has the right shape, and what is wrong with each by itself."""
    listed, findings = files.listed()
    specs: Specs = {schema: {} for schema in ("kit", "component", "config", "crd", "target", "release")}
    for file, schema in listed.items():
        data, wrong = files.data(file, schema)
        findings += wrong
        if data is not None:
            specs[schema][file] = data
            findings += _misplaced(file, schema, data)
            if schema == "config":
                findings += [each.at(Origin(file)) for each in wrong_declaration(data)]
    for file, data in specs["component"].items():
        findings += _minor(data, Origin(file), _crds(specs, file))
    return specs, findings


def _misplaced(file: str, schema: str, data: JsonObject) -> Iterator[Finding]:
    """Yield a finding for every name in a spec that is not the one that its path says."""
    steps, wanted = file.removesuffix(".yaml").split("/"), dict[str, str]()
    if schema == "component":
        wanted = {"component": steps[1], "version": steps[2]}
    elif schema in ("target", "release"):
        wanted = {schema: steps[1]}
    for key, want in wanted.items():
        if data[key] != want:
            message = f"found {data[key]!r}, expected {want!r}, as the path says"
            yield SPEC_PATH(message, hint="rename one of them").at(Origin(file, (key,)))


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


def _crds(specs: Specs, component: str) -> list[tuple[Origin, JsonObject]]:
    folder = f"{component.removesuffix('component.yaml')}crds/"
    return [(Origin(file), data) for file, data in specs["crd"].items() if file.startswith(folder)]


def _components(specs: Specs) -> dict[str, dict[str, Component]]:
    found = []
    for file, data in specs["component"].items():
        config = f"{file.removesuffix('component.yaml')}config.yaml"
        typed = (Origin(config), specs["config"][config]) if config in specs["config"] else None
        found.append(build_component(data, Origin(file), typed, tuple(_crds(specs, file))))
    components: dict[str, dict[str, Component]] = {}
    for component in sorted(found, key=lambda each: version_key(each.version)):
        components.setdefault(component.origin.file.split("/")[1], {})[component.version] = component
    return dict(sorted(components.items()))


def _releases(specs: Specs) -> dict[str, Release]:
    found = [
        Release(
            name=data["release"],
            date=data.get("date", ""),
            components=data["components"],
            records=data.get("records", {}),
            origin=Origin(file),
        )
        for file, data in specs["release"].items()
    ]
    return {each.name: each for each in sorted(found, key=lambda release: version_key(release.name))}


def _names(kit: Kit) -> Iterator[Finding]:
    """Yield a finding for every name of an API that leads nowhere, in every component and feature."""
    apis = apis_of(kit)
    for component in kit.every_component:
        for part in component.parts:
            yield from check_permissions(part, apis)
            yield from check_webhooks(component, part, apis)
