"""Turn real CustomResourceDefinitions into declarations that expand to exactly the same.

In: CRD bodies that passed `check_crd`. Out: declarations and the minor that they need. What would not
round-trip is written out as it is. It also recognises Kubernetes' types, so that outlines can fold them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from msgspec import Struct

from kitgen.crd import format as layout
from kitgen.crd.declaration import NOWHERE, ServiceNaming, expand_crds
from kitgen.crd.definition import schemas_of
from kitgen.crd.importer import declaration_fields
from kitgen.crd.importer.check import check_crd
from kitgen.crd.importer.compare import learn_exceptions
from kitgen.crd.importer.encode import Encoder
from kitgen.crd.importer.type_catalog import TypeCatalog, build_catalog, select_minors
from kitgen.crd.schema_edits import SchemaPart
from kitgen.crd.types import type_name
from kitgen.findings import Origin, get_rule
from kitgen.findings.errors import FindingsError
from kitgen.kube import definitions, schema_paths
from kitgen.kube.schema_interning import Interner
from kitgen.text.schema_check import check_against_schema
from kitgen.text.yaml import Json, JsonObject, read_yaml

CRD_IMPORT = get_rule("crd-import")


PLAINEST = 3
"""How often a CRD can be written more plainly."""
MANY_EXCEPTIONS = 6
"""How many lines of exceptions are worth a look at another file."""


class Declaration(Struct, frozen=True, kw_only=True):
    """One CRD as a declaration."""

    name: str
    """Of its file: the plural, with the group where two CRDs share it."""
    crd: str
    text: str
    plainer: int = 0
    """How many shorter forms did not come back exactly."""

    @property
    def is_literal(self) -> bool:
        """Return whether no shorter form came back exactly, so that no type is named."""
        return self.plainer == PLAINEST


class Import(Struct, frozen=True, kw_only=True):
    """All CRDs of a component as declarations, and the minor whose types they name."""

    minor: int
    files: tuple[Declaration, ...]
    descriptions: int
    """How many descriptions were dropped."""


class _Attempt(Struct, frozen=True, kw_only=True):
    """Declarations made with the types of one minor."""

    minor: int
    home: ServiceNaming
    data: tuple[JsonObject, ...]
    lines: int


def import_crds(
    bodies: Sequence[JsonObject],
    *,
    keep: bool = False,
    prefer: int = 0,
    only: int = 0,
    taken: Sequence[str] = (),
    home: ServiceNaming = NOWHERE,
) -> Import:
    """Return declarations of CRDs, by name, made with the minor that fits best.

    `prefer` is the minor to take when others make no shorter declarations, `only` the one that must be
    taken. `taken` are plurals of other CRDs that the component has, `home` is where its Services are.
    """
    real = (below for _, schema in schemas_of(*bodies) for _, below in schema_paths.walk_schemas(schema))
    dropped = 0 if keep else sum("description" in schema for schema in real)
    ordered = _label_crds([declaration_fields.normalize_crd(body, keep=keep) for body in bodies], taken)
    schemas = [declaration_fields.drop_envelope(schema) for _, schema in schemas_of(*ordered.values())]
    # Descriptions are worded anew in every minor, so they do not tell which one it was.
    interner = Interner()
    tried = [only] if only else select_minors(schemas, definitions.list_minors(), prefer, interner)
    if keep:
        interner = Interner(descriptions=True)
    attempts = [_declare_shortest(ordered, schemas, build_catalog(minor, interner), home) for minor in tried]
    best = min(attempts, key=lambda attempt: (attempt.lines, attempt.minor != prefer))
    return _verify_declarations(ordered, best, interner, dropped)


def _declare_shortest(
    bodies: Mapping[str, JsonObject], schemas: Sequence[JsonObject], catalog: TypeCatalog, home: ServiceNaming
) -> _Attempt:
    """Declare with a minor's types, and again with what its generator does otherwise; keep the shorter."""
    plain = _declare_crds(bodies, catalog, {}, home)
    if not (learnt := learn_exceptions(schemas, catalog)):
        return plain
    changed = build_catalog(catalog.types.minor, catalog.interner, learnt)
    return min(_declare_crds(bodies, changed, learnt, home), plain, key=lambda attempt: attempt.lines)


def _declare_crds(
    bodies: Mapping[str, JsonObject], catalog: TypeCatalog, exceptions: JsonObject, home: ServiceNaming
) -> _Attempt:
    encoder = Encoder(catalog)
    scale = layout.LineCounter()
    declared = {label: _build_declaration(body, label, encoder, home) for label, body in bodies.items()}
    used = {label: _select_used_exceptions(each, catalog, exceptions) for label, each in declared.items()}
    shared = _share_exceptions(used, scale)
    data = tuple(
        {**each, **({"types": shared[label]} if used[label] else {})} for label, each in declared.items()
    )
    return _Attempt(minor=catalog.types.minor, home=home, data=data, lines=sum(map(scale.count_lines, data)))


def _share_exceptions(used: Mapping[str, JsonObject], scale: layout.LineCounter) -> JsonObject:
    """Share exceptions for types: declarations with many of them name one that has all."""
    shared: JsonObject = {}
    for label in sorted(used, key=lambda label: -len(used[label])):
        holders = (known for known, listed in shared.items() if isinstance(listed, dict))
        holder = next((known for known in holders if used[label].keys() <= used[known].keys()), "")
        shared[label] = (
            holder if holder and scale.count_lines(used[label]) >= MANY_EXCEPTIONS else used[label]
        )
    return shared


