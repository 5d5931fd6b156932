"""Run `kitgen why`: trace a rendered field back to the specs that set it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from kitgen.findings import Cause, CauseKind, Finding, Origin, format_pointer, suggest_word
from kitgen.findings import Path as Steps
from kitgen.findings.errors import UsageError
from kitgen.kit.load import KitSelection
from kitgen.kube.manifest import FieldSource, Manifest, existing_value
from kitgen.render.placement import build_placement
from kitgen.render.plan import TargetPlan
from kitgen.render.settings import resolve_settings
from kitgen.report.documents import Count, ResultDocument
from kitgen.report.text import locate_origins
from kitgen.text.yaml import Json, read_yaml
from kitgen.workspace.fields import find_field, get_redacted_value
from kitgen.workspace.kit import OpenedKit, open_kit, raise_on_errors

Look: TypeAlias = Callable[[Origin], Json]
"""Returns what a spec holds at an origin, None where it holds nothing."""
Switches: TypeAlias = Mapping[tuple[str, str], Origin]
"""Component and feature → where a target turns it on or off."""


class TraceStep(Struct, frozen=True, kw_only=True):
    """One thing that bore on a field, and where in the specs it stands."""

    file: str
    """The spec."""
    line: Count
    """The line."""
    pointer: str
    """Where in the spec."""
    field: str
    """The part of the object that it set; empty for all of it."""
    rule: str
    """What did it."""
    why: str
    """Why, if the spec says so."""


class Trace(ResultDocument, frozen=True, kw_only=True, tag="kitgen/origins/v1"):
    """Where a value comes from: kitgen why."""

    field: str
    """The field, as a JSON pointer; empty for the whole object."""
    value: Json
    """What it has in the end; what may be a secret is hidden, and null stands for a whole object."""
    steps: tuple[TraceStep, ...]
    """What bore on it, in order; the last one at a field wins."""


def trace_field(
    root: Path | None, target: str, name: str, field: str | None, release: str | None
) -> tuple[Trace, list[Finding], Path]:
    """Return what made an object or one of its fields, findings of the target, and the kit's folder."""
    opened, plan, manifest = _compile_object(root, target, name, release)
    findings = opened.apply_exceptions(plan.findings)
    raise_on_errors(findings, opened.root)
    path = find_field(manifest.body, field, f"{name} of {target}") if field else ()
    found = list(_list_trace_steps(_collect_switches(plan), manifest, path, _make_spec_reader(opened.texts)))
    lined = locate_origins((origin for *_, origin in found), opened.texts.get)
    steps = [
        TraceStep(
            file=origin.file,
            line=lined[origin].line,
            pointer=format_pointer(origin.path),
            field=format_pointer(part),
            rule=words,
            why=why,
        )
        for part, words, why, origin in found
    ]
    value = get_redacted_value(manifest.body, path) if path else None
    return (
        Trace(field=format_pointer(path), value=value, steps=tuple(dict.fromkeys(steps))),
        findings,
        opened.root,
    )


def _compile_object(
    root: Path | None, target: str, name: str, release: str | None
) -> tuple[OpenedKit, TargetPlan, Manifest]:
    """Return an object, and as little as can be of the kit and the plan that it is of: the component's."""
    opened = open_kit(root, KitSelection(targets=(target,), release=release, judged=False, alone=True))
    chosen = opened.target(target)
    placement = build_placement(opened.kit, chosen, opened.release(chosen, release))
    likely_first = sorted(
        placement.overlay_components, key=lambda each: not (each.prefix and f"/{each.prefix}" in name)
    )
    for component in likely_first:
        plan = opened.session.compile_objects(placement, [component])
        for manifest in (each for unit in plan.units for each in unit.final if str(each.id) == name):
            return opened, plan, manifest
    opened = open_kit(root, KitSelection(targets=(target,), release=release))
    plan = opened.plan(chosen, release)
    raise_on_errors(opened.apply_exceptions(plan.findings), opened.root)
    objects = {str(each.id): each for each in plan.objects}
    if name not in objects:
        raise UsageError(
            f"target {target} has no object {name!r}",
            hint=suggest_word(name, list(objects)) or "write it Kind/name, as kitgen build prints it",
        )
    return opened, plan, objects[name]


def _list_trace_steps(
    switches: Switches, manifest: Manifest, path: Steps, look: Look
) -> Iterator[tuple[Steps, str, str, Origin]]:
    """Yield parts of the object: what set each, why, and where in the specs; what was read comes first."""
    for source, words in _list_causes(switches, manifest, path):
        inside = _extend_path(source, path, look)
        place = source.origin.at(*inside)
        at = max(path, source.path, key=len)
        inside = (*inside, *_extend_to_item(source, path, look(place)))
        there = (inside, (*inside, "value"))  # of a parameter, a variable or an operation
        for cause, origin in (each for where, reads in source.reads if where in there for each in reads):
            yield at, f"{cause}, which the expression reads", "", origin
        yield source.path, words, source.why, place


def _make_spec_reader(texts: Mapping[str, str]) -> Look:
    """Return what looks into specs, and reads each of them once."""
    content = cache(lambda file: read_yaml(texts.get(file, "")))

    def look(origin: Origin) -> Json:
        try:
            return existing_value(content(origin.file), origin.path)
        except KeyError:
            return None

    return look


def _extend_to_item(source: FieldSource, path: Steps, value: Json) -> Steps:
    """Return the path from a list, which a spec sets as a whole, to the requested item."""
    steps: list[int] = []
    for step in path[len(source.path) :]:
        if isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
            steps.append(step)
    return tuple(steps)


def _collect_switches(plan: TargetPlan) -> Switches:
    """Return where the target turns features on or off, by component and feature."""
    components = [each for unit in plan.units for each in (unit.context.component, *unit.with_crds)]
    components += [each.component for each in plan.bundled]
    return {
        (each.name, name): setting.origin
        for each in components
        for name, setting in resolve_settings(plan.target, each, plan.release.name).features.items()
    }


def _list_causes(switches: Switches, manifest: Manifest, path: Steps) -> Iterator[tuple[FieldSource, str]]:
    """Yield what bears on a field, in words too; before a feature's part comes what turned the feature on.

    Defaults and prefixes inside the field are left out: they only tell of the fields themselves.
    """
    trail = dict.fromkeys(
        each
        for each in manifest.list_sources(path)
        if each.contains(path) or not (each.default or each.cause.kind is CauseKind.PREFIX)
    )
    turned_on = dict(switches)
    for source in trail:
        key = (source.origin.file.partition("/")[2].partition("/")[0], source.feature)
        if not source.aside and (origin := turned_on.pop(key, None)):
            cause = Cause(CauseKind.FEATURE, source.feature)
            yield FieldSource(path=source.path, cause=cause, origin=origin), f"{cause} is turned on"
        yield source, _describe_source(source)


def _describe_source(source: FieldSource) -> str:
    asked = f", {source.asked}" if source.asked else ""
    return f"{'default of ' if source.default else ''}{source.cause}{asked}"


def _extend_path(source: FieldSource, path: Steps, look: Look) -> Steps:
    """Return how far a path leads on from a source that is taken over as it is, perhaps into another file."""
    inside = source.path_from_origin(path) if source.verbatim else ()
    while inside and look(source.origin.at(*inside)) is None:
        inside = inside[:-1]
    return inside
