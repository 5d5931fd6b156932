"""JSON patch operations, as kustomize does them."""

from __future__ import annotations

from kitgen.findings import Path, Step, path_of
from kitgen.yamlio import Json, JsonObject


def operate(body: Json, operation: JsonObject, touched: list[Path]) -> str:
    """Do one JSON patch operation in place; return what is wrong with it."""
    path = path_of(operation["path"])
    if not path:
        return "found an empty path, expected one inside the object"
    parent: Json = body
    for step in path[:-1]:
        key: Json = step if isinstance(parent, list) else str(step)
        try:
            parent = parent[key]
        except (KeyError, IndexError, TypeError):
            return f"found nothing at {operation['path']}"
    last: Step = len(parent) if path[-1] == "-" and isinstance(parent, list) else path[-1]
    if operation["op"] != "test":
        # What is removed from a list is no more, but the list is.
        gone = operation["op"] == "remove" and isinstance(parent, list)
        touched.append(path[:-1] if gone else (*path[:-1], last))
    match operation["op"], parent:
        case "add", list() if isinstance(last, int) and last <= len(parent):
            parent.insert(last, operation.get("value"))
        case "add", dict():
            parent[str(last)] = operation.get("value")
        case op, list() if isinstance(last, int) and last < len(parent):
            return _change(op, parent, last, operation)
        case op, dict() if str(last) in parent:
            return _change(op, parent, str(last), operation)
        case _:
            return f"found nothing at {operation['path']}"
    return ""


def _change(op: str, parent: Json, key: Json, operation: JsonObject) -> str:
    if op == "remove":
        del parent[key]
    elif op == "replace":
        parent[key] = operation.get("value")
    elif parent[key] != operation.get("value"):
        return f"found another value at {operation['path']}, so the test fails"
    return ""
