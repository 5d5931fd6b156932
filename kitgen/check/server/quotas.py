"""ResourceQuotas and LimitRanges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from kitgen.check.server.constraints import lacking, one_of
from kitgen.check.server.list_constraints import unlike_by
from kitgen.check.server.resources import (
    COMPUTE,
    COUNTED,
    is_extended,
    is_native,
    is_of_quotas,
    unlikely_amounts,
    wrong_name,
    wrong_name_of_container,
    wrong_name_of_quota,
)
from kitgen.check.server.rule_tables import Rules, below, check_fields
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED
from kitgen.findings import Path, Problem, problem
from kitgen.kube.names import is_qualified
from kitgen.kube.quantities import amount
from kitgen.text.values import entries_at, map_at, text_at, text_entries_at
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import JsonObject

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


def _check_quota(spec: JsonObject) -> Iterator[Problem]:
    hard = map_at(spec, "hard")
    yield from _check_names(spec, "hard", wrong_name_of_quota)
    for name, value in hard.items():
        size = amount(value)
        whole = name in COUNTED or (not is_native(name) and is_extended(name))
        if size is not None and size < 0:
            yield SERVER_INVALID(f"found {shown(value)}, expected no less than 0", ("hard", name))
        elif size is not None and whole and size % 1:
            yield SERVER_INVALID(
                f"found {shown(value)}, expected a whole number of {cut(name)}", ("hard", name)
            )
    yield from _check_scopes([(("scopes", at), each) for at, each in text_entries_at(spec, "scopes")], hard)
    path: Path = ("scopeSelector", "matchExpressions")
    named = [((*path, at, "scopeName"), text_at(each, "scopeName")) for at, each in entries_at(spec, *path)]
    yield from _check_scopes([each for each in named if each[1]], hard)


def _check_names(value: JsonObject, field: str, wrong: Callable[[str], str]) -> Iterator[Problem]:
    for name in map_at(value, field):
        if expected := wrong(name):
            yield SERVER_INVALID(f"found the resource {cut(name)}, expected {expected}", (field, name))


def _check_scopes(found: Iterable[tuple[Path, str]], hard: JsonObject) -> Iterator[Problem]:
    seen: set[str] = set()
    for path, scope in found:
        if scope not in SCOPES:
            yield SERVER_INVALID(f"found {shown(scope)}, expected {choice(SCOPES)}", path)
        fitting = ("pods",) if scope == "BestEffort" else ("pods", *COMPUTE)
        wrong = [name for name in hard if is_of_quotas(name) and name not in fitting]
        if wrong and scope in SCOPES:
            yield SERVER_INVALID(
                f"found the scope {scope} of {cut(wrong[0])}, which it does not bear on",
                path,
                f"it bears on {choice(fitting, last='and')}",
            )
        for pair in OPPOSITES:
            if scope in pair and {*pair} - {scope} <= seen:
                yield SERVER_INVALID(f"found {pair[0]} and {pair[1]}, expected one of them", path)
        seen.add(scope)


def _check_scope(found: JsonObject) -> Iterator[Problem]:
    operator, scope = found.get("operator"), found.get("scopeName")
    if operator not in OPERATORS:
        yield from check_fields(found, {"operator": one_of(*OPERATORS, hint=False)})
    elif scope in SCOPES and scope != "PriorityClass" and operator != "Exists":
        yield SERVER_INVALID(f"found {operator}, expected Exists for the scope {scope}", ("operator",))
    elif operator in ("In", "NotIn") and not found.get("values"):
        yield lacking(found, "values", f"at least one, for the operator is {operator}")
    elif operator in ("Exists", "DoesNotExist") and found.get("values"):
        yield problem(
            "server-forbidden", f"found values, expected none, for the operator is {operator}", ("values",)
        )


def _check_limit(item: JsonObject) -> Iterator[Problem]:
    kind = text_at(item, "type")
    if "type" in item and kind not in TYPES and not ("/" in kind and is_qualified(kind)):
        yield SERVER_INVALID(
            f"found {shown(item['type'])}, expected {choice(TYPES)}, or one with a domain", ("type",)
        )
    wrong = wrong_name_of_container if kind in ("Pod", "Container") else wrong_name
    for field in BOUNDS:
        if kind != "Pod" or not field.startswith("default"):
            yield from _check_names(item, field, wrong)
        elif item.get(field):
            yield problem("server-forbidden", f"found {field}, which limits of pods must not have", (field,))
    if kind == "PersistentVolumeClaim" and not any(
        "storage" in map_at(item, each) for each in ("min", "max")
    ):
        yield SERVER_REQUIRED("found no storage in min or max, expected one of them")
    for field in BOUNDS[1:]:  # the least may be next to nothing
        yield from below(unlikely_amounts(map_at(item, field)), field)
    yield from _check_order(item, kind)


def _check_order(item: JsonObject, kind: str) -> Iterator[Problem]:
    """Report bounds that are the wrong way round; a server fills those in that are left out, with others."""
    found = {field: _amounts(item, field) for field in BOUNDS}
    for lower, upper in ORDERED[:1] if kind == "Pod" else ORDERED:
        for name, low in found[lower].items():
            if name in found[upper] and low > found[upper][name]:
                yield SERVER_INVALID(f"found a {lower} of {cut(name)} above its {upper}", (lower, name))
    for name, ratio in _amounts(item, "maxLimitRequestRatio").items():
        low, high = found["min"].get(name, Fraction(0)), found["max"].get(name)
        if ratio < 1:
            yield SERVER_INVALID("found a ratio below 1, expected 1 or more", ("maxLimitRequestRatio", name))
        elif low and high is not None and ratio > high / low:
            yield SERVER_INVALID(
                "found a ratio above that of max to min, expected no more", ("maxLimitRequestRatio", name)
            )


def _amounts(value: JsonObject, field: str) -> dict[str, Fraction]:
    """Return the amounts in a field by their resources; what is no amount is left out."""
    found = {key: amount(each) for key, each in map_at(value, field).items()}
    return {key: each for key, each in found.items() if each is not None}


RULES: Rules = {
    "core/v1.LimitRangeItem": _check_limit,
    "core/v1.LimitRangeSpec": {"limits": unlike_by("type")},
    "core/v1.ResourceQuotaSpec": _check_quota,
    "core/v1.ScopedResourceSelectorRequirement": _check_scope,
}
