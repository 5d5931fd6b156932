"""Budgets of disruption, priorities, runtimes and leases."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import formats, resources
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.kube.names import NameForm
from kitgen.text.values import value_at
from kitgen.text.wording import choice, shown
from kitgen.text.yaml import JsonObject

HIGHEST = 1_000_000_000
SYSTEM = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
PREEMPTION = ("PreemptLowerPriority", "Never")
EVICTION = ("IfHealthyBudget", "AlwaysAllow")


def _budget(spec: JsonObject) -> Iterator[Problem]:
    if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
        message = "found minAvailable and maxUnavailable, expected one of them"
        yield SERVER_FORBIDDEN(message, ("maxUnavailable",))
    for field in ("minAvailable", "maxUnavailable"):
        yield from formats.percentage(spec, field)
    yield from formats.worded(spec, "unhealthyPodEvictionPolicy", EVICTION, strict=True)


def _priority(body: JsonObject) -> Iterator[Problem]:
    name, value = value_at(body, "metadata", "name"), formats.number(body.get("value"))
    if isinstance(name, str) and name.startswith("system-"):
        if name not in SYSTEM:
            message = f"found the prefix system-, expected it only of {choice(list(SYSTEM), last='and')}"
            yield SERVER_FORBIDDEN(message, ("metadata", "name"))
        elif (value or 0) != SYSTEM[name]:
            yield SERVER_INVALID(f"found {value or 0}, expected {SYSTEM[name]}", formats.at(body, "value"))
    elif value is not None and HIGHEST < value < 2**31:
        yield SERVER_FORBIDDEN(f"found {value}, expected at most {HIGHEST}", ("value",))
    yield from formats.worded(body, "preemptionPolicy", PREEMPTION, strict=True)


def _runtime(body: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(body, "handler")
    yield from formats.named(body, "handler", NameForm.LABEL)


def _overhead(overhead: JsonObject) -> Iterator[Problem]:
    for name, value in formats.mapping(overhead.get("podFixed")).items():
        if wrong := resources.wrong_name_of_container(name):
            yield SERVER_INVALID(f"found {shown(name)}, expected {wrong}", ("podFixed", name))
        if problem := resources.wrong_amount(name, value):
            yield problem.below("podFixed", name)


def _nodes(scheduling: JsonObject) -> Iterator[Problem]:
    yield from formats.pairs(scheduling, "nodeSelector")


def _lease(spec: JsonObject) -> Iterator[Problem]:
    yield from formats.within(spec, "leaseDurationSeconds", 1)
    yield from formats.within(spec, "leaseTransitions", 0)
    if spec.get("preferredHolder") and not spec.get("strategy"):
        yield SERVER_FORBIDDEN("found preferredHolder without strategy", ("preferredHolder",))


def _revision(body: JsonObject) -> Iterator[Problem]:
    yield from formats.within(body, "revision", 0)
    if body.get("data") is None:
        yield formats.lacking(body, "data", "the state that it keeps")


VALIDATORS: Validators = {
    "apps/v1.ControllerRevision": _revision,
    "coordination/v1.LeaseSpec": _lease,
    "node/v1.Overhead": _overhead,
    "node/v1.RuntimeClass": _runtime,
    "node/v1.Scheduling": _nodes,
    "policy/v1.PodDisruptionBudgetSpec": _budget,
    "scheduling/v1.PriorityClass": _priority,
}
