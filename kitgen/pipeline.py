"""The one place that joins the stages: load → compile → emit → check → write.

Commands hand it a request and get a result; they print, it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

from kitgen.check import Context, check, strangers
from kitgen.compile import Session
from kitgen.emit import Plan, export_tree, overlays_tree
from kitgen.errors import FindingsError, UsageError
from kitgen.findings import Finding, Severity, near, path_of, pointer, unique
from kitgen.findings import Path as Steps
from kitgen.load import SpecFiles, load_kit, manifest_texts
from kitgen.model import Component, Kit, Release, Target
from kitgen.objects import Manifest, value_at
from kitgen.root import find_root
from kitgen.write import Plan as Changes
from kitgen.write import apply, recover
from kitgen.write import plan as compare
from kitgen.yamlio import lines_of

Progress: TypeAlias = Callable[[str], None]
"""Is told what is being worked on."""
T = TypeVar("T")
WAITING = "waiting for another kitgen to finish"


def silent(_: str) -> None:
    """Say nothing of the progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A kit that was loaded, and the means to go on with it."""

    root: Path
    kit: Kit
    session: Session

    def target(self, name: str) -> Target:
        """Return a target by its name."""
        return _pick(self.kit.targets, "target", name)

    def release(self, target: Target, name: str | None) -> Release:
        """Return the release that a target pins, or the one that is asked for."""
        return _pick(self.kit.releases, "release", name or target.release)

    def plan(self, target: Target, release: str | None = None) -> Plan:
        """Compile a target."""
        chosen = self.release(target, release)
        return Plan(target=target, release=chosen, units=tuple(self.session.units(target, chosen)))

    def component(self, release: Release, name: str) -> Component:
        """Return a component in the version that a release builds."""
        versions = {each.name: each for each in self.session.components(release)}
        return _pick(versions, "component", name)

    def crds(self) -> dict[tuple[str, str], tuple[Manifest, ...]]:
        """Return the expanded CRDs of every component and version; broken ones are a FindingsError."""
        findings: list[Finding] = []
        found = {
            (name, version): tuple(self.session.crds(component, findings))
            for name, versions in self.kit.components.items()
            for version, component in versions.items()
        }
        stop_on_errors(findings, self.root)
        return found


def _pick(known: Mapping[str, T], what: str, name: str) -> T:
    if name not in known:
        hint = near(name, list(known)) or f"known are {', '.join(known)}"
        raise UsageError(f"no {what} {name!r} in this kit", hint=hint)
    return known[name]


def open_kit(root: Path | None) -> Opened:
    """Mend what a killed run left behind, then load the kit; wrong specs are a FindingsError."""
    found = find_root(root)
    recover(found / "overlays")
    files = SpecFiles(found)
    try:
        kit = load_kit(files)
    except FindingsError as error:
        error.root = found
        raise
    return Opened(root=found, kit=kit, session=Session(kit))


def stop_on_errors(findings: Iterable[Finding], root: Path | None) -> list[Finding]:
    """Raise FindingsError if one of the findings is an error; else return them, sorted."""
    found = unique(list(findings))
    if any(finding.severity is Severity.ERROR for finding in found):
        raise FindingsError(found, root)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderRequest:
    """What to render, and whether to write it."""

    root: Path | None = None
    targets: tuple[str, ...] = ()
    """All of them when empty."""
    dry_run: bool = False
    release: str | None = None
    out: Path | None = None
    """Another folder than the kit's overlays/."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """What a render did, or would do."""

    root: Path
    out: Path
    targets: tuple[str, ...]
    objects: int
    files: int
    changes: Changes
    findings: tuple[Finding, ...]


def render(request: RenderRequest, progress: Progress = silent) -> Rendered:
    """Render targets into overlays/; nothing is written while an error stands."""
    progress("reading the specs")
    opened = open_kit(request.root)
    chosen = [opened.target(name).name for name in dict.fromkeys(request.targets)] or list(opened.kit.targets)
    plans = []
    for target in opened.kit.targets.values():
        progress(f"compiling {target.name}")
        plans.append(opened.plan(target, request.release))
    asked = [plan for plan in plans if plan.target.name in chosen]
    progress("checking")
    findings = stop_on_errors(check_plans(opened, asked), opened.root)
    # Other targets share the bases, so they are planned too and only left out of the write.
    tree = overlays_tree(opened.session, plans)
    scope = ("base", *chosen) if request.targets else ()
    progress("writing")
    out = request.out or opened.root / "overlays"
    if request.dry_run:
        changes = compare(tree, out, scope=scope)
        stop_on_errors(changes.findings, opened.root)
    else:
        changes = apply(tree, out, scope=scope, waiting=lambda: progress(WAITING))
    return Rendered(
        root=opened.root,
        out=out,
        targets=tuple(chosen),
        objects=sum(len(unit.final) for plan in asked for unit in plan.units),
        files=len(changes.create) + len(changes.change) + len(changes.keep),
        changes=changes,
        findings=tuple(findings),
    )


