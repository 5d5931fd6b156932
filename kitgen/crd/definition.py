"""Read CRDs: recognise them, return their versions and schemas, and report malformed ones.

Only types are validated, so that later readers can rely on them; the importer validates schemas.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from kitgen.crd.structural import COUNTS
from kitgen.findings import Finding, Origin, get_rule
from kitgen.kube.schema_interning import count_values
from kitgen.kube.schema_paths import JUNCTORS
from kitgen.text.patterns import compile_late
from kitgen.text.schema_check import Shape
from kitgen.text.schema_errors import ShapeRules
from kitgen.text.values import entries_at, group_pairs, map_at, value_at
from kitgen.text.yaml import Json, JsonObject

CRD_SHAPE = get_rule("crd-shape")


Catalog: TypeAlias = Mapping[tuple[str, str], Sequence[JsonObject]]
"""CRD bodies by group and kind, those that count most first."""
GROUP = "apiextensions.k8s.io"
KUBE_VERSION = compile_late(r"v([0-9]{1,63})(?:(alpha|beta)([0-9]{1,63}))?$")
RULES = ShapeRules(noun="field", unknown=CRD_SHAPE, missing=CRD_SHAPE, mistyped=CRD_SHAPE, value=CRD_SHAPE)


def _nullable_schema(kind: str, **limits: Json) -> JsonObject:
    """Return the schema of a value that may be left out, which null says too."""
    return {"type": [kind, "null"], **limits}


_PERHAPS = {"$ref": "#/$defs/schema"}
_SCHEMA = {"type": "object", **_PERHAPS}
_TEXT = {"type": "string"}
_NAMES = _nullable_schema("array", items=_TEXT)
_MAPPINGS = _nullable_schema("array", items={"type": "object"})
_WEBHOOK = _nullable_schema(
    "object", properties={"clientConfig": _nullable_schema("object"), "conversionReviewVersions": _NAMES}
)
_VERSION = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": _TEXT,
        "schema": _nullable_schema("object", properties={"openAPIV3Schema": _PERHAPS}),
        "subresources": _nullable_schema("object", properties={"scale": _nullable_schema("object")}),
        "additionalPrinterColumns": _MAPPINGS,
        "selectableFields": _MAPPINGS,
    },
}
SHAPE: JsonObject = {
    "type": "object",
    "required": ["metadata", "spec"],
    "properties": {
        "apiVersion": {"const": f"{GROUP}/v1"},
        "metadata": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": _TEXT,
                "annotations": _nullable_schema("object"),
                "labels": _nullable_schema("object"),
            },
        },
        "spec": {
            "type": "object",
            "required": ["group", "names", "scope", "versions"],
            "properties": {
                **dict.fromkeys(("group", "scope"), _TEXT),
                "names": {
                    "type": "object",
                    "required": ["kind", "plural"],
                    "properties": {
                        **dict.fromkeys(("kind", "plural"), _TEXT),
                        **dict.fromkeys(("shortNames", "categories"), _nullable_schema("array")),
                    },
                },
                "versions": {"type": "array", "minItems": 1, "items": _VERSION},
                "conversion": _nullable_schema("object", properties={"webhook": _WEBHOOK}),
            },
        },
        "status": _nullable_schema("object", properties={"storedVersions": _NAMES}),
    },
    "$defs": {
        "schema": _nullable_schema(
            "object",
            properties={
                **dict.fromkeys(("type", "format", "pattern"), _nullable_schema("string")),
                **dict.fromkeys(("minimum", "maximum", "multipleOf"), _nullable_schema("number")),
                **dict.fromkeys(COUNTS, _nullable_schema("integer")),
                **dict.fromkeys(("required", "x-kubernetes-list-map-keys"), _NAMES),
                **dict.fromkeys(JUNCTORS, _nullable_schema("array", items=_SCHEMA)),
                **dict.fromkeys(("items", "not"), _PERHAPS),
                "enum": _nullable_schema("array"),
                "properties": _nullable_schema("object", additionalProperties=_SCHEMA),
                "additionalProperties": {
                    "type": ["object", "boolean", "null"],
                    "if": {"type": "object"},
                    "then": _SCHEMA,
                },
                "x-kubernetes-validations": _MAPPINGS,
            },
        )
    },
}
"""What the rest relies on; the API server asks for more."""
SHAPES = {"crd": SHAPE, "schema": {**_SCHEMA, "$defs": SHAPE["$defs"]}}


def is_crd(document: Json) -> bool:
    """Return whether a document says that it is a CRD."""
    if not isinstance(document, dict) or document.get("kind") != "CustomResourceDefinition":
        return False
    return str(document.get("apiVersion", "")).startswith(f"{GROUP}/")


def drop_nulls(data: JsonObject) -> JsonObject:
    """Return the entries that are not null: to the API server null is the same as nothing."""
    return {key: value for key, value in data.items() if value is not None}


def group_by_kind(bodies: Iterable[JsonObject]) -> Catalog:
    """Return CRDs by the group and kind that they declare, in the order given; others are left out."""
    named = [(body, names) for body in bodies if isinstance(names := value_at(body, "spec", "names"), dict)]
    return group_pairs(
        ((str(body["spec"].get("group")), str(names.get("kind"))), body) for body, names in named
    )


def version_rank(name: str) -> tuple[int, int, int, int, str]:
    """Order versions as the API server does: v2, v1, v1beta2, v1alpha1, then the rest by name."""
    if not (match := KUBE_VERSION.match(name)):
        return (1, 0, 0, 0, name)
    return (0, {"alpha": 2, "beta": 1, None: 0}[match[2]], -int(match[1]), -int(match[3] or 0), name)


def versions_of(body: JsonObject) -> list[JsonObject]:
    """Return the versions of a CRD, the most mature one first."""
    versions = [version for _, version in entries_at(body, "spec", "versions")]
    return sorted(versions, key=lambda version: version_rank(str(version.get("name"))))


def schema_of(version: JsonObject) -> JsonObject:
    """Return the schema of a version; one that has none is empty."""
    return map_at(version, "schema", "openAPIV3Schema")


def schemas_of(*bodies: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Yield the schema of every version that has one, with the version's name."""
    yield from (
        (version["name"], schema)
        for body in bodies
        for version in body["spec"]["versions"]
        if (schema := value_at(version, "schema", "openAPIV3Schema")) is not None
    )


MAX_VALUES = 150_000
"""Of one CRD; the largest known has a sixth."""


def check_crd_shape(body: JsonObject, origin: Origin) -> list[Finding]:
    """Return a finding for everything in a CRD that is not of the type that it must have."""
    if count_values(body) > MAX_VALUES:
        message = f"found a CRD with more than {MAX_VALUES} values, which no API server stores"
        return [CRD_SHAPE(message).to_finding(origin)]
    wrong = _get_shape("crd").check(body)
    # Another version has another shape, so nothing else can be said of it.
    return [
        problem.to_finding(origin)
        for problem in [each for each in wrong if each.path == ("apiVersion",)] or wrong
    ]


def is_valid_schema(schema: JsonObject) -> bool:
    """Return whether the keywords of a schema have the types that they must have."""
    return not any(_get_shape("schema").check(schema))


@cache
def _get_shape(of: str) -> Shape:
    return Shape(SHAPES[of], name="crd-shape", rules=RULES)
