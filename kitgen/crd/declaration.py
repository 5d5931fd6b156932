"""Turn declarations into CustomResourceDefinitions.

In: the parsed files of one component and its Kubernetes minor. Out: CRD bodies in the order of the files, and
findings. A conversion webhook may be declared in a short form, for a Service of the component itself, which
gets the component's prefix and namespace. Any other form is written as in a CRD.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TypeAlias

from msgspec import Struct

from kitgen.crd.columns import find_json_path_fault
from kitgen.crd.definition import drop_nulls
from kitgen.crd.expand import Expander, Position
from kitgen.crd.schema_edits import SchemaPart, build_changed_types
from kitgen.crd.structural import CRD_NOT_STRUCTURAL, CRD_PART_UNKNOWN
from kitgen.crd.types import Types, derive_crd_names, plural_of, types_of
from kitgen.findings import Finding, Origin, Path, Problem, deduplicate_findings, make_problem, suggest_word
from kitgen.kube.schema_interning import estimate_json_size
from kitgen.text.values import group_pairs, list_at, map_at, text_at
from kitgen.text.yaml import Json, JsonObject

SHORT = "webhook"
"""The declaration of the usual conversion: nothing is particular."""
SERVICE = "webhook-service"
USUAL: JsonObject = {"service": SERVICE, "path": "/convert", "versions": ["v1"]}


class ServiceNaming(Struct, frozen=True, kw_only=True):
    """Where the Services of a component are: what stands before their names, and the namespace."""

    prefix: str = ""
    namespace: str = ""


NOWHERE = ServiceNaming()


def expand_conversion(declared: Json, home: ServiceNaming) -> Json:
    """Return what a declared conversion is in a CRD."""
    if declared != SHORT and (not isinstance(declared, dict) or "strategy" in declared):
        return declared
    said: JsonObject = {**USUAL, **(declared if isinstance(declared, dict) else {})}
    service = {"name": home.prefix + said["service"], "namespace": home.namespace}
    service |= {key: said[key] for key in ("path", "port") if said.get(key) is not None}
    client = {"service": service, **({"caBundle": said["caBundle"]} if "caBundle" in said else {})}
    webhook = {"clientConfig": client, "conversionReviewVersions": said["versions"]}
    return {"strategy": "Webhook", "webhook": webhook}


def shorten_conversion(conversion: Json, home: ServiceNaming) -> Json:
    """Return the shortest declaration of a CRD's conversion, which may be the conversion itself."""
    service = service_of(conversion)
    name = text_at(service, "name")
    if (
        "name" not in service
        or not name.startswith(home.prefix)
        or service.get("namespace") != home.namespace
    ):
        return conversion
    webhook = conversion["webhook"]
    said = {
        "service": name.removeprefix(home.prefix),
        "path": service.get("path"),
        "versions": webhook.get("conversionReviewVersions"),
        "port": service.get("port"),
        "caBundle": webhook["clientConfig"].get("caBundle") or None,
    }
    short: Json = {key: value for key, value in said.items() if value != USUAL.get(key)} or SHORT
    # What the short form has no word for stays as it is.
    return short if said["service"] and expand_conversion(short, home) == conversion else conversion


def has_conversion(body: JsonObject) -> bool:
    """Return whether a CRD has a conversion webhook; the API server itself writes the strategy None."""
    return bool((body["spec"].get("conversion") or {}).get("strategy", "None") != "None")


def service_of(conversion: Json) -> JsonObject:
    """Return the Service that a CRD's conversion calls; empty if it calls none."""
    return map_at(conversion, "webhook", "clientConfig", "service")


Declarations: TypeAlias = Sequence[tuple[Origin, JsonObject]]
"""The declarations of one component, each with its file."""
MAX_BYTES = 3 * 1024 * 1024
"""The largest request that the API server takes."""
ENVELOPE: JsonObject = {
    "apiVersion": {"type": "string"},
    "kind": {"type": "string"},
    "metadata": {"type": "object"},
}


class Expansion(Struct, frozen=True, kw_only=True):
    """What a component's declarations stand for."""

    bodies: tuple[JsonObject, ...]
    """CustomResourceDefinitions in the order of the files; not to be used while there are errors."""
    findings: tuple[Finding, ...]


