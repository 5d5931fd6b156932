"""Check what was compiled, and manifests that others wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kitgen.check import Context, check, strangers
from kitgen.emit import Plan
from kitgen.errors import UsageError
from kitgen.findings import Finding, Origin, Severity, near, unique
from kitgen.load import exists, manifest_texts
from kitgen.objects import Manifest
from kitgen.pipeline.opened import Opened
from kitgen.tools import need_kustomize, run

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")


def check_plans(opened: Opened, plans: list[Plan]) -> list[Finding]:
    """Return what compiling found, and what is wrong with the objects."""
    findings = [*opened.kit.warnings]
    findings += [finding for plan in plans for unit in plan.units for finding in unit.findings]
    if any(finding.severity is Severity.ERROR for finding in findings):
        return findings  # objects made from wrong values would only repeat it
    releases = {plan.release.name: plan.release for plan in plans}
    components = [each for release in releases.values() for each in opened.session.components(release)]
    crds = [manifest.body for each in components for manifest in opened.session.crds(each, findings)]
    objects = {
        plan.target.name: [*(m for unit in plan.units for m in unit.final), *plan.apart] for plan in plans
    }
    return [*findings, *check(Context(targets=objects, minors=opened.kit.minors, crds=crds))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check looked at and found."""

    root: Path | None
    """Where the findings' files are."""
    objects: int
    findings: tuple[Finding, ...]
    texts: Mapping[str, str]
    """What was read besides the specs, for the lines of findings."""
    aside: int = 0
    """How many documents in folders were left out because only kustomize reads them."""


def check_names(opened: Opened, names: tuple[str, ...]) -> Checked:
    """Check targets and paths of manifests, or the whole kit when no name is given."""
    if not names:
        return _check_kit(opened)
    targets = [opened.kit.targets[name] for name in names if name in opened.kit.targets]
    plans = [opened.plan(target) for target in targets]
    findings = check_plans(opened, plans)
    objects = sum(len(unit.final) for plan in plans for unit in plan.units)
    paths = [name for name in names if name not in opened.kit.targets]
    found: list[Manifest] = []
    texts: dict[str, str] = {}
    mixed: set[str] = set()
    aside: list[Origin] = []
    for name in paths:
        if name != "-" and not exists(Path(name)):
            hint = near(name, list(opened.kit.targets)) or "kitgen list shows the targets"
            raise UsageError(f"no target and no file {name!r}", hint=hint)
        more, problems = _texts(name, opened)
        texts |= more
        mixed |= more.keys() if Path(name).is_dir() else set()
        findings += problems
    for file, text in texts.items():
        manifests, problems = strangers(file, text, aside if file in mixed else None)
        found += manifests
        findings += problems
    if found:
        crds = [manifest.body for made in opened.crds().values() for manifest in made]
        findings += check(Context(targets={"": found}, minors=opened.kit.minors, crds=crds))
    return Checked(
        root=opened.root,
        objects=objects + len(found),
        findings=tuple(unique(findings)),
        texts=texts,
        aside=len(aside),
    )


def _texts(name: str, opened: Opened) -> tuple[dict[str, str], list[Finding]]:
    """Return the manifests behind a name; a rendered overlay counts as what kustomize makes of it."""
    if name == "-" or not any(exists(Path(name, file)) for file in KUSTOMIZATIONS):
        return manifest_texts(name)
    if not Path(name).resolve().is_relative_to(opened.root / "overlays"):
        # A stranger's kustomization may name addresses, and kustomize would fetch them.
        hint = f"kustomize build {name} | kitgen check -"
        raise UsageError(f"{name} is a kustomization that kitgen did not render", hint=hint)
    built = run([*need_kustomize(), name])
    if not built.ok:
        message = f"kustomize cannot build it: {built.complaint}"
        return {}, [Finding(rule="kustomize-build", message=message, origin=Origin(name, (), 1))]
    return {name: built.stdout}, []


def _check_kit(opened: Opened) -> Checked:
    """Check every component by itself, and every target with the release that it pins."""
    findings = opened.no_targets()
    for component in (each for versions in opened.kit.components.values() for each in versions.values()):
        opened.session.crds(component, findings)
        findings += opened.session.base(component).findings
    plans = [opened.plan(target) for target in opened.kit.targets.values()]
    findings += check_plans(opened, plans)
    objects = sum(len(unit.final) for plan in plans for unit in plan.units)
    return Checked(root=opened.root, objects=objects, findings=tuple(unique(findings)), texts={})