def check_plans(opened: Opened, plans: list[Plan]) -> list[Finding]:
    """Return what compiling found, and what is wrong with the objects."""
    findings = [finding for plan in plans for unit in plan.units for finding in unit.findings]
    if any(finding.severity is Severity.ERROR for finding in findings):
        return findings  # objects made from wrong values would only repeat it
    releases = {plan.release.name: plan.release for plan in plans}
    components = [each for release in releases.values() for each in opened.session.components(release)]
    crds = [manifest.body for each in components for manifest in opened.session.crds(each, findings)]
    objects = {plan.target.name: [m for unit in plan.units for m in unit.final] for plan in plans}
    return [*findings, *check(Context(targets=objects, minors=opened.kit.minors, crds=crds))]


def build(opened: Opened, target: str, component: str | None, release: str | None) -> list[Manifest]:
    """Return the final objects of a target or of one of its components, straight from compile."""
    chosen = opened.target(target)
    pinned = opened.release(chosen, release)
    findings: list[Finding] = []
    if component is None:
        units = opened.session.units(chosen, pinned)
    else:
        wanted = opened.component(pinned, component)
        if any(component in other.carries for other in opened.session.components(pinned)):
            made = opened.session.labelled_crds(chosen, pinned, wanted)
            opened.session.crds(wanted, findings)
            stop_on_errors(findings, opened.root)
            return made
        units = [opened.session.unit(chosen, pinned, wanted)]
        if not units[0].context.settings.managed:
            state = units[0].context.settings.state
            raise UsageError(f"{target} does not render {component}: its managementState is {state}")
    stop_on_errors((finding for unit in units for finding in unit.findings), opened.root)
    return [manifest for unit in units for manifest in unit.final]


def export(opened: Opened, target: str, folder: Path, progress: Progress = silent) -> Changes:
    """Write the tree that the ODH operator mounts."""
    plan = opened.plan(opened.target(target))
    if not any(unit.context.settings.export for unit in plan.units):
        raise UsageError(f"target {target} exports nothing", hint="give its components an export setting")
    stop_on_errors(check_plans(opened, [plan]), opened.root)
    tree = export_tree(opened.session, plan)
    recover(folder)
    return apply(tree, folder, waiting=lambda: progress(WAITING))


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check looked at and found."""

    root: Path | None
    """Where the findings' files are."""
    objects: int
    findings: tuple[Finding, ...]
    texts: Mapping[str, str]
    """What was read besides the specs, for the lines of findings."""


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
    for name in paths:
        more, problems = manifest_texts(name)
        texts |= more
        findings += problems
    for file, text in texts.items():
        manifests, problems = strangers(file, text)
        found += manifests
        findings += problems
    if found:
        crds = [manifest.body for made in opened.crds().values() for manifest in made]
        findings += check(Context(targets={"": found}, minors=opened.kit.minors, crds=crds))
    return Checked(
        root=opened.root, objects=objects + len(found), findings=tuple(unique(findings)), texts=texts
    )


def _check_kit(opened: Opened) -> Checked:
    """Check every target with the release that it pins and with every other one."""
    findings: list[Finding] = []
    for component in (each for versions in opened.kit.components.values() for each in versions.values()):
        opened.session.crds(component, findings)
    objects = 0
    for release in opened.kit.releases:
        plans = [opened.plan(target, release) for target in opened.kit.targets.values()]
        findings += check_plans(opened, plans)
        objects += sum(len(unit.final) for plan in plans for unit in plan.units)
    return Checked(root=opened.root, objects=objects, findings=tuple(unique(findings)), texts={})


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """One thing that bore on a field, and where in the specs it stands."""

    file: str
    line: int
    pointer: str
    field: str
    """The part of the object that it set; empty for the whole object."""
    rule: str
    why: str


def trace(
    opened: Opened,
    target: str,
    name: str,
    field: str | None,
    release: str | None,
    read: Callable[[str], str | None],
) -> list[TraceStep]:
    """Return what made an object or one of its fields, in order."""
    objects = {str(manifest.id): manifest for manifest in build(opened, target, None, release)}
    manifest = _pick(objects, "object", name)
    path = _field_path(field)
    try:
        value_at(manifest.body, path)
    except KeyError as error:
        raise UsageError(f"{name} of {target} has no field {field!r}") from error
    trail = dict.fromkeys(manifest.trail(path))
    lines: dict[str, dict[Steps, int]] = {}
    for file in {source.origin.file for source in trail}:
        wanted = {source.origin.path for source in trail if source.origin.file == file}
        lines[file] = lines_of(read(file) or "", wanted)
    return [
        TraceStep(
            file=source.origin.file,
            line=lines[source.origin.file][source.origin.path],
            pointer=pointer(source.origin.path),
            field=pointer(source.path),
            rule=source.rule,
            why=source.why,
        )
        for source in trail
    ]


def _field_path(field: str | None) -> Steps:
    if not field:
        return ()
    if field.startswith("/"):
        return path_of(field)
    return tuple(int(step) if step.isdigit() else step for step in field.split("."))
