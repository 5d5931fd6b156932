"""The restricted level of the Pod Security Standards: what it requires beyond baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from kitgen.check.security.baseline import (
    CAPABILITIES,
    CONTEXT,
    Reason,
    check_proc_mounts,
    format_containers,
    group_reasons,
    has_user_namespace,
    is_windows,
    list_added_capabilities,
)
from kitgen.findings import Path
from kitgen.kube.pods import ContainerView, PodView
from kitgen.text.values import entries_at, texts_at, value_at
from kitgen.text.wording import quote_text
from kitgen.text.yaml import Json

VOLUMES = frozenset(
    {
        *("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral"),
        *("persistentVolumeClaim", "projected", "secret"),
    }
)
PROFILES = ("RuntimeDefault", "Localhost")
ALL = "ALL"
BINDS = "NET_BIND_SERVICE"
DROP = ("capabilities", "drop")


def check_restricted(pod: PodView, some: Sequence[ContainerView], minor: int) -> Iterator[Reason]:
    """Yield what breaks the level as that minor has it."""
    yield from islice(_check_volumes(pod), 1)
    if has_user_namespace(pod, minor):
        yield from check_proc_mounts(some)
    else:
        yield from _check_non_root(pod, some)
        yield from _check_user(pod, some) if minor >= 23 else ()
    if is_windows(pod) and minor >= 25:
        return
    if minor >= 8:
        gaining = [each for each in some if each.security_context_at("allowPrivilegeEscalation") is not False]
        yield from _report_containers(gaining, "allowPrivilegeEscalation", "not false")
    if minor >= 22:
        yield from _check_capabilities(some)
    if minor >= 19:
        yield from _check_seccomp(pod, some)


def _check_volumes(pod: PodView) -> Iterator[Reason]:
    """Yield a volume of another type; files of the host break baseline already, and one without is empty."""
    for index, volume in entries_at(pod.spec, "volumes"):
        kinds = [key for key, value in volume.items() if key != "name" and value is not None]
        if kinds and "hostPath" not in kinds and not VOLUMES & set(kinds):
            yield Reason(
                pod.path_to("volumes", index, kinds[0]), f"a volume of the type {quote_text(kinds[0])}"
            )


def _check_non_root(pod: PodView, some: Sequence[ContainerView]) -> Iterator[Reason]:
    """Yield containers that may run as root: explicitly or, if none does, by leaving it unset."""
    whole = value_at(pod.spec, CONTEXT, "runAsNonRoot")
    said = "runAsNonRoot false"
    explicit = [each for each in some if each.security_context_at("runAsNonRoot") is False]
    if whole is False:
        yield Reason(pod.path_to(CONTEXT, "runAsNonRoot"), said)
    elif explicit:
        yield from group_reasons([(each, each.path_to(CONTEXT, "runAsNonRoot")) for each in explicit], said)
    elif whole is not True:
        silent = [each for each in some if each.security_context_at("runAsNonRoot") is None]
        yield from _report_unset(pod, silent, "no runAsNonRoot")


def _check_user(pod: PodView, some: Sequence[ContainerView]) -> Iterator[Reason]:
    if _is_zero(value_at(pod.spec, CONTEXT, "runAsUser")):
        yield Reason(pod.path_to(CONTEXT, "runAsUser"), "runAsUser 0")
    rooted = [
        (each, each.path_to(CONTEXT, "runAsUser"))
        for each in some
        if _is_zero(each.security_context_at("runAsUser"))
    ]
    yield from group_reasons(rooted, "runAsUser 0")


def _is_zero(value: Json) -> bool:
    return value == 0 and value is not False


def _check_capabilities(some: Sequence[ContainerView]) -> Iterator[Reason]:
    """Yield capabilities that are not dropped, or added; those that break baseline are reported there."""
    kept = [each for each in some if ALL not in _list_dropped_capabilities(each)]
    for reason in _report_containers(kept, "capabilities", f"not dropped ({ALL})"):
        said = [
            each
            for each in kept
            if each.path_to(CONTEXT, "capabilities") == reason.path and _list_dropped_capabilities(each)
        ]
        yield reason._replace(path=said[0].path_to(CONTEXT, *DROP, 0)) if said else reason
    added = (each for each in list_added_capabilities(some) if each[1] != BINDS and each[1] in CAPABILITIES)
    yield from (Reason(path, f"the added capability {quote_text(name)}") for path, name in islice(added, 1))


def _list_dropped_capabilities(container: ContainerView) -> list[str]:
    return texts_at(container.security_context_at(*DROP))


def _check_seccomp(pod: PodView, some: Sequence[ContainerView]) -> Iterator[Reason]:
    """Yield profiles that are none; Unconfined breaks baseline already."""
    if (whole := value_at(pod.spec, CONTEXT, "seccompProfile", "type")) is None:
        silent = [each for each in some if each.security_context_at("seccompProfile", "type") is None]
        yield from _report_unset(pod, silent, "no seccompProfile")
    elif whole not in (*PROFILES, "Unconfined"):
        yield Reason(pod.path_to(CONTEXT, "seccompProfile", "type"), "no known seccomp profile")


def _report_unset(pod: PodView, silent: Sequence[ContainerView], said: str) -> Iterator[Reason]:
    """Yield that neither the pod nor some containers have a setting."""
    if silent:
        has = isinstance(pod.spec.get(CONTEXT), dict)
        yield Reason(pod.path_to(CONTEXT) if has else context_path(silent[0]), said)


def _report_containers(lacking: Sequence[ContainerView], field: str, said: str) -> Iterator[Reason]:
    """Yield that some containers have another value of a field, or none."""
    if lacking:
        first = next((each for each in lacking if each.security_context_at(field) is not None), lacking[0])
        path = (
            first.path_to(CONTEXT, field)
            if first.security_context_at(field) is not None
            else context_path(first)
        )
        yield Reason(path, f"{field} {said} {format_containers(lacking)}")


def context_path(container: ContainerView) -> Path:
    """Return the path of the security context of a container, or its own if it has none."""
    return container.path_to(CONTEXT) if isinstance(container.security_context_at(), dict) else container.path
