"""Schemas of CustomResourceDefinitions: structural, as an API server requires."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from kitgen.check.server import crds
from kitgen.check.server.list_constraints import distinct_texts
from kitgen.check.server.rules import SERVER_INVALID, SERVER_WARNING
from kitgen.check.views import CrdFacts
from kitgen.crd import structural
from kitgen.crd.definition import drop_nulls
from kitgen.findings import Path, Problem
from kitgen.kube import schema_paths
from kitgen.text.values import entries_at, list_at, map_at, text_at, value_at
from kitgen.text.wording import describe_value
from kitgen.text.yaml import Json, JsonObject, SharedMapping

ROOT: Path = ("schema", "openAPIV3Schema")
TYPES = {"apiVersion": "string", "kind": "string", "metadata": "object"}
KEPT = ("name", "generateName")
"""What a schema may say of metadata."""
SAID = ("type", "default", "properties")
UNTYPED = frozenset({"additionalItems", "additionalProperties", "dependencies", "items"})
"""Keywords of which Kubernetes' definition of a schema says nothing."""
FILLED = frozenset({"properties", "x-kubernetes-validations"})
"""Keywords in which a null is an empty schema or rule, which is none."""
EMBEDDED, LIST_TYPE = "x-kubernetes-embedded-resource", "x-kubernetes-list-type"
PARTS = ("object", "array")
Way: TypeAlias = "tuple[Way, schema_paths.Steps] | None"
"""The schema above one with the way to it, and the steps from there; none of the whole."""
PATTERNED = frozenset({"pattern", "not", *schema_paths.JUNCTORS})


def check_crd_schemas(body: JsonObject, facts: CrdFacts) -> list[Problem]:
    """Return what is wrong with the schemas of a CRD; malformed CRDs are reported elsewhere."""
    return list(_check_schemas(body, facts))


def _check_schemas(body: JsonObject, facts: CrdFacts) -> Iterator[Problem]:
    if faults := facts.check_shape(body):
        for fault in faults:
            path = fault.origin.path
            if ROOT[-1] in path and (UNTYPED & set(path) or path[-2] in FILLED):
                yield SERVER_INVALID(fault.message, path, fault.hint)
        return
    for index, version in entries_at(body, "spec", "versions"):
        if isinstance(schema := value_at(version, *ROOT), dict):
            for problem in (*_check_root(schema), *_check_nodes(schema)):
                where = ("spec", "versions", index, *ROOT, *problem.path)
                rule = problem.rule if problem.rule is SERVER_WARNING else SERVER_INVALID
                yield rule(problem.message, where, problem.hint)
            yield from (
                each.prefix_path("spec", "versions", index) for each in crds.check_paths(version, schema)
            )


def _check_nodes(schema: JsonObject) -> Iterator[Problem]:
    todo: list[tuple[Way, JsonObject]] = [(None, schema)]
    while todo:
        way, node = todo.pop()
        if isinstance(node, SharedMapping) and node.name:
            continue  # a type of Kubernetes, which is right
        if not structural.is_trivially_valid(node) or node.get(LIST_TYPE) == "set":
            path, read = _build_path(way), _drop_empty_keywords(node)
            wrong = (each for each in structural.check(read) if not _is_negative_count(read, each.path))
            yield from (problem.prefix_path(*path) for problem in (*wrong, *_check_node(read)))
        if "required" in node:
            yield from (
                problem.prefix_path(*_build_path(way)) for problem in crds.check_required_fields(node)
            )
        if not structural.SIMPLE.issuperset(node):
            # Most schemas are nothing but a type.
            todo += [
                ((way, steps), each)
                for steps, each in schema_paths.list_child_schemas(node)
                if not structural.is_scalar(each)
            ]


def _drop_empty_keywords(node: JsonObject) -> JsonObject:
    """Return the keywords of a schema that say something: null is nothing, and so is an empty type."""
    return {key: value for key, value in drop_nulls(node).items() if key != "type" or value != ""}


def _is_negative_count(node: JsonObject, path: Path) -> bool:
    """Return whether a problem is that of a count below zero, which a server reads as any other."""
    value = node.get(str(path[0])) if len(path) == 1 and path[0] in structural.COUNTS else None
    return isinstance(value, int) and not isinstance(value, bool)


def _build_path(way: Way) -> Path:
    """Return the path of a schema; it is only put together where something is wrong."""
    return (*_build_path(way[0]), *way[1]) if way else ()


