"""Exceptions: set, add or remove parts of a schema, or of a type wherever it is embedded.

Paths are plural/version or plural/version/field.path; plural.group replaces an ambiguous plural. Nothing is
changed in place: what lies on the path is copied, the rest stays shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import partial

from msgspec import Struct

from kitgen.crd.structural import CRD_EXCEPTION, CRD_NOT_STRUCTURAL
from kitgen.crd.types import TypeChange, TypeNameError, Types, types_of
from kitgen.findings import Finding, Origin, Path, Problem, suggest_word
from kitgen.kube import schema_paths
from kitgen.kube.schema_paths import PathError, Steps
from kitgen.text.yaml import Json, JsonObject


class Action(StrEnum):
    """What an exception does with its path."""

    REMOVE = "$remove"
    SET = "$set"
    ADD = "$add"


class SchemaEdit(Struct, frozen=True, kw_only=True):
    """One exception."""

    action: Action
    path: str
    value: Json = None

    @property
    def declaration_path(self) -> Path:
        """Return where the exception stands, below the schema that it is made to."""
        return (self.action,) if self.action is Action.REMOVE else (self.action, self.path)


class EditError(Exception):
    """The path of an exception is not there, or it is there already."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def build_edit(action: Action, steps: Steps, value: Json = None) -> SchemaEdit:
    """Return the exception that does something at some steps."""
    return SchemaEdit(action=action, path=schema_paths.format_path(steps), value=value)


def find_inline_key(edit: SchemaEdit) -> str | Steps | None:
    """Return the keyword or field beside a named type that says the same as an exception."""
    try:
        steps = schema_paths.parse_path(edit.path)
    except PathError:
        return None
    keyword = len(steps) == 1 and steps[0] not in ("properties", *schema_paths.SIGNS)
    if keyword and edit.action is not Action.REMOVE:
        return steps[0]
    return steps if edit.action is Action.ADD and len(steps) == 2 and steps[0] == "properties" else None


def list_edits(node: JsonObject) -> Iterator[SchemaEdit]:
    """Yield every exception beside $type or $use, in the order they are made."""
    yield from (SchemaEdit(action=Action.REMOVE, path=path) for path in node.get(Action.REMOVE) or ())
    yield from (
        SchemaEdit(action=action, path=path, value=value)
        for action in (Action.SET, Action.ADD)
        for path, value in (node.get(action) or {}).items()
    )


def apply_edits(
    base: JsonObject, own: JsonObject, edits: Iterable[SchemaEdit]
) -> tuple[JsonObject, tuple[Problem, ...]]:
    """Return a schema with the keywords beside it and the exceptions made; what does not fit is left out."""
    problems: list[Problem] = []
    known, added = base.get("properties", {}), own.get("properties") or {}
    for name in (name for name in added if name in known):
        message = f"found the field {name!r}, which is there already"
        problems.append(CRD_EXCEPTION(message, ("properties", name), "use $set to change it"))
    schema = base | {key: value for key, value in own.items() if key != "properties"}
    if added:
        schema["properties"] = {**known, **added}
    for edit in edits:
        try:
            schema = apply_edit(schema, edit)
        except EditError as problem:
            problems.append(CRD_EXCEPTION(problem.message, edit.declaration_path, problem.hint))
        except PathError:
            hint = "write it as spec.list[].field or spec.field#keyword"
            problems.append(
                CRD_EXCEPTION(f"found {edit.path!r}, which is no path", edit.declaration_path, hint)
            )
    return schema, tuple(problems)


def apply_edit(schema: JsonObject, edit: SchemaEdit) -> JsonObject:
    """Return the schema with one exception made; raise EditError when its path does not fit."""
    if not (steps := schema_paths.parse_path(edit.path)):
        hint = "write it as spec.field or #keyword"
        raise EditError("found an empty path, expected a field or a keyword", hint)
    return _apply_at_step(schema, edit, steps, 0)


