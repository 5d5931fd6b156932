"""Load a whole kit: every component, target and release, and what ties them together."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from kitgen.crds.declare.parts import names_types
from kitgen.errors import FindingsError
from kitgen.findings import Chapter, Finding, Origin, Rule, Severity, read_accepted, unique
from kitgen.kubernetes import minors, spans
from kitgen.load.apis import Apis, apis_of
from kitgen.load.beside import Beside
from kitgen.load.chain import Chains
from kitgen.load.component import build_component
from kitgen.load.formats import other_format
from kitgen.load.merging import Said
from kitgen.load.permissions import check_permissions
from kitgen.load.ranges import check_ranges, read_range
from kitgen.load.reasons import check_reasons
from kitgen.load.references import check_references
from kitgen.load.specfiles import SpecFiles
from kitgen.load.target import build_target
from kitgen.load.unused import check_unused
from kitgen.load.webhooks import check_webhooks
from kitgen.model import Component, Kit, Release, Target
from kitgen.root import MARK
from kitgen.semver import is_version, version_key
from kitgen.yamlio import JsonObject

SPEC_PATH = Rule(
    id="spec-path",
    chapter=Chapter.REFERENCE,
    checks="The name and version in a spec are those of its file or folder.",
    fix="Rename one of them.",
)

CRD_MINOR = Rule(
    id="crd-minor",
    chapter=Chapter.CRD,
    checks="A component whose CRDs name types of Kubernetes says the minor, and kitgen knows it.",
    fix="Set `kubernetes` in component.yaml.",
)


class Only(Struct, frozen=True, kw_only=True):
    """Which targets and release are wanted, so that other versions of components need not be read."""

    targets: tuple[str, ...] = ()
    """All of them when empty."""
    release: str | None = None
    """What each of them pins when absent."""
    component: str = ""
    """Wanted in the version that `release` says, if that is no release."""
    judged: bool = True
    """Whether that is told which builds, and is likely a mistake."""


def load_kit(files: SpecFiles, only: Only | None = None) -> Kit:
    """Load the kit, or what is wanted of it; raise FindingsError with everything that is wrong with that."""
    if other := [each.at(Origin(MARK)) for each in other_format(files.parsed(MARK)[0])]:
        raise FindingsError(other)  # nothing else can be judged by what it means in this form
    listed, findings = files.listed()
    chains = Chains(files, listed)
    kit, wrong = files.data(MARK, "kit")
    kit = kit or {"kit": "", "kubernetes": ""}
    findings += wrong
    span, wrong = read_range(kit["kubernetes"], Origin(MARK, ("kubernetes",)))
    findings += wrong
    exceptions, odd = read_accepted(kit.get("exceptions", ()), Origin(MARK, ("exceptions",)))
    findings += odd
    targets = {
        said.data["target"]: build_target(said.data, said.origin, chains.words(said.origin.file))
        for said in _specs(chains, "target")
    }
    releases = _releases(chains)
    versions = _versions(listed)
    wanted = None if only is None else _wanted(only, targets, releases)
    loaded = Kit(
        name=kit["kit"],
        about=kit.get("about", ""),
        minors=span,
        components=_components(chains, versions, wanted),
        versions={name: tuple(filter(is_version, known)) for name, known in versions.items()},
        targets=targets,
        releases=releases,
        exceptions=exceptions,
    )
    findings += chains.findings
    complete = not findings
    asked = loaded if wanted is None else _without_others(loaded, wanted)
    findings += [*check_references(asked, complete=complete), *check_ranges(asked)]
    if not findings and (
        only is None or only.judged
    ):  # ranges can be read, and names of specs lead somewhere
        findings += [*_names(asked, apis_of(loaded)), *check_unused(asked), *check_reasons(asked)]
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise FindingsError(unique(findings))
    return replace(loaded, warnings=tuple(unique(findings)))


def _wanted(
    only: Only, targets: Mapping[str, Target], releases: Mapping[str, Release]
) -> set[tuple[str, str]]:
    """Return the components that targets take, with their versions."""
    chosen = [each for name, each in targets.items() if not only.targets or name in only.targets]
    of_component = only.component and only.release and only.release not in releases
    pinned = None if of_component else only.release
    more = {(only.component, only.release)} if of_component and only.release else set()
    pairs = ((each, releases.get(pinned or each.release)) for each in chosen)
    try:
        return more.union(*(target.takes(release).items() for target, release in pairs if release))
    except ValueError:
        return set()  # a range that cannot be read, which is a finding


def _specs(chains: Chains, kind: str) -> Iterator[Said]:
    """Yield the specs of a kind, each as it is in the end."""
    for file in (file for file, each in chains.listed.items() if each == kind):
        said = chains.spec(file)
        if said is not None:
            chains.findings += _misplaced(file, kind, said)
            yield said


def _misplaced(file: str, kind: str, said: Said) -> Iterator[Finding]:
    """Yield a finding for every name in a spec that is not the one that its path says."""
    steps, wanted = file.removesuffix(".yaml").split("/"), {kind: file.removesuffix(".yaml").split("/")[1]}
    if kind == "component":
        wanted["version"] = steps[2]
    for key, want in wanted.items():
        if said.data[key] != want:
            message = f"found {said.data[key]!r}, expected {want!r}, as the path says"
            yield SPEC_PATH(message, hint="rename one of them").at(said.origin.at(key))


def _minor(said: Said, crds: Iterable[Said]) -> Iterator[Finding]:
    """Yield a finding where it is not said, or not known, whose types the declarations mean."""
    data = said.data
    if "kubernetes" in data:
        if int(data["kubernetes"].removeprefix("1.")) not in minors():
            message = f"found the unknown minor {data['kubernetes']}, expected one of {spans(minors())}"
            yield CRD_MINOR(message).at(said.origin.at("kubernetes"))
    elif named := next((crd.origin.file for crd in crds if names_types(crd.data)), None):
        message = f"found no kubernetes, expected the minor whose types {named} names"
        hint = "take the minor that upstream builds with; kitgen crd import finds the one that fits"
        yield CRD_MINOR(message, hint=hint).at(said.origin)


def _versions(listed: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the versions of every component that there is, whether or not they are read."""
    found: dict[str, list[str]] = {}
    for file in listed:
        steps = file.split("/")
        if steps[-1] == "component.yaml":
            found.setdefault(steps[1], []).append(steps[2])
    return {name: tuple(sorted(each, key=_order)) for name, each in sorted(found.items())}


