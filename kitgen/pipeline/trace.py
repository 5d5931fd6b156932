"""Where a rendered field comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kitgen.compile import Unit
from kitgen.errors import UsageError
from kitgen.findings import Origin, near, path_of, pointer, step_of
from kitgen.findings import Path as Steps
from kitgen.objects import Manifest, Source, value_at
from kitgen.pipeline.checks import check_plans
from kitgen.pipeline.opened import Opened, stop_on_errors
from kitgen.pipeline.reads import Look, reads, spec_reader
from kitgen.yamlio import lines_of


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
    plan = opened.plan(opened.target(target), release)
    stop_on_errors(check_plans(opened, [plan]), opened.root)
    objects = {str(manifest.id): (unit, manifest) for unit in plan.units for manifest in unit.final}
    if name not in objects:
        hint = near(name, list(objects)) or "write it Kind/name, as kitgen build prints it"
        raise UsageError(f"target {target} has no object {name!r}", hint=hint)
    unit, manifest = objects[name]
    path = _field_path(field)
    try:
        value_at(manifest.body, path)
    except KeyError as error:
        raise UsageError(f"{name} of {target} has no field {field!r}") from error
    found: list[tuple[Source, Origin]] = []
    look = spec_reader(read)
    for source in _trail(unit, manifest, path):
        place = _place(source, path, look)
        value = look(place)
        for step in path[len(source.path) :]:
            if isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
        at = max(path, source.path, key=len)
        found += [(more, more.origin) for more in reads(unit.context, at, value)]
        found.append((source, place))
    return _located(list(dict.fromkeys(found)), read)


def _trail(unit: Unit, manifest: Manifest, path: Steps) -> Iterator[Source]:
    """Yield what bears on a field; before a feature's part comes what turned the feature on."""
    told: set[str] = set()
    for source in dict.fromkeys(manifest.trail(path)):
        feature = _feature(unit, source.origin)
        asked = unit.context.settings.features.get(feature)
        if asked is not None and feature not in told:
            told.add(feature)
            rule = f"feature {feature} is turned on"
            yield Source(path=source.path, rule=rule, origin=asked.origin)
        yield source
    for fill in unit.params.fills if unit.params else ():
        same = (fill.kind, fill.name) == (manifest.id.kind, manifest.id.name)
        if unit.params and same and (fill.path[: len(path)] == path or path[: len(fill.path)] == fill.path):
            rule = f"parameter {fill.key}"
            origin = next(each.origin for each in unit.params.sources if each.rule == rule)
            yield Source(path=fill.path, rule=rule, origin=origin, why="params.env may change it")


def _feature(unit: Unit, origin: Origin) -> str:
    """Return the feature that a place of the component's spec is part of, or an empty text."""
    if origin.file == unit.context.component.origin.file and origin.path[:1] == ("features",):
        return str(origin.path[1])
    return ""


def _place(source: Source, path: Steps, look: Look) -> Origin:
    """Return where a source stands; one that is taken over as it is leads on, as far as the file goes."""
    if not source.verbatim:
        return source.origin
    value = look(source.origin)
    inside: list[str | int] = []
    for step in path[len(source.path) :]:
        try:
            value = value_at(value, (step,))
        except KeyError:
            break
        inside.append(step)
    return source.origin.at(*inside)


def _located(found: list[tuple[Source, Origin]], read: Callable[[str], str | None]) -> list[TraceStep]:
    lines: dict[str, dict[Steps, int]] = {}
    for file in {origin.file for _, origin in found}:
        lines[file] = lines_of(read(file) or "", {o.path for _, o in found if o.file == file})
    return [
        TraceStep(
            file=origin.file,
            line=lines[origin.file][origin.path],
            pointer=pointer(origin.path),
            field=pointer(source.path),
            rule=source.rule,
            why=source.why,
        )
        for source, origin in found
    ]


def _field_path(field: str | None) -> Steps:
    if not field:
        return ()
    if field.startswith("/"):
        return path_of(field)
    return tuple(step_of(step) for step in field.split("."))