def _label_crds(bodies: Sequence[JsonObject], taken: Sequence[str]) -> dict[str, JsonObject]:
    """Return the CRDs in order, by what each is called here: its plural, with the group where it must be."""
    plurals = Counter([*taken, *(body["spec"]["names"]["plural"] for body in bodies)])
    labelled = {}
    for body in sorted(bodies, key=lambda body: str(body["metadata"]["name"])):
        plural, name = body["spec"]["names"]["plural"], body["metadata"]["name"]
        labelled[plural if plurals[plural] == 1 else name] = body
    return labelled


def _build_declaration(body: JsonObject, label: str, encoder: Encoder, home: ServiceNaming) -> JsonObject:
    """Return a declaration with its schemas encoded."""
    declared = declaration_fields.to_literal_declaration(body, home)
    for name, version in declared["versions"].items():
        if "schema" in version:
            version["schema"] = encoder.encode_version(SchemaPart(label, name), version["schema"])
    return declared


def _select_used_exceptions(declared: JsonObject, catalog: TypeCatalog, exceptions: JsonObject) -> JsonObject:
    """Return the exceptions for the types that a declaration names, and for those inside them."""
    reached: set[str] = set()

    def reach(value: Json) -> None:
        if (name := type_name(value)) in reached:
            return
        if name:
            reached.add(name)
        if isinstance(value, dict):
            reach(catalog.schemas.get(str(value.get("$type"))))
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            reach(item)

    if exceptions:
        reach(declared["versions"])
    return {name: made for name, made in exceptions.items() if name in reached}


def _verify_declarations(
    labelled: Mapping[str, JsonObject], attempt: _Attempt, interner: Interner, dropped: int
) -> Import:
    """Expand what was declared and compare; a CRD that does not come back is written more plainly."""
    bodies = list(labelled.values())
    wanted = [declaration_fields.to_canonical_form(body, interner) for body in bodies]
    data = list(attempt.data)
    plainness = [0] * len(bodies)
    catalog = cache(lambda: build_catalog(attempt.minor, interner))
    while True:
        texts = [layout.render_declaration(item) for item in data]
        if not (wrong := _find_mismatches(texts, wanted, attempt, interner)):
            files = tuple(
                Declaration(name=name, crd=body["metadata"]["name"], text=text, plainer=plain)
                for name, body, text, plain in zip(labelled, bodies, texts, plainness, strict=True)
            )
            return Import(minor=attempt.minor, files=files, descriptions=dropped)
        # One that becomes plainer may take a part away from another, which then is next.
        if not (fixable := [index for index in wrong if plainness[index] < PLAINEST]):
            break
        for index in fixable:
            plainness[index] += 1
            # Without parts of others and changes of types; then with exact types only; then as it is.
            if plainness[index] == PLAINEST:
                data[index] = declaration_fields.to_literal_declaration(bodies[index])
            else:
                name, encoder = (
                    bodies[index]["metadata"]["name"],
                    Encoder(catalog(), exact=plainness[index] > 1),
                )
                data[index] = _build_declaration(bodies[index], name, encoder, attempt.home)
    raise FindingsError(
        CRD_IMPORT(
            "the declaration does not expand to the same CRD",
            hint="it may hold something that a structural schema cannot",
        ).to_finding(Origin(bodies[index]["metadata"]["name"]))
        for index in sorted(wrong)
    )


def _find_mismatches(
    texts: list[str], wanted: list[object], attempt: _Attempt, interner: Interner
) -> list[int]:
    """Return which declarations do not expand to what is wanted."""
    files = [(Origin(str(index)), read_yaml(text)) for index, text in enumerate(texts)]
    if misshapen := [
        finding for origin, data in files for finding in check_against_schema("crd", data, origin)
    ]:
        return sorted({int(finding.origin.file) for finding in misshapen})
    expansion = expand_crds(files, minor=attempt.minor, home=attempt.home)
    blamed = {int(finding.origin.file) for finding in expansion.findings}
    return [
        index
        for index, body in enumerate(expansion.bodies)
        if index in blamed or declaration_fields.to_canonical_form(body, interner) != wanted[index]
    ]


def recognise_types(bodies: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the CRDs with Kubernetes' types in them as shared dicts that have a name.

    One that the API server would refuse is returned as it is.
    """
    sound = [body for body in bodies if not check_crd(body, Origin(""))]
    try:
        imported = import_crds(sound)
    except FindingsError:
        return list(bodies)
    files = [(Origin(file.name), read_yaml(file.text)) for file in imported.files]
    expanded = {body["metadata"]["name"]: body for body in expand_crds(files, minor=imported.minor).bodies}
    return [_replace_schemas(body, expanded.get(body["metadata"]["name"])) for body in bodies]


def _replace_schemas(body: JsonObject, expanded: JsonObject | None) -> JsonObject:
    """Return a CRD with the schemas of another one; everything else stays its own."""
    if expanded is None:
        return body
    schemas = {name: {"schema": {"openAPIV3Schema": schema}} for name, schema in schemas_of(expanded)}
    versions = [{**version, **schemas.get(version["name"], {})} for version in body["spec"]["versions"]]
    return {**body, "spec": {**body["spec"], "versions": versions}}
