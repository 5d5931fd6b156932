"""The kinds that each minor of Kubernetes serves, and their schemas, as lenient as API servers are.

Two minors mostly differ by a few optional fields: an object that fits the older one is validated again only
if the newer one may refuse it. OpenAPI lists fields as required whose Go type is not marked optional; a
server reads no schema, and fills such a field in or accepts its zero value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cache

from kitgen.crd.types import short_name
from kitgen.crd.validate.rules import FIELDS
from kitgen.kube.definition_index import load_index
from kitgen.kube.definitions import (
    Kind,
    definition_texts,
    get_definition,
    list_api_groups,
    list_forms,
    list_kinds,
    read_definition,
)
from kitgen.text.formats import matches_format
from kitgen.text.patterns import compile_late
from kitgen.text.schema_check import Shape
from kitgen.text.yaml import Json, JsonObject

LEFT_OUT: dict[str, tuple[str, ...]] = {
    "apiextensions/v1.CustomResourceDefinitionVersion": ("served", "storage"),
    "apps/v1.ControllerRevision": ("revision",),
    "apps/v1.StatefulSetSpec": ("serviceName",),
    "batch/v1.PodFailurePolicy": ("rules",),
    "batch/v1.PodFailurePolicyOnPodConditionsPattern": ("status",),
    "core/v1.HTTPHeader": ("value",),
    "core/v1.ISCSIPersistentVolumeSource": ("lun",),
    "core/v1.ISCSIVolumeSource": ("lun",),
    "core/v1.LimitRangeSpec": ("limits",),
    "core/v1.PreferredSchedulingTerm": ("preference",),
    "core/v1.ScaleIOPersistentVolumeSource": ("secretRef",),
    "core/v1.ScaleIOVolumeSource": ("secretRef",),
    "core/v1.Sysctl": ("value",),
    "discovery/v1.EndpointSlice": ("endpoints",),
    "networking/v1.NetworkPolicySpec": ("podSelector",),
    "rbac/v1.RoleRef": ("apiGroup",),
    "scheduling/v1.PriorityClass": ("value",),
    "storage/v1.CSIDriver": ("spec",),
    "storage/v1.CSINodeSpec": ("drivers",),
    "storage/v1.TokenRequest": ("audience",),
}
"""Definition → fields that an API server does not ask for."""
ALTERNATIVES: dict[str, JsonObject] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"type": ["string", "number", "null"]},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"type": ["string", "integer", "null"]},
}
"""Definitions of two types that null is none of, by the letter."""
CLOSED = frozenset({"apiextensions/v1.CustomResourceSubresourceStatus"})
"""Definitions of what has no fields at all."""
DROPPED = ("Condition", "Status")
"""How definitions end that stand in a status, which nobody but a controller sets."""
ASKED = "MatchCondition"
"""How one ends that does not, for all that."""


def relax_definition(name: str, minor: int) -> JsonObject:
    """Return a definition without what an API server does not require; callers must not change it."""
    return _relax_definition(name, definition_texts(minor)[name])


@cache
def _relax_definition(name: str, text: bytes) -> JsonObject:
    if name in ALTERNATIVES:
        return ALTERNATIVES[name]
    found = read_definition(text)
    if short_name(name) in CLOSED:
        return {**found, "properties": {}, "additionalProperties": False}
    required = found.get("required", ())
    optional = (
        required
        if name.endswith(DROPPED) and not name.endswith(ASKED)
        else LEFT_OUT.get(short_name(name), ())
    )
    if not optional and not any(map(_has_byte_format, found.get("properties", {}).values())):
        return found
    fields = {
        field: _allow_null(schema) if field in optional else _allow_byte_lists(schema)
        for field, schema in found["properties"].items()
    }
    return {**found, "properties": fields, "required": [each for each in required if each not in optional]}


def _has_byte_format(schema: JsonObject) -> bool:
    inner = schema.get("additionalProperties")
    return schema.get("format") == "byte" or (isinstance(inner, dict) and inner.get("format") == "byte")


def _allow_byte_lists(schema: JsonObject) -> JsonObject:
    """Return a schema that takes bytes as a list of numbers too, as a server reads them."""
    if not _has_byte_format(schema):
        return schema
    if "additionalProperties" in schema:
        return {**schema, "additionalProperties": _allow_byte_lists(schema["additionalProperties"])}
    numbers = {"type": ["integer", "null"], "minimum": 0, "maximum": 255}
    types = ["string", "array", "null"]
    return {**schema, "type": types, "items": numbers, "x-expected": "a string of base64"}


def _allow_null(schema: JsonObject) -> JsonObject:
    """Return a schema that takes null too, which is the same as nothing."""
    kind: Json = schema.get("type")
    return {**schema, "type": [kind, "null"]} if isinstance(kind, str) else schema


REFERENCE = "#/$defs/"
REFERENCES = compile_late(rb'"\$ref": ?"#/\$defs/([^"]+)"')
METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
ANNOTATIONS = ("description", "default", "format", "title", "example")
LINE_ENDS = compile_late(r"[\r\n]+")


def _is_base64(text: str) -> bool:
    """Return whether an API server reads bytes from a text: base64, with line ends anywhere, or nothing."""
    flat = LINE_ENDS.sub("", text)
    return not flat or matches_format("byte", flat)


FORMATS: dict[str, Callable[[str], bool]] = {"byte": _is_base64, "date-time": lambda _: True}
"""The formats that are held to; a time is mostly written by the server."""


@cache
def is_kubernetes_group(group: str, minors: tuple[int, ...]) -> bool:
    """Return whether an API group is Kubernetes' own; the group of a CRD always has a dot."""
    return "." not in group or any(group in list_api_groups(minor) for minor in minors)


