"""Validate objects that an API server stores without reading, so that mistakes show only in use."""

from __future__ import annotations

from msgspec.structs import replace

from kitgen.check.schemas.catalog import is_kubernetes_group
from kitgen.findings import Path, Problem, Severity, get_rule
from kitgen.kube.identity import ObjectId

STATEFUL_TEMPLATE = get_rule("stateful-template")
CUSTOM_TEMPLATE = get_rule("custom-template")
FILLED_IN = ("{{", "${", "$(")
"""What stands for values of a custom resource that its reader fills in before making objects of it."""
LATER = "servers take this object, and refuse what is made of it"

READ_SINCE = 34
TEMPLATE: Path = ("spec", "template", "spec")
UNREAD: tuple[Path, ...] = (TEMPLATE, ("spec", "volumeClaimTemplates"), ("spec", "serviceName"))
OF_JOBS: Path = ("spec", "jobTemplate", "metadata")
READ = frozenset({("restartPolicy",), ("activeDeadlineSeconds",)})
"""What it reads of a template's spec all the same."""


def is_unread_path(kind: str, path: Path, minor: int) -> bool:
    """Return whether the API server of a minor does not look at a place in an object of its own kinds."""
    if kind == "CronJob":
        return path[: len(OF_JOBS)] == OF_JOBS
    if kind != "StatefulSet" or minor >= READ_SINCE:
        return False
    start = next((each for each in UNREAD if path[: len(each)] == each), None)
    return path == TEMPLATE[:-1] or (start is not None and (start != TEMPLATE or path[3:4] not in READ))


def classify_builtin_problem(problem: Problem, kind: str, minor: int) -> Problem:
    """Return a problem as what comes of it: the object is refused, or what it makes."""
    refused = problem.rule.severity is Severity.ERROR and is_unread_path(kind, problem.path, minor)
    return replace(problem, rule=STATEFUL_TEMPLATE) if refused else problem


def classify_problem(problem: Problem, identity: ObjectId, minors: tuple[int, ...]) -> Problem:
    """Return a problem of any kind as what comes of it; only the metadata of a custom resource is read."""
    if is_kubernetes_group(identity.group, minors):
        return classify_builtin_problem(problem, identity.kind, minors[-1])
    if problem.rule.severity is not Severity.ERROR or problem.path[:1] == ("metadata",):
        return problem
    hint = f"{problem.hint}; {LATER}" if problem.hint else LATER
    return replace(problem, rule=CUSTOM_TEMPLATE, hint=hint)
