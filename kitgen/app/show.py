"""Run `kitgen show`: print a merged spec with the file that each part comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from kitgen.findings import Path as Steps
from kitgen.findings import Step, format_pointer
from kitgen.kit.inherited_files import InheritedFile
from kitgen.report.documents import Count, ResultDocument
from kitgen.report.text import locate_origins
from kitgen.text.secrets import redact_value
from kitgen.text.values import group_pairs
from kitgen.text.yaml import Json, JsonObject, build_line_finder, dump_yaml
from kitgen.workspace.effective_specs import EffectiveSpec, resolve_effective_spec

FREE = ("config", "objects", "patches")
"""Sections whose keys are anybody's words, so that they may tell of secrets; those of others name things."""

CONTAINERS = ("containers", "env")
NAMED = ("features", "components", "versions", "releases", *CONTAINERS)
"""Sections whose keys are names of the kit's things, and whose values are sections again."""


class ValueOrigin(Struct, frozen=True, kw_only=True):
    """Where a value is said."""

    file: str
    """The spec."""
    line: Count
    """The line."""
    pointer: str
    """Where in the spec."""


class CompanionFile(Struct, frozen=True, kw_only=True):
    """A file that stands beside a component.yaml, or that is taken over."""

    name: str
    """config.yaml or crds/NAME.yaml."""
    state: Literal["own", "inherited", "changed"]
    """own: the version says all of it; inherited: it is taken over; changed: the version changes it."""
    files: tuple[str, ...]
    """The file that says all, then those that change it."""


class ShownSpec(ResultDocument, frozen=True, kw_only=True, tag="kitgen/spec/v1"):
    """A spec with all that it builds on: kitgen show."""

    source: str
    """The spec and what it builds on, such as kueue@v0.7.1 from v0.7.0."""
    files: Annotated[tuple[str, ...], Meta(min_length=1)]
    """The spec's file, then those that it builds on, the nearest first."""
    data: JsonObject
    """What the spec says in the end; what may be a secret is hidden."""
    origins: Mapping[str, ValueOrigin]
    """Where each value is said, by JSON pointer."""
    beside: tuple[CompanionFile, ...]
    """Of a component: config.yaml and the CRDs."""


def show_spec(root: Path | None, source: str) -> ShownSpec:
    """Return a spec with all that it builds on."""
    found = resolve_effective_spec(root, source)
    data = redact_spec(found.said.data)
    origins = {path: found.said.origin.at(*path) for path in _list_paths(data)}
    lined = locate_origins(origins.values(), found.texts.get)
    before = f"{found.revision}:" if found.revision else ""
    return ShownSpec(
        source=found.source,
        files=tuple(f"{before}{file}" for file in found.way),
        data=data,
        origins={
            format_pointer(path): ValueOrigin(
                file=f"{before}{origin.file}", line=lined[origin].line, pointer=format_pointer(origin.path)
            )
            for path, origin in origins.items()
        },
        beside=tuple(_to_companion_file(found, before, name, file) for name, file in found.beside.items()),
    )


def _list_paths(data: Json, path: Steps = ()) -> Iterator[Steps]:
    """Yield the way to every value."""
    yield path
    steps: Mapping[Step, Json] = (
        data if isinstance(data, dict) else dict(enumerate(data)) if isinstance(data, list) else {}
    )
    for step, part in steps.items():
        yield from _list_paths(part, (*path, step))


def _to_companion_file(found: EffectiveSpec, before: str, name: str, file: InheritedFile) -> CompanionFile:
    own = file.files[-1] == found.way[0].replace("component.yaml", name)
    return CompanionFile(
        name=name,
        state="inherited" if not own else "changed" if len(file.files) > 1 else "own",
        files=tuple(f"{before}{each}" for each in file.files),
    )


def render_annotated_yaml(spec: ShownSpec) -> str:
    """Return a spec as YAML, with comments where a part comes from another file than what is above it."""
    text, places = dump_yaml(spec.data), dict(zip(_list_paths(spec.data), spec.origins.values(), strict=True))
    told = [path for path in places if path and places[path].file != places[path[:-1]].file]
    line_of = build_line_finder(text, ((0, path) for path in told))
    comments = group_pairs((line_of(0, path), f"{places[path].file}:{places[path].line}") for path in told)
    lines = text.split("\n")
    for number, found in comments.items():
        lines[number - 1] += f"  # {', '.join(found)}"
    return "\n".join(lines)


def redact_spec(data: JsonObject) -> JsonObject:
    """Return a spec without texts that names in it say are secret; names of a kit's things say nothing."""
    shown: JsonObject = {}
    for key, value in data.items():
        if key in FREE:
            shown[key] = redact_value({key: value})[key]
        elif key in NAMED and isinstance(value, dict):
            shown[key] = {name: _redact_entry(key, part) for name, part in value.items()}
        elif key == "deployment":
            shown[key] = redact_spec(value)
        elif key == "params":
            shown[key] = {
                **value,
                "keys": {name: _redact_parameter(name, part) for name, part in value["keys"].items()},
            }
        else:
            shown[key] = _redact_texts(value)
    return shown


def _redact_entry(key: str, part: Json) -> Json:
    if not isinstance(part, dict):
        return _redact_texts(part)
    return redact_value(part) if key in CONTAINERS else redact_spec(part)


def _redact_parameter(name: str, part: Json) -> Json:
    return part if isinstance(part, dict) and "image" in part else redact_value({name: part})[name]


def _redact_texts(value: Json) -> Json:
    """Return a value without secrets that its texts themselves hold."""
    if isinstance(value, dict):
        return {key: _redact_texts(part) for key, part in value.items()}
    return [_redact_texts(part) for part in value] if isinstance(value, list) else redact_value(value)
