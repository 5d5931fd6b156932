"""Apply a CRD declaration or config.yaml that only lists changes, with $remove, $set and $add.

Paths are those of exceptions: `v1/spec.replicas#maximum` in a declaration, `health.port#default` in a
config.yaml. `v1#columns` is a key of a version, `v1` the version, and `#names` a key of the whole file.
"""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.crd.schema_edits import Action, EditError, SchemaEdit, list_edits
from kitgen.findings import Finding, Origin, Step, make_problem, suggest_word
from kitgen.kit.merge import DraftNode, SpecValue
from kitgen.kube import schema_paths
from kitgen.kube.schema_paths import PathError, Steps
from kitgen.text.yaml import Json, JsonObject, walk_values

OPAQUE = ("$type", "$use")
"""What stands for a schema that is elsewhere, so that a change to it is an exception beside it."""
FORMS = {"crd": "v1/spec.list[].field, v1#columns, v1 or #names", "config": "a.b#default or #always"}
MAX_DEPTH = 150
"""Whole files may be no deeper than 200 levels; nobody writes by hand what is."""


def is_change_file(data: Json) -> bool:
    """Return whether a file says what it changes, and not all."""
    return isinstance(data, dict) and any(action in data for action in Action)


def apply_spec_changes(
    old: SpecValue, data: JsonObject, where: Origin, kind: str
) -> tuple[SpecValue, list[Finding]]:
    """Return a declaration or config.yaml with the changes made, and those that do not fit."""
    findings, draft = [], DraftNode(old)
    for edit, at in locate_edits(data, where):
        try:
            _apply_edit(draft, edit, parse_edit_path(edit.path, kind), SpecValue(edit.value, at))
        except EditError as error:
            findings.append(make_problem("change-misfit", error.message, hint=error.hint).to_finding(at))
        except PathError:
            findings.append(
                make_problem(
                    "change-misfit",
                    f"found {edit.path!r}, which is no path",
                    hint=f"write it as {FORMS[kind]}",
                ).to_finding(at)
            )
    return (old if findings else draft.to_value()), findings


def locate_edits(data: JsonObject, where: Origin) -> Iterator[tuple[SchemaEdit, Origin]]:
    """Yield the changes that a file or a feature makes, in their order, each with its place."""
    places = {path: index for index, path in enumerate(data.get(Action.REMOVE) or ())}
    for edit in list_edits(data):
        yield (
            edit,
            where.at(*edit.declaration_path, *((places[edit.path],) if edit.action is Action.REMOVE else ())),
        )


def parse_edit_path(text: str, kind: str) -> Steps:
    """Return the steps through a declaration or a config.yaml."""
    if text.startswith("#"):
        return (text[1:],)
    if kind == "config":
        first, *rest = schema_paths.parse_path(text)
        if first != "properties":
            raise PathError(text)
        return ("fields", *rest)
    version, slash, path = text.partition("/")
    if slash:
        return ("versions", version, "schema", *schema_paths.parse_path(path))
    name, sign, key = text.partition("#")
    return ("versions", name, key) if sign else ("versions", name)


def _apply_edit(node: DraftNode, edit: SchemaEdit, steps: Steps, value: SpecValue) -> None:
    """Make one change to what is at the end of steps."""
    if len(steps) + 1 + max(len(path) for path, _ in walk_values(value.data)) > MAX_DEPTH:
        raise EditError(f"found {edit.path!r}, which makes it deeper than {MAX_DEPTH} levels")
    while True:
        step, rest = steps[0], steps[1:]
        if not node.is_map:
            raise EditError(f"the path {edit.path!r} is not there: no {step!r}")
        if any(key in node.parts for key in OPAQUE) and not _is_declared_locally(node, steps):
            return _edit_named_type(node, edit, steps, value)
        if not rest or step not in node.parts:
            return _edit_map(node, edit, steps, value)
        node, steps = node.get_child(step), rest


