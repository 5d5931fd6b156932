"""Family of the operator's configuration: typed values → the ConfigMap it reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from operator import ge, gt, le

from kitgen.compile.containers import unknown_container
from kitgen.compile.context import Context
from kitgen.compile.durations import DURATION, nanoseconds
from kitgen.compile.layers import Folded, fold, source
from kitgen.findings import Finding, Origin, Path, near
from kitgen.model import Layer
from kitgen.objects import Manifest, Source, wrong_image
from kitgen.wording import shown
from kitgen.yamlio import Json, JsonObject, dump

LIMITS = {"int32": 2**31}
BOUNDS: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "above": ("more than", gt),
    "minimum": ("at least", ge),
    "maximum": ("at most", le),
}
HEADER = "every configuration of this type opens with it"
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "duration": (str,),
    "nanoseconds": (str, int),
}


def config(context: Context, findings: list[Finding]) -> Iterator[Manifest]:
    """Make the ConfigMap when a value is set or the operator always needs one."""
    folded = _values(context)
    if context.component.config_type is None:
        if folded is not None and folded.data:
            message = "found values, but the component has no config.yaml that types them"
            findings.append(Finding(rule="config-untyped", message=message, origin=folded.touches[0].origin))
        return
    origin, kind = context.component.config_type
    values = folded.data if folded else {}
    if folded:
        findings += _check({"type": "object", "properties": kind["fields"]}, values, (), folded)
        findings += _rules(kind, values, folded)
    if not _is_set({"properties": kind["fields"]}, values) and not kind.get("always", False):
        return
    document = {**kind.get("header", {}), **_document(kind["fields"], values)}
    body = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": context.name(kind["configMap"])},
        "data": {kind["key"]: dump(document)},
    }
    path: Path = ("data", kind["key"])
    whole = Source(path=(), rule="family config", origin=origin)
    values_at = [
        source(touch, (*path, *touch.path), "config") for touch in (folded.touches if folded else ())
    ]
    sources = (whole, *values_at[:1], *_header(kind, origin, path), *values_at[1:])
    yield Manifest(body=body, sources=sources)


def _header(kind: JsonObject, origin: Origin, path: Path) -> Iterator[Source]:
    rule = "default of family config"
    for key in kind.get("header", {}):
        at = origin.at("header", key)
        yield Source(path=(*path, key), rule=rule, origin=at, why=HEADER, default=True)


def deployment_layer(context: Context, findings: list[Finding]) -> Layer | None:
    """Return what mounts the configuration into a container, when the component wants it mounted."""
    if context.component.config_type is None or not context.part.config:
        return None
    folded = fold(context.part.config[0].layers, extend=False)
    mount = folded.data.get("mount")
    if mount is None:
        return None
    at = folded.exact(("mount", "container")).origin
    findings += unknown_container(context.component, context.part, mount["container"], at)
    kind = context.component.config_type[1]
    entry = {"mountPath": mount["path"], "name": mount["volume"], "subPath": kind["key"]}
    volume = {"configMap": {"name": context.name(kind["configMap"])}}
    return Layer(
        data={
            "containers": {mount["container"]: {"volumeMounts": [entry]}},
            "volumes": {mount["volume"]: volume},
        },
        origin=context.part.config[0].layers[0].origin.at("mount"),
        rule="family config",
        why="the operator reads its configuration from this file",
        given={},
    )


def _values(context: Context) -> Folded | None:
    layers = [
        Layer(data=layer.data["values"], origin=layer.origin.at("values"), rule=layer.rule, why=layer.why)
        for item in context.part.config
        for layer in item.layers
        if "values" in layer.data
    ]
    layers += [
        Layer(
            data=setting.value, origin=setting.origin, rule="setting config", why=f"{context.target} sets it"
        )
        for setting in context.settings.config
    ]
    return fold(tuple(layers), extend=False) if layers else None


def _check(field: JsonObject, value: Json, path: Path, folded: Folded) -> Iterator[Finding]:
    wanted = field["type"]
    is_bool = isinstance(value, bool)
    if not isinstance(value, TYPES[wanted]) or (is_bool and wanted != "boolean"):
        yield _finding("config-type", f"found {_kind(value)}, expected {wanted}", path, folded)
        return
    if wanted in ("duration", "nanoseconds") and isinstance(value, str) and not DURATION.fullmatch(value):
        message = f"found {shown(value)}, expected a duration such as 1m30s"
        yield _finding("config-value", message, path, folded)
        return
    yield from _check_bounds(field, value, path, folded)
    if isinstance(value, list):
        for index, item in enumerate(value):
            if "items" in field:
                yield from _check(field["items"], item, (*path, index), folded)
    if isinstance(value, dict) and not field.get("free"):
        yield from _check_fields(field, value, path, folded)


def _check_bounds(field: JsonObject, value: Json, path: Path, folded: Folded) -> Iterator[Finding]:
    expected = []
    if "enum" in field and value not in field["enum"]:
        expected.append(f"one of {', '.join(map(str, field['enum']))}")
    if "pattern" in field and isinstance(value, str) and not _matches(field["pattern"], value):
        expected.append(f"text that matches {field['pattern']}")
    if field.get("format") == "image" and isinstance(value, str) and (problem := wrong_image(value)):
        yield _finding("config-value", problem[0], path, folded, problem[1])
    number: Json = nanoseconds(value) if field["type"] in ("duration", "nanoseconds") else value
    if isinstance(number, int | float):
        expected += [
            f"{words} {field[key]}"
            for key, (words, holds) in BOUNDS.items()
            if key in field and not holds(number, field[key])
        ]
    limit = LIMITS.get(field.get("format", ""), 2**63) if isinstance(number, int) else 0
    if limit and not -limit <= number < limit:
        expected.append(f"a whole number of {limit.bit_length()} bits")
    for words in expected:
        yield _finding("config-value", f"found {shown(value)}, expected {words}", path, folded)


def _matches(pattern: str, value: str) -> bool:
    try:
        return re.search(pattern, value) is not None
    except re.error:
        return False  # nothing fits a pattern that cannot be read


def _check_fields(field: JsonObject, value: JsonObject, path: Path, folded: Folded) -> Iterator[Finding]:
    known = field.get("properties", {})
    for key, item in value.items():
        if key in known:
            yield from _check(known[key], item, (*path, key), folded)
        elif "additionalProperties" in field:
            yield from _check(field["additionalProperties"], item, (*path, key), folded)
        else:
            hint = near(key, list(known)) or f"known are {', '.join(known)}"
            yield _finding("config-name", f"found the unknown name {key!r}", (*path, key), folded, hint)
    for key in field.get("required", ()):
        if key not in value:
            yield _finding("config-missing", f"found no {key!r}, which is required", path, folded)


def _rules(kind: JsonObject, values: JsonObject, folded: Folded) -> Iterator[Finding]:
    for rule in kind.get("rules", ()):
        path, bound = tuple(rule["field"].split(".")), tuple(rule["atMost"].split("."))
        low, high = _effective(kind, values, path), _effective(kind, values, bound)
        try:
            above = low is not None and high is not None and nanoseconds(low) > nanoseconds(high)
        except (TypeError, ValueError):
            continue  # of the wrong type, which is a finding already
        if above:
            shown = path if _lookup(values, path) is not None else bound
            message = f"found {rule['field']} {low}, expected at most {rule['atMost']} {high}"
            yield _finding("config-rule", message, shown, folded)


def _lookup(values: Json, path: Path) -> Json:
    for step in path:
        if not isinstance(values, dict) or step not in values:
            return None
        values = values[str(step)]
    return values


def _effective(kind: JsonObject, values: JsonObject, path: Path) -> Json:
    """Return the value that the operator will see: the one that is set, else its default."""
    value = _lookup(values, path)
    if value is not None:
        return value
    field: JsonObject = {"properties": kind["fields"]}
    for step in path:
        field = field.get("properties", {}).get(step, {})
    return field.get("default")


def _is_set(field: JsonObject, value: Json) -> bool:
    """Tell whether a value says anything: empty maps of fields do not."""
    if not isinstance(value, dict) or field.get("free"):
        return True
    known = field.get("properties", {})
    return any(_is_set(known.get(key, {}), item) for key, item in value.items())


def _document(fields: JsonObject, values: JsonObject) -> JsonObject:
    """Return the values in the order of the fields, durations as the operator wants them."""
    return {key: _rendered(fields[key], values[key]) for key in fields if key in values}


def _rendered(field: JsonObject, value: Json) -> Json:
    if field["type"] == "nanoseconds" and isinstance(value, str) and DURATION.fullmatch(value):
        return nanoseconds(value)
    if isinstance(value, dict) and "properties" in field:
        return _document(field["properties"], value)
    return value


def _kind(value: Json) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", int: "an integer"}
    return names.get(type(value), "a number" if isinstance(value, float) else "nothing")


def _finding(rule: str, message: str, path: Path, folded: Folded, hint: str = "") -> Finding:
    return Finding(rule=rule, message=message, origin=folded.exact(path).origin, hint=hint)