def expand_crds(files: Declarations, *, minor: int, home: ServiceNaming = NOWHERE) -> Expansion:
    """Expand the declarations of one component; each file has the shape of schemas/crd.json."""
    findings: list[Finding] = list(_check_duplicates(files))
    sources = {}
    for origin, data in files:
        types, wrong = _resolve_types(data, origin, files, minor)
        findings += wrong
        for name, version in data["versions"].items():
            if "schema" in version:
                at = origin.at("versions", name, "schema")
                place = Position(SchemaPart(crd_full_name(data), name), types, at)
                sources[crd_full_name(data), name] = version["schema"], place
    expander = Expander(sources, list_crd_aliases(files))
    bodies = tuple(_build_crd(data, expander, home) for _, data in files)
    faults = (
        _check_declaration(data, body, origin) for (origin, data), body in zip(files, bodies, strict=True)
    )
    return Expansion(
        bodies=bodies, findings=tuple(deduplicate_findings([*findings, *expander.findings, *chain(*faults)]))
    )


def describe_crds(files: Declarations, home: ServiceNaming = NOWHERE) -> tuple[JsonObject, ...]:
    """Return the CRDs without their schemas: what kinds there are, and in which versions."""
    return tuple(_build_crd(data, None, home) for _, data in files)


def crd_plural(data: JsonObject) -> str:
    """Return the plural that a declaration has or that follows from its kind."""
    return str(data["names"].get("plural") or plural_of(data["names"]["kind"]))


def crd_full_name(data: JsonObject) -> str:
    """Return the name of the CRD: plural and group."""
    return f"{crd_plural(data)}.{data['group']}"


def list_crd_aliases(files: Declarations) -> dict[str, str]:
    """Return the names that specs may say: the full one, and the plural where only one CRD has it."""
    plurals = Counter(crd_plural(data) for _, data in files)
    names = {crd_full_name(data): crd_full_name(data) for _, data in files}
    return names | {
        crd_plural(data): crd_full_name(data) for _, data in files if plurals[crd_plural(data)] == 1
    }


def _check_duplicates(files: Declarations) -> Iterator[Finding]:
    for name, (first, *others) in group_pairs(
        (crd_full_name(data), origin) for origin, data in files
    ).items():
        wrong = make_problem(
            "crd-twice", f"found the CRD {name!r}, which {first.file} declares already", ("names",)
        )
        yield from (wrong.to_finding(origin) for origin in others)


def _resolve_types(
    data: JsonObject, origin: Origin, files: Declarations, minor: int
) -> tuple[Types, list[Finding]]:
    """Return the types of a declaration, with its exceptions or those of the declaration that it names."""
    described = data.get("descriptions") == "kubernetes"
    declared, at = data.get("types"), origin.at("types")
    if isinstance(declared, str):
        listing = {
            crd_full_name(each): (at, each) for at, each in files if isinstance(each.get("types"), dict)
        }
        known = {alias: listing[name] for alias, name in list_crd_aliases(files).items() if name in listing}
        if declared not in known:
            wrong = CRD_PART_UNKNOWN(
                f"found {declared!r}, expected a declaration that lists exceptions for types",
                hint=suggest_word(declared, sorted(known)),
            ).to_finding(at)
            return types_of(minor, descriptions=described), [wrong]
        other, named = known[declared]
        declared, at = named["types"], other.at("types")
    if not declared:
        return types_of(minor, descriptions=described), []
    return build_changed_types(declared, minor, descriptions=described, origin=at)


def _build_crd(data: JsonObject, expander: Expander | None, home: ServiceNaming) -> JsonObject:
    spec = {
        "conversion": expand_conversion(data.get("conversion"), home),
        "group": data["group"],
        # Names that follow from the kind are filled in; one that is null stays out.
        "names": drop_nulls(
            {"kind": data["names"]["kind"], **derive_crd_names(data["names"]["kind"]), **data["names"]}
        ),
        "preserveUnknownFields": data.get("preserveUnknownFields"),
        "scope": data["scope"],
        **data.get("more", {}),
        "versions": [_build_version(name, data, expander) for name in data["versions"]],
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": crd_full_name(data), **data.get("metadata", {})},
        "spec": drop_nulls(spec),
    }


