"""Small declarations and CRDs for tests, and the way back from one to the other."""

from __future__ import annotations

from kitgen.crd.declaration import Expansion, expand_crds
from kitgen.findings import Origin
from kitgen.text.schema_check import check_against_schema
from kitgen.text.yaml import Json, JsonObject, read_yaml

MINOR = 30


def declaration(schema: Json = None, **version: Json) -> JsonObject:
    """Return a declaration of the kind Thing with one version."""
    own = schema if schema is not None else {"type": "object", "properties": {"spec": {"type": "object"}}}
    return {
        "group": "example.dev",
        "names": {"kind": "Thing"},
        "scope": "Namespaced",
        "versions": {"v1": {"storage": True, "schema": own, **version}},
    }


def spec(schema: Json) -> JsonObject:
    """Return a declaration whose spec has this schema."""
    return declaration({"type": "object", "properties": {"spec": schema}})


def expanded(*data: JsonObject, minor: int = MINOR, shaped: bool = True) -> Expansion:
    """Expand declarations; each must have the shape of its JSON Schema."""
    files = [(Origin(f"{index}.yaml"), each) for index, each in enumerate(data)]
    for origin, each in files if shaped else ():
        assert not check_against_schema("crd", each, origin)
    return expand_crds(files, minor=minor)


def spec_of(expansion: Expansion, version: int = 0, body: int = 0) -> JsonObject:
    """Return the expanded schema of the spec."""
    assert expansion.findings == ()
    versions = expansion.bodies[body]["spec"]["versions"]
    found: JsonObject = versions[version]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return found


def found(expansion: Expansion) -> list[tuple[str, str]]:
    """Return rule and pointer of every finding."""
    return [(each.rule.id, str(each.origin).partition(" ")[2]) for each in expansion.findings]


def crd(*schemas: JsonObject, kind: str = "Thing", **spec: Json) -> JsonObject:
    """Return a real CRD with one version per schema; the first is stored."""
    plural = kind.lower() + "s"
    versions = [
        {
            "name": f"v{index + 1}",
            "served": True,
            "storage": index == 0,
            "schema": {"openAPIV3Schema": schema},
        }
        for index, schema in enumerate(schemas)
    ]
    names = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.dev"},
        "spec": {
            "group": "example.dev",
            "names": names,
            "scope": "Namespaced",
            "versions": versions,
            **spec,
        },
    }


def root(spec: Json) -> JsonObject:
    """Return the schema of an object with this spec."""
    envelope = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}
    return {"type": "object", "properties": {**envelope, "spec": spec}}


def back(texts: list[str], minor: int) -> tuple[JsonObject, ...]:
    """Expand the texts of declarations, which must be clean."""
    data = [read_yaml(text) for text in texts]
    expansion = expanded(*data, minor=minor)
    assert expansion.findings == ()
    return expansion.bodies


def plain(value: Json, *, drop: bool = True, names: bool = False) -> Json:
    """Return a CRD with required fields in order and, where asked, without descriptions."""
    if isinstance(value, list):
        return [plain(item, drop=drop) for item in value]
    if not isinstance(value, dict):
        return value
    out = {}
    for key, item in value.items():
        if key == "description" and drop and not names and isinstance(item, str):
            continue
        if key == "required" and not names and isinstance(item, list):
            out[key] = sorted(item)
        elif key in ("default", "example", "enum") and not names:
            out[key] = item
        else:
            out[key] = plain(item, drop=drop, names=key == "properties" and not names)
    return out
