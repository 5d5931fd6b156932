"""The level baseline of the Pod Security Standards.

The parts of a pod that are looked at, and reasons why they break a level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kitgen.findings import Path
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import Json, JsonObject

CONTAINERS = ("initContainers", "containers", "ephemeralContainers")


class Reason(NamedTuple):
    """Why a pod breaks a level of the standard."""

    path: Path
    """The field, from where the pod starts."""
    said: str


class ContainerView(NamedTuple):
    """A container."""

    path: Path
    name: str
    body: JsonObject

    def get(self, *path: str) -> Json:
        """Return a field of its security context."""
        return value_at(self.body, "securityContext", *path)

    @property
    def context(self) -> Path:
        """Return the path of its security context, or its own if it has none."""
        has = isinstance(self.body.get("securityContext"), dict)
        return (*self.path, "securityContext") if has else self.path

    def at(self, *path: str | int) -> Path:
        """Return the path of a field of its security context."""
        return (*self.path, "securityContext", *path)


def parts(spec: JsonObject) -> list[ContainerView]:
    """Return all containers of a pod."""
    return [
        ContainerView(("spec", key, index), str(body.get("name", index)), body)
        for key in CONTAINERS
        for index, body in entries_at(spec, key)
    ]


def grouped(found: Sequence[tuple[ContainerView, Path]], said: str) -> Iterator[Reason]:
    """Yield one reason for all containers that something is true of."""
    if found:
        yield Reason(found[0][1], f"{said} {named([part for part, _ in found])}")


def named(some: Sequence[ContainerView]) -> str:
    """Name containers."""
    names = choice([cut(each.name) for each in some], last="and", most=4)
    return f"in the container{'s' if len(some) > 1 else ''} {names}"


def is_windows(spec: JsonObject) -> bool:
    """Tell whether a pod says that it is for Windows."""
    return bool(value_at(spec, "os", "name") == "windows")


def words(values: Json) -> list[tuple[int, str]]:
    """Return the texts in a list, with their places."""
    items = values if isinstance(values, list) else ()
    return [(index, each) for index, each in enumerate(items) if isinstance(each, str)]


def has_own_users(spec: JsonObject, minor: int) -> bool:
    """Tell whether root in a pod is nobody on its host, which the standard counts since 1.35."""
    return minor >= 35 and spec.get("hostUsers") is False


def unmasked(some: Sequence[ContainerView]) -> Iterator[Reason]:
    """Yield containers that see more of /proc than usual."""
    for part in some:
        mount = part.get("procMount")
        if isinstance(mount, str) and mount != "Default":
            yield Reason(part.at("procMount"), f"procMount {cut(mount)}")
            return


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
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
HOOKS = ("postStart", "preStop")


def reasons(pod: JsonObject, spec: JsonObject, some: Sequence[ContainerView], minor: int) -> Iterator[Reason]:
    """Yield what breaks the level as that minor has it."""
    yield from (Reason(("spec", key), said) for key, said in HOST.items() if spec.get(key) is True)
    yield from _volumes(spec)
    whole = [(each, each.at("privileged")) for each in some if each.get("privileged") is True]
    yield from grouped(whole, "privileged mode")
    yield from _ports(some)
    yield from _capabilities(some)
    if not has_own_users(spec, minor):
        yield from unmasked(some)
    yield from _options(spec, some, minor)
    yield from _sysctls(spec, minor)
    yield from _apparmor(pod, spec, some)
    yield from _windows(spec, some)
    if minor >= 34:
        yield from _handlers(some)


def _volumes(spec: JsonObject) -> Iterator[Reason]:
    for index, volume in entries_at(spec, "volumes"):
        if isinstance(volume.get("hostPath"), dict):
            yield Reason(("spec", "volumes", index, "hostPath"), "a volume with files of the host")
            return


def _ports(some: Sequence[ContainerView]) -> Iterator[Reason]:
    for part in some:
        for index, port in entries_at(part.body, "ports"):
            if port.get("hostPort") not in (None, 0):
                yield Reason((*part.path, "ports", index, "hostPort"), "a port of the host")
                return


def _capabilities(some: Sequence[ContainerView]) -> Iterator[Reason]:
    for part in some:
        for index, name in words(part.get("capabilities", "add")):
            if name not in CAPABILITIES:
                yield Reason(part.at("capabilities", "add", index), f"the added capability {cut(name)}")
                return


def _options(spec: JsonObject, some: Sequence[ContainerView], minor: int) -> Iterator[Reason]:
    """Yield settings that a pod and a container can have."""
    for path, context in contexts(spec, some):
        if minor >= 19 and value_at(context, "seccompProfile", "type") == "Unconfined":
            yield Reason((*path, "seccompProfile", "type"), "the seccomp profile Unconfined")
        options = value_at(context, "seLinuxOptions")
        options = options if isinstance(options, dict) else {}
        kind = options.get("type") or ""
        if isinstance(kind, str) and SELINUX_TYPES.get(kind, minor + 1) > minor:
            yield Reason((*path, "seLinuxOptions", "type"), f"the SELinux type {cut(kind)}")
        for key in ("user", "role"):
            if options.get(key):
                yield Reason((*path, "seLinuxOptions", key), f"a SELinux {key}")


def contexts(spec: JsonObject, some: Sequence[ContainerView]) -> Iterator[tuple[Path, JsonObject]]:
    """Yield the security contexts of a pod and of its containers."""
    given: list[tuple[Path, Json]] = [(("spec", "securityContext"), spec.get("securityContext"))]
    given += [(each.at(), each.body.get("securityContext")) for each in some]
    yield from ((path, context) for path, context in given if isinstance(context, dict))


def _sysctls(spec: JsonObject, minor: int) -> Iterator[Reason]:
    for index, each in entries_at(spec, "securityContext", "sysctls"):
        name = each.get("name")
        if isinstance(name, str) and SYSCTLS.get(name, minor + 1) > minor:
            path = ("spec", "securityContext", "sysctls", index, "name")
            yield Reason(path, f"the setting of the kernel {cut(name)}")
            return


def _apparmor(pod: JsonObject, spec: JsonObject, some: Sequence[ContainerView]) -> Iterator[Reason]:
    said = "an AppArmor profile other than the runtime's or a local one"
    annotations = value_at(pod, "metadata", "annotations")
    for key, value in annotations.items() if isinstance(annotations, dict) else ():
        profile = value if key.startswith(APPARMOR) and isinstance(value, str) else ""
        if profile not in ("", "runtime/default") and not profile.startswith("localhost/"):
            yield Reason(("metadata", "annotations", key), said)
            return
    for path, context in contexts(spec, some):
        if value_at(context, "appArmorProfile", "type") not in (None, "", "RuntimeDefault", "Localhost"):
            yield Reason((*path, "appArmorProfile", "type"), said)
            return


def _windows(spec: JsonObject, some: Sequence[ContainerView]) -> Iterator[Reason]:
    for path, context in contexts(spec, some):
        if value_at(context, "windowsOptions", "hostProcess") is True:
            yield Reason((*path, "windowsOptions", "hostProcess"), "a process of the host (Windows)")
            return


def _handlers(some: Sequence[ContainerView]) -> Iterator[Reason]:
    ways = [(each,) for each in PROBES] + [("lifecycle", each) for each in HOOKS]
    for part in some:
        for way in ways:
            for kind in ("httpGet", "tcpSocket"):
                if value_at(part.body, *way, kind, "host"):
                    yield Reason((*part.path, *way, kind, "host"), "the host of a probe or hook")
                    return
