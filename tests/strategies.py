"""Random structural schemas, with Kubernetes' types among them."""

from __future__ import annotations

from hypothesis import strategies as st
from small_crd import STRING, obj

from kitgen.crd.types import types_of
from kitgen.text.yaml import Json, JsonObject

NAMES = st.sampled_from(
    [
        "spec", "name", "a.b", "$type", "$use", "$set", "y", "on", "123", "items", "properties", "required",
        "description", "type", "has space", 'quo"te', "#hash", "[]", "{}", "a/b", "ünï", "template", "x~y",
        "\U0001f600",
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.sampled_from(["", "yes", "1e3", "0o7", "~", "null", " lead", "trail ", "a: b", "a #b", "a\nb\n"]),
    st.text(max_size=30),
    st.text(alphabet="ab \\\"'{}[]:#,\n", min_size=100, max_size=260),
)  # fmt: skip
TYPES = (
    "core/v1.Container", "core/v1.ObjectReference", "core/v1.PodSpec", "core/v1.ServiceSpec",
    "core/v1.Toleration", "intstr.IntOrString", "meta/v1.Condition", "meta/v1.LabelSelector",
    "resource.Quantity",
)  # fmt: skip
NUMBERS = st.one_of(st.integers(-(2**31), 2**31), st.floats(allow_nan=False, allow_infinity=False, width=32))


def copy(value: Json) -> Json:
    """Return plain data without shared mappings."""
    if isinstance(value, dict):
        return {key: copy(item) for key, item in value.items()}
    return [copy(item) for item in value] if isinstance(value, list) else value


@st.composite
def leaves(draw: st.DrawFn) -> JsonObject:
    """Draw a schema without fields."""
    schema: JsonObject = {}
    match draw(st.integers(0, 5)):
        case 0:
            schema = {"type": "string"}
            if draw(st.booleans()):
                schema["enum"] = draw(st.lists(TEXTS, min_size=1, max_size=3, unique=True))
                schema["default"] = schema["enum"][0]
            if draw(st.booleans()):
                schema["pattern"] = draw(st.sampled_from([r"^(?i)[a-z]\d*$", "^'\"$", "a" * 150, r"\{\}: #"]))
                schema.pop("default", None)
        case 1:
            schema = {"type": draw(st.sampled_from(["integer", "number"])), "minimum": draw(NUMBERS)}
        case 2:
            schema = {"type": "boolean", "default": draw(st.booleans())}
        case 3:
            schema = {"x-kubernetes-preserve-unknown-fields": True}
        case 4:
            schema = copy(types_of(30).get_schema(draw(st.sampled_from(TYPES))))
        case 5:
            schema = {"type": "string", "anyOf": [{"pattern": "a"}, {"maxLength": 3}], "not": {"enum": ["b"]}}
    if draw(st.booleans()) and "default" not in schema:
        schema["nullable"] = True
    if draw(st.booleans()):
        schema["description"] = draw(TEXTS)
    return schema


def _containers(inner: st.SearchStrategy[JsonObject]) -> st.SearchStrategy[JsonObject]:
    @st.composite
    def grow(draw: st.DrawFn) -> JsonObject:
        match draw(st.integers(0, 3)):
            case 0 | 1:
                fields = draw(st.dictionaries(NAMES, inner, max_size=5))
                schema: JsonObject = {"type": "object", "properties": fields}
                if fields and draw(st.booleans()):
                    schema["required"] = draw(
                        st.lists(st.sampled_from(sorted(fields)), unique=True, min_size=1)
                    )
            case 2:
                schema = {"type": "array", "items": draw(inner)}
                if draw(st.booleans()):
                    schema["x-kubernetes-list-type"] = "atomic"
            case _:
                schema = {"type": "object", "additionalProperties": draw(inner)}
        if draw(st.booleans()):
            rule = {"rule": draw(TEXTS.filter(bool)), "message": draw(TEXTS)}
            schema["x-kubernetes-validations"] = [rule]
        return schema

    return grow()


SCHEMAS = st.recursive(leaves(), _containers, max_leaves=12)


@st.composite
def changed(draw: st.DrawFn, schema: JsonObject) -> JsonObject:
    """Draw a schema that differs from another one in a few places."""
    schema = copy(schema)
    for _ in range(draw(st.integers(0, 4))):
        nodes = [node for node in _nodes(schema) if node.get("type") in ("object", "string", "array")]
        if not nodes:
            return schema
        node = nodes[draw(st.integers(0, len(nodes) - 1))]
        match node["type"], draw(st.integers(0, 2)):
            case "object", 0 if node.get("properties"):
                node["properties"].pop(draw(st.sampled_from(sorted(node["properties"]))))
            case "object", _ if "additionalProperties" not in node:
                node.setdefault("properties", {})[draw(NAMES)] = {"type": "string", "format": "x"}
            case "string", 0:
                node["maxLength"] = 7
            case _:
                node["nullable"] = "default" not in node
    return schema


def _nodes(schema: JsonObject) -> list[JsonObject]:
    below = [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]
    return [schema, *(node for each in below if isinstance(each, dict) for node in _nodes(each))]


PLAIN = st.sampled_from(
    [
        STRING,
        {"type": "integer", "default": 1},
        {"type": "array", "items": STRING},
        {"type": "string", "enum": ["a"]},
    ]
)
SMALL = st.recursive(
    PLAIN,
    lambda inner: (
        st.dictionaries(st.sampled_from("abc"), inner, max_size=3).map(obj)
        | inner.map(lambda items: {"type": "array", "items": items})
    ),
    max_leaves=8,
)
"""Schemas with few fields, so that two are often alike."""
