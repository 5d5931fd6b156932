"""The restricted level of the Pod Security Standards: what it requires beyond baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from kitgen.check.security.baseline import (
    CAPABILITIES,
    CONTEXT,
    Reason,
    added_capabilities,
    group_reasons,
    has_own_users,
    is_windows,
    name_containers,
    unmasked,
)
from kitgen.findings import Path
from kitgen.kube.pods import ContainerView, PodView
from kitgen.text.values import entries_at, texts_at, value_at
from kitgen.text.wording import cut
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


def reasons(pod: PodView, some: Sequence[ContainerView], minor: int) -> Iterator[Reason]:
    """Yield what breaks the level as that minor has it."""
    yield from islice(_volumes(pod), 1)
    if has_own_users(pod, minor):
        yield from unmasked(some)
    else:
        yield from _root(pod, some)
        yield from _user(pod, some) if minor >= 23 else ()
    if is_windows(pod) and minor >= 25:
        return
    if minor >= 8:
        gaining = [each for each in some if each.security("allowPrivilegeEscalation") is not False]
        yield from _lacking(gaining, "allowPrivilegeEscalation", "not false")
    if minor >= 22:
        yield from _capabilities(some)
    if minor >= 19:
        yield from _seccomp(pod, some)


def _volumes(pod: PodView) -> Iterator[Reason]:
    """Yield a volume of another type; files of the host break baseline already, and one without is empty."""
    for index, volume in entries_at(pod.spec, "volumes"):
        kinds = [key for key, value in volume.items() if key != "name" and value is not None]
        if kinds and "hostPath" not in kinds and not VOLUMES & set(kinds):
            yield Reason(pod.at("volumes", index, kinds[0]), f"a volume of the type {cut(kinds[0])}")


def _root(pod: PodView, some: Sequence[ContainerView]) -> Iterator[Reason]:
    """Yield containers that may run as root: explicitly or, if none does, by leaving it unset."""
    whole = value_at(pod.spec, CONTEXT, "runAsNonRoot")
    said = "runAsNonRoot false"
    explicit = [each for each in some if each.security("runAsNonRoot") is False]
    if whole is False:
        yield Reason(pod.at(CONTEXT, "runAsNonRoot"), said)
    elif explicit:
        yield from group_reasons([(each, each.at(CONTEXT, "runAsNonRoot")) for each in explicit], said)
    elif whole is not True:
        silent = [each for each in some if each.security("runAsNonRoot") is None]
        yield from _silent(pod, silent, "no runAsNonRoot")


def _user(pod: PodView, some: Sequence[ContainerView]) -> Iterator[Reason]:
    if _is_zero(value_at(pod.spec, CONTEXT, "runAsUser")):
        yield Reason(pod.at(CONTEXT, "runAsUser"), "runAsUser 0")
    rooted = [(each, each.at(CONTEXT, "runAsUser")) for each in some if _is_zero(each.security("runAsUser"))]
    yield from group_reasons(rooted, "runAsUser 0")


def _is_zero(value: Json) -> bool:
    return value == 0 and value is not False


def _capabilities(some: Sequence[ContainerView]) -> Iterator[Reason]:
    """Yield capabilities that are not dropped, or added; those that break baseline are reported there."""
    kept = [each for each in some if ALL not in _dropped(each)]
    for reason in _lacking(kept, "capabilities", f"not dropped ({ALL})"):
        said = [each for each in kept if each.at(CONTEXT, "capabilities") == reason.path and _dropped(each)]
        yield reason._replace(path=said[0].at(CONTEXT, *DROP, 0)) if said else reason
    added = (each for each in added_capabilities(some) if each[1] != BINDS and each[1] in CAPABILITIES)
    yield from (Reason(path, f"the added capability {cut(name)}") for path, name in islice(added, 1))


def _dropped(container: ContainerView) -> list[str]:
    return texts_at(container.security(*DROP))


def _seccomp(pod: PodView, some: Sequence[ContainerView]) -> Iterator[Reason]:
    """Yield profiles that are none; Unconfined breaks baseline already."""
    if (whole := value_at(pod.spec, CONTEXT, "seccompProfile", "type")) is None:
        silent = [each for each in some if each.security("seccompProfile", "type") is None]
        yield from _silent(pod, silent, "no seccompProfile")
    elif whole not in (*PROFILES, "Unconfined"):
        yield Reason(pod.at(CONTEXT, "seccompProfile", "type"), "no known seccomp profile")


def _silent(pod: PodView, silent: Sequence[ContainerView], said: str) -> Iterator[Reason]:
    """Yield that neither the pod nor some containers have a setting."""
    if silent:
        has = isinstance(pod.spec.get(CONTEXT), dict)
        yield Reason(pod.at(CONTEXT) if has else context_path(silent[0]), said)


def _lacking(lacking: Sequence[ContainerView], field: str, said: str) -> Iterator[Reason]:
    """Yield that some containers have another value of a field, or none."""
    if lacking:
        first = next((each for each in lacking if each.security(field) is not None), lacking[0])
        path = first.at(CONTEXT, field) if first.security(field) is not None else context_path(first)
        yield Reason(path, f"{field} {said} {name_containers(lacking)}")


def context_path(container: ContainerView) -> Path:
    """Return the path of the security context of a container, or its own if it has none."""
    return container.at(CONTEXT) if isinstance(container.security(), dict) else container.path
