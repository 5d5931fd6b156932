"""Where a rendered field comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kitgen.compile import Plan, Unit
from kitgen.errors import UsageError
from kitgen.findings import Origin, near, pointer
from kitgen.findings import Path as Steps
from kitgen.objects import Manifest, Source, value_at
from kitgen.pipeline.checks import check_plans
from kitgen.pipeline.fields import find
from kitgen.pipeline.opened import Opened, stop_on_errors
from kitgen.pipeline.reads import Look, reads, spec_reader
from kitgen.pipeline.values import told
from kitgen.yamlio import Json, lines_of


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A field of an object, the value that it has in the end, and what bore on it, in order."""

    path: Steps
    value: Json
    """What may be a secret is left out; of a whole object there is none."""
    steps: tuple[TraceStep, ...]


def trace(
    opened: Opened,
    target: str,
    name: str,
    field: str | None,
    release: str | None,
    read: Callable[[str], str | None],
) -> Trace:
    """Return what made an object or one of its fields."""
    plan = opened.plan(opened.target(target), release)
    stop_on_errors(check_plans(opened, [plan]), opened.root)
    objects = dict(_objects(plan))
    if name not in objects:
        hint = near(name, list(objects)) or "write it Kind/name, as kitgen build prints it"
        raise UsageError(f"target {target} has no object {name!r}", hint=hint)
    unit, manifest = objects[name]
    path = find(manifest.body, field, f"{name} of {target}") if field else ()
    found: list[tuple[Source, Origin]] = []
    look = spec_reader(read)
    for source in _trail(unit, manifest, path):
        place = _place(source, path, look)
        value = look(place)
        for step in path[len(source.path) :]:
            if isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
        at = max(path, source.path, key=len)
        if unit is not None:
            found += [(more, more.origin) for more in reads(unit.context, at, value)]
        found.append((source, place))
    steps = _located(list(dict.fromkeys(found)), read)
    return Trace(path=path, value=told(manifest.body, path) if path else None, steps=tuple(steps))


def _objects(plan: Plan) -> Iterator[tuple[str, tuple[Unit | None, Manifest]]]:
    """Yield the objects of a target: those of its kustomization last, since their trails say more."""
    yield from ((str(manifest.id), (None, manifest)) for manifest in plan.outside)
    yield from ((str(m.id), (unit, m)) for unit in plan.units for m in unit.final)


def _trail(unit: Unit | None, manifest: Manifest, path: Steps) -> Iterator[Source]:
    """Yield what bears on a field; before a feature's part comes what turned the feature on.

    Defaults inside the field are left out: they only tell of the fields themselves.
    """
    trail = manifest.trail(path)
    sources = dict.fromkeys(source for source in trail if not source.default or source.holds(path))
    if unit is None:
        yield from sources
        return
    seen: set[str] = set()
    for source in sources:
        feature = _feature(unit, source.origin)
        asked = unit.context.settings.features.get(feature)
        if asked is not None and feature not in seen:
            seen.add(feature)
            rule = f"feature {feature} is turned on"
            yield Source(path=source.path, rule=rule, origin=asked.origin)
        yield source
    yield from _prefix(unit, manifest, path)
    yield from _fills(unit, manifest, path)


def _prefix(unit: Unit, manifest: Manifest, path: Steps) -> Iterator[Source]:
    """Yield what a name that a family made begins with."""
    component = unit.context.component
    made = not manifest.sources[0].verbatim and manifest.id.kind not in (
        "CustomResourceDefinition",
        "Namespace",
    )
    if path == ("metadata", "name") and component.prefix and made:
        yield Source(path=path, rule="prefix", origin=component.origin.at("prefix"))


def _fills(unit: Unit, manifest: Manifest, path: Steps) -> Iterator[Source]:
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
    for step in source.inside(path):
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
