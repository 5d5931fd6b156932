"""Resources such as cpu: what containers ask for and may use, quotas and ranges of limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from kitgen.check.server.constraints import (
    QUALIFIED_AT_LENGTH,
    Rules,
    below,
    check_fields,
    lacking,
    one_of,
    repeated,
    unlike_by,
)
from kitgen.check.server.rules import (
    AMOUNT_UNLIKELY,
    SERVER_DUPLICATE,
    SERVER_FORBIDDEN,
    SERVER_INVALID,
    SERVER_REQUIRED,
    SERVER_WARNING,
)
from kitgen.findings import Path, Problem, near
from kitgen.kube.names import is_qualified
from kitgen.kube.quantities import amount
from kitgen.text.values import entries_at, list_at, map_at, text_at, text_entries_at, value_at
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import Json, JsonObject

COMPUTE = ("cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory")
OF_CONTAINERS = ("cpu", "memory", "ephemeral-storage")
COUNTED = frozenset(
    {
        *("configmaps", "persistentvolumeclaims", "pods", "replicationcontrollers", "resourcequotas"),
        *("secrets", "services", "services.loadbalancers", "services.nodeports"),
    }
)
OF_QUOTAS = frozenset(
    {
        *(*COMPUTE, *COUNTED, "ephemeral-storage", "limits.ephemeral-storage"),
        *("requests.ephemeral-storage", "requests.storage"),
    }
)
STANDARD = OF_QUOTAS | {"storage"}
HUGE_PAGES = "hugepages-"
HUGE = (HUGE_PAGES, f"requests.{HUGE_PAGES}")
BYTES = ("memory", "ephemeral-storage", "storage")
FEWEST_BYTES, MOST_PROCESSORS = 10**6, 1000


def quantity(found: Json) -> Fraction | None:
    """Return an amount, or None for what is none: readers of amounts report that."""
    return amount(found.strip() if isinstance(found, str) else found)


def not_negative(value: JsonObject, field: str) -> Iterator[Problem]:
    """Report an amount below zero."""
    found = quantity(value.get(field))
    if found is not None and found < 0:
        yield SERVER_INVALID(f"found {shown(value[field])}, expected no amount below zero", (field,))


def unlikely_amounts(found: JsonObject) -> Iterator[Problem]:
    """Report amounts that are parts of a byte, or have the unit of another resource."""
    for name, value in found.items():
        size = quantity(value)
        if not size or size < 0:
            continue
        if name in BYTES and size % 1:
            yield SERVER_WARNING(
                f"found {shown(value)}, which is a part of a byte, expected a whole number of bytes",
                (name,),
                "m stands for a thousandth; a mebibyte is Mi",
            )
        elif name in BYTES and size < FEWEST_BYTES:
            yield AMOUNT_UNLIKELY(
                f"found {int(size):,} bytes, expected 1M or more", (name,), "add a unit, such as Mi"
            )
        elif name == "cpu" and (size > MOST_PROCESSORS or str(value).endswith("i")):
            yield AMOUNT_UNLIKELY(
                f"found {int(size):,} processors, expected a number such as 2 or 500m", (name,)
            )


# Names of resources


def wrong_name(name: str) -> str:
    """Return what an API server expects in place of a resource's name; empty if it is one."""
    if not is_qualified(name):
        return QUALIFIED_AT_LENGTH
    if "/" not in name and name not in STANDARD and not name.startswith(HUGE):
        return "one that Kubernetes has, or one with a domain and / before it"
    return ""


def wrong_name_of_container(name: str) -> str:
    """Return what an API server expects in place of a name of what a container uses."""
    if wrong := wrong_name(name):
        return wrong
    if "/" not in name and name not in OF_CONTAINERS and not name.startswith(HUGE_PAGES):
        return "cpu, memory, ephemeral-storage, hugepages-SIZE or one with a domain"
    if not _is_native(name) and not _is_extended(name):
        return "one whose domain does not start with requests."
    return ""


def _wrong_name_of_quota(name: str) -> str:
    unknown = "/" not in name and not _is_of_quotas(name)
    return wrong_name(name) or ("one that a quota can bound" if unknown else "")


def _is_of_quotas(name: str) -> bool:
    return name in OF_QUOTAS or name.startswith(HUGE)


