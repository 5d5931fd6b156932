"""Deployments and others that make pods of a template."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.check.server import selectors, storage, values
from kitgen.check.server.rules import NAMED_TWICE, SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Path, Problem
from kitgen.kube.names import NameForm
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import cut, shown
from kitgen.text.yaml import JsonObject

COUNTS = ("replicas", "minReadySeconds", "revisionHistoryLimit")
DEADLINE = 600
"""The seconds in which a Deployment must go on unless it says otherwise."""
VOLUMES: Path = ("spec", "template", "spec", "volumes")
ROLLING = ("RollingUpdate", "OnDelete")


def _makes_pods(spec: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with the counts and the template of what keeps pods running."""
    yield from values.at_least(spec, 0, *COUNTS)
    yield from _keeps_running(spec)


def _keeps_running(spec: JsonObject) -> Iterator[Problem]:
    pod = values.mapping(value_at(spec, "template", "spec"))
    if pod.get("restartPolicy") in ("OnFailure", "Never"):
        message = f"found {pod['restartPolicy']}, expected Always: these pods are to run for ever"
        yield SERVER_INVALID(message, ("template", "spec", "restartPolicy"))
    if pod.get("activeDeadlineSeconds") is not None:
        message = "found a deadline, expected none: these pods are to run for ever"
        yield SERVER_FORBIDDEN(message, ("template", "spec", "activeDeadlineSeconds"))


def _shares_disks(spec: JsonObject) -> Iterator[Problem]:
    """Yield disks that several pods would write to."""
    for index, volume in entries_at(spec, "template", "spec", "volumes"):
        disk = volume.get("gcePersistentDisk")
        if isinstance(disk, dict) and disk.get("readOnly") is not True:
            message = "found a disk to write to, expected readOnly: true: several pods mount it"
            path = ("template", "spec", "volumes", index, "gcePersistentDisk")
            yield SERVER_INVALID(message, path)


def _replicas(spec: JsonObject) -> Iterator[Problem]:
    yield from _makes_pods(spec)
    yield from selectors.selector_and_labels(spec)
    if (values.number(spec.get("replicas")) or 0) > 1:
        yield from _shares_disks(spec)


def _deployment(spec: JsonObject) -> Iterator[Problem]:
    yield from _replicas(spec)
    yield from values.at_least(spec, 0, "progressDeadlineSeconds")
    ready = values.number(spec.get("minReadySeconds")) or 0
    given = values.number(spec.get("progressDeadlineSeconds"))
    deadline = DEADLINE if given is None else given
    if 0 <= deadline <= ready:
        message = f"found {deadline} seconds to go on, expected more than minReadySeconds, which is {ready}"
        where = "minReadySeconds" if given is None else "progressDeadlineSeconds"
        yield SERVER_INVALID(message, (where,) if where in spec else ())
    yield from values.below_path(_strategy(values.mapping(spec.get("strategy"))), "strategy")


def _strategy(value: JsonObject) -> Iterator[Problem]:
    yield from values.one_of(value, "type", ("RollingUpdate", "Recreate"))
    rolling = value.get("rollingUpdate")
    if value.get("type") == "Recreate":
        if rolling is not None:
            message = "found rollingUpdate, expected none for the type Recreate"
            yield SERVER_FORBIDDEN(message, ("rollingUpdate",), "remove it; a merge patch does it with null")
        return
    rolling = values.mapping(rolling)
    found = [*values.share_of_all(rolling, "maxUnavailable"), *values.share(rolling, "maxSurge")]
    yield from values.below_path(found, "rollingUpdate")
    counts = [rolling.get(key) for key in ("maxUnavailable", "maxSurge")]
    if not found and all(count is not None and values.is_zero(count) for count in counts):
        message = "found 0, expected more while maxSurge is 0: no pod could be replaced"
        yield SERVER_INVALID(message, ("rollingUpdate", "maxUnavailable"))


def _daemons(spec: JsonObject) -> Iterator[Problem]:
    yield from _makes_pods(spec)
    yield from selectors.selector_and_labels(spec)
    yield from _shares_disks(spec)
    strategy = values.mapping(spec.get("updateStrategy"))
    yield from values.below_path(_daemon_strategy(strategy), "updateStrategy")


def _daemon_strategy(value: JsonObject) -> Iterator[Problem]:
    yield from values.one_of(value, "type", ROLLING)
    if value.get("type") not in (None, "", "RollingUpdate"):
        return
    rolling = values.mapping(value.get("rollingUpdate"))
    found = [*values.share_of_all(rolling, "maxUnavailable"), *values.share_of_all(rolling, "maxSurge")]
    yield from values.below_path(found, "rollingUpdate")
    if found:
        return
    away, more = rolling.get("maxUnavailable"), rolling.get("maxSurge")
    fewer = 1 if away is None else away
    if not values.is_zero(fewer) and more is not None and not values.is_zero(more):
        message = f"found {shown(more)}, expected 0 unless maxUnavailable is 0, which is {shown(fewer)}"
        yield SERVER_FORBIDDEN(message, ("rollingUpdate", "maxSurge"))
    elif values.is_zero(fewer) and (more is None or values.is_zero(more)):
        message = "found 0, expected more while maxSurge is 0: no pod could be replaced"
        yield SERVER_INVALID(message, ("rollingUpdate", "maxUnavailable"))


