"""What only some minors of Kubernetes ask of pods: rules that came, rules that went, fields that came."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from kitgen.check.server import scheduling, values
from kitgen.check.server.rules import SERVER_FORBIDDEN
from kitgen.check.server.walk import Validator, Validators
from kitgen.findings import Path, Problem
from kitgen.kube.names import NameForm
from kitgen.text.values import entries_at
from kitgen.text.yaml import JsonObject

READ_SINCE = {
    "supplementalGroupsPolicy": 33,
    "procMount": 33,
    "hostUsers": 33,
    "resizePolicy": 33,
    "resourceClaims": 34,
    "claims": 34,
}
"""Field of pods → the minor since which an API server does not drop it as one that is not switched on."""


def _some_sleep(value: JsonObject) -> Iterator[Problem]:
    if value.get("seconds") == 0:
        yield from values.at_least(value, 1, "seconds")


def _plain_searches(value: JsonObject) -> Iterator[Problem]:
    expected = f"{NameForm.SUBDOMAIN}, without _"
    yield from values.each_fitting(
        value, "searches", lambda found: found != "." and "_" not in found, expected
    )


def _restarts(pod: JsonObject) -> Iterator[Problem]:
    """Yield containers that say when they start again, which is for the pod to say."""
    for index, item in entries_at(pod, "containers"):
        if item.get("restartPolicy") is not None:
            message = "found a restartPolicy, expected none but in initContainers"
            yield SERVER_FORBIDDEN(message, ("containers", index, "restartPolicy"))
    for index, item in entries_at(pod, "initContainers"):
        found = values.one_of(item, "restartPolicy", ("Always",), empty=False)
        yield from values.below_path(found, "initContainers", index)


SINCE: dict[int, Validators] = {33: {"core/v1.NodeAffinity": scheduling.node_affinity}}
"""Minor → what its API server asks first."""
UNTIL: dict[int, Validators] = {
    33: {"core/v1.PodDNSConfig": _plain_searches, "core/v1.SleepAction": _some_sleep},
    35: {"core/v1.PodSpec": _restarts},
}
"""Minor → what its API server asks no more."""


@cache
def _of(minor: int) -> tuple[Validators, ...]:
    since = (table for first, table in SINCE.items() if minor >= first)
    return (*since, *(table for last, table in UNTIL.items() if minor < last))


def validators(known: Validators, minor: int) -> Validators:
    """Return who is asked for a minor: those who always are, and those of this one."""
    found = dict(known)
    for table in _of(minor):
        for name, validator in table.items():
            found[name] = _both(found[name], validator) if name in found else validator
    return found


def _both(first: Validator, second: Validator) -> Validator:
    def check(value: JsonObject) -> Iterator[Problem]:
        yield from first(value)
        yield from second(value)

    return check


def is_dropped(path: Path, minor: int) -> bool:
    """Tell whether an API server drops what is at a place before it looks."""
    return any(READ_SINCE.get(step, 0) > minor for step in path if isinstance(step, str))
