"""Check every pod against the Pod Security Standards, and the level that its namespace enforces."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.index import TargetIndex
from kitgen.check.security import baseline, reliability, restricted
from kitgen.check.security.baseline import Reason
from kitgen.findings import Problem, Rule, get_rule
from kitgen.kube.pods import PodView
from kitgen.text.patterns import compile_late
from kitgen.text.values import text_at, value_at
from kitgen.text.wording import join_words

POD_BASELINE = get_rule("pod-baseline")
POD_RESTRICTED = get_rule("pod-restricted")
POD_REFUSED = get_rule("pod-refused")

ENFORCE = "pod-security.kubernetes.io/enforce"
VERSION = compile_late(r"v1\.(0|[1-9][0-9]{0,3})")
ALLOWED = "privileged"
"""The level of a namespace that is there for pods which need more."""
LEVELS = {
    "baseline": (POD_BASELINE, baseline.check_baseline),
    "restricted": (POD_RESTRICTED, restricted.check_restricted),
}
"""Level → the rule of what breaks it, and what does; a level asks for what those before it do, too."""


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield what a reviewer should look at in every pod, and pods that their namespaces refuse."""
    for target in context.targets:
        index = context.get_index(target)
        for pod in index.pods:
            for problem in _check_pod(pod, index, context.minors_of(target, pod.manifest)[-1]):
                yield CheckHit(target, pod.manifest, problem)


def _check_pod(pod: PodView, index: TargetIndex, newest: int) -> Iterator[Problem]:
    some = sorted(pod.containers, key=lambda each: each.kind != "initContainers")
    level, minor = _get_enforced_level(pod, index, newest)
    refused = [
        reason
        for each in list(LEVELS)[: list(LEVELS).index(level) + 1 if level in LEVELS else 0]
        for reason in LEVELS[each][1](pod, some, minor)
    ]
    if refused:
        yield _report_reasons(POD_REFUSED, refused, f"the level {level}, which its namespace enforces", pod)
    for each, (broken, reasons_of) in LEVELS.items() if level != ALLOWED else ():
        if not refused and (reasons := [*reasons_of(pod, some, newest)]):
            yield _report_reasons(broken, reasons, f"the level {each} of the Pod Security Standards", pod)
    yield from reliability.check_reliability(pod, some, index)


def _get_enforced_level(pod: PodView, index: TargetIndex, newest: int) -> tuple[str, int]:
    """Return the level that the namespace of a pod enforces, and the minor of its wording; empty if none."""
    namespace = index.get("", "Namespace", "", pod.namespace)
    labels = namespace.labels if namespace else {}
    level, match = text_at(labels, ENFORCE), VERSION.fullmatch(text_at(labels, f"{ENFORCE}-version"))
    return level if level in (*LEVELS, ALLOWED) else "", min(newest, int(match[1])) if match else newest


def _report_reasons(rule: Rule, reasons: list[Reason], level: str, pod: PodView) -> Problem:
    """Report all reasons at the first field that is there: what is set says more than what is missing."""
    shown = [each for each in reasons if not isinstance(value_at(pod.manifest.body, *each.path), dict)]
    said = list(dict.fromkeys(each.said for each in reasons))
    return rule(
        f"found {join_words(said, last='and')}, expected a pod that keeps to {level}",
        (shown or reasons)[0].path,
    )
