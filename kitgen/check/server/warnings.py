"""What an API server takes and warns of, or should: amounts in the wrong unit, rules about nothing."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import values
from kitgen.check.server.rules import AMOUNT_UNLIKELY, NAMED_TWICE, SERVER_WARNING
from kitgen.findings import Path, Problem
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import cut, shown
from kitgen.text.yaml import JsonObject

BYTES = ("memory", "ephemeral-storage", "storage")
FEWEST_BYTES, MOST_PROCESSORS = 10**6, 1000
AFFINITIES = ("podAffinity", "podAntiAffinity")
REQUIRED, PREFERRED = (f"{how}DuringSchedulingIgnoredDuringExecution" for how in ("required", "preferred"))


def amounts(found: JsonObject) -> Iterator[Problem]:
    """Yield amounts that are parts of a byte, or have the unit of another resource."""
    for name, value in found.items():
        size = values.quantity(value)
        if not size or size < 0:
            continue
        if name in BYTES and size % 1:
            message = f"found {shown(value)}, which is a part of a byte, expected a whole number of bytes"
            hint = "m stands for a thousandth; a mebibyte is Mi"
            yield SERVER_WARNING(message, (name,), hint)
        elif name in BYTES and size < FEWEST_BYTES:
            message = f"found {int(size):,} bytes, expected 1M or more"
            yield AMOUNT_UNLIKELY(message, (name,), "add a unit, such as Mi")
        elif name == "cpu" and (size > MOST_PROCESSORS or str(value).endswith("i")):
            message = f"found {int(size):,} processors, expected a number such as 2 or 500m"
            yield AMOUNT_UNLIKELY(message, (name,))


def of_pod(pod: JsonObject) -> Iterator[Problem]:
    """Yield what is in a list of a pod twice, and what says nothing."""
    grace = values.number(pod.get("terminationGracePeriodSeconds"))
    if grace is not None and grace < 0:
        message = f"found {grace}, which is taken for 1, expected 0 or more"
        yield SERVER_WARNING(message, ("terminationGracePeriodSeconds",))
    yield from values.told_twice(pod, "hostAliases", "ip")
    yield from values.told_twice(pod, "imagePullSecrets", "name")
    yield from values.told_twice(
        pod, "tolerations", "key", "operator", "value", "effect", "tolerationSeconds"
    )
    for index, item in entries_at(pod, "imagePullSecrets"):
        if not item.get("name"):
            path = ("imagePullSecrets", index, *(("name",) if "name" in item else ()))
            yield SERVER_WARNING("found no name, expected that of a Secret", path)
    yield from _ports(pod)
    yield from _unselecting(pod)


def _ports(pod: JsonObject) -> Iterator[Problem]:
    """Yield ports and their names that two containers have: all of a pod share its address."""
    names: dict[str, int] = {}
    taken: dict[tuple[int | str | None, ...], int] = {}
    running = [("containers", index, item) for index, item in entries_at(pod, "containers")]
    running += [
        ("initContainers", index, item)
        for index, item in entries_at(pod, "initContainers")
        if item.get("restartPolicy") == "Always"
    ]
    for owner, (key, index, item) in enumerate(running):
        for place, port in entries_at(item, "ports"):
            path = (key, index, "ports", place)
            name, number = values.text(port.get("name")), values.number(port.get("containerPort"))
            where = [str(port.get(key) or "") for key in ("protocol", "hostPort", "hostIP")]
            what = (number, where[0] or "TCP", *where[1:])
            if number and not port.get("hostPort") and taken.setdefault(what, owner) != owner:
                message = f"found {number} again, which another container of the pod has"
                yield NAMED_TWICE(message, (*path, "containerPort"))
            if name and names.setdefault(name, owner) != owner:
                message = f"found {cut(name)} again, which a port of another container is called"
                yield NAMED_TWICE(message, (*path, "name"))
            if port.get("hostIP") and not port.get("hostPort"):
                yield SERVER_WARNING("found an address without hostPort, expected both", (*path, "hostIP"))


def _unselecting(pod: JsonObject) -> Iterator[Problem]:
    """Yield rules of where pods go that are about no pods, as they have no selector."""
    places: list[Path] = [("topologySpreadConstraints",)]
    places += [("affinity", kind, how) for kind in AFFINITIES for how in (REQUIRED, PREFERRED)]
    for path in places:
        for index, each in entries_at(pod, *path):
            at: Path = (*path, index, *(("podAffinityTerm",) if path[-1] == PREFERRED else ()))
            term = value_at(each, *at[len(path) + 1 :])
            if isinstance(term, dict) and term.get("labelSelector") is None:
                message = "found no labelSelector, which matches no pod, expected one"
                where = ("labelSelector",) if "labelSelector" in term else ()
                yield SERVER_WARNING(message, (*at, *where))
