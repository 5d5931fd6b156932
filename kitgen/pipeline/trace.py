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
from kitgen.yamlio import Json, YamlError, lines_of
from kitgen.yamlio import read as read_yaml


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
    found = [(source, _place(source, path, read)) for source in _trail(unit, manifest, path)]
    return _located(found, read)


def _trail(unit: Unit, manifest: Manifest, path: Steps) -> Iterator[Source]:
    """Yield what bears on a field; before a feature's part comes what turned the feature on."""
    told: set[str] = set()
    for source in dict.fromkeys(manifest.trail(path)):
        _, _, feature = source.rule.partition("feature ")
        asked = unit.context.settings.features.get(feature)
        if asked is not None and feature not in told:
            told.add(feature)
            rule = f"feature {feature} is turned on"
            yield Source(path=source.path, rule=rule, origin=asked.origin)
        yield source
    for fill in unit.params.fills if unit.params else ():
        same = (fill.kind, fill.name) == (manifest.id.kind, manifest.id.name)
        if unit.params and same and (fill.path[: len(path)] == path or path[: len(fill.path)] == fill.path):
            origin = unit.params.origin.at("keys", fill.key)
            yield Source(
                path=fill.path, rule=f"parameter {fill.key}", origin=origin, why="params.env may change it"
            )


def _place(source: Source, path: Steps, read: Callable[[str], str | None]) -> Origin:
    """Return where a source stands; one that is taken over as it is leads on, as far as the file goes."""
    if not source.verbatim:
        return source.origin
    try:
        value: Json = read_yaml(read(source.origin.file) or "")
        value = value_at(value, source.origin.path)
    except (YamlError, KeyError):
        return source.origin
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
