"""Turn declarations into CustomResourceDefinitions.

In: the parsed files of one component and the Kubernetes minor that it declares. Out: CRD bodies in
the order of the files, and findings. No file is touched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kitgen.crds.declare import conversion
from kitgen.crds.declare.conversion import NOWHERE, Home
from kitgen.crds.declare.expand import Expander, Source
from kitgen.crds.declare.overrides import changed_types
from kitgen.crds.schema.columns import dead_end
from kitgen.crds.schema.measure import size_of
from kitgen.crds.schema.rules import CRD_COLUMN, CRD_NOT_STRUCTURAL, CRD_PART_UNKNOWN, CRD_STORAGE, CRD_TWICE
from kitgen.crds.types.forms import Types, types_of
from kitgen.crds.types.names import list_kind_of, plural_of, singular_of
from kitgen.findings import Chapter, Finding, Origin, Path, Rule, near, unique
from kitgen.yamlio import Json, JsonObject

CRD_COLUMNS = Rule(
    id="crd-columns",
    chapter=Chapter.CRD,
    title="columns of a version that has none",
    checks="A version takes its columns from one that lists them.",
    fix="Name a version that lists its columns.",
)

CRD_TOO_BIG = Rule(
    id="crd-too-big",
    chapter=Chapter.CRD,
    title="a CRD that is too big",
    checks="An expanded CRD fits into what a cluster can store.",
    fix="Leave out descriptions, or split the kind.",
)


MAX_BYTES = 3 * 1024 * 1024
"""The largest request that the API server takes."""
ENVELOPE: JsonObject = {
    "apiVersion": {"type": "string"},
    "kind": {"type": "string"},
    "metadata": {"type": "object"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """What a component's declarations stand for."""

    bodies: tuple[JsonObject, ...]
    """CustomResourceDefinitions in the order of the files; not to be used while there are errors."""
    findings: tuple[Finding, ...]


def expand(files: Sequence[tuple[Origin, JsonObject]], *, minor: int, home: Home = NOWHERE) -> Expansion:
    """Expand the declarations of one component; each file has the shape of schemas/crd.json."""
    findings: list[Finding] = list(_clashes(files))
    sources = {}
    for origin, data in files:
        types = _types(data, origin, files, minor, findings)
        for name, version in data["versions"].items():
            if "schema" in version:
                at = origin.at("versions", name, "schema")
                sources[full_name(data), name] = Source(version["schema"], at, types)
    expander = Expander(sources, _aliases(files), findings)
    bodies = tuple(_body(origin, data, expander, home) for origin, data in files)
    return Expansion(bodies=bodies, findings=tuple(unique(findings)))


def plural(data: JsonObject) -> str:
    """Return the plural that a declaration has or that follows from its kind."""
    names = data["names"]
    return str(names.get("plural") or plural_of(names["kind"]))


def full_name(data: JsonObject) -> str:
    """Return the name of the CRD: plural and group."""
    return f"{plural(data)}.{data['group']}"


def _aliases(files: Sequence[tuple[Origin, JsonObject]]) -> dict[str, str]:
    """Return the names that $use may say: the full one, and the plural where only one CRD has it."""
    plurals = Counter(plural(data) for _, data in files)
    names = {full_name(data): full_name(data) for _, data in files}
    return names | {plural(data): full_name(data) for _, data in files if plurals[plural(data)] == 1}


def _named(files: Sequence[tuple[Origin, JsonObject]]) -> dict[str, tuple[Origin, JsonObject]]:
    """Return the declarations by every name that they go by."""
    by_name = {full_name(data): (origin, data) for origin, data in files}
    return {alias: by_name[name] for alias, name in _aliases(files).items()}


def _clashes(files: Sequence[tuple[Origin, JsonObject]]) -> Iterator[Finding]:
    seen: dict[str, Origin] = {}
    for origin, data in files:
        first = seen.setdefault(full_name(data), origin)
        if first is not origin:
            yield CRD_TWICE(f"found the CRD {full_name(data)!r}, which {first.file} declares already").at(
                origin.at("names")
            )


def _types(
    data: JsonObject,
    origin: Origin,
    files: Sequence[tuple[Origin, JsonObject]],
    minor: int,
    findings: list[Finding],
) -> Types:
    """Return the types of a declaration, with its exceptions or those of the declaration that it names."""
    described = data.get("descriptions") == "kubernetes"
    declared, at = data.get("types"), origin.at("types")
    if isinstance(declared, str):
        known = {
            alias: file for alias, file in _named(files).items() if isinstance(file[1].get("types"), dict)
        }
        if declared not in known:
            message = f"found {declared!r}, expected a declaration that lists exceptions for types"
            hint = near(declared, sorted(known))
            findings.append(CRD_PART_UNKNOWN(message, hint=hint).at(at))
            return types_of(minor, descriptions=described)
        other, named = known[declared]
        declared, at = named["types"], other.at("types")
    if not declared:
        return types_of(minor, descriptions=described)
    return changed_types(declared, minor, descriptions=described, origin=at, findings=findings)


