"""Pods, Jobs and StatefulSets: most of what they are is set once."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compare.upgrade.values import Changed, changes
from kitgen.text.values import value_at
from kitgen.text.yaml import Json, JsonObject

HISTORY = "revisionHistoryLimit"
FREE = frozenset(
    {
        *("minReadySeconds", "ordinals", "persistentVolumeClaimRetentionPolicy", "replicas", "template"),
        "updateStrategy",
    }
)
"""What of a StatefulSet may change."""
HISTORY_FREE = 33
"""The minor from which on its history may have another length."""
FILLED: JsonObject = {"podManagementPolicy": "OrderedReady", HISTORY: 10, "serviceName": ""}
JOB: dict[str, Json] = {
    "backoffLimitPerIndex": None,
    "completionMode": "NonIndexed",
    "managedBy": None,
    "podFailurePolicy": None,
    "selector": None,
    "successPolicy": None,
}
"""What of a Job never changes, beside its template, and what the server fills in."""
STEERED = frozenset({"affinity", "nodeSelector", "schedulingGates", "tolerations"})
"""What may change in the template of a Job that waits to be started."""
CONTAINERS = frozenset({"containers", "initContainers"})


def stateful_set(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[Changed]:
    """Yield what of a StatefulSet is neither the pods, nor how many, nor how they are replaced."""
    was, now = _spec(old), _spec(new)
    free = FREE | {HISTORY} if minor >= HISTORY_FREE else FREE
    for key in dict.fromkeys([*now, *was]):
        if key not in free:
            before, after = (_filled(each, key) for each in (was, now))
            if found := next(changes(before, after, ("spec", key), live=live), None):
                yield found


def _filled(spec: JsonObject, key: str) -> Json:
    value: Json = spec.get(key)
    return FILLED.get(key) if value is None or value == "" else value


def job(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[Changed]:
    """Yield what of a Job is another one than when it started."""
    was, now = _spec(old), _spec(new)
    for key, filled in JOB.items():
        before, after = (filled if each.get(key) is None else each[key] for each in (was, now))
        if found := next(changes(before, after, ("spec", key), live=live), None):
            yield found
    counts = [_completions(each) for each in (was, now)]
    tandem = now.get("completionMode") == "Indexed" and counts[1] == now.get("parallelism", 1)
    if counts[0] != counts[1] and not tandem and not (live and counts[1] is None):
        yield Changed(("spec", "completions"), *counts)
    waits = was.get("suspend") is True
    for found in changes(was.get("template"), now.get("template"), ("spec", "template"), live=live):
        if not (waits and _steers(found)):
            yield found
            break


def _completions(spec: JsonObject) -> Json:
    """Return how often a Job must succeed: once, if it says nothing."""
    once = spec.get("completions") is None and spec.get("parallelism") is None
    return 1 if once else spec.get("completions")


def _steers(found: Changed) -> bool:
    inside = found.path[2:]
    return inside[:1] == ("metadata",) or (
        inside[:1] == ("spec",) and inside[1:2] != () and inside[1] in STEERED
    )


def pod(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[Changed]:
    """Yield what of a Pod is neither an image, nor a deadline that comes sooner, nor one more toleration."""
    for found in changes(_spec(old), _spec(new), ("spec",), live=live):
        if not _of_running(found, old, new):
            yield found
            break


def _of_running(found: Changed, old: JsonObject, new: JsonObject) -> bool:
    """Tell whether a change of a pod is one that it takes while it runs."""
    path, was, now = found.path[1:], found.was, found.now
    if path[:1] == ("activeDeadlineSeconds",):
        return isinstance(now, int) and (was is None or (isinstance(was, int) and now <= was))
    if path[:1] == ("tolerations",):
        before, after = (value_at(body, "spec", "tolerations") or [] for body in (old, new))
        return isinstance(before, list) and isinstance(after, list) and all(each in after for each in before)
    if path[:1] == ("schedulingGates",):
        before, after = (value_at(body, "spec", "schedulingGates") or [] for body in (old, new))
        return isinstance(before, list) and isinstance(after, list) and all(each in before for each in after)
    if path[:1] in (("nodeSelector",), ("affinity",)):
        return bool(value_at(old, "spec", "schedulingGates"))
    return len(path) == 3 and path[0] in CONTAINERS and path[2] == "image" and bool(now)


def _spec(body: JsonObject) -> JsonObject:
    spec: Json = body.get("spec")
    return spec if isinstance(spec, dict) else {}
