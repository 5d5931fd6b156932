"""What containers ask for and may use: names of resources, amounts, requests within limits."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from kitgen.check.server import resources, values, warned
from kitgen.check.server.rules import SERVER_DUPLICATE, SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem, near
from kitgen.schema.wording import cut, shown
from kitgen.yamlio import Json, JsonObject

STANDARD = ("cpu", "memory", "ephemeral-storage")
HUGE = "hugepages-"


def _requirements(value: JsonObject) -> Iterator[Problem]:
    limits, requests = (values.mapping(value.get(key)) for key in ("limits", "requests"))
    for key, amounts in (("limits", limits), ("requests", requests)):
        yield from values.below_path(amounts_of_containers(amounts), key)
        yield from values.below_path(warned.amounts(amounts), key)
    yield from _requests_in_limits(limits, requests)
    if any(name.startswith(HUGE) for name in (*limits, *requests)) and not any(
        name in amounts for name in ("cpu", "memory") for amounts in (limits, requests)
    ):
        key = "limits" if any(name.startswith(HUGE) for name in limits) else "requests"
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
        elif name.startswith(HUGE):
            page = values.quantity(name.removeprefix(HUGE))
            if not page or size % page:
                expected = "a whole number of pages of the size in the name"
                yield SERVER_INVALID(f"found {shown(found)}, expected {expected}", (name,))
        elif not _may_overcommit(name) and size % 1:
            yield SERVER_INVALID(f"found {shown(found)}, expected a whole number", (name,))


def _name(name: str) -> Iterator[Problem]:
    if expected := resources.wrong_name_of_container(name):
        message = f"found the resource {cut(name)}, expected {expected}"
        yield SERVER_INVALID(message, (name,), near(name, list(STANDARD)))


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
    elif size > limit and any(warned.amounts({name: top})):
        message = f"found {cut(str(top))}, expected at least the request, which is {cut(str(found))}"
        yield SERVER_INVALID(message, ("limits", name))
    elif size > limit:
        message = f"found {cut(str(found))}, expected at most the limit, which is {cut(str(top))}"
        yield SERVER_INVALID(message, ("requests", name))


def _may_overcommit(name: str) -> bool:
    return resources.is_native(name) and not name.startswith(HUGE)


VALIDATORS: Validators = {"core/v1.ResourceRequirements": _requirements}
