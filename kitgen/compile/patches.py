"""Apply the patches of a component, its features and a target, in that order."""

from __future__ import annotations

import copy

from kitgen.compile.context import Context
from kitgen.findings import Finding, Origin, Path, Step, near, path_of
from kitgen.model import Item, Layer
from kitgen.objects import Manifest, Source
from kitgen.semver import in_range
from kitgen.yamlio import Json, JsonObject


def apply_patches(context: Context, objects: list[Manifest], findings: list[Finding]) -> list[Manifest]:
    """Return the objects with every patch applied that is for this version of the component."""
    for item in (*context.part.patches, *context.settings.patches):
        layer = item.layers[0]
        if in_range(context.component.version, layer.data.get("versions", "")):
            objects = _apply(item, layer, objects, findings)
    return objects


def _apply(item: Item, layer: Layer, objects: list[Manifest], findings: list[Finding]) -> list[Manifest]:
    wanted: str = layer.data["object"]
    if not any(str(manifest.id) == wanted for manifest in objects):
        known = [str(manifest.id) for manifest in objects]
        message = f"found no object {wanted!r}, so the patch matches nothing"
        at = layer.origin.at("object")
        findings.append(Finding(rule="patch-nothing", message=message, origin=at, hint=near(wanted, known)))
        return objects
    return [_patched(m, layer, findings) if str(m.id) == wanted else m for m in objects]


def _patched(manifest: Manifest, layer: Layer, findings: list[Finding]) -> Manifest:
    touched: list[Path] = []
    where: dict[Path, Path] = {}
    if "merge" in layer.data:
        body = merge(manifest.body, layer.data["merge"], (), touched)
        where = {path: ("merge", *path) for path in touched}
    else:
        body = copy.deepcopy(manifest.body)
        for index, operation in enumerate(layer.data["ops"]):
            done = len(touched)
            problem = operate(body, operation, touched)
            where |= dict.fromkeys(touched[done:], ("ops", index))
            if problem:
                origin: Origin = layer.origin.at("ops", index)
                findings.append(Finding(rule="patch-path", message=problem, origin=origin))
    if not _is_object(body):
        message = "the patch leaves no object: apiVersion, kind and metadata.name are gone or no text"
        findings.append(Finding(rule="patch-object", message=message, origin=layer.origin))
        return manifest
    if body == manifest.body and not any(
        f.origin.path[: len(layer.origin.path)] == layer.origin.path for f in findings
    ):
        message = "the patch changes nothing"
        findings.append(Finding(rule="patch-nothing", message=message, origin=layer.origin, hint="remove it"))
    sources = (
        Source(path=path, rule=layer.rule, origin=layer.origin.at(*where[path]), why=layer.why)
        for path in dict.fromkeys(touched)
    )
    return manifest.with_(body, *sources)


def _is_object(body: Json) -> bool:
    meta = body.get("metadata")
    names = (body.get("apiVersion"), body.get("kind"), meta.get("name") if isinstance(meta, dict) else None)
    return all(isinstance(name, str) and name for name in names)


def merge(body: Json, patch: Json, path: Path, touched: list[Path]) -> Json:
    """Apply a JSON merge patch and note which paths it set or removed."""
    if not isinstance(patch, dict):
        touched.append(path)
        return patch
    if not isinstance(body, dict):
        touched.append(path)
        body = {}
    result: JsonObject = dict(body)
    for key, value in patch.items():
        if value is None:
            if key in result:
                touched.append((*path, key))
                del result[key]
        else:
            result[key] = merge(result.get(key), value, (*path, key), touched)
    return result


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
    touched += _touched(operation["op"], parent, (*path[:-1], last))
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


def _touched(op: str, parent: Json, path: Path) -> list[Path]:
    """Return what an operation changes; what is removed from a list is no more, but the list is."""
    if op == "test":
        return []
    return [path[:-1] if op == "remove" and isinstance(parent, list) else path]


def _change(op: str, parent: Json, key: Json, operation: JsonObject) -> str:
    if op == "remove":
        del parent[key]
    elif op == "replace":
        parent[key] = operation.get("value")
    elif parent[key] != operation.get("value"):
        return f"found another value at {operation['path']}, so the test fails"
    return ""