def _is_native(name: str) -> bool:
    """Return whether a resource is Kubernetes' own."""
    return "/" not in name or "kubernetes.io/" in name


def _is_extended(name: str) -> bool:
    """Return whether a resource that is not Kubernetes' own can be asked for."""
    return not name.startswith("requests.") and is_qualified(f"requests.{name}")


def _may_overcommit(name: str) -> bool:
    return _is_native(name) and not name.startswith(HUGE_PAGES)


# What containers ask for


def _check_requirements(value: JsonObject) -> Iterator[Problem]:
    limits, requests = map_at(value, "limits"), map_at(value, "requests")
    for key, amounts in (("limits", limits), ("requests", requests)):
        yield from below((*check_amounts(amounts), *unlikely_amounts(amounts)), key)
    yield from _check_requests(limits, requests)
    if any(name.startswith(HUGE_PAGES) for name in (*limits, *requests)) and not {"cpu", "memory"} & {
        *limits,
        *requests,
    }:
        key = "limits" if any(name.startswith(HUGE_PAGES) for name in limits) else "requests"
        yield SERVER_FORBIDDEN("found huge pages, expected cpu or memory beside them", (key,))
    claims: Iterator[tuple[Path, str]] = (
        (("claims", index), f"{value_at(item, 'name')}/{value_at(item, 'request') or ''}")
        for index, item in enumerate(list_at(value, "claims"))
    )
    for path, _, _ in repeated(claims):
        yield SERVER_DUPLICATE("found the same claim again, expected it once", path)


def check_amounts(amounts: JsonObject) -> Iterator[Problem]:
    """Report names that are no resource of containers, and amounts that nobody can have."""
    for name, found in amounts.items():
        if expected := wrong_name_of_container(name):
            yield SERVER_INVALID(
                f"found the resource {cut(name)}, expected {expected}",
                (name,),
                near(name, list(OF_CONTAINERS)),
            )
        size = quantity(found)
        if size is None:
            continue
        if size < 0:
            yield SERVER_INVALID(f"found {shown(found)}, expected no amount below zero", (name,))
        elif name.startswith(HUGE_PAGES):
            page = quantity(name.removeprefix(HUGE_PAGES))
            if not page or size % page:
                expected = "a whole number of pages of the size in the name"
                yield SERVER_INVALID(f"found {shown(found)}, expected {expected}", (name,))
        elif not _may_overcommit(name) and size % 1:
            yield SERVER_INVALID(f"found {shown(found)}, expected a whole number", (name,))


def _check_requests(limits: JsonObject, requests: JsonObject) -> Iterator[Problem]:
    """Report requests that are above the limits, or differ from limits that must be the same."""
    for name, found in requests.items():
        size, limit, top = quantity(found), quantity(limits.get(name)), limits.get(name)
        if size is None or (name in limits and limit is None):
            continue
        if limit is None:
            if not _may_overcommit(name):
                yield SERVER_REQUIRED(
                    f"found a request of {cut(name)} without a limit, expected both alike", ("requests", name)
                )
        elif size != limit and not _may_overcommit(name):
            yield SERVER_INVALID(
                f"found {cut(str(found))}, expected the limit, which is {cut(str(top))}", ("requests", name)
            )
        elif size > limit and any(unlikely_amounts({name: top})):
            yield SERVER_INVALID(
                f"found {cut(str(top))}, expected at least the request, which is {cut(str(found))}",
                ("limits", name),
            )
        elif size > limit:
            yield SERVER_INVALID(
                f"found {cut(str(found))}, expected at most the limit, which is {cut(str(top))}",
                ("requests", name),
            )


# Quotas and ranges of limits

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
    yield from _check_names(spec, "hard", _wrong_name_of_quota)
    for name, value in hard.items():
        size = amount(value)
        whole = name in COUNTED or (not _is_native(name) and _is_extended(name))
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
        wrong = [name for name in hard if _is_of_quotas(name) and name not in fitting]
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
        yield SERVER_FORBIDDEN(f"found values, expected none, for the operator is {operator}", ("values",))


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
            yield SERVER_FORBIDDEN(f"found {field}, which limits of pods must not have", (field,))
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
    "core/v1.ResourceRequirements": _check_requirements,
    "core/v1.ScopedResourceSelectorRequirement": _check_scope,
}
