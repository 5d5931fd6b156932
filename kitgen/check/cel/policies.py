"""CEL expressions of webhooks, admission policies and devices, each with its variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.cel import types
from kitgen.cel.compile import RuleFault, compile_expression
from kitgen.cel.inference import BIND, PATCHES, SEMVER
from kitgen.cel.run.values import Take
from kitgen.cel.signatures import OBJECT, PATCH
from kitgen.cel.types import BOOL, FREE, STRING, CelType
from kitgen.findings import Path
from kitgen.text.values import entries_at, text_at
from kitgen.text.yaml import Json, JsonObject

Names = Mapping[str, CelType]
NULL = CelType("null")
PATCHED = (
    ("applyConfiguration", (CelType(OBJECT),)),
    ("jsonPatch", (CelType("list", CelType(PATCH)),)),
)
DEVICES = frozenset({BIND, SEMVER})
ALL: Names = {**types.NAMES, **types.AUTHORIZER}


def check_webhooks(body: JsonObject, take: Take) -> Iterator[RuleFault]:
    """Yield what is wrong with the conditions of webhooks."""
    for index, hook in entries_at(body, "webhooks"):
        yield from (each.below("webhooks", index) for each in _check_conditions(hook, ALL, take))


def check_policy(spec: JsonObject, take: Take) -> Iterator[RuleFault]:
    """Yield what is wrong with the expressions of the spec of an admission policy."""
    names = {**ALL, **(types.PARAMS if spec.get("paramKind") is not None else {})}
    yield from _check_conditions(spec, names, take)
    extras = frozenset({PATCHES}) if "mutations" in spec else frozenset()
    known: dict[str, CelType] = {}
    if variables := entries_at(spec, "variables"):
        names = {**names, "variables": CelType("object", fields=known)}
    for index, variable in variables:
        text = text_at(variable, "expression")
        if text.strip():
            made = compile_expression(text, names, (), extras, take=take)
            known[str(variable.get("name"))] = (
                FREE if _has_compile_errors(made.faults) else types.to_variable_type(made.found)
            )
            yield from (each.below("variables", index, "expression") for each in made.faults)
    unasked = {name: each for name, each in names.items() if name not in types.AUTHORIZER}
    for index, validation in entries_at(spec, "validations"):
        yield from _check_expression(take, validation, "expression", names, (BOOL,), ("validations", index))
        yield from _check_expression(
            take, validation, "messageExpression", unasked, (STRING,), ("validations", index)
        )
    for index, annotation in entries_at(spec, "auditAnnotations"):
        yield from _check_expression(
            take, annotation, "valueExpression", names, (STRING, NULL), ("auditAnnotations", index)
        )
    for index, mutation in entries_at(spec, "mutations"):
        for key, wanted in PATCHED:
            path = ("mutations", index, key)
            yield from _check_expression(take, mutation.get(key), "expression", names, wanted, path, extras)


def _has_compile_errors(faults: tuple[RuleFault, ...]) -> bool:
    return any(each.kind in ("invalid", "unknown", "undeclared") for each in faults)


def _check_conditions(holder: JsonObject, names: Names, take: Take) -> Iterator[RuleFault]:
    for index, condition in entries_at(holder, "matchConditions"):
        yield from _check_expression(
            take, condition, "expression", names, (BOOL,), ("matchConditions", index)
        )


def check_device_selectors(mapping: JsonObject, take: Take) -> Iterator[RuleFault]:
    """Yield what is wrong with what selects devices."""
    for index, each in entries_at(mapping, "selectors"):
        path = ("selectors", index, "cel")
        yield from _check_expression(
            take, each.get("cel"), "expression", types.DEVICE, (BOOL, FREE), path, DEVICES
        )


def _check_expression(
    take: Take,
    holder: Json,
    key: str,
    names: Names,
    wanted: tuple[CelType, ...],
    path: Path,
    extras: frozenset[str] = frozenset(),
) -> Iterator[RuleFault]:
    text = text_at(holder, key)
    if text.strip():
        faults = compile_expression(text, names, wanted, extras, take=take).faults
        yield from (each.below(*path, key) for each in faults)