@cache
def find_serving_minors(kind: Kind, minors: tuple[int, ...]) -> tuple[int, ...]:
    """Return the minors that serve a kind."""
    return tuple(minor for minor in minors if kind in list_kinds(minor))


@cache
def compile_definition(name: str, minor: int) -> Shape:
    """Return the compiled definition of that name; minors that have it and all it leads to alike share it."""
    closure, forms = sorted(closure_of(name, minor)), list_forms(minor)
    key = (name, *((each, forms[each]) for each in closure))
    if key not in _COMPILED:
        relaxed = {each: relax_definition(each, minor) for each in closure}
        schema: JsonObject = {"$ref": REFERENCE + name, "$defs": relaxed}
        _COMPILED[key] = Shape(schema, rules=FIELDS, formats=FORMATS)
    _OLDEST[name] = min(minor, _OLDEST.get(name, minor))
    return _COMPILED[key]


_COMPILED: dict[Hashable, Shape] = {}
"""Each form that a definition has in some minor."""
_OLDEST: dict[str, int] = {}
"""The oldest minor whose definition is compiled."""


def is_accepted(name: str, body: Json, minors: tuple[int, ...]) -> bool:
    """Return whether all minors accept a value.

    What an older one accepts they mostly do, too, so one that is compiled already is asked first.
    """
    oldest = _OLDEST.get(name, minors[0])
    ranges = [(oldest, *minors), minors] if oldest < minors[0] else [minors]
    return any(
        all(
            compile_definition(name, minor).accepts(body)
            for minor in select_decisive_minors(name, body, some)
        )
        for some in ranges
    )


def select_decisive_minors(name: str, body: Json, minors: tuple[int, ...]) -> Iterator[int]:
    """Yield the minors that are enough to look at: if these accept a value, so do the others.

    Whoever takes them one by one stops at the first that refuses it.
    """
    if _is_steady_definition(name, minors):
        yield minors[0]
        return
    chosen: dict[int, set[str]] = {}
    for minor in minors:
        known = ((old, find_narrowed_definitions(name, old, minor)) for old in chosen)
        if not any(
            not some or some.isdisjoint(_get_used_definitions(name, body, old, chosen)) for old, some in known
        ):
            chosen[minor] = set()
            yield minor