def _apply_at_step(node: JsonObject, edit: SchemaEdit, steps: Steps, depth: int) -> JsonObject:
    step = steps[depth]
    last = depth + 1 == len(steps)
    if step not in node:
        if edit.action is Action.ADD and last:
            return {**node, step: edit.value}
        # The first field of an object that has none so far.
        if edit.action is Action.ADD and step == "properties" and depth + 2 == len(steps):
            return {**node, step: {steps[-1]: edit.value}}
        missing = steps[min(depth + (step == "properties"), len(steps) - 1)]
        known = [str(key) for key in (node if step != "properties" else ())]
        raise EditError(f"the path {edit.path!r} is not there: no {missing!r}", suggest_word(missing, known))
    if not last:
        if not isinstance(below := node[step], dict):
            raise EditError(f"the path {edit.path!r} is not there: no {steps[depth + 1]!r}")
        return {**node, step: _apply_at_step(below, edit, steps, depth + 1)}
    match edit.action:
        case Action.SET:
            return {**node, step: edit.value}
        case Action.REMOVE:
            return {key: value for key, value in node.items() if key != step}
        case Action.ADD:
            raise EditError(f"found {edit.path!r}, which $add expects not to be there", "use $set")


def build_changed_types(
    declared: JsonObject, minor: int, *, descriptions: bool, origin: Origin
) -> tuple[Types, list[Finding]]:
    """Return the types of a minor with a declaration's exceptions made, and what does not fit."""
    changes: dict[str, TypeChange] = {
        name: partial(_apply_exceptions, each) for name, each in declared.items()
    }
    types = Types(minor, descriptions=descriptions, changes=changes)
    findings: list[Finding] = []
    for name in declared:
        at = origin.at(name)
        try:
            types.get_schema(name)
        except TypeNameError as error:
            findings.append(error.problem.to_finding(at))
            continue
        findings += [problem.to_finding(at) for problem in types.misfits[name]]
        if (fault := types.find_fault(name)) and not types_of(minor).find_fault(name):
            findings.append(CRD_NOT_STRUCTURAL(fault).to_finding(at))
            types.forget_fault(name)
    return types, findings


def _apply_exceptions(exceptions: JsonObject, schema: JsonObject) -> tuple[JsonObject, tuple[Problem, ...]]:
    """Return a type's schema with its exceptions made, and those that do not fit.

    The types inside have theirs made already, so a path may lead through them.
    """
    own = {key: value for key, value in exceptions.items() if not key.startswith("$")}
    return apply_edits(schema, own, list_edits(exceptions))


class SchemaPart(Struct, frozen=True, order=True):
    """A place in a schema of the component."""

    name: str
    """The CRD: its plural, or plural and group."""
    version: str
    steps: Steps = ()

    def __str__(self) -> str:
        return "/".join(filter(None, (self.name, self.version, schema_paths.format_path(self.steps))))

    def below(self, *steps: str) -> SchemaPart:
        """Return the place some steps further down."""
        return SchemaPart(self.name, self.version, self.steps + steps)


def parse_part(text: str) -> SchemaPart:
    """Read plural/version/path; the path may be missing."""
    name, _, rest = text.partition("/")
    version, _, path = rest.partition("/")
    steps = schema_paths.parse_path(path)
    if not name or not version or not schema_paths.is_schema(steps):
        raise PathError(text)
    return SchemaPart(name, version, steps)


def find_schema_references(node: Json, keyword: str) -> Iterator[str]:
    """Yield what every $use or $type in declared schemas names."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if isinstance(name := part.get(keyword), str):
                yield name
            waiting += reversed(part.values())
        elif isinstance(part, list):
            waiting += reversed(part)


def has_type_references(declaration: JsonObject) -> bool:
    """Return whether a declaration takes types from Kubernetes, so that their minor counts."""
    return isinstance(declaration.get("types"), dict) or any(
        find_schema_references(declaration["versions"], "$type")
    )
