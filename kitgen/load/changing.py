"""A CRD's declaration or a config.yaml that only says what it changes, with $remove, $set and $add.

A path leads as those of exceptions do: `v1/spec.replicas#maximum` in a declaration, `health.port#default` in
a config.yaml. `v1#columns` is a key of a version, `v1` the version, and `#names` a key of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.crds.declare.edits import Action, Edit, EditError, of
from kitgen.crds.schema import paths
from kitgen.crds.schema.paths import PathError, Steps
from kitgen.findings import Chapter, Finding, Origin, Rule, Step, near
from kitgen.load.merging import Said, listing, mapping
from kitgen.yamlio import Json, JsonObject

CHANGE_MISFIT = Rule(
    id="change-misfit",
    chapter=Chapter.SPEC,
    checks=(
        "What a CRD or config.yaml changes is there in the one that it builds on, and what it adds is not."
    ),
    fix="Take the path that the hint offers, or another of $set, $add and $remove.",
)

OPAQUE = ("$type", "$use")
"""What stands for a schema that is elsewhere, so that a change to it is an exception beside it."""


def is_change(data: Json) -> bool:
    """Tell whether a file says what it changes, and not all."""
    return isinstance(data, dict) and any(action in data for action in Action)


def change(old: Said, data: JsonObject, file: str) -> tuple[Said, list[Finding]]:
    """Return a declaration or config.yaml with the changes made, and those that do not fit."""
    findings = []
    for edit in of(data):
        at = Origin(file, edit.place)
        try:
            old = _change(old, edit, _steps(edit.path, old.data), Said(edit.value, at), edit.path)
        except EditError as problem:
            findings.append(CHANGE_MISFIT(problem.message, hint=problem.hint).at(at))
        except PathError:
            hint = "write it as v1/spec.list[].field or #names" if "versions" in old.data else ""
            message = f"found {edit.path!r}, which is no path"
            findings.append(CHANGE_MISFIT(message, hint=hint or "write it as a.b#default or #key").at(at))
    return old, findings


def _steps(text: str, data: JsonObject) -> Steps:
    """Return the steps through a declaration or a config.yaml."""
    if text.startswith("#"):
        return (text[1:],)
    if "versions" not in data:
        return ("fields", *paths.parse(text)[1:])
    version, slash, path = text.partition("/")
    if not slash:
        name, sign, key = text.partition("#")
        return ("versions", name, key) if sign else ("versions", name)
    return ("versions", version, "schema", *paths.parse(path))


def _change(node: Said, edit: Edit, steps: Steps, value: Said, text: str) -> Said:
    step, last, data = steps[0], len(steps) == 1, node.data
    if not isinstance(data, dict):
        raise EditError(f"the path {text!r} is not there: no {step!r}")
    if any(key in data for key in OPAQUE) and not _is_own(data, steps):
        return _beside(node, edit, steps, value)
    if step not in data:
        if edit.action is Action.ADD and (last or (step == "properties" and len(steps) == 2)):
            made = value if last else mapping({steps[1]: value}, value.origin)
            return mapping({**node.parts, step: made}, node.origin)
        raise EditError(f"the path {text!r} is not there: no {step!r}", near(step, list(data)))
    if not last:
        return mapping(
            {**node.parts, step: _change(node.part(step), edit, steps[1:], value, text)}, node.origin
        )
    match edit.action:
        case Action.SET:
            return mapping({**node.parts, step: value}, node.origin)
        case Action.REMOVE:
            return mapping({key: part for key, part in node.parts.items() if key != step}, node.origin)
        case Action.ADD:
            raise EditError(f"found {text!r}, which $add expects not to be there", "use $set")


def _is_own(data: JsonObject, steps: Steps) -> bool:
    """Tell whether steps lead to a keyword or field that stands beside a named type."""
    if steps[0] == "properties":
        return len(steps) > 1 and steps[1] in (data.get("properties") or {})
    return steps[0] in data and steps[0] not in OPAQUE


def _beside(node: Said, edit: Edit, steps: Steps, value: Said) -> Said:
    """Make an exception beside a named type; an earlier one to the same path gives way."""
    path, parts = paths.write(steps), node.parts
    made: dict[str, dict[Step, Said]] = {key: {} for key in (Action.SET, Action.ADD)}
    for key, some in made.items():
        if key in parts:
            some.update(parts[key].parts)
    removed = {each.data: each for each in _items(parts.get(Action.REMOVE))}
    was = next((key for key in made if made[key].pop(path, None) is not None), None)
    gone = removed.pop(path, None)
    match edit.action:
        case Action.REMOVE if was != Action.ADD:
            removed[path] = Said(path, value.origin)
        case Action.SET:
            made[was or Action.SET][path] = value
        case Action.ADD:
            made[Action.SET if gone else Action.ADD][path] = value
    for key, some in made.items():
        parts[key] = mapping(some, value.origin)
    parts[Action.REMOVE] = listing(list(removed.values()), value.origin)
    return mapping(
        {key: part for key, part in parts.items() if part.data or key not in [*Action]}, node.origin
    )


def _items(said: Said | None) -> Iterator[Said]:
    for index in range(len(said.data) if said else 0):
        assert said is not None
        yield said.part(index)