def _edit_map(node: DraftNode, edit: SchemaEdit, steps: Steps, value: SpecValue) -> None:
    """Make a change at the last map on the way, or say that the way ends before."""
    step, rest = steps[0], steps[1:]
    if step not in node.parts:
        first = step == "properties" and len(rest) == 1  # the first field of an object that has none
        if edit.action is not Action.ADD or (rest and not first):
            missing = rest[0] if step == "properties" and rest else step
            raise EditError(
                f"the path {edit.path!r} is not there: no {missing!r}",
                suggest_word(step, [*map(str, node.parts)]),
            )
        if rest:
            node.parts[step] = DraftNode(SpecValue({}, value.origin))
            node, step = node.get_child(step), rest[0]
        node.parts[step] = value
    elif edit.action is Action.ADD:
        raise EditError(f"found {edit.path!r}, which $add expects not to be there", "use $set")
    elif edit.action is Action.REMOVE:
        del node.parts[step]
    elif is_same_value(node.get_data(step), value.data):
        raise EditError(f"found {edit.path!r}, which is that already", "remove it")
    else:
        node.parts[step] = value


def is_same_value(one: Json, other: Json) -> bool:
    """Return whether two values are the same to a cluster: 1 equals true, and is not the same."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same_value(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same_value, one, other))
    return type(one) is type(other) and bool(one == other)


def _is_declared_locally(node: DraftNode, steps: Steps) -> bool:
    """Return whether steps lead to a keyword or field that stands beside a named type."""
    if steps[0] == "properties":
        return len(steps) > 1 and steps[0] in node.parts and steps[1] in node.get_child(steps[0]).parts
    return steps[0] in node.parts


def _edit_named_type(node: DraftNode, edit: SchemaEdit, steps: Steps, value: SpecValue) -> None:
    """Make an exception beside a named type; an earlier one to the same path gives way."""
    if steps[0] in [*Action]:
        raise EditError(f"found {edit.path!r}, which is no part of a type", "name what it is to change")
    *above, path = (schema_paths.format_path(steps[: size + 1]) for size in range(len(steps)))
    for exceptions in [node.get_child(action) for action in Action if action in node.parts]:
        for size, whole in enumerate(above, 1):
            if whole in exceptions.parts:
                return _apply_edit(exceptions.get_child(whole), edit, steps[size:], value)
    had = {
        action for action in Action if action in node.parts and _drop_exception(node.get_child(action), path)
    }
    if edit.action is Action.ADD and had & {Action.ADD, Action.SET}:
        raise EditError(f"found {edit.path!r}, which $add expects not to be there", "use $set")
    if edit.action is not Action.ADD and Action.REMOVE in had:
        raise EditError(f"the path {edit.path!r} is not there: it is removed already", "use $add")
    if edit.action is not Action.REMOVE:
        there = {Action.ADD: Action.REMOVE in had, Action.SET: Action.ADD not in had}[edit.action]
        _get_exceptions(node, Action.SET if there else Action.ADD, value).parts[path] = value
    elif Action.ADD not in had:
        removed = _get_exceptions(node, Action.REMOVE, value).parts
        removed[max((int(index) for index in removed), default=-1) + 1] = SpecValue(path, value.origin)
    for action in Action:
        if action in node.parts and not node.get_child(action).parts:
            del node.parts[action]
    return None


def _get_exceptions(node: DraftNode, action: Action, value: SpecValue) -> DraftNode:
    """Return the exceptions of a sort beside a named type."""
    if action not in node.parts:
        node.parts[action] = DraftNode(SpecValue([] if action is Action.REMOVE else {}, value.origin))
    found = node.get_child(action)
    if not (found.is_list if action is Action.REMOVE else found.is_map):
        raise EditError(f"found {action} beside a type, which cannot be added to")
    return found


def _drop_exception(exceptions: DraftNode, path: str) -> bool:
    """Drop an exception to a path; return whether there was one."""
    if exceptions.is_map:
        found: list[Step] = [path] if path in exceptions.parts else []
    else:
        found = [index for index in exceptions.parts if exceptions.get_data(index) == path]
    for index in found:
        del exceptions.parts[index]
    return bool(found)
