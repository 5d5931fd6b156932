"""What `kitgen check` does: the kit, some of its targets, or manifests that others wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kitgen.check import Context, check
from kitgen.errors import UsageError
from kitgen.findings import Chapter, Finding, Origin, Rule, accept, stale, unique
from kitgen.kubernetes import parse_range, supported
from kitgen.load import exists, foreign, manifest_texts
from kitgen.load.manifests import STDIN
from kitgen.model import Target
from kitgen.pipeline.build import build
from kitgen.pipeline.checks import check_shipped, require_shipped
from kitgen.pipeline.opened import Opened
from kitgen.pipeline.sources import Kind, Kits, SourceName, by_itself, component_of, parse_source
from kitgen.root import in_kit
from kitgen.tools import need_kustomize, run
from kitgen.yamlio import JsonObject

KUSTOMIZE_BUILD = Rule(
    id="kustomize-build",
    chapter=Chapter.SCHEMA,
    title="an overlay that does not build",
    checks="Kustomize builds the rendered overlay that is checked.",
    fix="Run `kitgen render`, which writes it anew.",
)


KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """What to check, and for what."""

    root: Path | None = None
    names: tuple[str, ...] = ()
    """Sources; the whole kit when empty."""
    release: str | None = None
    """One release instead of all that the targets ship."""
    kubernetes: str | None = None
    """A range of minors instead of the kit's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check looked at and found."""

    root: Path | None
    """Where the findings' files are."""
    minors: tuple[int, ...]
    """The minors of Kubernetes 1 that the objects were held against."""
    objects: int
    releases: int = 0
    """How many releases of the kit were looked at."""
    findings: tuple[Finding, ...]
    texts: Mapping[str, str] = field(default_factory=dict)
    """What was read besides the specs, for the lines of findings."""
    aside: int = 0
    """How many documents in folders were left out because only kustomize reads them."""


def run_check(request: CheckRequest) -> Checked:
    """Check sources, or the whole kit when none is named."""
    asked = _range(request.kubernetes)
    names = [parse_source(name) for name in request.names]
    if names and not in_kit(request.root):
        return _without_kit(names, request, asked or supported())
    kits = Kits(request.root)
    if not names:
        opened = kits.at().opened
        return _check_kit(opened, request.release, asked or opened.kit.minors)
    sources = list(dict.fromkeys(kits.resolve(name) for name in names))
    checked = []
    for revision in dict.fromkeys(each.revision for each in sources):
        opening = kits.at(revision)
        group = [each for each in sources if each.revision == revision]
        with opening.telling() as opened:
            found = _check_sources(opened, group, request.release, asked or opened.kit.minors)
        checked.append(replace(found, findings=tuple(opening.located(found.findings))))
    return _together(checked)


def _without_kit(names: list[SourceName], request: CheckRequest, minors: tuple[int, ...]) -> Checked:
    if request.release is not None:
        raise UsageError("--release needs a kit, and there is none here")
    for name in names:
        if name.kind not in (Kind.PATH, Kind.STDIN, Kind.PLAIN) or name.revision:
            raise UsageError(f"{name} needs a kit, and there is none here")
    return _check_paths([name.file for name in names], minors, None, list)


def _together(checked: list[Checked]) -> Checked:
    """Return one result of several."""
    first, *others = checked
    for each in others:
        first = replace(
            first,
            minors=tuple(sorted({*first.minors, *each.minors})),
            objects=first.objects + each.objects,
            releases=first.releases + each.releases,
            findings=tuple(unique([*first.findings, *each.findings])),
            texts={**first.texts, **each.texts},
            aside=first.aside + each.aside,
        )
    return first


def _check_sources(
    opened: Opened, sources: list[SourceName], release: str | None, minors: tuple[int, ...]
) -> Checked:
    """Check sources of one revision."""
    if release is not None:
        require_shipped(opened, [], release)
    checked = [Checked(root=opened.root, minors=minors, objects=0, findings=opened.kit.warnings)]
    if any(each.kind is Kind.KIT for each in sources):
        checked.append(_check_kit(opened, release, minors))
    targets = _targets(opened, [each for each in sources if not each.component], release)
    for wanted, chosen in targets.items():
        shipped = check_shipped(opened, chosen, wanted, minors)
        checked.append(
            Checked(
                root=opened.root,
                minors=minors,
                objects=shipped.objects,
                releases=shipped.releases,
                findings=shipped.findings,
            )
        )
    checked += [
        _check_component(opened, _with_release(source, release), minors)
        for source in sources
        if source.kind is Kind.COMPONENT or source.component
    ]
    paths = [each.file for each in sources if each.kind in (Kind.PATH, Kind.STDIN)]
    checked.append(_check_paths(paths, minors, opened, lambda: _crds(opened, release)))
    return _together(checked)


def _targets(
    opened: Opened, sources: list[SourceName], release: str | None
) -> dict[str | None, list[Target]]:
    """Return the targets to check whole, by the release that is asked for; None is all that they ship."""
    found: dict[str | None, list[Target]] = {}
    for source in sources:
        if source.kind is Kind.RELEASE:
            targets = _shipping(opened, source.name)
            found.setdefault(source.name, []).extend(targets)
        elif source.kind is Kind.TARGET:
            wanted = _with_release(source, release).version or None
            found.setdefault(wanted, []).append(opened.target(source.name))
    for wanted, targets in found.items():
        found[wanted] = list({each.name: each for each in targets}.values())
        if wanted is not None:
            require_shipped(opened, found[wanted], wanted)
    return found


