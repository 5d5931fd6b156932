"""What an API server stores without reading it, so that nobody hears of its faults until it is used."""

from __future__ import annotations

from msgspec.structs import replace

from kitgen.findings import Chapter, Path, Problem, Rule, Severity

STATEFUL_TEMPLATE = Rule(
    id="stateful-template",
    chapter=Chapter.SERVER,
    checks="The pods and claims that a StatefulSet makes are some that an API server takes.",
    fix="Write what the message expects.",
    why=(
        "Until Kubernetes 1.34 an API server takes a StatefulSet whatever its template says, and refuses "
        "each pod that comes of it: the StatefulSet is there, and no pod ever is."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

READ_SINCE = 34
TEMPLATE: Path = ("spec", "template", "spec")
UNREAD: tuple[Path, ...] = (TEMPLATE, ("spec", "volumeClaimTemplates"), ("spec", "serviceName"))
READ = frozenset({("restartPolicy",), ("activeDeadlineSeconds",)})
"""What it reads of a template's spec all the same."""


def is_unread(kind: str, path: Path, minor: int) -> bool:
    """Tell whether the API server of a minor does not look at a place in an object of its own kinds."""
    if kind != "StatefulSet" or minor >= READ_SINCE:
        return False
    start = next((each for each in UNREAD if path[: len(each)] == each), None)
    return path == TEMPLATE[:-1] or (start is not None and (start != TEMPLATE or path[3:4] not in READ))


def as_heard(problem: Problem, kind: str, minor: int) -> Problem:
    """Return a problem as what comes of it: the object is refused, or what it makes."""
    return replace(problem, rule=STATEFUL_TEMPLATE) if is_unread(kind, problem.path, minor) else problem
