"""What `kitgen check` does: the kit, some of its targets, or manifests that others wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kitgen.check import Context, check, strangers
from kitgen.errors import KitgenError, UsageError
from kitgen.findings import Chapter, Finding, Origin, Rule, accept, near, stale, unique
from kitgen.kubernetes import parse_range, supported
from kitgen.load import exists, manifest_texts
from kitgen.objects import Manifest
from kitgen.pipeline.checks import check_shipped, require_shipped
from kitgen.pipeline.opened import Opened, open_kit
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
    """Targets and paths; the whole kit when empty."""
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
    """Check targets and paths of manifests, or the whole kit when no name is given."""
    asked = _range(request.kubernetes)
    if request.names and not in_kit(request.root):
        if request.release is not None:
            raise UsageError("--release needs a kit, and there is none here")
        return _check_paths(request.names, asked or supported(), None, list)
    opened = open_kit(request.root)
    minors = asked or opened.kit.minors
    if not request.names:
        return _check_kit(opened, request.release, minors)
    targets = [opened.kit.targets[name] for name in request.names if name in opened.kit.targets]
    if request.release is not None:
        require_shipped(opened, targets, request.release)
    shipped = check_shipped(opened, targets, request.release, minors)
    paths = tuple(name for name in request.names if name not in opened.kit.targets)
    others = _check_paths(paths, minors, opened, lambda: _crds(opened, request.release))
    return Checked(
        root=opened.root,
        minors=minors,
        objects=shipped.objects + others.objects,
        releases=shipped.releases,
        findings=tuple(unique([*shipped.findings, *others.findings])),
        texts=others.texts,
        aside=others.aside,
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
        targets = [each for each in targets if release in (r.name for r in opened.session.shipped(each))]
        require_shipped(opened, targets, release)
        if not targets:
            hint = "a target lists what it ships under releases"
            raise UsageError(f"no target ships release {release}", hint=hint)
        components = opened.session.components(opened.kit.releases[release])
    findings = opened.no_targets()
    for component in components:
        opened.session.crds(component, findings)
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


def _crds(opened: Opened, release: str | None) -> list[JsonObject]:
    """Return the CRDs that strangers' custom resources are held to: the kit's, or those of one release."""
    chosen = opened.kit.releases[release].components.items() if release is not None else None
    return [
        manifest.body
        for version, made in opened.crds().items()
        if chosen is None or version in chosen
        for manifest in made
    ]


def _check_paths(
    paths: tuple[str, ...],
    minors: tuple[int, ...],
    opened: Opened | None,
    crds: Callable[[], list[JsonObject]],
) -> Checked:
    """Check the manifests behind paths; CRDs among them count too."""
    findings: list[Finding] = []
    texts: dict[str, str] = {}
    mixed: set[str] = set()
    for name in paths:
        if name != "-" and not (name and exists(Path(name))):
            raise _no_such(name, opened)
        more, problems = _texts(name, opened)
        texts |= more
        mixed |= more.keys() if Path(name).is_dir() else set()
        findings += problems
    found: list[Manifest] = []
    aside: list[Origin] = []
    for file, text in texts.items():
        manifests, problems = strangers(file, text, aside if file in mixed else None)
        found += manifests
        findings += problems
    if found:
        findings += check(Context(targets={"": found}, minors=minors, crds=crds()))
    return Checked(
        root=None,
        minors=minors,
        objects=len(found),
        findings=tuple(unique(findings)),
        texts=texts,
        aside=len(aside),
    )


def _no_such(name: str, opened: Opened | None) -> KitgenError:
    if opened is None:
        hint = "there is no kit here, so it cannot be a target"
        return UsageError(f"no such file or folder: {name!r}", hint=hint)
    hint = near(name, list(opened.kit.targets)) or "kitgen list shows the targets"
    return UsageError(f"no target and no file {name!r}", hint=hint)


def _texts(name: str, opened: Opened | None) -> tuple[dict[str, str], list[Finding]]:
    """Return the manifests behind a name; a rendered overlay counts as what kustomize makes of it."""
    if name == "-" or not any(exists(Path(name, file)) for file in KUSTOMIZATIONS):
        return manifest_texts(name)
    if opened is None or not Path(name).resolve().is_relative_to(opened.root / "overlays"):
        # A stranger's kustomization may name addresses, and kustomize would fetch them.
        hint = f"kustomize build {name} | kitgen check -"
        raise UsageError(
            f"{name} is a kustomization, expected manifests or an overlay of this kit", hint=hint
        )
    built = run([*need_kustomize(), name])
    if not built.ok:
        message = f"kustomize cannot build it: {built.complaint}"
        return {}, [KUSTOMIZE_BUILD(message).at(Origin(name, (), 1))]
    return {name: built.stdout}, []
