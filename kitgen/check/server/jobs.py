"""Jobs: completion, failure policies and deadlines."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server.constraints import (
    LABEL_KEY,
    any_of,
    at_least,
    at_most_one,
    not_empty,
    one_of,
    text_fits,
)
from kitgen.check.server.list_constraints import find_duplicates, max_length
from kitgen.check.server.networking import is_domain_path
from kitgen.check.server.rule_tables import Rules, prefix_paths
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.selectors import check_template_labels, matches_expression
from kitgen.findings import Path, Problem, make_problem
from kitgen.kube.names import NameForm
from kitgen.text.values import entries_at, list_at, map_at, number_at, text_at, value_at
from kitgen.text.wording import describe_value, join_words, quote_text
from kitgen.text.yaml import JsonObject

ENDS = ("OnFailure", "Never")
MANY, FEWER = 100_000, 10_000
"""Pods that an indexed Job may have at once; with as many completions, those that may run or fail."""
LONGEST = 63
OWN_LABELS = ("batch.kubernetes.io/controller-uid", "controller-uid")
NAME_LABELS = ("batch.kubernetes.io/job-name", "job-name")


def _check_restart_policy(spec: JsonObject) -> Iterator[Problem]:
    pod, where = map_at(spec, "template", "spec"), ("template", "spec", "restartPolicy")
    if (found := pod.get("restartPolicy")) in (None, "", "Always"):
        path = where if "restartPolicy" in pod else where[:-1] if pod else ()
        told = found or "no restartPolicy, which means Always"
        yield SERVER_REQUIRED(f"found {told}, expected {join_words(ENDS)}: a Job's pods end", path)
    elif found == "OnFailure" and spec.get("podFailurePolicy") is not None:
        yield SERVER_INVALID("found OnFailure, expected Never beside podFailurePolicy", where)


def _check_completion_mode(spec: JsonObject) -> Iterator[Problem]:
    if spec.get("completionMode") == "Indexed":
        yield from _check_indexed(spec)
    else:
        for field in ("backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"):
            if spec.get(field) is not None:
                yield make_problem(
                    "server-forbidden", f"found {field}, expected completionMode: Indexed beside it", (field,)
                )
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        yield SERVER_REQUIRED(
            'found no field "backoffLimitPerIndex", expected one beside maxFailedIndexes',
            ("maxFailedIndexes",),
        )


def _check_indexed(spec: JsonObject) -> Iterator[Problem]:
    most, failed = number_at(spec, "completions"), number_at(spec, "maxFailedIndexes")
    if spec.get("completions") is None:
        yield SERVER_REQUIRED(
            "found no completions, expected them beside completionMode: Indexed", ("completionMode",)
        )
    limit = FEWER if (most or 0) > MANY and spec.get("backoffLimitPerIndex") is not None else MANY
    if limit == FEWER and failed is None:
        yield SERVER_REQUIRED(f"found no maxFailedIndexes, expected them beyond {MANY:,} completions")
    for field in ("parallelism", "maxFailedIndexes"):
        if (found := number_at(spec, field)) is not None and found > limit:
            yield SERVER_INVALID(f"found {found}, expected at most {limit}", (field,))
    if most is not None and failed is not None and failed > most:
        yield SERVER_INVALID(
            f"found {failed}, expected at most the completions, which are {most}", ("maxFailedIndexes",)
        )
    if isinstance(policy := spec.get("successPolicy"), dict):
        yield from prefix_paths(_check_success_policy(policy, most), "successPolicy")


def _check_success_policy(policy: JsonObject, most: int | None) -> Iterator[Problem]:
    yield from (*not_empty(policy, "rules"), *max_length(20)(policy, "rules"))
    for index, rule in entries_at(policy, "rules"):
        count, indexes = number_at(rule, "succeededCount"), rule.get("succeededIndexes")
        if rule.get("succeededCount") is None and indexes is None:
            yield SERVER_REQUIRED(
                "found no condition, expected succeededCount or succeededIndexes", ("rules", index)
            )
        yield from prefix_paths(at_least(0)(rule, "succeededCount"), "rules", index)
        total = count_indexes(indexes, most) if isinstance(indexes, str) else most
        if isinstance(indexes, str) and total is None:
            yield SERVER_INVALID(
                f"found {describe_value(indexes)}, expected rising indexes such as 0,2-4 below completions",
                ("rules", index, "succeededIndexes"),
            )
        if count is not None and total is not None and count > total:
            yield SERVER_INVALID(
                f"found {count}, expected at most {total}", ("rules", index, "succeededCount")
            )


def count_indexes(text: str, most: int | None) -> int | None:
    """Return how many indexes a text names; None where it is not well formed."""
    last, total = -1, 0
    for part in text.split(",") if text else ():
        ends = part.split("-")
        if len(ends) > 2 or not all(end.isascii() and end.isdigit() and len(end) < 11 for end in ends):
            return None
        low, high = int(ends[0]), int(ends[-1])
        if (
            not (last < low <= high)
            or (len(ends) == 2 and high == low)
            or (most is not None and high >= most)
        ):
            return None
        last, total = high, total + high - low + 1
    return total


def _check_failure_policy(spec: JsonObject) -> Iterator[Problem]:
    policy = spec.get("podFailurePolicy")
    known = ("Failed",) if policy is not None else ("TerminatingOrFailed", "Failed")
    yield from one_of(*known)(spec, "podReplacementPolicy")
    names = {
        text_at(item, "name")
        for key in ("containers", "initContainers")
        for _, item in entries_at(spec, "template", "spec", key)
    }
    for index, rule in entries_at(policy, "rules"):
        path = ("podFailurePolicy", "rules", index)
        if rule.get("action") == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
            yield SERVER_INVALID(
                "found FailIndex, expected backoffLimitPerIndex in the Job", (*path, "action")
            )
        if isinstance(name := value_at(rule, "onExitCodes", "containerName"), str) and name not in names:
            yield SERVER_INVALID(
                f"found {describe_value(name)}, expected the name of a container",
                (*path, "onExitCodes", "containerName"),
            )


def _check_exit_codes(value: JsonObject, field: str) -> Iterator[Problem]:
    found = ((index, number_at(each)) for index, each in enumerate(list_at(value, field)))
    codes: list[tuple[Path, str]] = [((field, index), str(code)) for index, code in found if code is not None]
    for path, code in codes:
        if code == "0" and value.get("operator") == "In":
            yield SERVER_INVALID("found 0, expected no success among failures", path)
    for path, code, _ in find_duplicates(codes):
        yield make_problem("server-duplicate", f"found {code} again, expected it once", path)
    if (whole := [int(code) for _, code in codes]) != sorted(whole):
        yield SERVER_INVALID("found codes in another order, expected rising ones", (field,))


def _check_job(job: JsonObject) -> Iterator[Problem]:
    spec, name = map_at(job, "spec"), text_at(job, "metadata", "name")
    yield from prefix_paths(_check_selector(spec, name), "spec")
    if len(name) > LONGEST and spec.get("manualSelector") is not True:
        yield make_problem(
            "server-limit",
            f"found a name of {len(name)} characters, expected at most {LONGEST}: it is a label of pods",
            ("metadata", "name"),
        )
    most = number_at(spec, "completions") or 0
    host = f"{name}-{most - 1}"
    if spec.get("completionMode") == "Indexed" and most > 0 and name and not NameForm.LABEL.matches(host):
        yield SERVER_INVALID(
            f"found {quote_text(name)}, expected a name that makes {quote_text(host)} {NameForm.LABEL}",
            ("metadata", "name"),
        )


def _check_selector(spec: JsonObject, name: str) -> Iterator[Problem]:
    """Report a selector that the server would not have made, or none where it makes none."""
    if spec.get("manualSelector") is True:
        if spec.get("selector") is None:
            yield SERVER_REQUIRED("found no selector, expected one beside manualSelector")
        yield from check_template_labels(spec)
        return
    for key, value in map_at(spec, "selector", "matchLabels").items():
        if key not in NAME_LABELS or value != name:
            yield make_problem(
                "server-forbidden",
                f"found {quote_text(key)}, expected nothing: the server makes the selector of a Job",
                ("selector", "matchLabels", key),
                "remove the selector, or set manualSelector: true",
            )
    made = {**dict.fromkeys(NAME_LABELS, name), **dict.fromkeys(OWN_LABELS, "")}
    for index, each in entries_at(spec, "selector", "matchExpressions"):
        if not matches_expression(each, made):
            yield make_problem(
                "server-forbidden",
                "found an expression, expected none: the server makes the selector of a Job",
                ("selector", "matchExpressions", index),
            )
    for key, value in map_at(spec, "template", "metadata", "labels").items():
        if key in OWN_LABELS or (key in NAME_LABELS and name and value != name):
            yield SERVER_INVALID(
                f"found the label {quote_text(key)}, expected none: the server sets it",
                ("template", "metadata", "labels", key),
            )


COUNT = at_least(0)
RULES: Rules = {
    "batch/v1.Job": _check_job,
    "batch/v1.JobSpec": (
        {
            "parallelism": COUNT,
            "completions": COUNT,
            "activeDeadlineSeconds": COUNT,
            "backoffLimit": COUNT,
            "ttlSecondsAfterFinished": COUNT,
            "backoffLimitPerIndex": COUNT,
            "maxFailedIndexes": COUNT,
            "completionMode": one_of("NonIndexed", "Indexed"),
            "managedBy": (max_length(63), text_fits(is_domain_path, "a domain, / and a path", empty=True)),
        },
        _check_restart_policy,
        _check_completion_mode,
        _check_failure_policy,
    ),
    "batch/v1.PodFailurePolicy": {"rules": max_length(20)},
    "batch/v1.PodFailurePolicyOnExitCodesRequirement": {
        "operator": one_of("In", "NotIn"),
        "values": (not_empty, max_length(255), _check_exit_codes),
    },
    "batch/v1.PodFailurePolicyOnPodConditionsPattern": {
        "type": (not_empty, LABEL_KEY),
        "status": one_of("True", "False", "Unknown", empty=True),
    },
    "batch/v1.PodFailurePolicyRule": (
        {"action": one_of("Count", "FailIndex", "FailJob", "Ignore"), "onPodConditions": max_length(20)},
        any_of("condition", "onExitCodes", "onPodConditions"),
        at_most_one("onExitCodes", "onPodConditions"),
    ),
}
