"""What `kitgen check` does: the kit, some of its targets, or manifests that others wrote."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kitgen.check import Context, check
from kitgen.check.builds import KUSTOMIZE_BUILD, not_rendered
from kitgen.check.limits import directory
from kitgen.errors import UsageError
from kitgen.findings import Finding, Origin, expired, stale, unique
from kitgen.kubernetes import parse_range, supported
from kitgen.load import Intake, exists, foreign, manifest_texts
from kitgen.load.manifests import ALL_TOO_BIG, STDIN
from kitgen.model import Release, Target
from kitgen.pipeline.build import compiled
from kitgen.pipeline.checks import Checked, check_objects, check_shipped, joined, shipped_by, shipping
from kitgen.pipeline.leaving import generated_in
from kitgen.pipeline.opened import Opened, pick
from kitgen.pipeline.sources import Kind, Kits, SourceName, in_revision, located, parse_source
from kitgen.root import OVERLAYS, in_kit
from kitgen.schema.wording import choice
from kitgen.tools import IN_HASTE, OFFLINE, need_kustomize, run
from kitgen.yamlio import JsonObject

SHOWN = 20
"""How many reasons not to build a folder are worth a look."""
KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")


class CheckRequest(Struct, frozen=True, kw_only=True):
    """What to check, and for what."""

    root: Path | None = None
    names: tuple[str, ...] = ()
    """Sources; the whole kit when empty."""
    release: str | None = None
    """One release instead of all that the targets ship."""
    kubernetes: str | None = None
    """A range of minors instead of the kit's."""
    today: str = ""
    """The day on which exceptions must not be over; none is if it is empty."""


def run_check(request: CheckRequest) -> Checked:
    """Check sources, or the whole kit when none is named."""
    asked = _range(request.kubernetes)
    kits = Kits(request.root)
    names = list(dict.fromkeys(kits.resolve(parse_source(name)) for name in request.names))
    if names and not in_kit(request.root):
        if request.release is not None:
            raise UsageError("--release needs a kit, and there is none here")
        return _check_paths(names, asked or supported(), None, None)
    names = names or [SourceName(kind=Kind.KIT)]
    parts = []
    for revision in dict.fromkeys(each.revision for each in names):
        opened = kits.at(revision)
        group = [each for each in names if each.revision == revision]
        with in_revision(opened):
            found = _check_sources(opened, group, request.release, asked)
            if request.today:
                over = expired(opened.kit.exceptions, request.today)
                found = replace(found, findings=(*found.findings, *over))
        parts.append(replace(found, findings=tuple(located(found.findings, opened))))
    return joined(parts)


def _check_sources(
    opened: Opened, sources: list[SourceName], named: str | None, asked: tuple[int, ...]
) -> Checked:
    """Check sources of one revision, for the minors that are asked for or those that the specs say."""
    release = pick(opened.kit.releases, "release", named) if named is not None else None
    minors = asked or opened.kit.minors_for(release)
    whole = any(each.kind is Kind.KIT for each in sources)
    parts = [Checked(findings=opened.kit.warnings)]
    if whole:
        parts += [Checked(findings=opened.kit.accepted), _check_kit(opened, release, asked)]
    sources = [_with_release(source, release) for source in sources]
    for wanted, chosen in _targets(opened, sources).items():
        parts.append(check_shipped(opened, chosen.values(), wanted or None, asked))
    parts += [
        _check_component(opened, source, asked)
        for source in sources
        if source.kind is Kind.COMPONENT or source.component
    ]
    parts.append(_check_paths([each for each in sources if each.foreign], minors, opened, release))
    found = joined(parts)
    judged = opened.judged(found.findings)
    as_said = release is None and asked in ((), opened.kit.minors)
    if whole and as_said and not any(each.blocks for each in judged):
        judged = unique([*judged, *stale(judged, opened.kit.exceptions)])  # nothing cut the check short
    return replace(found, root=opened.root, minors=minors, findings=tuple(judged))


def _targets(opened: Opened, sources: list[SourceName]) -> dict[str, dict[str, Target]]:
    """Return the targets to check whole, by the release that is asked for; an empty one is all they ship."""
    found: dict[str, dict[str, Target]] = {}
    for source in sources:
        if source.kind is Kind.RELEASE:
            targets = shipping(opened, source.name)
            found.setdefault(source.name, {}).update((each.name, each) for each in targets)
        elif source.kind is Kind.TARGET and not source.component:
            target = opened.target(source.name)
            ships = shipped_by(opened, target)
            if source.version and pick(opened.kit.releases, "release", source.version).name not in ships:
                hint = f"it ships {choice(ships, last='and')}"
                raise UsageError(f"target {target.name} does not ship release {source.version}", hint=hint)
            found.setdefault(source.version, {})[target.name] = target
    return found


