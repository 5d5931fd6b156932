"""Jobs: pods that end, how often they may fail, and when they are done."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import formats, selectors, values
from kitgen.check.server.rules import (
    SERVER_DUPLICATE,
    SERVER_FORBIDDEN,
    SERVER_INVALID,
    SERVER_LIMIT,
    SERVER_REQUIRED,
)
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.kube.names import NameForm
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import JsonObject

COUNTS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
ENDS = ("OnFailure", "Never")
ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
MANY, FEWER = 100_000, 10_000
"""Pods that an indexed Job may have at once; with as many completions, those that may run or fail."""
RULES, CODES = 20, 255
LONGEST = 63
OWN_LABELS = ("batch.kubernetes.io/controller-uid", "controller-uid")
NAME_LABELS = ("batch.kubernetes.io/job-name", "job-name")


def _spec(spec: JsonObject) -> Iterator[Problem]:
    yield from values.at_least(spec, 0, *COUNTS)
    yield from values.one_of(spec, "completionMode", ("NonIndexed", "Indexed"), empty=False)
    yield from _restart(spec)
    if spec.get("completionMode") == "Indexed":
        yield from _indexed(spec)
    else:
        for field in ("backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"):
            if spec.get(field) is not None:
                message = f"found {field}, expected completionMode: Indexed beside it"
                yield SERVER_FORBIDDEN(message, (field,))
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        message = 'found no field "backoffLimitPerIndex", expected one beside maxFailedIndexes'
        yield SERVER_REQUIRED(message, ("maxFailedIndexes",))
    yield from _policies(spec)
    yield from values.at_most(spec, 63, "managedBy")
    expected = "a domain, / and a path"
    by = spec.get("managedBy")
    if isinstance(by, str) and not formats.is_domain_path(by):
        yield SERVER_INVALID(f"found {shown(by)}, expected {expected}", ("managedBy",))


def _restart(spec: JsonObject) -> Iterator[Problem]:
    pod = values.mapping(value_at(spec, "template", "spec"))
    found = pod.get("restartPolicy")
    where = ("template", "spec", "restartPolicy")
    if found in (None, "", "Always"):
        told = found or "no restartPolicy, which means Always"
        path = where if "restartPolicy" in pod else where[:-1] if pod else ()
        yield SERVER_REQUIRED(f"found {told}, expected {choice(ENDS)}: a Job's pods end", path)
    elif found == "OnFailure" and spec.get("podFailurePolicy") is not None:
        yield SERVER_INVALID("found OnFailure, expected Never beside podFailurePolicy", where)


def _indexed(spec: JsonObject) -> Iterator[Problem]:
    most, failed = values.number(spec.get("completions")), values.number(spec.get("maxFailedIndexes"))
    if spec.get("completions") is None:
        yield SERVER_REQUIRED(
            "found no completions, expected them beside completionMode: Indexed", ("completionMode",)
        )
    limit = MANY
    if (most or 0) > MANY and spec.get("backoffLimitPerIndex") is not None:
        limit = FEWER
        if failed is None:
            yield SERVER_REQUIRED(f"found no maxFailedIndexes, expected them beyond {MANY:,} completions")
    for field in ("parallelism", "maxFailedIndexes"):
        if (found := values.number(spec.get(field))) is not None and found > limit:
            yield SERVER_INVALID(f"found {found}, expected at most {limit}", (field,))
    if most is not None and failed is not None and failed > most:
        message = f"found {failed}, expected at most the completions, which are {most}"
        yield SERVER_INVALID(message, ("maxFailedIndexes",))
    if isinstance(policy := spec.get("successPolicy"), dict):
        yield from values.below_path(_success(policy, most), "successPolicy")


def _success(policy: JsonObject, most: int | None) -> Iterator[Problem]:
    yield from values.not_empty(policy, "rules")
    yield from values.at_most(policy, RULES, "rules")
    for index, rule in entries_at(policy, "rules"):
        count, indexes = values.number(rule.get("succeededCount")), rule.get("succeededIndexes")
        if rule.get("succeededCount") is None and indexes is None:
            message = "found no condition, expected succeededCount or succeededIndexes"
            yield SERVER_REQUIRED(message, ("rules", index))
        yield from values.below_path(values.at_least(rule, 0, "succeededCount"), "rules", index)
        total = most
        if isinstance(indexes, str):
            total = _indexes(indexes, most)
            if total is None:
                message = f"found {shown(indexes)}, expected rising indexes such as 0,2-4 below completions"
                yield SERVER_INVALID(message, ("rules", index, "succeededIndexes"))
        if count is not None and total is not None and count > total:
            message = f"found {count}, expected at most {total}"
            yield SERVER_INVALID(message, ("rules", index, "succeededCount"))


def _indexes(text: str, most: int | None) -> int | None:
    """Return how many indexes a text names; None where it is not well formed."""
    last, total = -1, 0
    for part in text.split(",") if text else ():
        ends = part.split("-")
        if len(ends) > 2 or not all(end.isascii() and end.isdigit() and len(end) < 11 for end in ends):
            return None
        low, high = int(ends[0]), int(ends[-1])
        if (
            low <= last
            or high < low
            or (len(ends) == 2 and high == low)
            or (most is not None and high >= most)
        ):
            return None
        last, total = high, total + high - low + 1
    return total


def _policies(spec: JsonObject) -> Iterator[Problem]:
    policy = spec.get("podFailurePolicy")
    known = ("Failed",) if policy is not None else ("TerminatingOrFailed", "Failed")
    yield from values.one_of(spec, "podReplacementPolicy", known, empty=False)
    if not isinstance(policy, dict):
        return
    yield from values.below_path(values.at_most(policy, RULES, "rules"), "podFailurePolicy")
    names = {
        values.text(item.get("name"))
        for key in ("containers", "initContainers")
        for _, item in entries_at(spec, "template", "spec", key)
    }
    for index, rule in entries_at(policy, "rules"):
        path = ("podFailurePolicy", "rules", index)
        yield from values.below_path(_rule(rule), *path)
        if rule.get("action") == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
            message = "found FailIndex, expected backoffLimitPerIndex in the Job"
            yield SERVER_INVALID(message, (*path, "action"))
        name = value_at(rule, "onExitCodes", "containerName")
        if isinstance(name, str) and name not in names:
            message = f"found {shown(name)}, expected the name of a container"
            yield SERVER_INVALID(message, (*path, "onExitCodes", "containerName"))


def _rule(rule: JsonObject) -> Iterator[Problem]:
    yield from values.one_of(rule, "action", ACTIONS, empty=False)
    codes, conditions = rule.get("onExitCodes") is not None, values.is_given(rule.get("onPodConditions"))
    if codes and conditions:
        message = "found onExitCodes and onPodConditions, expected one of them"
        yield SERVER_FORBIDDEN(message, ("onPodConditions",))
    elif not codes and not conditions:
        yield SERVER_REQUIRED("found no condition, expected onExitCodes or onPodConditions")
    yield from values.at_most(rule, RULES, "onPodConditions")


def _codes(value: JsonObject) -> Iterator[Problem]:
    yield from values.one_of(value, "operator", ("In", "NotIn"), empty=False)
    yield from values.not_empty(value, "values")
    yield from values.at_most(value, CODES, "values")
    found = value.get("values")
    codes = [values.number(code) for code in found] if isinstance(found, list) else []
    seen: set[int] = set()
    for index, code in enumerate(codes):
        if code == 0 and value.get("operator") == "In":
            yield SERVER_INVALID("found 0, expected no success among failures", ("values", index))
        if code in seen:
            yield SERVER_DUPLICATE(f"found {code} again, expected it once", ("values", index))
        if code is not None:
            seen.add(code)
    whole = [code for code in codes if code is not None]
    if whole != sorted(whole):
        yield SERVER_INVALID("found codes in another order, expected rising ones", ("values",))


def _condition(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "type")
    yield from values.qualified(value, "type")
    yield from values.one_of(value, "status", ("True", "False", "Unknown"))


def _job(job: JsonObject) -> Iterator[Problem]:
    spec, name = values.mapping(job.get("spec")), values.text(value_at(job, "metadata", "name"))
    yield from values.below_path(_selector(spec, name), "spec")
    if len(name) > LONGEST and spec.get("manualSelector") is not True:
        message = f"found a name of {len(name)} characters, expected at most {LONGEST}: it is a label of pods"
        yield SERVER_LIMIT(message, ("metadata", "name"))
    most = values.number(spec.get("completions"))
    if spec.get("completionMode") == "Indexed" and most and most > 0 and name:
        host = f"{name}-{most - 1}"
        if not NameForm.LABEL.fits(host):
            message = f"found {cut(name)}, expected a name that makes {cut(host)} {NameForm.LABEL}"
            yield SERVER_INVALID(message, ("metadata", "name"))


def _selector(spec: JsonObject, name: str) -> Iterator[Problem]:
    """Yield a selector that the server would not have made, or none where it makes none."""
    if spec.get("manualSelector") is True:
        if spec.get("selector") is None:
            yield SERVER_REQUIRED("found no selector, expected one beside manualSelector")
        yield from selectors.missing_labels(spec)
        return
    wanted = values.mapping(value_at(spec, "selector", "matchLabels"))
    for key in wanted:
        if not (key in NAME_LABELS and wanted[key] == name):
            message = f"found {cut(key)}, expected nothing: the server makes the selector of a Job"
            hint = "remove the selector, or set manualSelector: true"
            yield SERVER_FORBIDDEN(message, ("selector", "matchLabels", key), hint)
    made = {**dict.fromkeys(NAME_LABELS, name), **dict.fromkeys(OWN_LABELS, "")}
    for index, each in entries_at(spec, "selector", "matchExpressions"):
        if not selectors.fits(each, made):
            message = "found an expression, expected none: the server makes the selector of a Job"
            yield SERVER_FORBIDDEN(message, ("selector", "matchExpressions", index))
    labels = values.mapping(value_at(spec, "template", "metadata", "labels"))
    for key, value in labels.items():
        if key in OWN_LABELS or (key in NAME_LABELS and name and value != name):
            message = f"found the label {cut(key)}, expected none: the server sets it"
            yield SERVER_INVALID(message, ("template", "metadata", "labels", key))


VALIDATORS: Validators = {
    "batch/v1.Job": _job,
    "batch/v1.JobSpec": _spec,
    "batch/v1.PodFailurePolicyOnExitCodesRequirement": _codes,
    "batch/v1.PodFailurePolicyOnPodConditionsPattern": _condition,
}