def _body(origin: Origin, data: JsonObject, expander: Expander, home: Home) -> JsonObject:
    names = _names(data["names"])
    metadata: JsonObject = {"name": full_name(data), **data.get("metadata", {})}
    spec: JsonObject = {}
    if "conversion" in data:
        spec["conversion"] = conversion.expanded(data["conversion"], home)
    spec |= {"group": data["group"], "names": names}
    if "preserveUnknownFields" in data:
        spec["preserveUnknownFields"] = data["preserveUnknownFields"]
    spec |= {"scope": data["scope"], **data.get("more", {})}
    spec["versions"] = [
        _version(name, origin.at("versions", name), data, expander) for name in data["versions"]
    ]
    _check_storage(data, origin, expander)
    body: JsonObject = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": spec,
    }
    if (size := size_of(body)) > MAX_BYTES:
        hint = "name fewer types, or drop descriptions"
        expander.report(
            CRD_TOO_BIG, f"found {size} bytes when expanded, expected at most {MAX_BYTES}", origin, hint
        )
    return body


def _names(names: JsonObject) -> JsonObject:
    """Fill in the names that follow from the kind; one that is null stays out."""
    kind = names["kind"]
    derived: JsonObject = {
        "kind": kind,
        "listKind": list_kind_of(kind),
        "plural": plural_of(kind),
        "singular": singular_of(kind),
    }
    return {key: value for key, value in {**derived, **names}.items() if value is not None}


def _version(name: str, origin: Origin, data: JsonObject, expander: Expander) -> JsonObject:
    declared: JsonObject = data["versions"][name]
    version: JsonObject = {}
    columns = _columns(declared, origin, data, expander)
    if columns is not None:
        version["additionalPrinterColumns"] = [
            {key: value for key, value in column.items() if key != "dead"} for column in columns
        ]
    for key in ("deprecated", "deprecationWarning"):
        if key in declared:
            version[key] = declared[key]
    version["name"] = name
    if "schema" in declared:
        schema = _enveloped(expander.version(full_name(data), name), declared)
        version["schema"] = {"openAPIV3Schema": schema}
        if schema.get("type") != "object":
            expander.report(
                CRD_NOT_STRUCTURAL,
                "found a schema that is no object, expected type object",
                origin.at("schema"),
            )
        _check_paths(schema, declared, columns or (), origin, expander)
    for key in ("selectableFields", "subresources"):
        if key in declared:
            version[key] = declared[key]
    return {
        **version,
        "served": declared.get("served", True),
        "storage": declared.get("storage", False),
        **declared.get("more", {}),
    }


def _enveloped(schema: JsonObject, declared: JsonObject) -> JsonObject:
    """Add apiVersion, kind and metadata, which every object has, where they are not declared."""
    if declared.get("envelope") is False:
        return schema
    return {"type": "object", **schema, "properties": {**ENVELOPE, **schema.get("properties", {})}}


def _columns(
    declared: JsonObject, origin: Origin, data: JsonObject, expander: Expander
) -> Sequence[JsonObject] | None:
    """Return the printer columns of a version, which may be those of another one."""
    columns: Json = declared.get("columns")
    if isinstance(columns, str):
        other = data["versions"].get(columns, {}).get("columns")
        if not isinstance(other, list):
            known = [
                name for name, version in data["versions"].items() if isinstance(version.get("columns"), list)
            ]
            expander.report(
                CRD_COLUMNS,
                f"found {columns!r}, expected a version that lists its columns",
                origin.at("columns"),
                near(columns, known),
            )
            return ()
        columns = other
    found: Sequence[JsonObject] | None = columns
    return found


def _check_paths(
    schema: JsonObject,
    declared: JsonObject,
    columns: Sequence[JsonObject],
    origin: Origin,
    expander: Expander,
) -> None:
    own = isinstance(declared.get("columns"), list)
    for index, column in enumerate(columns):
        at: Path = ("columns", index, "jsonPath") if own else ("columns",)
        end = dead_end(schema, column["jsonPath"])
        if end and not column.get("dead"):
            message = f"the path {column['jsonPath']!r} leads nowhere: {end}"
            expander.report(CRD_COLUMN, message, origin.at(*at), "fix it, or say dead: true")
        elif column.get("dead") and not end and own:
            message = f"the path {column['jsonPath']!r} is said to be dead, and leads somewhere"
            expander.report(CRD_COLUMN, message, origin.at("columns", index, "dead"), "remove dead")
    for index, field in enumerate(declared.get("selectableFields", ())):
        if end := dead_end(schema, field["jsonPath"]):
            message = f"the path {field['jsonPath']!r} leads nowhere: {end}"
            expander.report(CRD_COLUMN, message, origin.at("selectableFields", index, "jsonPath"))


def _check_storage(data: JsonObject, origin: Origin, expander: Expander) -> None:
    stored = [name for name, version in data["versions"].items() if version.get("storage")]
    if len(stored) != 1:
        found = " and ".join(stored) or "none"
        expander.report(
            CRD_STORAGE,
            f"found {found} as storage version, expected exactly one",
            origin.at("versions", *stored[1:2], *(["storage"] if stored else [])),
            "say storage: true in the version that is stored",
        )