def _with_release(source: SourceName, release: Release | None) -> SourceName:
    """Return a source in the release of --release; one that has a release or can have none is wrong usage."""
    if release is None or source.foreign or source.kind is Kind.KIT:
        return source
    if source.kind is Kind.COMPONENT:
        raise UsageError(f"{source} is of no release, so that --release says nothing of it")
    own = source.name if source.kind is Kind.RELEASE else source.version
    if own not in ("", release.name):
        raise UsageError(f"{source} names a release already, and --release another one")
    return source if own else replace(source, version=release.name)


def _check_component(opened: Opened, source: SourceName, minors: tuple[int, ...]) -> Checked:
    """Check one component, by itself or in a target."""
    made = compiled(opened, source)
    ranges = {(source.name, body): each for body, each in made.ranges.items()}
    found = check_objects(opened, {source.name: made.objects}, made.crds, made.findings, minors, ranges)
    return Checked(objects=len(made.objects), findings=tuple(found))


def _range(text: str | None) -> tuple[int, ...]:
    """Read a range of minors from the command line."""
    try:
        return parse_range(text) if text is not None else ()
    except ValueError as error:
        raise UsageError(f"--kubernetes: {error}") from error


def _check_kit(opened: Opened, release: Release | None, minors: tuple[int, ...]) -> Checked:
    """Check every component by itself, and every target in the releases that it ships."""
    targets = list(opened.kit.targets.values())
    components = [each for versions in opened.kit.components.values() for each in versions.values()]
    if release is not None:
        targets = shipping(opened, release.name)
        taken = {pair for each in targets for pair in each.takes(release).items()}
        components = [opened.kit.components[name][version] for name, version in sorted(taken)]
    findings = opened.no_targets()
    for component in components:
        findings += opened.session.alone(component).findings
    found = check_shipped(opened, targets, release.name if release else None, minors, findings)
    return replace(found, findings=(*findings, *found.findings))


def _crds(opened: Opened, release: Release | None) -> list[JsonObject]:
    """Return the CRDs that foreign custom resources are held to: the kit's, or those of one release."""
    targets = opened.kit.targets.values()
    taken = [release.components, *(each.takes(release) for each in targets)] if release is not None else []
    chosen = {pair for each in taken for pair in each.items()} if taken else None
    return [
        manifest.body
        for version, made in opened.crds().items()
        if chosen is None or version in chosen
        for manifest in made
    ]


def _check_paths(
    sources: list[SourceName], minors: tuple[int, ...], opened: Opened | None, release: Release | None
) -> Checked:
    """Check foreign manifests, with the kit's CRDs if there is one; CRDs among them count too."""
    findings: list[Finding] = []
    texts: dict[str, str] = {}
    mixed: set[str] = set()
    intake = Intake()
    for name in (source.file for source in sources):
        more, problems = _texts(name, opened, intake)
        texts |= more
        mixed |= more.keys() if Path(name).is_dir() else set()
        findings += problems
        findings += _too_much(name, more)
    read = foreign(texts, intake)
    others = [each for each in read.objects if not (each.for_kustomize and each.origin.file in mixed)]
    findings += [*read.findings, *(finding for each in others for finding in each.findings)]
    found = [each.manifest for each in others if not each.problems]
    if found:
        crds = _crds(opened, release) if opened else []
        findings += check(Context(targets={"": found}, minors=minors, crds=crds))
    aside = len(read.objects) - len(others)
    return Checked(
        minors=minors, objects=len(found), findings=tuple(unique(findings)), texts=texts, aside=aside
    )


def _too_much(name: str, texts: Mapping[str, str]) -> Iterator[Finding]:
    """Yield that a file or a folder is too large for one application of Argo CD."""
    sizes = [len(text.encode()) for text in texts.values() if name != STDIN]
    if problem := directory(sizes):
        yield problem.at(Origin(name, (), 1))


def _texts(name: str, opened: Opened | None, intake: Intake) -> tuple[dict[str, str], list[Finding]]:
    """Return the manifests behind a name; a rendered overlay counts as what kustomize makes of it."""
    if name == STDIN or not any(exists(Path(name, file)) for file in KUSTOMIZATIONS):
        return manifest_texts(name, intake)
    place = Path(os.path.realpath(name))
    out = Path(os.path.realpath(opened.root)) / OVERLAYS if opened else None
    if out is None or not place.is_relative_to(out):
        # A foreign kustomization may name addresses, and kustomize would fetch them.
        hint = f"kustomize build {name} | kitgen check -"
        raise UsageError(
            f"{name} is a kustomization, expected manifests or an overlay of this kit", hint=hint
        )
    command = need_kustomize()
    strange = not_rendered(place.relative_to(out).as_posix(), generated_in(out), OVERLAYS)
    if found := list(islice(strange, SHOWN)):
        return {}, found
    built = run([*command, "."], cwd=place, env={**IN_HASTE, **os.environ, **OFFLINE})
    if not built.ok:
        message = f"kustomize cannot build it: {built.complaint}"
        return {}, [KUSTOMIZE_BUILD(message).at(Origin(name, (), 1))]
    if not intake.takes(len(built.stdout)):
        return {}, [ALL_TOO_BIG.at(Origin(name))]
    return {name: built.stdout}, []