@cache
def _is_steady_definition(name: str, minors: tuple[int, ...]) -> bool:
    """Return whether all minors accept what the oldest of them does."""
    return not any(find_narrowed_definitions(name, minors[0], minor) for minor in minors[1:])


def _get_used_definitions(name: str, body: Json, minor: int, known: dict[int, set[str]]) -> set[str]:
    known[minor] = known[minor] or find_used_definitions(name, body, minor)
    return known[minor]


def find_used_definitions(name: str, body: Json, minor: int) -> set[str]:
    """Return the names of the definitions that parts of a value are validated against."""
    found: set[str] = set()
    todo: list[tuple[Json, JsonObject]] = [(body, {"$ref": REFERENCE + name})]
    while todo:
        value, schema = todo.pop()
        if "$ref" in schema:
            own = str(schema["$ref"]).removeprefix(REFERENCE)
            found.add(own)
            todo.append((value, get_definition(own, minor)))
        elif isinstance(value, dict):
            fields, others = schema.get("properties", {}), schema.get("additionalProperties")
            inner = ((item, fields.get(key, others)) for key, item in value.items())
            todo += ((item, each) for item, each in inner if isinstance(each, dict))
        elif isinstance(value, list) and "items" in schema:
            todo += ((item, schema["items"]) for item in value)
    return found


@cache
def closure_of(name: str, minor: int) -> frozenset[str]:
    """Return the names of a definition and of all that it leads to."""
    found, todo = {name}, [name]
    while todo:
        for each in _find_references(definition_texts(minor)[todo.pop()]):
            if each not in found:
                found.add(each)
                todo.append(each)
    return frozenset(found)


@cache
def _find_references(text: bytes) -> frozenset[str]:
    return frozenset(name.decode() for name in REFERENCES.findall(text))


def find_narrowed_definitions(name: str, old: int, new: int) -> frozenset[str]:
    """Return what may refuse values that it accepts in an older minor: a definition, and all it leads to."""
    return closure_of(name, old) & _list_narrowed_definitions(old, new)


@cache
def _list_narrowed_definitions(old: int, new: int) -> frozenset[str]:
    changed = list_forms(old).items() - list_forms(new).items()
    return frozenset(name for name, _ in changed if not _is_compatible_definition(name, old, new))


def _is_compatible_definition(name: str, old: int, new: int) -> bool:
    earlier, later = list_forms(old)[name], list_forms(new).get(name)
    if later is None or later == earlier:
        return later == earlier
    if isinstance(earlier, int) and isinstance(later, int):
        return (name, earlier, later) not in load_index().narrowed_forms
    return is_compatible_schema(get_definition(name, old), get_definition(name, new))


def is_compatible_schema(old: Json, new: Json) -> bool:
    """Return whether `new` surely accepts all that `old` does; when in doubt it does not."""
    if old == new:
        return True
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return False
    for key in {*old, *new}:
        if key in ANNOTATIONS or key.startswith("x-kubernetes-"):
            continue
        if key == "properties":
            if not _has_compatible_fields(old, new):
                return False
        elif key == "required":
            if not set(new.get(key, ())) <= set(old.get(key, ())):
                return False
        elif key in ("items", "additionalProperties"):
            if key not in old or key not in new or not is_compatible_schema(old[key], new[key]):
                return False
        elif old.get(key) != new.get(key):
            return False
    return True


def _has_compatible_fields(old: JsonObject, new: JsonObject) -> bool:
    before, after = old.get("properties", {}), new.get("properties", {})
    if any(name not in after or not is_compatible_schema(before[name], after[name]) for name in before):
        return False
    # A field that is new to an open mapping could stand there before, with any value.
    return len(after) == len(before) or old.get("additionalProperties") is False
