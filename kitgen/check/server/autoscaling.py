"""Autoscalers: what they scale, how far, and by what."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import formats
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.kube.names import NameForm
from kitgen.kube.quantities import amount
from kitgen.text.wording import shown
from kitgen.text.yaml import JsonObject

SOURCES = {
    "ContainerResource": "containerResource",
    "External": "external",
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
}
TARGETS = ("Utilization", "Value", "AverageValue")
LONGEST_WINDOW, LONGEST_PERIOD = 3600, 1800


def _spec(spec: JsonObject) -> Iterator[Problem]:
    yield from formats.within(spec, "minReplicas", 1)
    yield from formats.within(spec, "maxReplicas", 1)
    yield from formats.within(spec, "targetCPUUtilizationPercentage", 1)
    low, high = formats.number(spec.get("minReplicas")), formats.number(spec.get("maxReplicas"))
    if low is not None and high is not None and 1 <= high < low:
        message = f"found {high}, expected {low} or more, which minReplicas is"
        yield SERVER_INVALID(message, ("maxReplicas",))


def _reference(found: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(found, "kind", "name")
    yield from formats.named(found, "kind", NameForm.SEGMENT)
    yield from formats.named(found, "name", NameForm.SEGMENT)


def _metric(metric: JsonObject) -> Iterator[Problem]:
    yield from formats.worded(metric, "type", tuple(SOURCES), strict=True)
    wanted = SOURCES.get(formats.text(metric, "type"))
    if wanted is None:
        return
    if metric.get(wanted) is None:
        yield formats.lacking(metric, wanted, f"it, for the type is {metric['type']}")
    for field in SOURCES.values():
        if field != wanted and metric.get(field) is not None:
            yield SERVER_FORBIDDEN(f"found {field}, expected only {wanted}, as the type says", (field,))


def _identifier(found: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(found, "name")
    yield from formats.named(found, "name", NameForm.SEGMENT)


def _target(target: JsonObject) -> Iterator[Problem]:
    yield from formats.worded(target, "type", TARGETS, strict=True)
    yield from formats.within(target, "averageUtilization", 1)
    for field in ("value", "averageValue"):
        found = amount(target.get(field))
        if found is not None and found <= 0:
            yield SERVER_INVALID(f"found {shown(target[field])}, expected more than 0", (field,))


def _aim(source: JsonObject, *fields: str) -> Iterator[Problem]:
    """Yield that a target has none of some fields, or not one of them alone."""
    target = formats.mapping(source.get("target"))
    there = [field for field in fields if target.get(field) is not None]
    if not there and "target" in source:
        yield SERVER_REQUIRED(f"found no {' and no '.join(fields)}, expected one", ("target",))


def _alone(source: JsonObject, first: str, second: str) -> Iterator[Problem]:
    target = formats.mapping(source.get("target"))
    if target.get(first) is not None and target.get(second) is not None:
        yield SERVER_FORBIDDEN(f"found {first} and {second}, expected one of them", ("target", second))


def _resource(source: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(source, "name", "container")
    yield from _aim(source, "averageUtilization", "averageValue")
    yield from _alone(source, "averageUtilization", "averageValue")


def _object(source: JsonObject) -> Iterator[Problem]:
    yield from _aim(source, "value", "averageValue")


def _external(source: JsonObject) -> Iterator[Problem]:
    yield from _aim(source, "value", "averageValue")
    yield from _alone(source, "value", "averageValue")


def _pods(source: JsonObject) -> Iterator[Problem]:
    yield from _aim(source, "averageValue")


def _scaling(rules: JsonObject) -> Iterator[Problem]:
    yield from formats.within(rules, "stabilizationWindowSeconds", 0, LONGEST_WINDOW)
    yield from formats.worded(rules, "selectPolicy", ("Max", "Min", "Disabled"), strict=True)
    if rules.get("policies") == []:
        yield formats.lacking(rules, "policies", "at least one, or no field")


def _policy(policy: JsonObject) -> Iterator[Problem]:
    yield from formats.worded(policy, "type", ("Pods", "Percent"), strict=True)
    yield from formats.within(policy, "value", 1)
    yield from formats.within(policy, "periodSeconds", 1, LONGEST_PERIOD)


VALIDATORS: Validators = {
    "autoscaling/v1.CrossVersionObjectReference": _reference,
    "autoscaling/v1.HorizontalPodAutoscalerSpec": _spec,
    "autoscaling/v2.ContainerResourceMetricSource": _resource,
    "autoscaling/v2.CrossVersionObjectReference": _reference,
    "autoscaling/v2.ExternalMetricSource": _external,
    "autoscaling/v2.HPAScalingPolicy": _policy,
    "autoscaling/v2.HPAScalingRules": _scaling,
    "autoscaling/v2.HorizontalPodAutoscalerSpec": _spec,
    "autoscaling/v2.MetricIdentifier": _identifier,
    "autoscaling/v2.MetricSpec": _metric,
    "autoscaling/v2.MetricTarget": _target,
    "autoscaling/v2.ObjectMetricSource": _object,
    "autoscaling/v2.PodsMetricSource": _pods,
    "autoscaling/v2.ResourceMetricSource": _resource,
}
