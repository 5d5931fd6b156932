"""CEL expressions of webhooks, of admission policies and of devices, each with the names that it knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.cel import types
from kitgen.cel.compile import RuleFault, compiled
from kitgen.cel.inference import BIND, PATCHES, SEMVER
from kitgen.cel.run.values import Take
from kitgen.cel.signatures import OBJECT, PATCH
from kitgen.cel.types import BOOL, FREE, STRING, CelType
from kitgen.findings import Path
from kitgen.text.yaml import Json, JsonObject

Names = Mapping[str, CelType]
NULL = CelType("null")
PATCHED = (
    ("applyConfiguration", (CelType(OBJECT),)),
    ("jsonPatch", (CelType("list", CelType(PATCH)),)),
)
DEVICES = frozenset({BIND, SEMVER})
ALL: Names = {**types.NAMES, **types.AUTHORIZER}


def webhooks(body: JsonObject, take: Take) -> Iterator[RuleFault]:
    """Yield what is wrong with the conditions of webhooks."""
    for index, hook in _mappings(body, "webhooks"):
        yield from (each.below("webhooks", index) for each in _conditions(hook, ALL, take))


def policy(body: JsonObject, take: Take) -> Iterator[RuleFault]:
    """Yield what is wrong with the expressions of an admission policy."""
    spec = body.get("spec")
    if isinstance(spec, dict):
        yield from (each.below("spec") for each in _policy(spec, take))


def _policy(spec: JsonObject, take: Take) -> Iterator[RuleFault]:
    names = {**ALL, **(types.PARAMS if spec.get("paramKind") is not None else {})}
    yield from _conditions(spec, names, take)
    extras = frozenset({PATCHES}) if "mutations" in spec else frozenset()
    known: dict[str, CelType] = {}
    variables = _mappings(spec, "variables")
    if variables:
        names = {**names, "variables": CelType("object", fields=known)}
    for index, variable in variables:
        text = variable.get("expression")
        if isinstance(text, str) and text.strip():
            made = compiled(text, names, (), extras, take=take)
            known[str(variable.get("name"))] = FREE if _failed(made.faults) else types.stored(made.found)
            yield from (each.below("variables", index, "expression") for each in made.faults)
    unasked = {name: each for name, each in names.items() if name not in types.AUTHORIZER}
    for index, validation in _mappings(spec, "validations"):
        yield from _faults(take, validation, "expression", names, (BOOL,), ("validations", index))
        yield from _faults(take, validation, "messageExpression", unasked, (STRING,), ("validations", index))
    for index, annotation in _mappings(spec, "auditAnnotations"):
        yield from _faults(
            take, annotation, "valueExpression", names, (STRING, NULL), ("auditAnnotations", index)
        )
    for index, mutation in _mappings(spec, "mutations"):
        for key, wanted in PATCHED:
            path = ("mutations", index, key)
            yield from _faults(take, mutation.get(key), "expression", names, wanted, path, extras)


def _failed(faults: tuple[RuleFault, ...]) -> bool:
    return any(each.kind in ("invalid", "unknown", "undeclared") for each in faults)


def _conditions(holder: JsonObject, names: Names, take: Take) -> Iterator[RuleFault]:
    for index, condition in _mappings(holder, "matchConditions"):
        yield from _faults(take, condition, "expression", names, (BOOL,), ("matchConditions", index))


def selector(mapping: JsonObject, take: Take) -> Iterator[RuleFault]:
    """Yield what is wrong with what selects devices."""
    for index, each in _mappings(mapping, "selectors"):
        path = ("selectors", index, "cel")
        yield from _faults(take, each.get("cel"), "expression", types.DEVICE, (BOOL, FREE), path, DEVICES)


def _faults(
    take: Take,
    holder: Json,
    key: str,
    names: Names,
    wanted: tuple[CelType, ...],
    path: Path,
    extras: frozenset[str] = frozenset(),
) -> Iterator[RuleFault]:
    text = holder.get(key) if isinstance(holder, dict) else None
    if isinstance(text, str) and text.strip():
        yield from (
            each.below(*path, key) for each in compiled(text, names, wanted, extras, take=take).faults
        )


def _mappings(holder: JsonObject, key: str) -> list[tuple[int, JsonObject]]:
    found = holder.get(key)
    items = enumerate(found if isinstance(found, list) else ())
    return [(index, each) for index, each in items if isinstance(each, dict)]
