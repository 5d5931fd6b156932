"""Names of resources, such as cpu, and how much of them.

What containers ask for and may use: names of resources, amounts, requests within limits.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from kitgen.check.server import formats, values, warnings
from kitgen.check.server.rules import SERVER_DUPLICATE, SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem, near
from kitgen.kube.names import is_qualified
from kitgen.kube.quantities import amount
from kitgen.text.wording import cut, shown
from kitgen.text.yaml import Json, JsonObject

COMPUTE = ("cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory")
OF_CONTAINERS = frozenset({"cpu", "memory", "ephemeral-storage"})
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
HUGE = ("hugepages-", "requests.hugepages-")


def wrong_name(name: str) -> str:
    """Return what an API server expects in place of a resource's name; empty if it is one."""
    if not is_qualified(name):
        return formats.QUALIFIED
    if "/" not in name and name not in STANDARD and not name.startswith(HUGE):
        return "one that Kubernetes has, or one with a domain and / before it"
    return ""


def wrong_name_of_container(name: str) -> str:
    """Return what an API server expects in place of a name of what a container uses."""
    if wrong := wrong_name(name):
        return wrong
    if "/" not in name and name not in OF_CONTAINERS and not name.startswith("hugepages-"):
        return "cpu, memory, ephemeral-storage, hugepages-SIZE or one with a domain"
    if not is_native(name) and (name.startswith("requests.") or not is_qualified(f"requests.{name}")):
        return "one whose domain does not start with requests."
    return ""


def wrong_name_of_quota(name: str) -> str:
    """Return what an API server expects in place of a name of what a quota bounds."""
    if wrong := wrong_name(name):
        return wrong
    if "/" not in name and not is_of_quotas(name):
        return "one that a quota can bound"
    return ""


def is_of_quotas(name: str) -> bool:
    """Tell whether a quota knows a resource by itself."""
    return name in OF_QUOTAS or name.startswith(HUGE)


def is_native(name: str) -> bool:
    """Tell whether a resource is Kubernetes' own."""
    return "/" not in name or "kubernetes.io/" in name


def is_whole(name: str) -> bool:
    """Tell whether there is no half of a resource."""
    return name in COUNTED or (
        not is_native(name) and not name.startswith("requests.") and is_qualified(f"requests.{name}")
    )


def wrong_amount(name: str, value: Json) -> Problem | None:
    """Tell what is wrong with how much of a resource there is; whether it is an amount is told elsewhere."""
    found = amount(value)
    if found is None:
        return None
    if found < 0:
        return SERVER_INVALID(f"found {shown(value)}, expected no less than 0")
    if is_whole(name) and found != int(found):
        return SERVER_INVALID(f"found {shown(value)}, expected a whole number of {cut(name)}")
    return None


def amounts(value: JsonObject, field: str) -> dict[str, Fraction]:
    """Return what is in a field by its resources; what is no amount is left out."""
    found = {key: amount(each) for key, each in formats.mapping(value.get(field)).items()}
    return {key: each for key, each in found.items() if each is not None}


def negative(value: JsonObject, field: str) -> Iterator[Problem]:
    """Yield what is less than nothing."""
    for key, found in amounts(value, field).items():
        if found < 0:
            yield SERVER_INVALID(f"found {shown(value[field][key])}, expected no less than 0", (field, key))


STANDARD_RESOURCES = ("cpu", "memory", "ephemeral-storage")
HUGE_PAGES = "hugepages-"


def _requirements(value: JsonObject) -> Iterator[Problem]:
    limits, requests = (values.mapping(value.get(key)) for key in ("limits", "requests"))
    for key, amounts in (("limits", limits), ("requests", requests)):
        yield from values.below_path(amounts_of_containers(amounts), key)
        yield from values.below_path(warnings.amounts(amounts), key)
    yield from _requests_in_limits(limits, requests)
    if any(name.startswith(HUGE_PAGES) for name in (*limits, *requests)) and not any(
        name in amounts for name in ("cpu", "memory") for amounts in (limits, requests)
    ):
        key = "limits" if any(name.startswith(HUGE_PAGES) for name in limits) else "requests"
        yield SERVER_FORBIDDEN("found huge pages, expected cpu or memory beside them", (key,))
    seen: set[str] = set()
    for index, item in enumerate(claims if isinstance(claims := value.get("claims"), list) else ()):
        name = f"{values.mapping(item).get('name')}/{values.mapping(item).get('request', '')}"
        if name in seen:
            yield SERVER_DUPLICATE("found the same claim again, expected it once", ("claims", index))
        seen.add(name)


def amounts_of_containers(amounts: JsonObject) -> Iterator[Problem]:
    """Yield names that are no resource of containers, and amounts that nobody can have."""
    for name, found in amounts.items():
        yield from _name(name)
        size = values.quantity(found)
        if size is None:
            continue
        if size < 0:
            yield SERVER_INVALID(f"found {shown(found)}, expected no amount below zero", (name,))
        elif name.startswith(HUGE_PAGES):
            page = values.quantity(name.removeprefix(HUGE_PAGES))
            if not page or size % page:
                expected = "a whole number of pages of the size in the name"
                yield SERVER_INVALID(f"found {shown(found)}, expected {expected}", (name,))
        elif not _may_overcommit(name) and size % 1:
            yield SERVER_INVALID(f"found {shown(found)}, expected a whole number", (name,))


def _name(name: str) -> Iterator[Problem]:
    if expected := wrong_name_of_container(name):
        message = f"found the resource {cut(name)}, expected {expected}"
        yield SERVER_INVALID(message, (name,), near(name, list(STANDARD_RESOURCES)))


def _requests_in_limits(limits: JsonObject, requests: JsonObject) -> Iterator[Problem]:
    for name, found in requests.items():
        size, limit = values.quantity(found), values.quantity(limits.get(name))
        if size is None or (name in limits and limit is None):
            continue
        if limit is None:
            if not _may_overcommit(name):
                message = f"found a request of {cut(name)} without a limit, expected both alike"
                yield SERVER_REQUIRED(message, ("requests", name))
        else:
            yield from _compared(name, found, size, limits[name], limit)


def _compared(name: str, found: Json, size: Fraction, top: Json, limit: Fraction) -> Iterator[Problem]:
    if size != limit and not _may_overcommit(name):
        message = f"found {cut(str(found))}, expected the limit, which is {cut(str(top))}"
        yield SERVER_INVALID(message, ("requests", name))
    elif size > limit and any(warnings.amounts({name: top})):
        message = f"found {cut(str(top))}, expected at least the request, which is {cut(str(found))}"
        yield SERVER_INVALID(message, ("limits", name))
    elif size > limit:
        message = f"found {cut(str(found))}, expected at most the limit, which is {cut(str(top))}"
        yield SERVER_INVALID(message, ("requests", name))


def _may_overcommit(name: str) -> bool:
    return is_native(name) and not name.startswith(HUGE_PAGES)


VALIDATORS: Validators = {"core/v1.ResourceRequirements": _requirements}