def _with_release(source: SourceName, release: str | None) -> SourceName:
    """Return a target's source in the release of --release."""
    if release is None or source.kind is not Kind.TARGET:
        return source
    if source.version not in ("", release):
        raise UsageError(f"{source} names a release already, and --release another one")
    return replace(source, version=release)


def _check_component(opened: Opened, source: SourceName, minors: tuple[int, ...]) -> Checked:
    """Check one component, by itself or in a target."""
    findings: list[Finding] = []
    crds: list[JsonObject] = []
    if source.kind is Kind.TARGET:
        release = opened.release(opened.target(source.name), source.version or None)
        made = build(opened, source.name, source.component, release.name)
        crds = _crds(opened, release.name)
    else:  # its own CRDs are among what it consists of
        made, findings = by_itself(opened, component_of(opened, source))
    objects = Context(targets={source.name: made}, minors=minors, crds=crds)
    return Checked(
        root=opened.root,
        minors=minors,
        objects=len(made),
        findings=tuple(unique([*findings, *check(objects)])),
    )


def _range(text: str | None) -> tuple[int, ...]:
    """Read a range of minors from the command line."""
    try:
        return parse_range(text) if text is not None else ()
    except ValueError as error:
        raise UsageError(f"--kubernetes: {error}") from error


def _check_kit(opened: Opened, release: str | None, minors: tuple[int, ...]) -> Checked:
    """Check every component by itself, and every target in the releases that it ships."""
    targets = list(opened.kit.targets.values())
    components = [each for versions in opened.kit.components.values() for each in versions.values()]
    if release is not None:
        targets = _shipping(opened, release)
        components = opened.session.components(opened.kit.releases[release])
    findings = opened.no_targets()
    for component in components:
        findings += opened.session.crds(component).findings
        findings += opened.session.base(component).findings
    shipped = check_shipped(opened, targets, release, minors, findings)
    findings = [*accept(findings, opened.kit.exceptions), *shipped.findings]
    if release is None and minors == opened.kit.minors and not any(finding.blocks for finding in findings):
        findings += stale(findings, opened.kit.exceptions)  # all was looked at, and nothing cut it short
    return Checked(
        root=opened.root,
        minors=minors,
        objects=shipped.objects,
        releases=shipped.releases,
        findings=tuple(unique(findings)),
    )


def _shipping(opened: Opened, release: str) -> list[Target]:
    """Return the targets that ship a release; it is wrong usage if none does."""
    require_shipped(opened, [], release)
    targets = opened.kit.targets.values()
    found = [each for each in targets if release in (r.name for r in opened.session.shipped(each))]
    if not found:
        hint = "a target lists what it ships under releases"
        raise UsageError(f"no target ships release {release}", hint=hint)
    return found


def _crds(opened: Opened, release: str | None) -> list[JsonObject]:
    """Return the CRDs that foreign custom resources are held to: the kit's, or those of one release."""
    chosen = opened.kit.releases[release].components.items() if release is not None else None
    return [
        manifest.body
        for version, made in opened.crds().items()
        if chosen is None or version in chosen
        for manifest in made
    ]


def _check_paths(
    paths: list[str],
    minors: tuple[int, ...],
    opened: Opened | None,
    crds: Callable[[], list[JsonObject]],
) -> Checked:
    """Check the manifests behind paths; CRDs among them count too."""
    findings: list[Finding] = []
    texts: dict[str, str] = {}
    mixed: set[str] = set()
    for name in paths:
        if name != STDIN and not (name and exists(Path(name))):
            hint = "" if opened else "there is no kit here, so it cannot be a target"
            raise UsageError(f"no such file or folder: {name!r}", hint=hint)
        more, problems = _texts(name, opened)
        texts |= more
        mixed |= more.keys() if Path(name).is_dir() else set()
        findings += problems
    read = foreign(texts)
    others = [each for each in read.objects if not (each.for_kustomize and each.origin.file in mixed)]
    findings += [*read.findings, *(finding for each in others for finding in each.findings)]
    found = [each.manifest for each in others if not each.problems]
    if found:
        findings += check(Context(targets={"": found}, minors=minors, crds=crds()))
    return Checked(
        root=None,
        minors=minors,
        objects=len(found),
        findings=tuple(unique(findings)),
        texts=texts,
        aside=len(read.objects) - len(others),
    )


def _texts(name: str, opened: Opened | None) -> tuple[dict[str, str], list[Finding]]:
    """Return the manifests behind a name; a rendered overlay counts as what kustomize makes of it."""
    if name == STDIN or not any(exists(Path(name, file)) for file in KUSTOMIZATIONS):
        return manifest_texts(name)
    if opened is None or not Path(name).resolve().is_relative_to(opened.root / "overlays"):
        # A foreign kustomization may name addresses, and kustomize would fetch them.
        hint = f"kustomize build {name} | kitgen check -"
        raise UsageError(
            f"{name} is a kustomization, expected manifests or an overlay of this kit", hint=hint
        )
    built = run([*need_kustomize(), name])
    if not built.ok:
        message = f"kustomize cannot build it: {built.complaint}"
        return {}, [KUSTOMIZE_BUILD(message).at(Origin(name, (), 1))]
    return {name: built.stdout}, []