def _check_node(node: JsonObject) -> Iterator[Problem]:
    """Yield violations of what an API server requires beyond a structural schema."""
    if not PATTERNED.isdisjoint(node):
        yield from _check_patterns(node)
    keeps, embedded = node.get(structural.KEEPS) is True, node.get(EMBEDDED) is True
    if node.get("x-kubernetes-int-or-string") is True and (keeps or embedded):
        field = structural.KEEPS if keeps else EMBEDDED
        yield SERVER_INVALID(f"found {field} of a number or text, expected none", (field,))
    if embedded:
        yield from _check_common_fields(node)
        if not node.get("properties") and not keeps:
            yield SERVER_INVALID(
                f"found neither properties nor {structural.KEEPS}, expected one", (EMBEDDED,)
            )
        if node.get("additionalProperties") is not None:
            yield SERVER_INVALID(
                "found additionalProperties of an embedded resource, expected none", ("additionalProperties",)
            )
    yield from crds.check_bounds(node)
    if LIST_TYPE in node:
        yield from _check_list_items(node, map_at(node, "items"))


def _check_patterns(node: JsonObject) -> Iterator[Problem]:
    """Yield patterns that cannot be compiled, those in allOf, anyOf, oneOf and not too."""
    from kitgen.text.regex_match import is_pattern

    todo: list[tuple[Path, Json]] = [((), node)]
    while todo:
        path, part = todo.pop()
        if not isinstance(part, dict):
            continue
        if (text := text_at(part, "pattern")) and not is_pattern(text):
            yield SERVER_INVALID("found no regular expression of Go, expected one", (*path, "pattern"))
        for keyword in schema_paths.JUNCTORS:
            todo += [((*path, keyword, index), each) for index, each in enumerate(list_at(part, keyword))]
        todo.append(((*path, "not"), part.get("not")))
        if path:
            todo += [((*path, *steps), each) for steps, each in schema_paths.list_child_schemas(part)]


def _check_list_items(node: JsonObject, items: JsonObject) -> Iterator[Problem]:
    kind, type_ = node.get(LIST_TYPE), items.get("type")
    if kind in ("set", "map") and items.get("nullable") is True:
        yield SERVER_INVALID(f"found nullable items of a {kind}, expected none", ("items", "nullable"))
    if kind == "set":
        if type_ == "object" and items.get("x-kubernetes-map-type") != "atomic":
            yield SERVER_INVALID(
                "found objects in a set, expected x-kubernetes-map-type: atomic of them", (LIST_TYPE,)
            )
        if type_ == "array" and items.get(LIST_TYPE) not in (None, "atomic"):
            yield SERVER_INVALID(
                "found lists in a set that are not atomic, expected x-kubernetes-list-type: atomic",
                ("items", LIST_TYPE),
            )
    elif kind == "map" and type_ is not None:
        if type_ != "object":
            yield SERVER_INVALID(
                f"found items of the type {describe_value(type_)} in a keyed list, expected objects",
                ("items", "type"),
            )
        fields = map_at(items, "properties")
        for index, key in enumerate(list_at(node, structural.MAP_KEYS)):
            field = map_at(fields, key) if isinstance(key, str) else {}
            if field.get("type") in PARTS or field.get("nullable") is True:
                yield SERVER_INVALID(
                    f"found the key {describe_value(key)} that is no plain value, expected one",
                    (structural.MAP_KEYS, index),
                )
        yield from distinct_texts(node, structural.MAP_KEYS)


def _check_root(schema: JsonObject) -> Iterator[Problem]:
    if (kind := schema.get("type")) is not None and kind != "object":
        yield SERVER_INVALID(f"found the type {describe_value(kind)}, expected object", ("type",))
    if schema.get("nullable") is True:
        yield SERVER_INVALID("found nullable: true, which a whole object must not be", ("nullable",))
    if schema.get("additionalProperties") is not None:
        yield SERVER_INVALID(
            "found additionalProperties of a whole object, expected properties", ("additionalProperties",)
        )
    yield from _check_common_fields(schema)
    metadata = map_at(schema, "properties", "metadata")
    at: Path = ("properties", "metadata")
    for name in map_at(metadata, "properties"):
        if name not in KEPT:
            yield SERVER_INVALID(
                f"found {describe_value(name)} of metadata, expected nothing but name and generateName",
                (*at, "properties", name),
            )
    for keyword, value in metadata.items():
        if keyword not in SAID and value not in (None, False, "", [], {}):
            yield SERVER_INVALID(
                f"found {keyword} of metadata, expected nothing but name and generateName", (*at, keyword)
            )


def _check_common_fields(schema: JsonObject) -> Iterator[Problem]:
    """Yield what of every object has another type than it has everywhere."""
    for name, wanted in TYPES.items():
        if (found := value_at(schema, "properties", name, "type")) is not None and found != wanted:
            yield SERVER_INVALID(
                f"found the type {describe_value(found)}, expected {wanted}", ("properties", name, "type")
            )