def _build_version(name: str, data: JsonObject, expander: Expander | None) -> JsonObject:
    declared: JsonObject = data["versions"][name]
    columns, schema = _resolve_columns(declared, data), None
    if columns is not None:
        columns = [{key: value for key, value in each.items() if key != "dead"} for each in columns]
    if expander and "schema" in declared:
        schema = expander.expand_node(*expander.sources[crd_full_name(data), name])
        if declared.get("envelope") is not False:
            # Every object has apiVersion, kind and metadata, declared or not.
            schema = {"type": "object", **schema, "properties": {**ENVELOPE, **schema.get("properties", {})}}
    return drop_nulls(
        {
            "additionalPrinterColumns": columns,
            "deprecated": declared.get("deprecated"),
            "deprecationWarning": declared.get("deprecationWarning"),
            "name": name,
            "schema": None if schema is None else {"openAPIV3Schema": schema},
            "selectableFields": declared.get("selectableFields"),
            "subresources": declared.get("subresources"),
            "served": declared.get("served", True),
            "storage": declared.get("storage", False),
            **declared.get("more", {}),
        }
    )


def _resolve_columns(declared: JsonObject, data: JsonObject) -> Sequence[JsonObject] | None:
    """Return the printer columns of a version, which may be those of another one."""
    columns: Json = declared.get("columns")
    return list_at(data["versions"], columns, "columns") if isinstance(columns, str) else columns


def _check_declaration(data: JsonObject, body: JsonObject, origin: Origin) -> Iterator[Finding]:
    """Yield what is wrong with a declaration apart from its schemas."""
    known = [name for name, each in data["versions"].items() if isinstance(each.get("columns"), list)]
    for (name, declared), version in zip(data["versions"].items(), body["spec"]["versions"], strict=True):
        at, columns = origin.at("versions", name), declared.get("columns")
        if isinstance(columns, str) and columns not in known:
            message = f"found {columns!r}, expected a version that lists its columns"
            yield make_problem("crd-columns", message, hint=suggest_word(columns, known)).to_finding(
                at.at("columns")
            )
        if "schema" in declared:
            schema = version["schema"]["openAPIV3Schema"]
            if schema.get("type") != "object":
                message = "found a schema that is no object, expected type object"
                yield CRD_NOT_STRUCTURAL(message).to_finding(at.at("schema"))
            for wrong in _check_json_paths(schema, declared, _resolve_columns(declared, data) or ()):
                yield wrong.to_finding(at)
    if len(stored := [name for name, version in data["versions"].items() if version.get("storage")]) != 1:
        message = f"found {' and '.join(stored) or 'none'} as storage version, expected exactly one"
        path = ("versions", *stored[1:2], *(["storage"] if stored else []))
        yield make_problem(
            "crd-storage", message, path, "say storage: true in the version that is stored"
        ).to_finding(origin)
    if (size := estimate_json_size(body)) > MAX_BYTES:
        message = f"found {size} bytes when expanded, expected at most {MAX_BYTES}"
        yield make_problem("crd-too-big", message, hint="name fewer types, or drop descriptions").to_finding(
            origin
        )


def _check_json_paths(
    schema: JsonObject, declared: JsonObject, columns: Sequence[JsonObject]
) -> Iterator[Problem]:
    own = isinstance(declared.get("columns"), list)
    for index, column in enumerate(columns):
        at: Path = ("columns", index, "jsonPath") if own else ("columns",)
        if (end := find_json_path_fault(schema, column["jsonPath"])) and not column.get("dead"):
            yield _report_dead_path(column, end, at, "fix it, or say dead: true")
        elif column.get("dead") and not end and own:
            message = f"the path {column['jsonPath']!r} is said to be dead, and leads somewhere"
            yield make_problem("crd-column", message, ("columns", index, "dead"), "remove dead")
    yield from (
        _report_dead_path(field, end, ("selectableFields", index, "jsonPath"))
        for index, field in enumerate(declared.get("selectableFields", ()))
        if (end := find_json_path_fault(schema, field["jsonPath"]))
    )


def _report_dead_path(named: JsonObject, end: str, at: Path, hint: str = "") -> Problem:
    return make_problem("crd-column", f"the path {named['jsonPath']!r} leads nowhere: {end}", at, hint)
