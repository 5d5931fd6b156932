"""Write a real CRD as the fields of a declaration, with every schema written out.

Nulls, descriptions and what a server or generator adds are dropped first. What is lost compared with earlier
CRDs is reported: whole CRDs, their conversion, annotations and labels.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence

from msgspec import Struct

from kitgen.crd import declaration
from kitgen.crd.columns import find_json_path_fault
from kitgen.crd.declaration import ENVELOPE, NOWHERE, ServiceNaming, has_conversion
from kitgen.crd.definition import drop_nulls, schemas_of
from kitgen.crd.types import derive_crd_names
from kitgen.findings import Path, Problem, make_problem
from kitgen.kube import schema_paths
from kitgen.kube.schema_interning import Interner, freeze_value
from kitgen.text.values import map_at, text_at, value_at
from kitgen.text.yaml import Json, JsonObject
from kitgen.text.yaml.data import INT64

SPEC_KEYS = frozenset({"conversion", "group", "names", "preserveUnknownFields", "scope", "versions"})
SAME_KEYS = ("deprecated", "deprecationWarning", "selectableFields", "subresources")
VERSION_KEYS = frozenset({"additionalPrinterColumns", "name", "schema", "served", "storage", *SAME_KEYS})
PLACES: dict[str, Path] = {
    "columns": ("additionalPrinterColumns",),
    "schema": ("schema", "openAPIV3Schema"),
    "more": (),
}
"""Where in a version of a CRD stands what its declaration has under another name."""


def to_literal_declaration(body: JsonObject, home: ServiceNaming = NOWHERE) -> JsonObject:
    """Return a declaration of a tidy CRD in which every schema is written out."""
    versions: JsonObject = {}
    for version in body["spec"]["versions"]:
        versions[version["name"]] = build_version(version, versions)
    return {**build_header(body, home), "versions": versions}


def path_in_crd(path: Path, body: JsonObject) -> Path:
    """Return where in a CRD stands what its declaration has at a path."""
    if path[:1] == ("metadata",):
        return path
    if path[:1] != ("versions",) or len(path) < 2:
        return ("spec", *(path[1:] if path[:1] == ("more",) else path))
    names = [version["name"] for version in body["spec"]["versions"]]
    above: Path = ("spec", "versions", names.index(path[1]))
    return (*above, *(PLACES.get(str(path[2]), path[2:3]) if len(path) > 2 else ()), *path[3:])


def build_header(body: JsonObject, home: ServiceNaming) -> JsonObject:
    """Return group, names, scope and what else stands above the versions."""
    spec: JsonObject = body["spec"]
    return drop_nulls(
        {
            "group": spec["group"],
            "names": _shorten_names(spec["names"]),
            "scope": spec["scope"],
            "metadata": {key: value for key, value in body["metadata"].items() if key != "name"} or None,
            "conversion": declaration.shorten_conversion(spec.get("conversion"), home),
            "preserveUnknownFields": spec.get("preserveUnknownFields"),
            "more": {key: value for key, value in spec.items() if key not in SPEC_KEYS} or None,
        }
    )


def _shorten_names(declared: JsonObject) -> JsonObject:
    """Leave out the names that follow from the kind, and say which are missing."""
    derived = derive_crd_names(declared["kind"])
    said = {"kind": declared["kind"], **dict.fromkeys(derived), **declared}
    return {key: value for key, value in said.items() if key not in derived or value != derived[key]}


def build_version(version: JsonObject, earlier: JsonObject) -> JsonObject:
    """Return a version's fields; `earlier` holds the declared versions before it."""
    schema: Json = value_at(version, "schema", "openAPIV3Schema")
    bare = schema is not None and not ENVELOPE.keys() <= schema.get("properties", {}).keys()
    return drop_nulls(
        {
            "served": None if version["served"] else False,
            "storage": version["storage"] or None,
            "columns": _build_columns(version.get("additionalPrinterColumns"), schema or {}, earlier),
            **{key: version.get(key) for key in SAME_KEYS},
            "envelope": False if bare else None,
            "more": {key: value for key, value in version.items() if key not in VERSION_KEYS} or None,
            "schema": schema if schema is None else drop_envelope(schema),
        }
    )


def _build_columns(columns: list[JsonObject] | None, schema: JsonObject, earlier: JsonObject) -> Json:
    """Return the printer columns, or the name of an earlier version that has the same."""
    if columns is None:
        return None
    out = [
        {**column, "dead": True} if find_json_path_fault(schema, text_at(column, "jsonPath")) else column
        for column in columns
    ]
    for name, version in earlier.items():
        there = version.get("columns")
        if out and there == out and freeze_value(there) == freeze_value(out):
            return name
    return out


