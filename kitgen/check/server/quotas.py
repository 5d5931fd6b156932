"""Quotas and ranges of limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from kitgen.check.server import formats, resources, warnings
from kitgen.check.server.rules import SERVER_DUPLICATE, SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Path, Problem
from kitgen.kube.names import is_qualified
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import Json, JsonObject

SCOPES = (
    *("Terminating", "NotTerminating", "BestEffort", "NotBestEffort"),
    *("PriorityClass", "CrossNamespacePodAffinity"),
)
OPPOSITES = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
TYPES = ("Pod", "Container", "PersistentVolumeClaim")
BOUNDS = ("min", "max", "default", "defaultRequest")
ORDERED = (
    *(("min", "max"), ("min", "defaultRequest"), ("defaultRequest", "max")),
    *(("defaultRequest", "default"), ("min", "default"), ("default", "max")),
)


def _quota(spec: JsonObject) -> Iterator[Problem]:
    hard = formats.mapping(spec.get("hard"))
    for name, value in hard.items():
        if wrong := resources.wrong_name_of_quota(name):
            yield SERVER_INVALID(f"found the resource {cut(name)}, expected {wrong}", ("hard", name))
        if problem := resources.wrong_amount(name, value):
            yield problem.below("hard", name)
    scopes = [(("scopes", index), each) for index, each in enumerate(formats.items(spec.get("scopes")))]
    yield from _scopes(scopes, hard)
    selector = formats.mapping(spec.get("scopeSelector"))
    required = list(formats.mappings(selector, "matchExpressions"))
    where: Path = ("scopeSelector", "matchExpressions")
    yield from _scopes([((*where, at, "scopeName"), each.get("scopeName")) for at, each in required], hard)
    for index, each in required:
        for problem in _requirement(each):
            yield problem.below(*where, index)


def _scopes(found: Iterable[tuple[Path, Json]], hard: JsonObject) -> Iterator[Problem]:
    seen: set[Json] = set()
    for path, scope in found:
        if not isinstance(scope, str):
            continue
        if scope not in SCOPES:
            yield SERVER_INVALID(f"found {shown(scope)}, expected {choice(SCOPES)}", path)
        fitting = ("pods",) if scope == "BestEffort" else ("pods", *resources.COMPUTE)
        wrong = [name for name in hard if resources.is_of_quotas(name) and name not in fitting]
        if wrong and scope in SCOPES:
            message = f"found the scope {scope} of {cut(wrong[0])}, which it does not bear on"
            yield SERVER_INVALID(message, path, f"it bears on {choice(fitting, last='and')}")
        for pair in OPPOSITES:
            if scope in pair and {*pair} - {scope} <= seen:
                yield SERVER_INVALID(f"found {pair[0]} and {pair[1]}, expected one of them", path)
        seen.add(scope)


def _requirement(found: JsonObject) -> Iterator[Problem]:
    operator, scope = found.get("operator"), found.get("scopeName")
    if operator not in OPERATORS:
        yield from formats.worded(found, "operator", OPERATORS, strict=True)
    elif scope in SCOPES and scope != "PriorityClass" and operator != "Exists":
        yield SERVER_INVALID(f"found {operator}, expected Exists for the scope {scope}", ("operator",))
    elif operator in ("In", "NotIn") and not found.get("values"):
        yield formats.lacking(found, "values", f"at least one, for the operator is {operator}")
    elif operator in ("Exists", "DoesNotExist") and found.get("values"):
        yield SERVER_FORBIDDEN(f"found values, expected none, for the operator is {operator}", ("values",))


def _limits(spec: JsonObject) -> Iterator[Problem]:
    seen: dict[Json, int] = {}
    for index, item in formats.mappings(spec, "limits"):
        kind = item.get("type")
        if isinstance(kind, str) and seen.setdefault(kind, index) != index:
            message = f"found the type {cut(kind)} again, item {seen[kind]} has it"
            yield SERVER_DUPLICATE(message, ("limits", index, "type"))


def _limit(item: JsonObject) -> Iterator[Problem]:
    kind = formats.text(item, "type")
    if "type" in item and kind not in TYPES and not ("/" in kind and is_qualified(kind)):
        message = f"found {shown(item['type'])}, expected {choice(TYPES)}, or one with a domain"
        yield SERVER_INVALID(message, ("type",))
    of_containers = kind in ("Pod", "Container")
    wrong_name = resources.wrong_name_of_container if of_containers else resources.wrong_name
    for field in BOUNDS:
        if kind == "Pod" and field.startswith("default"):
            if item.get(field):
                yield SERVER_FORBIDDEN(f"found {field}, which limits of pods must not have", (field,))
            continue
        for name in formats.mapping(item.get(field)):
            if wrong := wrong_name(name):
                yield SERVER_INVALID(f"found the resource {cut(name)}, expected {wrong}", (field, name))
    if kind == "PersistentVolumeClaim" and not any(
        "storage" in formats.mapping(item.get(field)) for field in ("min", "max")
    ):
        yield SERVER_REQUIRED("found no storage in min or max, expected one of them")
    for field in BOUNDS[1:]:  # the least may be next to nothing
        for problem in warnings.amounts(formats.mapping(item.get(field))):
            yield problem.below(field)
    yield from _order(item, kind)


def _order(item: JsonObject, kind: str) -> Iterator[Problem]:
    """Yield bounds that are the wrong way round; a server fills those in that are left out, with others."""
    found = {field: resources.amounts(item, field) for field in BOUNDS}
    for lower, upper in ORDERED:
        if kind == "Pod" and lower + upper != "minmax":
            continue
        for name, low in found[lower].items():
            if name in found[upper] and low > found[upper][name]:
                message = f"found a {lower} of {cut(name)} above its {upper}"
                yield SERVER_INVALID(message, (lower, name))
    for name, ratio in resources.amounts(item, "maxLimitRequestRatio").items():
        low, high = found["min"].get(name, Fraction(0)), found["max"].get(name)
        if ratio < 1:
            yield SERVER_INVALID("found a ratio below 1, expected 1 or more", ("maxLimitRequestRatio", name))
        elif low and high is not None and ratio > high / low:
            message = "found a ratio above that of max to min, expected no more"
            yield SERVER_INVALID(message, ("maxLimitRequestRatio", name))


VALIDATORS: Validators = {
    "core/v1.LimitRangeItem": _limit,
    "core/v1.LimitRangeSpec": _limits,
    "core/v1.ResourceQuotaSpec": _quota,
}
