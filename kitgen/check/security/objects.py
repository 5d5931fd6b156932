"""Hold every pod to the Pod Security Standards, and to the level that its namespace enforces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.check.context import CheckContext, Hit
from kitgen.check.index import TargetIndex
from kitgen.check.security import baseline, reliability, restricted
from kitgen.check.security.baseline import ContainerView, Reason, parts
from kitgen.check.security.rules import POD_BASELINE, POD_REFUSED, POD_RESTRICTED
from kitgen.findings import Problem, Rule
from kitgen.kube.pods import PodView
from kitgen.text.values import value_at
from kitgen.text.wording import choice
from kitgen.text.yaml import JsonObject

ENFORCE = "pod-security.kubernetes.io/enforce"
VERSION = re.compile(r"v1\.(0|[1-9][0-9]{0,3})")
ALLOWED = "privileged"
"""The level of a namespace that is there for pods which need more."""
LEVELS = {"baseline": POD_BASELINE, "restricted": POD_RESTRICTED}
"""Level → the rule of what breaks it; a level asks for what those before it do, too."""


def check(context: CheckContext) -> Iterator[Hit]:
    """Yield what a reviewer should look at in every pod, and pods that their namespaces refuse."""
    for target in context.targets:
        index = context.index(target)
        for pod in index.pods:
            newest = context.minors_of(target, pod.manifest)[-1]
            for problem in _problems(pod, index, newest):
                yield Hit(target, pod.manifest, problem.below(*pod.path))


def _problems(pod: PodView, index: TargetIndex, newest: int) -> Iterator[Problem]:
    some = parts(pod.spec)
    body: JsonObject = value_at(pod.manifest.body, *pod.path)
    level, minor = _enforced(pod, index, newest)
    refused = [
        reason
        for each in list(LEVELS)[: list(LEVELS).index(level) + 1 if level in LEVELS else 0]
        for reason in _reasons(each, body, some, minor)
    ]
    if refused:
        yield _problem(POD_REFUSED, refused, f"the level {level}, which its namespace enforces", body)
    for each, rule in LEVELS.items() if level != ALLOWED else ():
        if not refused and (reasons := _reasons(each, body, some, newest)):
            yield _problem(rule, reasons, f"the level {each} of the Pod Security Standards", body)
    yield from reliability.problems(pod, some, index)


def _enforced(pod: PodView, index: TargetIndex, newest: int) -> tuple[str, int]:
    """Return the level that the namespace of a pod enforces, and the minor of its wording; empty if none."""
    namespace = index.get("", "Namespace", "", pod.namespace)
    labels = value_at(namespace.body if namespace else None, "metadata", "labels")
    level = value_at(labels, ENFORCE)
    version = value_at(labels, f"{ENFORCE}-version")
    match = VERSION.fullmatch(version) if isinstance(version, str) else None
    known = isinstance(level, str) and level in (*LEVELS, ALLOWED)
    return str(level) if known else "", min(newest, int(match[1])) if match else newest


def _reasons(level: str, pod: JsonObject, some: list[ContainerView], minor: int) -> list[Reason]:
    spec = pod["spec"]
    if level == "baseline":
        return list(baseline.reasons(pod, spec, some, minor))
    return list(restricted.reasons(spec, some, minor))


def _problem(rule: Rule, reasons: list[Reason], level: str, pod: JsonObject) -> Problem:
    """Tell all reasons at the first field that is there: what is set says more than what is missing."""
    shown = [each for each in reasons if not isinstance(value_at(pod, *each.path), dict)]
    said = list(dict.fromkeys(each.said for each in reasons))
    message = f"found {choice(said, last='and')}, expected a pod that keeps to {level}"
    return rule(message, (shown or reasons)[0].path)
