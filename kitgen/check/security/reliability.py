"""Check the reliability of pods and nodes: requests and limits, probes, and writes to the node."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.index import TargetIndex
from kitgen.check.security.baseline import CONTEXT, is_windows
from kitgen.check.security.restricted import context_path
from kitgen.findings import Problem, make_problem
from kitgen.kube.pods import ContainerView, PodView
from kitgen.text.values import entries_at, map_at, value_at
from kitgen.text.wording import join_words, quote_text
from kitgen.text.yaml import Json

LASTING = frozenset({"DaemonSet", "Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"})
WANTED = (("requests", "cpu"), ("requests", "memory"), ("limits", "memory"))
PROBES = ("readinessProbe", "livenessProbe")


def check_reliability(pod: PodView, some: list[ContainerView], index: TargetIndex) -> Iterator[Problem]:
    """Yield what is missing."""
    given = _list_default_resources(pod, index)
    for part in some:
        if part.is_long_running:
            yield from _check_resources(part, given)
        if part.kind == "containers" and pod.manifest.id.kind in LASTING:
            yield from _check_probes(part)
        if part.kind != "ephemeralContainers" and not is_windows(pod):
            yield from _check_root_filesystem(part)
    yield from _check_host_mounts(pod, some)


def _list_default_resources(pod: PodView, index: TargetIndex) -> frozenset[tuple[str, str]]:
    """Return what containers have without saying it: by the pod as a whole, or by the limits of the place."""
    found = {(kind, name) for kind, name in WANTED if _has_resource(pod.spec.get("resources"), kind, name)}
    for each in index.objects_of("", "LimitRange"):
        if each.id.namespace != pod.namespace:
            continue
        for _, limit in entries_at(each.body, "spec", "limits"):
            if limit.get("type") == "Container":
                for field, kinds in (("default", ("limits", "requests")), ("defaultRequest", ("requests",))):
                    found |= {(kind, name) for kind in kinds for name in map_at(limit, field)}
    return frozenset(found)


def _has_resource(resources: Json, kind: str, name: str) -> bool:
    """Return whether a resource is asked for or limited; a limit is a request too."""
    kinds = (kind, "limits") if kind == "requests" else (kind,)
    return any(value_at(resources, each, name) is not None for each in kinds)


def _check_resources(part: ContainerView, given: frozenset[tuple[str, str]]) -> Iterator[Problem]:
    resources = part.body.get("resources")
    missing: dict[str, list[str]] = {}
    for kind, name in WANTED:
        if (kind, name) not in given and not _has_resource(resources, kind, name):
            missing.setdefault(kind, []).append(name)
    if missing:
        said = " and ".join(
            f"no {kind.removesuffix('s')} for {join_words(names)}" for kind, names in missing.items()
        )
        message = f"found {said} of the container {quote_text(part.name)}"
        path = part.path_to("resources") if isinstance(resources, dict) else part.path
        yield make_problem("pod-resources", message, path, "add resources with requests and limits")


def _check_probes(part: ContainerView) -> Iterator[Problem]:
    if missing := [each for each in PROBES if not isinstance(part.body.get(each), dict)]:
        yield make_problem(
            "pod-probes",
            f"found no {join_words(missing)} of the container {quote_text(part.name)}, which runs for long",
            part.path,
        )


def _check_root_filesystem(part: ContainerView) -> Iterator[Problem]:
    if (given := part.security_context_at("readOnlyRootFilesystem")) is not True:
        message = f"found a root filesystem that the container {quote_text(part.name)} may write to"
        path = context_path(part) if given is None else part.path_to(CONTEXT, "readOnlyRootFilesystem")
        yield make_problem("pod-readonly", message, path, "set readOnlyRootFilesystem: true")


def _check_host_mounts(pod: PodView, some: list[ContainerView]) -> Iterator[Problem]:
    """Yield mounts of the host's files that may be written to."""
    host = {
        str(volume.get("name"))
        for _, volume in entries_at(pod.spec, "volumes")
        if isinstance(volume.get("hostPath"), dict)
    }
    for part in some if host else ():
        for index, mount in entries_at(part.body, "volumeMounts"):
            if str(mount.get("name")) in host and mount.get("readOnly") is not True:
                yield make_problem(
                    "pod-readonly",
                    f"found files of the host that the container {quote_text(part.name)} may write to",
                    part.path_to("volumeMounts", index),
                    "set readOnly: true",
                )