def drop_envelope(schema: JsonObject) -> JsonObject:
    """Return a version's schema without the fields that every object has."""
    properties = schema.get("properties", {})
    if not ENVELOPE.keys() <= properties.keys():
        return schema
    own = {name: below for name, below in properties.items() if below != ENVELOPE.get(name)}
    return {**schema, "properties": own}


def to_canonical_form(body: JsonObject, interner: Interner) -> Hashable:
    """Return a tidy CRD in a form that is equal exactly when a cluster sees the same."""
    schemas = {name: interner.intern(schema) for name, schema in schemas_of(body)}
    versions = [{**each, "schema": schemas.get(each["name"])} for each in body["spec"]["versions"]]
    return freeze_value([body["metadata"], {**body["spec"], "versions": versions}])


SERVER_METADATA = frozenset(
    {"creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"}
)
GENERATOR = "controller-gen.kubebuilder.io/version"
VALUES = frozenset({"default", "example"})
"""Keywords whose value is data of the user's, in which null has a meaning."""


def normalize_crd(body: JsonObject, *, keep: bool) -> JsonObject:
    """Return a CRD as people would declare it; `keep` keeps the descriptions."""
    metadata = {key: value for key, value in body["metadata"].items() if key not in SERVER_METADATA and value}
    if "annotations" in metadata:
        notes = {key: value for key, value in metadata.pop("annotations").items() if key != GENERATOR}
        metadata |= {"annotations": notes} if notes else {}
    spec = drop_nulls(_convert_large_integers(body["spec"]))
    versions = [_normalize_version(version, keep=keep) for version in spec["versions"]]
    return {
        "apiVersion": body["apiVersion"],
        "kind": body["kind"],
        "metadata": metadata,
        "spec": {**spec, "names": drop_nulls(spec["names"]), "versions": versions},
    }


def _convert_large_integers(value: Json) -> Json:
    """Return a value with whole numbers that 64 bits do not hold as API servers read them: as floats."""
    if isinstance(value, dict):
        return {key: _convert_large_integers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_convert_large_integers(each) for each in value]
    return float(value) if isinstance(value, int) and value not in INT64 else value


def _normalize_version(version: JsonObject, *, keep: bool) -> JsonObject:
    out = {"served": False, "storage": False, **drop_nulls(version)}
    if "additionalPrinterColumns" in out:
        out["additionalPrinterColumns"] = [
            {key: value for key, value in drop_nulls(column).items() if keep or key != "description"}
            for column in out["additionalPrinterColumns"]
        ]
    schema = drop_nulls(out.pop("schema", {})).get("openAPIV3Schema")
    return (
        out
        if schema is None
        else {**out, "schema": {"openAPIV3Schema": _normalize_schema(schema, keep=keep)}}
    )


def _normalize_schema(schema: JsonObject, *, keep: bool) -> JsonObject:
    """Return a schema without nulls and descriptions; names of fields and plain values are left alone."""
    left = {
        keyword: value
        for keyword, value in schema.items()
        if (value is not None or keyword in VALUES) and (keep or keyword != "description")
    }
    return schema_paths.map_child_schemas(left, lambda _, below: _normalize_schema(below, keep=keep))


TOGETHER = "import all CRDs of the component together; if upstream dropped it, objects of it stay behind"
BUILT = (
    "kustomize patches it in: import what it builds, such as kubectl kustomize config/default, not the bases"
)


class EarlierCrds(Struct, frozen=True, kw_only=True):
    """The CRDs that a component declares, before others take their place."""

    version: str
    bodies: tuple[JsonObject, ...]


def check_losses(
    before: EarlierCrds, bodies: Sequence[JsonObject], kept: Collection[str]
) -> Iterator[Problem]:
    """Yield everything that is gone, each below its CRD; CRDs that are `kept` were not imported, and stay."""
    now, version = {str(body["metadata"]["name"]): body for body in bodies}, before.version
    for old in before.bodies:
        if (name := str(old["metadata"]["name"])) not in now:
            if name not in kept:
                yield make_problem("crd-lost", f"found no CRD {name!r}, which {version} has", hint=TOGETHER)
            continue
        if has_conversion(old) and not has_conversion(now[name]):
            yield make_problem(
                "crd-lost", f"found no conversion of {name!r}, which {version} has", (name, "spec"), BUILT
            )
        yield from (
            make_problem(
                "crd-lost",
                f"found no {word} {each!r} on {name!r}, which {version} has",
                (name, "metadata"),
                BUILT,
            )
            for key, word in (("annotations", "annotation"), ("labels", "label"))
            for each in sorted(
                map_at(old, "metadata", key).keys() - map_at(now[name], "metadata", key).keys()
            )
        )