def _order(version: str) -> tuple[bool, object]:
    """Sort versions, and behind them what is none: that is a finding, if it is read."""
    return (False, version_key(version)) if is_version(version) else (True, version)


def _components(
    chains: Chains, versions: Mapping[str, Iterable[str]], wanted: Container[tuple[str, str]] | None
) -> dict[str, dict[str, Component]]:
    """Build components in the versions that are wanted, and those that they build on."""
    found: dict[str, dict[str, Component]] = {}
    beside = Beside(chains)
    for name, known in versions.items():
        chosen = set()
        for version in known if wanted is None else [each for each in known if (name, each) in wanted]:
            file: str | None = f"components/{name}/{version}/component.yaml"
            while file is not None and file not in chosen and chains.spec(file) is not None:
                chosen.add(file)
                file = chains.parent(file)
        ordered = (f"components/{name}/{version}/component.yaml" for version in known)
        made = [_component(chains, beside, file) for file in ordered if file in chosen]
        if made or wanted is None:
            found[name] = {each.version: each for each in made}
    return found


def _component(chains: Chains, beside: Beside, file: str) -> Component:
    said, crds, parent = chains.spec(file), beside.crds(file), chains.parent(file)
    assert said is not None  # else it was not chosen
    chains.findings += [*_misplaced(file, "component", said), *_minor(said, crds)]
    made = build_component(said, beside.config(file), crds, parent.split("/")[2] if parent else "")
    return replace(made, chain=chains.words(file))


def _releases(chains: Chains) -> dict[str, Release]:
    found = [
        Release(
            name=data["release"],
            date=data.get("date", ""),
            components=data["components"],
            records=data.get("records", {}),
            minors=_range(chains, data, origin),
            origin=origin,
        )
        for data, origin in _specs(chains, "release")
    ]
    return {each.name: each for each in sorted(found, key=lambda release: version_key(release.name))}


def _range(chains: Chains, data: JsonObject, origin: Origin) -> tuple[int, ...]:
    minors, wrong = read_range(data.get("kubernetes", ""), origin.at("kubernetes"))
    chains.findings += wrong
    return minors


def _without_others(kit: Kit, wanted: Container[tuple[str, str]]) -> Kit:
    """Return the kit without versions that were only read because others build on them."""
    components = {
        name: {version: each for version, each in versions.items() if (name, version) in wanted}
        for name, versions in kit.components.items()
    }
    return replace(kit, components=components)


def _names(kit: Kit, apis: Apis) -> Iterator[Finding]:
    """Yield a finding for every name of an API that leads nowhere, in every component and feature."""
    yield from check_permissions([part for each in kit.every_component for part in each.parts], apis)
    for component in kit.every_component:
        for part in component.parts:
            yield from check_webhooks(component, part, apis)
