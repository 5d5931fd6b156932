"""Deployments and other workloads with a pod template."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.check.server.constraints import PART, PERCENT, SHARE, at_least, one_of, valid_name
from kitgen.check.server.list_constraints import find_duplicates, list_item_texts
from kitgen.check.server.rule_tables import Fields, Rules, check_fields, nested, prefix_paths
from kitgen.check.server.rules import SERVER_INVALID
from kitgen.check.server.selectors import check_selector
from kitgen.check.server.volumes import check_claim
from kitgen.findings import Path, Problem, make_problem
from kitgen.kube.names import NameForm
from kitgen.text.values import entries_at, list_at, map_at, number_at, text_at, value_at
from kitgen.text.wording import describe_value, quote_text
from kitgen.text.yaml import Json, JsonObject

DEADLINE = 600
"""The seconds in which a Deployment must go on unless it says otherwise."""
VOLUMES: Path = ("spec", "template", "spec", "volumes")
STUCK = "found 0, expected more while maxSurge is 0: no pod could be replaced"


def _check_template(spec: JsonObject) -> Iterator[Problem]:
    """Report a template whose pods end, where they are to be kept running."""
    pod = map_at(spec, "template", "spec")
    if pod.get("restartPolicy") in ("OnFailure", "Never"):
        yield SERVER_INVALID(
            f"found {pod['restartPolicy']}, expected Always: these pods are to run for ever",
            ("template", "spec", "restartPolicy"),
        )
    if pod.get("activeDeadlineSeconds") is not None:
        yield make_problem(
            "server-forbidden",
            "found a deadline, expected none: these pods are to run for ever",
            ("template", "spec", "activeDeadlineSeconds"),
        )


def _check_deadline(spec: JsonObject) -> Iterator[Problem]:
    ready, given = number_at(spec, "minReadySeconds") or 0, number_at(spec, "progressDeadlineSeconds")
    deadline = DEADLINE if given is None else given
    if 0 <= deadline <= ready:
        message = f"found {deadline} seconds to go on, expected more than minReadySeconds, which is {ready}"
        where = "minReadySeconds" if given is None else "progressDeadlineSeconds"
        yield SERVER_INVALID(message, (where,) if where in spec else ())


def is_zero(found: Json) -> bool:
    """Return whether a number or percentage is none at all."""
    return found == 0 or (isinstance(found, str) and (not PERCENT.fullmatch(found) or not found.strip("0%")))


def _check_strategy(value: JsonObject) -> Iterator[Problem]:
    rolling = map_at(value, "rollingUpdate")
    if value.get("type") == "Recreate":
        if value.get("rollingUpdate") is not None:
            yield make_problem(
                "server-forbidden",
                "found rollingUpdate, expected none for the type Recreate",
                ("rollingUpdate",),
                "remove it; a merge patch does it with null",
            )
        return
    found = [*check_fields(rolling, {"maxUnavailable": PART, "maxSurge": SHARE})]
    counts = [rolling.get(key) for key in ("maxUnavailable", "maxSurge")]
    if not found and all(count is not None and is_zero(count) for count in counts):
        found = [SERVER_INVALID(STUCK, ("maxUnavailable",))]
    yield from prefix_paths(found, "rollingUpdate")


def _check_daemon_strategy(value: JsonObject) -> Iterator[Problem]:
    if value.get("type") not in (None, "", "RollingUpdate"):
        return
    rolling = map_at(value, "rollingUpdate")
    found = [*check_fields(rolling, {"maxUnavailable": PART, "maxSurge": PART})]
    away, more = rolling.get("maxUnavailable"), rolling.get("maxSurge")
    fewer, surges = 1 if away is None else away, more is not None and not is_zero(more)
    if not found and surges and not is_zero(fewer):
        message = (
            f"found {describe_value(more)}, expected 0 unless maxUnavailable is 0, which is "
            f"{describe_value(fewer)}"
        )
        found = [make_problem("server-forbidden", message, ("maxSurge",))]
    elif not found and not surges and is_zero(fewer):
        found = [SERVER_INVALID(STUCK, ("maxUnavailable",))]
    yield from prefix_paths(found, "rollingUpdate")


def _check_stateful_strategy(value: JsonObject) -> Iterator[Problem]:
    if value.get("type") != "OnDelete":
        yield from nested({"partition": at_least(0)})(value, "rollingUpdate")
    elif value.get("rollingUpdate") is not None:
        yield make_problem(
            "server-forbidden", "found rollingUpdate, expected none for the type OnDelete", ("rollingUpdate",)
        )


def _check_claims(spec: JsonObject, field: str) -> Iterator[Problem]:
    """Report templates of claims without a spec, or with the name of one before: only one of both is made."""
    for index, claim in entries_at(spec, field):
        yield from prefix_paths(check_claim(claim), field, index)
    for path, name, _ in find_duplicates(list_item_texts(spec, field, "metadata", "name")):
        yield make_problem("named-twice", f"found {quote_text(name)} again, expected it once", path)


def add_claim_volumes(body: JsonObject) -> JsonObject:
    """Return an object with the volumes that its pods get of the claims it makes, as a StatefulSet does."""
    more = [
        {"name": name, "persistentVolumeClaim": {"claimName": name}} for name in _find_claim_volumes(body)
    ]
    spec, pod = map_at(body, "spec"), value_at(body, "spec", "template", "spec")
    if not more or not isinstance(pod, dict):
        return body
    template = {**spec["template"], "spec": {**pod, "volumes": [*list_at(pod, "volumes"), *more]}}
    return {**body, "spec": {**spec, "template": template}}


def _find_claim_volumes(body: JsonObject) -> dict[str, int]:
    """Return the names of claims that become volumes, with their places."""
    taken = {text_at(item, "name") for _, item in entries_at(body, *VOLUMES)}
    found: dict[str, int] = {}
    for index, claim in entries_at(body, "spec", "volumeClaimTemplates"):
        if (name := text_at(claim, "metadata", "name")) and name not in taken:
            found.setdefault(name, index)
    return found


def blame_claim(body: JsonObject, wrong: Problem) -> Problem:
    """Return a problem of a volume that comes of a claim at the name of the claim."""
    path = wrong.path
    place = path[len(VOLUMES)] if path[: len(VOLUMES)] == VOLUMES and len(path) > len(VOLUMES) else None
    claim = place - len(list_at(body, *VOLUMES)) if isinstance(place, int) else -1
    places = list(_find_claim_volumes(body).values()) if claim >= 0 else []
    if not 0 <= claim < len(places):
        return wrong
    return replace(wrong, path=("spec", "volumeClaimTemplates", places[claim], "metadata", "name"))


COUNT = at_least(0)
REPLICAS: Fields = {"replicas": COUNT, "minReadySeconds": COUNT}
REVISIONS: Fields = {**REPLICAS, "revisionHistoryLimit": COUNT}
ROLLING: Fields = {"type": one_of("RollingUpdate", "OnDelete", empty=True)}
RETENTION = one_of("Retain", "Delete", empty=True)
RULES: Rules = {
    "apps/v1.DaemonSetSpec": (
        {"minReadySeconds": COUNT, "revisionHistoryLimit": COUNT},
        _check_template,
        check_selector,
    ),
    "apps/v1.DaemonSetUpdateStrategy": (ROLLING, _check_daemon_strategy),
    "apps/v1.DeploymentSpec": (
        {**REVISIONS, "progressDeadlineSeconds": COUNT},
        _check_template,
        check_selector,
        _check_deadline,
    ),
    "apps/v1.DeploymentStrategy": (
        {"type": one_of("RollingUpdate", "Recreate", empty=True)},
        _check_strategy,
    ),
    "apps/v1.ReplicaSetSpec": (REPLICAS, _check_template, check_selector),
    "apps/v1.StatefulSet": {"metadata": nested({"name": valid_name(NameForm.LABEL)})},
    "apps/v1.StatefulSetOrdinals": {"start": COUNT},
    "apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy": {
        "whenDeleted": RETENTION,
        "whenScaled": RETENTION,
    },
    "apps/v1.StatefulSetSpec": (
        {
            **REVISIONS,
            "podManagementPolicy": one_of("OrderedReady", "Parallel", empty=True),
            "serviceName": valid_name(NameForm.LABEL),
            "volumeClaimTemplates": _check_claims,
        },
        _check_template,
        check_selector,
    ),
    "apps/v1.StatefulSetUpdateStrategy": (ROLLING, _check_stateful_strategy),
}
