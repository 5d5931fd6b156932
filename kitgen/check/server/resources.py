"""Names of resources, such as cpu, and how much of them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from kitgen.check.server import forms
from kitgen.check.server.rules import SERVER_INVALID
from kitgen.findings import Problem
from kitgen.objects import is_qualified
from kitgen.objects.quantities import amount
from kitgen.schema.wording import cut, shown
from kitgen.yamlio import Json, JsonObject

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
        return forms.QUALIFIED
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
    found = {key: amount(each) for key, each in forms.mapping(value.get(field)).items()}
    return {key: each for key, each in found.items() if each is not None}


def negative(value: JsonObject, field: str) -> Iterator[Problem]:
    """Yield what is less than nothing."""
    for key, found in amounts(value, field).items():
        if found < 0:
            yield SERVER_INVALID(f"found {shown(value[field][key])}, expected no less than 0", (field, key))
