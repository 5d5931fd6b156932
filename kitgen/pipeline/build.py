"""Final objects straight from compile, and where their fields come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kitgen.emit import Plan
from kitgen.errors import UsageError
from kitgen.findings import Finding, Origin, path_of, pointer, step_of
from kitgen.findings import Path as Steps
from kitgen.objects import Manifest, Source, value_at
from kitgen.pipeline.checks import check_plans
from kitgen.pipeline.opened import Opened, pick, stop_on_errors
from kitgen.yamlio import lines_of


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
    plan = Plan(target=chosen, release=pinned, units=tuple(units))
    stop_on_errors(check_plans(opened, [plan]), opened.root)
    return [manifest for unit in units for manifest in unit.final]


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
    manifest = pick(objects, "object", name)
    path = _field_path(field)
    try:
        value_at(manifest.body, path)
    except KeyError as error:
        raise UsageError(f"{name} of {target} has no field {field!r}") from error
    trail = {source: _place(source, path) for source in manifest.trail(path)}
    lines: dict[str, dict[Steps, int]] = {}
    for file in {origin.file for origin in trail.values()}:
        lines[file] = lines_of(read(file) or "", {o.path for o in trail.values() if o.file == file})
    return [
        TraceStep(
            file=origin.file,
            line=lines[origin.file][origin.path],
            pointer=pointer(origin.path),
            field=pointer(source.path),
            rule=source.rule,
            why=source.why,
        )
        for source, origin in trail.items()
    ]


def _place(source: Source, path: Steps) -> Origin:
    """Return where a source stands; one that is taken over as it is leads on to the field."""
    inside = path[len(source.path) :] if source.verbatim else ()
    return source.origin.at(*inside)


def _field_path(field: str | None) -> Steps:
    if not field:
        return ()
    if field.startswith("/"):
        return path_of(field)
    return tuple(step_of(step) for step in field.split("."))
