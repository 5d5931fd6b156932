"""The level restricted of the Pod Security Standards: what it asks for beyond baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.check.security.baseline import (
    CAPABILITIES,
    ContainerView,
    Reason,
    grouped,
    has_own_users,
    is_windows,
    named,
    unmasked,
    words,
)
from kitgen.findings import Path
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import cut
from kitgen.text.yaml import Json, JsonObject

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


def reasons(spec: JsonObject, some: Sequence[ContainerView], minor: int) -> Iterator[Reason]:
    """Yield what breaks the level as that minor has it."""
    yield from _volumes(spec)
    if has_own_users(spec, minor):
        yield from unmasked(some)
    else:
        yield from _root(spec, some)
        yield from _user(spec, some) if minor >= 23 else ()
    if is_windows(spec) and minor >= 25:
        return
    if minor >= 8:
        gaining = [each for each in some if each.get("allowPrivilegeEscalation") is not False]
        yield from _lacking(gaining, "allowPrivilegeEscalation", "not false")
    if minor >= 22:
        yield from _capabilities(some)
    if minor >= 19:
        yield from _seccomp(spec, some)


def _volumes(spec: JsonObject) -> Iterator[Reason]:
    """Yield a volume of another type; files of the host break baseline already, and one without is empty."""
    for index, volume in entries_at(spec, "volumes"):
        kinds = [key for key, value in volume.items() if key != "name" and value is not None]
        if kinds and "hostPath" not in kinds and not VOLUMES & set(kinds):
            yield Reason(("spec", "volumes", index, kinds[0]), f"a volume of the type {cut(kinds[0])}")
            return


def _root(spec: JsonObject, some: Sequence[ContainerView]) -> Iterator[Reason]:
    """Yield who may run as root: who says so, or if nobody does, who says nothing."""
    whole = value_at(spec, "securityContext", "runAsNonRoot")
    said = "runAsNonRoot false"
    explicit = [each for each in some if each.get("runAsNonRoot") is False]
    if whole is False:
        yield Reason(("spec", "securityContext", "runAsNonRoot"), said)
    elif explicit:
        yield from grouped([(each, each.at("runAsNonRoot")) for each in explicit], said)
    elif whole is not True:
        silent = [each for each in some if each.get("runAsNonRoot") is None]
        yield from _silent(spec, silent, "no runAsNonRoot")


def _user(spec: JsonObject, some: Sequence[ContainerView]) -> Iterator[Reason]:
    if _is_zero(value_at(spec, "securityContext", "runAsUser")):
        yield Reason(("spec", "securityContext", "runAsUser"), "runAsUser 0")
    rooted = [(each, each.at("runAsUser")) for each in some if _is_zero(each.get("runAsUser"))]
    yield from grouped(rooted, "runAsUser 0")


def _is_zero(value: Json) -> bool:
    return value == 0 and value is not False


def _capabilities(some: Sequence[ContainerView]) -> Iterator[Reason]:
    """Yield capabilities that are not dropped, or added; those that break baseline are told already."""
    kept = [each for each in some if ALL not in [name for _, name in words(each.get(*DROP))]]
    for reason in _lacking(kept, "capabilities", f"not dropped ({ALL})"):
        said = [each for each in kept if each.at("capabilities") == reason.path and words(each.get(*DROP))]
        yield reason._replace(path=said[0].at(*DROP, 0)) if said else reason
    for part in some:
        for index, name in words(part.get("capabilities", "add")):
            if name != BINDS and name in CAPABILITIES:
                yield Reason(part.at("capabilities", "add", index), f"the added capability {cut(name)}")
                return


def _seccomp(spec: JsonObject, some: Sequence[ContainerView]) -> Iterator[Reason]:
    """Yield profiles that are none; Unconfined breaks baseline already."""
    whole = value_at(spec, "securityContext", "seccompProfile", "type")
    if whole is not None:
        if whole not in (*PROFILES, "Unconfined"):
            yield Reason(("spec", "securityContext", "seccompProfile", "type"), "no known seccomp profile")
        return
    silent = [each for each in some if each.get("seccompProfile", "type") is None]
    yield from _silent(spec, silent, "no seccompProfile")


def _silent(spec: JsonObject, silent: Sequence[ContainerView], said: str) -> Iterator[Reason]:
    """Yield that neither the pod nor some containers have a setting."""
    if silent:
        has = isinstance(spec.get("securityContext"), dict)
        path: Path = ("spec", "securityContext") if has else silent[0].context
        yield Reason(path, said)


def _lacking(lacking: Sequence[ContainerView], field: str, said: str) -> Iterator[Reason]:
    """Yield that some containers have another value of a field, or none."""
    if lacking:
        first = next((each for each in lacking if each.get(field) is not None), lacking[0])
        path = first.at(field) if first.get(field) is not None else first.context
        yield Reason(path, f"{field} {said} {named(lacking)}")
