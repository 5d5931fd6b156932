"""Compute resources such as cpu: their names, and the requests and limits of containers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from kitgen.check.server.constraints import QUALIFIED_AT_LENGTH
from kitgen.check.server.list_constraints import find_duplicates
from kitgen.check.server.rule_tables import Rules, prefix_paths
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED, SERVER_WARNING
from kitgen.findings import Path, Problem, make_problem, suggest_word
from kitgen.kube.names import is_qualified_name
from kitgen.kube.quantities import parse_amount
from kitgen.text.values import list_at, map_at, value_at
from kitgen.text.wording import describe_value, quote_text
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


def to_quantity(found: Json) -> Fraction | None:
    """Return an amount, or None for what is none: readers of amounts report that."""
    return parse_amount(found.strip() if isinstance(found, str) else found)


def not_negative(value: JsonObject, field: str) -> Iterator[Problem]:
    """Report an amount below zero."""
    if (found := to_quantity(value.get(field))) is not None and found < 0:
        yield SERVER_INVALID(f"found {describe_value(value[field])}, expected no amount below zero", (field,))


def check_quantity_units(found: JsonObject) -> Iterator[Problem]:
    """Report amounts that are parts of a byte, or have the unit of another resource."""
    for name, value in found.items():
        if not (size := to_quantity(value)) or size < 0:
            continue
        if name in BYTES and size % 1:
            yield SERVER_WARNING(
                f"found {describe_value(value)}, which is a part of a byte, expected a whole number of bytes",
                (name,),
                "m stands for a thousandth; a mebibyte is Mi",
            )
        elif name in BYTES and size < FEWEST_BYTES:
            yield make_problem(
                "amount-unlikely",
                f"found {int(size):,} bytes, expected 1M or more",
                (name,),
                "add a unit, such as Mi",
            )
        elif name == "cpu" and (size > MOST_PROCESSORS or str(value).endswith("i")):
            yield make_problem(
                "amount-unlikely",
                f"found {int(size):,} processors, expected a number such as 2 or 500m",
                (name,),
            )


# Names of resources


def validate_resource_name(name: str) -> str:
    """Return what an API server expects in place of a resource's name; empty if it is one."""
    if not is_qualified_name(name):
        return QUALIFIED_AT_LENGTH
    if "/" not in name and name not in STANDARD and not name.startswith(HUGE):
        return "one that Kubernetes has, or one with a domain and / before it"
    return ""


def validate_container_resource(name: str) -> str:
    """Return what an API server expects in place of a name of what a container uses."""
    if wrong := validate_resource_name(name):
        return wrong
    if "/" not in name and name not in OF_CONTAINERS and not name.startswith(HUGE_PAGES):
        return "cpu, memory, ephemeral-storage, hugepages-SIZE or one with a domain"
    if not is_native_resource(name) and not is_extended_resource(name):
        return "one whose domain does not start with requests."
    return ""


def validate_quota_resource(name: str) -> str:
    """Return what an API server expects in place of a name of what a quota bounds."""
    unknown = "/" not in name and not is_quota_resource(name)
    return validate_resource_name(name) or ("one that a quota can bound" if unknown else "")


def is_quota_resource(name: str) -> bool:
    """Return whether a quota knows a resource by itself."""
    return name in OF_QUOTAS or name.startswith(HUGE)


def is_native_resource(name: str) -> bool:
    """Return whether a resource is Kubernetes' own."""
    return "/" not in name or "kubernetes.io/" in name


def is_extended_resource(name: str) -> bool:
    """Return whether a name is that of an extended resource."""
    return not name.startswith("requests.") and is_qualified_name(f"requests.{name}")


def _can_overcommit(name: str) -> bool:
    return is_native_resource(name) and not name.startswith(HUGE_PAGES)


# What containers ask for


def _check_requirements(value: JsonObject) -> Iterator[Problem]:
    limits, requests = map_at(value, "limits"), map_at(value, "requests")
    for key, amounts in (("limits", limits), ("requests", requests)):
        yield from prefix_paths((*check_resource_list(amounts), *check_quantity_units(amounts)), key)
    yield from _check_requests(limits, requests)
    if any(name.startswith(HUGE_PAGES) for name in (*limits, *requests)) and not {"cpu", "memory"} & {
        *limits,
        *requests,
    }:
        key = "limits" if any(name.startswith(HUGE_PAGES) for name in limits) else "requests"
        yield make_problem("server-forbidden", "found huge pages, expected cpu or memory beside them", (key,))
    claims: Iterator[tuple[Path, str]] = (
        (("claims", index), f"{value_at(item, 'name')}/{value_at(item, 'request') or ''}")
        for index, item in enumerate(list_at(value, "claims"))
    )
    for path, _, _ in find_duplicates(claims):
        yield make_problem("server-duplicate", "found the same claim again, expected it once", path)


def check_resource_list(amounts: JsonObject) -> Iterator[Problem]:
    """Report names that are no resource of containers, and impossible amounts."""
    for name, found in amounts.items():
        if expected := validate_container_resource(name):
            yield SERVER_INVALID(
                f"found the resource {quote_text(name)}, expected {expected}",
                (name,),
                suggest_word(name, list(OF_CONTAINERS)),
            )
        if (size := to_quantity(found)) is None:
            continue
        if size < 0:
            yield SERVER_INVALID(f"found {describe_value(found)}, expected no amount below zero", (name,))
        elif name.startswith(HUGE_PAGES):
            if not (page := to_quantity(name.removeprefix(HUGE_PAGES))) or size % page:
                expected = "a whole number of pages of the size in the name"
                yield SERVER_INVALID(f"found {describe_value(found)}, expected {expected}", (name,))
        elif not _can_overcommit(name) and size % 1:
            yield SERVER_INVALID(f"found {describe_value(found)}, expected a whole number", (name,))


def _check_requests(limits: JsonObject, requests: JsonObject) -> Iterator[Problem]:
    """Report requests that are above the limits, or differ from limits that must be the same."""
    for name, found in requests.items():
        size, limit, top = to_quantity(found), to_quantity(limits.get(name)), limits.get(name)
        if size is None or (name in limits and limit is None):
            continue
        if limit is None:
            if not _can_overcommit(name):
                yield SERVER_REQUIRED(
                    f"found a request of {quote_text(name)} without a limit, expected both alike",
                    ("requests", name),
                )
        elif size != limit and not _can_overcommit(name):
            yield SERVER_INVALID(
                f"found {quote_text(str(found))}, expected the limit, which is {quote_text(str(top))}",
                ("requests", name),
            )
        elif size > limit and any(check_quantity_units({name: top})):
            yield SERVER_INVALID(
                (
                    f"found {quote_text(str(top))}, expected at least the request, which is "
                    f"{quote_text(str(found))}"
                ),
                ("limits", name),
            )
        elif size > limit:
            yield SERVER_INVALID(
                (
                    f"found {quote_text(str(found))}, expected at most the limit, which is "
                    f"{quote_text(str(top))}"
                ),
                ("requests", name),
            )


RULES: Rules = {"core/v1.ResourceRequirements": _check_requirements}
