"""Apply JSON patch operations as kustomize does."""

from __future__ import annotations

from kitgen.findings import Path, Step, parse_pointer
from kitgen.kube.manifest import existing_value
from kitgen.text.yaml import Json, JsonObject


def apply_operation(body: Json, operation: JsonObject) -> Path | None:
    """Do one JSON patch operation in place; return what it changed. A LookupError says what is wrong."""
    op, path, value = operation["op"], parse_pointer(operation["path"]), operation.get("value")
    if not path:
        raise LookupError("found an empty path, expected one inside the object")
    nothing = LookupError(f"found nothing at {operation['path']}")
    try:
        parent = existing_value(body, path[:-1])
    except KeyError:
        raise nothing from None
    last: Step = len(parent) if path[-1] == "-" and isinstance(parent, list) else path[-1]
    match op, parent:
        case "add", list() if isinstance(last, int) and last <= len(parent):
            parent.insert(last, value)
        case "add", dict():
            parent[str(last)] = value
        case _, list() if isinstance(last, int) and last < len(parent):
            _change_value(op, parent, last, operation)
        case _, dict() if str(last) in parent:
            _change_value(op, parent, str(last), operation)
        case _:
            raise nothing
    if op == "test":
        return None
    # What is removed from a list is no more, but the list is.
    return path[:-1] if op == "remove" and isinstance(parent, list) else (*path[:-1], last)


def _change_value(op: str, parent: Json, key: Step, operation: JsonObject) -> None:
    if op == "remove":
        del parent[key]
    elif op == "replace":
        parent[key] = operation.get("value")
    elif parent[key] != operation.get("value"):
        raise LookupError(f"found another value at {operation['path']}, so the test fails")
