"""Look up fields of moved kinds in their CRDs, and check conversion and scope of those CRDs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kitgen.findings import Finding, near, problem
from kitgen.kit.model.migration import written
from kitgen.migrate.kinds import MovingKind
from kitgen.migrate.resources.fields import ITEM
from kitgen.text.values import map_at, value_at
from kitgen.text.wording import TYPES, choice
from kitgen.text.yaml import Json, JsonObject

OPEN = ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource")
EITHER = "x-kubernetes-int-or-string"
LISTED = 8
"""How many known fields a hint names."""


class SchemaLookup(NamedTuple):
    """What a schema has at a field, or why it has nothing there."""

    schema: Json = None
    """None where anything goes."""
    expected: str = ""
    """What is expected instead; empty if the field can be there."""
    hint: str = ""
    missing: bool = False
    """Whether it is a name that the schema does not have."""


def look_up(schema: Json, steps: tuple[str, ...]) -> SchemaLookup:
    """Find a field in a schema, step by step."""
    for at, step in enumerate(steps):
        if not isinstance(schema, dict) or not (kind := type_of(schema)):
            return SchemaLookup()
        if wrong := _misfit(kind, steps, at):
            return wrong
        if step == ITEM:
            schema = schema.get("items")
        elif step in (known := fields_of(schema)):
            schema = known[step]
        elif isinstance(more := schema.get("additionalProperties"), dict):
            schema = more
        elif more is True or any(schema.get(each) is True for each in OPEN):
            return SchemaLookup()
        else:
            some = choice([*known], last="and", most=LISTED) if known else "none"
            hint = near(step, [*known]) or f"{written(steps[:at]) or 'it'} has {some}"
            return SchemaLookup(expected="a field", hint=hint, missing=True)
    return SchemaLookup(schema)


def type_of(schema: JsonObject) -> str:
    """Return the type that a schema requires; empty if it takes any."""
    if isinstance(said := schema.get("type"), str):
        return said
    if schema.get(EITHER) is True:
        return EITHER
    if "items" in schema:
        return "array"
    return "object" if {"properties", "additionalProperties"} & schema.keys() else ""


def type_name(kind: str) -> str:
    """Describe a type in plain words."""
    return TYPES.get(kind, "a number or a string")


def fields_of(schema: Json) -> JsonObject:
    """Return the fields that a schema names."""
    return map_at(schema, "properties")


def _misfit(kind: str, steps: tuple[str, ...], at: int) -> SchemaLookup | None:
    """Return that a step leads into what is no list or mapping, or is not the way into it."""
    here, step, rest = written(steps[:at]), steps[at], steps[at + 1 :]
    why = f"because {here} is {type_name(kind)}"
    if step == ITEM and kind != "array":
        return SchemaLookup(expected=f"{written((*steps[:at], *rest))}, {why}")
    if step != ITEM and kind == "array":
        return SchemaLookup(expected=f"{written((*steps[:at], ITEM, *steps[at:]))}, {why}")
    if step != ITEM and kind != "object":
        return SchemaLookup(expected=f"{here} alone, {why}")
    return None


def conversions(some: Iterable[MovingKind]) -> Iterator[Finding]:
    """Yield kinds whose old CRD has a conversion of its own: which version was exported is then a choice."""
    for each in some:
        if value_at(each.old.crd.body, "spec", "conversion", "strategy") not in (None, "None"):
            message = "found a CRD with a conversion of its own: servers return any version that is asked for"
            hint = f"name the version when exporting, such as {choice((each.said.before.version,))}"
            yield problem("migration-conversion", message, ("from",), hint).at(each.said.origin)


def changed_scopes(some: Iterable[MovingKind]) -> Iterator[Finding]:
    """Yield kinds of another scope on the other side, where the migration names them."""
    for each in some:
        old, new, origin = each.old, each.new, each.said.origin.at("to")
        if new.cluster_wide and not old.cluster_wide:
            message = f"found {new.name}, which is of the cluster, expected the namespaces of {old.name}"
            hint = "resources lose their namespace; two of one name in different namespaces clash"
            yield problem("migration-scope", message, hint=hint).at(origin)
        elif old.cluster_wide and not new.cluster_wide:
            message = f"found {new.name}, which is of a namespace, expected the cluster as {old.name}"
            hint = "no resource says which namespace to go to; write them anew by hand, and drop the old kind"
            yield problem("migration-unplaced", message, hint=hint).at(origin)