def _stateful(spec: JsonObject) -> Iterator[Problem]:
    yield from _makes_pods(spec)
    yield from selectors.selector_and_labels(spec)
    yield from values.one_of(spec, "podManagementPolicy", ("OrderedReady", "Parallel"))
    yield from values.named(spec, NameForm.LABEL, "serviceName")
    for index, claim in entries_at(spec, "volumeClaimTemplates"):
        found_here = storage.claim_spec(values.mapping(claim.get("spec")))
        yield from values.below_path(found_here, "volumeClaimTemplates", index, "spec")
    yield from _claims_twice(spec)
    ordinals = values.mapping(spec.get("ordinals"))
    yield from values.below_path(values.at_least(ordinals, 0, "start"), "ordinals")
    strategy = values.mapping(spec.get("updateStrategy"))
    found = [*values.one_of(strategy, "type", ROLLING)]
    if strategy.get("type") == "OnDelete" and strategy.get("rollingUpdate") is not None:
        message = "found rollingUpdate, expected none for the type OnDelete"
        found.append(SERVER_FORBIDDEN(message, ("rollingUpdate",)))
    else:
        rolling = values.mapping(strategy.get("rollingUpdate"))
        found += values.below_path(values.at_least(rolling, 0, "partition"), "rollingUpdate")
    yield from values.below_path(found, "updateStrategy")
    field = "persistentVolumeClaimRetentionPolicy"
    policy = values.mapping(spec.get(field))
    for key in ("whenDeleted", "whenScaled"):
        yield from values.below_path(values.one_of(policy, key, ("Retain", "Delete")), field)


def _claims_twice(spec: JsonObject) -> Iterator[Problem]:
    """Yield templates of claims with the name of one before them: only one of both is made."""
    seen: set[str] = set()
    for index, claim in entries_at(spec, "volumeClaimTemplates"):
        name = values.text(value_at(claim, "metadata", "name"))
        if name and name in seen:
            path = ("volumeClaimTemplates", index, "metadata", "name")
            yield NAMED_TWICE(f"found {cut(name)} again, expected it once", path)
        seen.add(name)


def _named_stateful(value: JsonObject) -> Iterator[Problem]:
    yield from values.below_path(
        values.named(values.mapping(value.get("metadata")), NameForm.LABEL, "name"), "metadata"
    )


def _controller(spec: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with a ReplicationController, whose selector is plain labels."""
    yield from _makes_pods(spec)
    template = spec.get("template")
    if not isinstance(template, dict):
        yield from values.required(spec, "template")
        return
    labels = values.mapping(value_at(template, "metadata", "labels"))
    selector = values.mapping(spec.get("selector"))
    if not selector and not labels:
        yield SERVER_REQUIRED("found no selector and no labels in the template, expected some")
    for key, value in selector.items():
        if labels.get(key) != value:
            message = f"found no label {cut(key)} of that value in the template, which the selector asks for"
            yield SERVER_INVALID(message, ("selector", key), "give the template the label")
    if (values.number(spec.get("replicas")) or 0) > 1:
        yield from _shares_disks(spec)


def with_claims(body: JsonObject) -> JsonObject:
    """Return a StatefulSet with the volumes that its pods get of the claims it makes."""
    spec, pod = value_at(body, "spec"), value_at(body, "spec", "template", "spec")
    if not isinstance(spec, dict) or not isinstance(pod, dict):
        return body
    own = pod.get("volumes")
    more = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in _claims(body)]
    template = {
        **spec["template"],
        "spec": {**pod, "volumes": [*(own if isinstance(own, list) else []), *more]},
    }
    return {**body, "spec": {**spec, "template": template}}


def _claims(body: JsonObject) -> dict[str, int]:
    """Return the names of claims that become volumes, with their places."""
    taken = {values.text(item.get("name")) for _, item in entries_at(body, *VOLUMES)}
    found: dict[str, int] = {}
    for index, claim in entries_at(body, "spec", "volumeClaimTemplates"):
        if (name := values.text(value_at(claim, "metadata", "name"))) and name not in taken:
            found.setdefault(name, index)
    return found


def as_written(body: JsonObject, problem: Problem) -> Problem:
    """Return a problem of a volume that comes of a claim at the name of the claim."""
    path, own = problem.path, value_at(body, *VOLUMES)
    place = path[len(VOLUMES)] if path[: len(VOLUMES)] == VOLUMES and len(path) > len(VOLUMES) else None
    claim = place - len(own if isinstance(own, list) else []) if isinstance(place, int) else -1
    places = list(_claims(body).values()) if claim >= 0 else []
    if not 0 <= claim < len(places):
        return problem
    return replace(problem, path=("spec", "volumeClaimTemplates", places[claim], "metadata", "name"))


VALIDATORS: Validators = {
    "apps/v1.DaemonSetSpec": _daemons,
    "apps/v1.DeploymentSpec": _deployment,
    "apps/v1.ReplicaSetSpec": _replicas,
    "apps/v1.StatefulSet": _named_stateful,
    "apps/v1.StatefulSetSpec": _stateful,
    "core/v1.ReplicationControllerSpec": _controller,
}
