"""ResourceQuotas and LimitRanges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from kitgen.check.server.constraints import one_of, report_missing
from kitgen.check.server.list_constraints import distinct_by
from kitgen.check.server.resources import (
    COMPUTE,
    COUNTED,
    check_quantity_units,
    is_extended_resource,
    is_native_resource,
    is_quota_resource,
    validate_container_resource,
    validate_quota_resource,
    validate_resource_name,
)
from kitgen.check.server.rule_tables import Rules, check_fields, prefix_paths
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED
from kitgen.findings import Path, Problem, make_problem
from kitgen.kube.names import is_qualified_name
from kitgen.kube.quantities import parse_amount
from kitgen.text.values import entries_at, map_at, text_at, text_entries_at
from kitgen.text.wording import describe_value, join_words, quote_text
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
    yield from _check_resource_names(spec, "hard", validate_quota_resource)
    for name, value in hard.items():
        size = parse_amount(value)
        whole = name in COUNTED or (not is_native_resource(name) and is_extended_resource(name))
        if size is not None and size < 0:
            yield SERVER_INVALID(f"found {describe_value(value)}, expected no less than 0", ("hard", name))
        elif size is not None and whole and size % 1:
            yield SERVER_INVALID(
                f"found {describe_value(value)}, expected a whole number of {quote_text(name)}",
                ("hard", name),
            )
    yield from _check_scopes([(("scopes", at), each) for at, each in text_entries_at(spec, "scopes")], hard)
    path: Path = ("scopeSelector", "matchExpressions")
    named = [((*path, at, "scopeName"), text_at(each, "scopeName")) for at, each in entries_at(spec, *path)]
    yield from _check_scopes([each for each in named if each[1]], hard)


def _check_resource_names(value: JsonObject, field: str, wrong: Callable[[str], str]) -> Iterator[Problem]:
    for name in map_at(value, field):
        if expected := wrong(name):
            yield SERVER_INVALID(f"found the resource {quote_text(name)}, expected {expected}", (field, name))


def _check_scopes(found: Iterable[tuple[Path, str]], hard: JsonObject) -> Iterator[Problem]:
    seen: set[str] = set()
    for path, scope in found:
        if scope not in SCOPES:
            yield SERVER_INVALID(f"found {describe_value(scope)}, expected {join_words(SCOPES)}", path)
        fitting = ("pods",) if scope == "BestEffort" else ("pods", *COMPUTE)
        wrong = [name for name in hard if is_quota_resource(name) and name not in fitting]
        if wrong and scope in SCOPES:
            yield SERVER_INVALID(
                f"found the scope {scope} of {quote_text(wrong[0])}, which it does not bear on",
                path,
                f"it bears on {join_words(fitting, last='and')}",
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
        yield report_missing(found, "values", f"at least one, for the operator is {operator}")
    elif operator in ("Exists", "DoesNotExist") and found.get("values"):
        yield make_problem(
            "server-forbidden", f"found values, expected none, for the operator is {operator}", ("values",)
        )


def _check_limit(item: JsonObject) -> Iterator[Problem]:
    kind = text_at(item, "type")
    if "type" in item and kind not in TYPES and not ("/" in kind and is_qualified_name(kind)):
        yield SERVER_INVALID(
            f"found {describe_value(item['type'])}, expected {join_words(TYPES)}, or one with a domain",
            ("type",),
        )
    wrong = validate_container_resource if kind in ("Pod", "Container") else validate_resource_name
    for field in BOUNDS:
        if kind != "Pod" or not field.startswith("default"):
            yield from _check_resource_names(item, field, wrong)
        elif item.get(field):
            yield make_problem(
                "server-forbidden", f"found {field}, which limits of pods must not have", (field,)
            )
    if kind == "PersistentVolumeClaim" and not any(
        "storage" in map_at(item, each) for each in ("min", "max")
    ):
        yield SERVER_REQUIRED("found no storage in min or max, expected one of them")
    for field in BOUNDS[1:]:  # the least may be next to nothing
        yield from prefix_paths(check_quantity_units(map_at(item, field)), field)
    yield from _check_bound_order(item, kind)


def _check_bound_order(item: JsonObject, kind: str) -> Iterator[Problem]:
    """Report bounds that are the wrong way round; a server fills those in that are left out, with others."""
    found = {field: _parse_quantities(item, field) for field in BOUNDS}
    for lower, upper in ORDERED[:1] if kind == "Pod" else ORDERED:
        for name, low in found[lower].items():
            if name in found[upper] and low > found[upper][name]:
                yield SERVER_INVALID(
                    f"found a {lower} of {quote_text(name)} above its {upper}", (lower, name)
                )
    for name, ratio in _parse_quantities(item, "maxLimitRequestRatio").items():
        low, high = found["min"].get(name, Fraction(0)), found["max"].get(name)
        if ratio < 1:
            yield SERVER_INVALID("found a ratio below 1, expected 1 or more", ("maxLimitRequestRatio", name))
        elif low and high is not None and ratio > high / low:
            yield SERVER_INVALID(
                "found a ratio above that of max to min, expected no more", ("maxLimitRequestRatio", name)
            )


def _parse_quantities(value: JsonObject, field: str) -> dict[str, Fraction]:
    """Return the amounts in a field by their resources; what is no amount is left out."""
    found = {key: parse_amount(each) for key, each in map_at(value, field).items()}
    return {key: each for key, each in found.items() if each is not None}


RULES: Rules = {
    "core/v1.LimitRangeItem": _check_limit,
    "core/v1.LimitRangeSpec": {"limits": distinct_by("type")},
    "core/v1.ResourceQuotaSpec": _check_quota,
    "core/v1.ScopedResourceSelectorRequirement": _check_scope,
}
