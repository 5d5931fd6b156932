"""The baseline level of the Pod Security Standards, and reasons for violations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from kitgen.findings import Path
from kitgen.kube.pods import ContainerView, PodView
from kitgen.text.values import entries_at, map_at, text_at, value_at
from kitgen.text.wording import join_words, quote_text
from kitgen.text.yaml import Json, JsonObject

CAPABILITIES = frozenset(
    {
        *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"),
        *("NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
    }
)
SYSCTLS = {
    "kernel.shm_rmid_forced": 0,
    "net.ipv4.ip_local_port_range": 0,
    "net.ipv4.tcp_syncookies": 0,
    "net.ipv4.ping_group_range": 0,
    "net.ipv4.ip_unprivileged_port_start": 0,
    "net.ipv4.ip_local_reserved_ports": 27,
    "net.ipv4.tcp_keepalive_time": 29,
    "net.ipv4.tcp_fin_timeout": 29,
    "net.ipv4.tcp_keepalive_intvl": 29,
    "net.ipv4.tcp_keepalive_probes": 29,
    "net.ipv4.tcp_rmem": 32,
    "net.ipv4.tcp_wmem": 32,
    "net.ipv4.tcp_slow_start_after_idle": 37,
    "net.ipv4.tcp_notsent_lowat": 37,
}
"""Setting of the kernel → the minor of the standard that came to allow it."""
SELINUX_TYPES = {
    "": 0,
    "container_t": 0,
    "container_init_t": 0,
    "container_kvm_t": 0,
    "container_engine_t": 31,
}
APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
HOST = {"hostNetwork": "the host's network", "hostPID": "the host's processes", "hostIPC": "the host's IPC"}
HANDLED: tuple[tuple[str, ...], ...] = (
    *(("livenessProbe",), ("readinessProbe",), ("startupProbe",)),
    *(("lifecycle", "postStart"), ("lifecycle", "preStop")),
)
CONTEXT = "securityContext"


class Reason(NamedTuple):
    """Why a pod breaks a level of the standard."""

    path: Path
    """The field, in the object."""
    said: str


def group_reasons(found: Sequence[tuple[ContainerView, Path]], said: str) -> Iterator[Reason]:
    """Yield one reason for all containers that something is true of."""
    if found:
        yield Reason(found[0][1], f"{said} {format_containers([part for part, _ in found])}")


def format_containers(some: Sequence[ContainerView]) -> str:
    """Return containers in words."""
    names = join_words([quote_text(each.name) for each in some], last="and", most=4)
    return f"in the container{'s' if len(some) > 1 else ''} {names}"


def is_windows(pod: PodView) -> bool:
    """Return whether a pod declares that it is for Windows."""
    return bool(value_at(pod.spec, "os", "name") == "windows")


def has_user_namespace(pod: PodView, minor: int) -> bool:
    """Return whether root in a pod is nobody on its host, which the standard counts since 1.35."""
    return minor >= 35 and pod.spec.get("hostUsers") is False


def check_baseline(pod: PodView, some: Sequence[ContainerView], minor: int) -> Iterator[Reason]:
    """Yield what breaks the level as that minor has it."""
    yield from (Reason(pod.path_to(key), said) for key, said in HOST.items() if pod.spec.get(key) is True)
    yield from islice(_check_volumes(pod), 1)
    whole = [
        (each, each.path_to(CONTEXT, "privileged"))
        for each in some
        if each.security_context_at("privileged") is True
    ]
    yield from group_reasons(whole, "privileged mode")
    yield from islice(_check_host_ports(some), 1)
    yield from islice(_check_capabilities(some), 1)
    if not has_user_namespace(pod, minor):
        yield from check_proc_mounts(some)
    yield from _check_security_options(pod, some, minor)
    yield from islice(_check_sysctls(pod, minor), 1)
    yield from islice(_check_apparmor(pod, some), 1)
    yield from islice(_check_host_processes(pod, some), 1)
    if minor >= 34:
        yield from islice(_check_handler_hosts(some), 1)


def check_proc_mounts(some: Sequence[ContainerView]) -> Iterator[Reason]:
    """Yield the first container that sees more of /proc than usual."""
    found = ((each, each.security_context_at("procMount")) for each in some)
    mounts = ((each, mount) for each, mount in found if isinstance(mount, str) and mount != "Default")
    for each, mount in islice(mounts, 1):
        yield Reason(each.path_to(CONTEXT, "procMount"), f"procMount {quote_text(mount)}")


def list_added_capabilities(some: Sequence[ContainerView]) -> Iterator[tuple[Path, str]]:
    """Yield the capabilities that containers add, with their places."""
    for part in some:
        added = part.security_context_at("capabilities", "add")
        for index, name in enumerate(added if isinstance(added, list) else ()):
            if isinstance(name, str):
                yield part.path_to(CONTEXT, "capabilities", "add", index), name


def _check_volumes(pod: PodView) -> Iterator[Reason]:
    for index, volume in entries_at(pod.spec, "volumes"):
        if isinstance(volume.get("hostPath"), dict):
            yield Reason(pod.path_to("volumes", index, "hostPath"), "a volume with files of the host")


def _check_host_ports(some: Sequence[ContainerView]) -> Iterator[Reason]:
    for part in some:
        for index, port in entries_at(part.body, "ports"):
            if port.get("hostPort") not in (None, 0):
                yield Reason(part.path_to("ports", index, "hostPort"), "a port of the host")


def _check_capabilities(some: Sequence[ContainerView]) -> Iterator[Reason]:
    for path, name in list_added_capabilities(some):
        if name not in CAPABILITIES:
            yield Reason(path, f"the added capability {quote_text(name)}")


def _check_security_options(pod: PodView, some: Sequence[ContainerView], minor: int) -> Iterator[Reason]:
    """Yield settings that a pod and a container can have."""
    for path, context in _list_contexts(pod, some):
        if minor >= 19 and value_at(context, "seccompProfile", "type") == "Unconfined":
            yield Reason((*path, "seccompProfile", "type"), "the seccomp profile Unconfined")
        options = map_at(context, "seLinuxOptions")
        if isinstance(kind := options.get("type") or "", str) and SELINUX_TYPES.get(kind, minor + 1) > minor:
            yield Reason((*path, "seLinuxOptions", "type"), f"the SELinux type {quote_text(kind)}")
        for key in ("user", "role"):
            if options.get(key):
                yield Reason((*path, "seLinuxOptions", key), f"a SELinux {key}")


def _list_contexts(pod: PodView, some: Sequence[ContainerView]) -> Iterator[tuple[Path, JsonObject]]:
    """Yield the security contexts of a pod and of its containers."""
    given: list[tuple[Path, Json]] = [(pod.path_to(CONTEXT), pod.spec.get(CONTEXT))]
    given += [(each.path_to(CONTEXT), each.security_context_at()) for each in some]
    yield from ((path, context) for path, context in given if isinstance(context, dict))


def _check_sysctls(pod: PodView, minor: int) -> Iterator[Reason]:
    for index, each in entries_at(pod.spec, CONTEXT, "sysctls"):
        if isinstance(name := each.get("name"), str) and SYSCTLS.get(name, minor + 1) > minor:
            yield Reason(
                pod.path_to(CONTEXT, "sysctls", index, "name"),
                f"the setting of the kernel {quote_text(name)}",
            )


def _check_apparmor(pod: PodView, some: Sequence[ContainerView]) -> Iterator[Reason]:
    said = "an AppArmor profile other than the runtime's or a local one"
    annotations = map_at(pod.body, "metadata", "annotations")
    for key in (each for each in annotations if each.startswith(APPARMOR)):
        profile = text_at(annotations, key)
        if profile not in ("", "runtime/default") and not profile.startswith("localhost/"):
            yield Reason((*pod.path, "metadata", "annotations", key), said)
    for path, context in _list_contexts(pod, some):
        if value_at(context, "appArmorProfile", "type") not in (None, "", "RuntimeDefault", "Localhost"):
            yield Reason((*path, "appArmorProfile", "type"), said)


def _check_host_processes(pod: PodView, some: Sequence[ContainerView]) -> Iterator[Reason]:
    for path, context in _list_contexts(pod, some):
        if value_at(context, "windowsOptions", "hostProcess") is True:
            yield Reason((*path, "windowsOptions", "hostProcess"), "a process of the host (Windows)")


def _check_handler_hosts(some: Sequence[ContainerView]) -> Iterator[Reason]:
    ways: list[Path] = [(*way, kind, "host") for way in HANDLED for kind in ("httpGet", "tcpSocket")]
    for part in some:
        for way in ways:
            if value_at(part.body, *way):
                yield Reason(part.path_to(*way), "the host of a probe or hook")
