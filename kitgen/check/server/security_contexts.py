"""Security contexts: of pods, of containers, and of what goes with an operating system."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.check.server import values
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.kube.names import NameForm
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import cut, shown
from kitgen.text.yaml import JsonObject

SEGMENT = "[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?"
SYSCTL = re.compile(rf"{SEGMENT}(?:[./]{SEGMENT})*")
PROFILES = ("Localhost", "RuntimeDefault", "Unconfined")
IPC = ("kernel.sem", "kernel.shm", "kernel.msg", "fs.mqueue.")
NOT_ON_LINUX: tuple[str, ...] = ("windowsOptions",)
NOT_ON_WINDOWS = (
    "appArmorProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "runAsGroup",
    "runAsUser",
    "seLinuxChangePolicy",
    "seLinuxOptions",
    "seccompProfile",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "sysctls",
)
NOT_IN_WINDOWS_CONTAINERS = (
    "allowPrivilegeEscalation",
    "appArmorProfile",
    "capabilities",
    "privileged",
    "procMount",
    "readOnlyRootFilesystem",
    "runAsGroup",
    "runAsUser",
    "seLinuxOptions",
    "seccompProfile",
)
CONTAINERS = ("containers", "initContainers", "ephemeralContainers")


def _of_container(value: JsonObject) -> Iterator[Problem]:
    yield from values.between(value, 0, values.MOST, "runAsUser", "runAsGroup")
    yield from values.one_of(value, "procMount", ("Default", "Unmasked"))
    if value.get("allowPrivilegeEscalation") is not False:
        return
    added = {item for _, item in values.texts(value_at(value, "capabilities", "add"))}
    for wrong, what in (
        (value.get("privileged") is True, "privileged: true"),
        ("CAP_SYS_ADMIN" in added, "the capability CAP_SYS_ADMIN"),
    ):
        if wrong:
            message = f"found false beside {what}, expected true: such a container may escalate"
            yield SERVER_FORBIDDEN(message, ("allowPrivilegeEscalation",))


def _of_pod(value: JsonObject) -> Iterator[Problem]:
    yield from values.between(value, 0, values.MOST, "runAsUser", "runAsGroup", "fsGroup")
    groups = value.get("supplementalGroups")
    for index, found in enumerate(groups if isinstance(groups, list) else ()):
        group = values.number(found)
        if group is not None and not 0 <= group <= values.MOST:
            message = f"found {group}, expected 0 to {values.MOST}"
            yield SERVER_INVALID(message, ("supplementalGroups", index))
    yield from values.one_of(value, "fsGroupChangePolicy", ("Always", "OnRootMismatch"), empty=False)
    yield from values.one_of(value, "supplementalGroupsPolicy", ("Merge", "Strict"), empty=False)
    yield from values.unique(value, "sysctls")


def _sysctl(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "name")
    expected = "at most 253 lower case letters, digits, -, _, . and /"
    yield from values.fitting(value, "name", _is_sysctl, expected)


def _is_sysctl(found: str) -> bool:
    return len(found) <= 253 and SYSCTL.fullmatch(found) is not None


def _profile(value: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with a profile of a node, whichever program enforces it."""
    yield from values.not_empty(value, "type")
    yield from values.one_of(value, "type", PROFILES)
    if value.get("type") == "Localhost":
        if value.get("localhostProfile") is None:
            yield SERVER_REQUIRED('found no field "localhostProfile", expected one for the type Localhost')
    elif value.get("localhostProfile") is not None:
        message = "found a profile of the node, expected none for another type than Localhost"
        yield SERVER_FORBIDDEN(message, ("localhostProfile",))


def _seccomp(value: JsonObject) -> Iterator[Problem]:
    yield from _profile(value)
    if value.get("type") == "Localhost":
        yield from values.relative_path(value, "localhostProfile")


def _apparmor(value: JsonObject) -> Iterator[Problem]:
    yield from _profile(value)
    found = value.get("localhostProfile")
    if value.get("type") == "Localhost" and isinstance(found, str):
        if not found or found != found.strip():
            message = f"found {shown(found)}, expected a name without blanks around it"
            yield SERVER_INVALID(message, ("localhostProfile",))
        yield from values.at_most(value, 4095, "localhostProfile")


def _windows(value: JsonObject) -> Iterator[Problem]:
    found = value.get("gmsaCredentialSpecName")
    if isinstance(found, str) and not NameForm.SUBDOMAIN.fits(found):
        message = f"found {shown(found)}, expected {NameForm.SUBDOMAIN}"
        yield SERVER_INVALID(message, ("gmsaCredentialSpecName",))
    if value.get("gmsaCredentialSpec") == "":
        yield SERVER_INVALID("found an empty string, expected a value", ("gmsaCredentialSpec",))
    yield from values.at_most(value, 64 * 1024, "gmsaCredentialSpec")
    if value.get("runAsUserName") == "":
        yield SERVER_INVALID("found an empty string, expected a name", ("runAsUserName",))


def of_namespaces(pod: JsonObject) -> Iterator[Problem]:
    """Yield what a pod may not have together with namespaces of its node."""
    if pod.get("hostPID") is True and pod.get("shareProcessNamespace") is True:
        message = "found shareProcessNamespace beside hostPID, expected one of them"
        yield SERVER_FORBIDDEN(message, ("shareProcessNamespace",))
    if pod.get("hostUsers") is False:
        for field in ("hostNetwork", "hostPID", "hostIPC"):
            if pod.get(field) is True:
                message = f"found false beside {field}, expected true: the pod shares what is its node's"
                yield SERVER_FORBIDDEN(message, ("hostUsers",))
    for index, item in entries_at(pod, "securityContext", "sysctls"):
        name = values.text(item.get("name")).replace("/", ".")
        for field, of_node in (("hostNetwork", name.startswith("net.")), ("hostIPC", name.startswith(IPC))):
            if of_node and pod.get(field) is True:
                message = f"found {cut(name)} beside {field}, expected no setting of the node"
                yield SERVER_FORBIDDEN(message, ("securityContext", "sysctls", index, "name"))
    for key in CONTAINERS:
        for index, item in entries_at(pod, key):
            mount = value_at(item, "securityContext", "procMount")
            if mount == "Unmasked" and pod.get("hostUsers") is not False:
                message = "found Unmasked, expected Default unless hostUsers is false"
                yield SERVER_FORBIDDEN(message, (key, index, "securityContext", "procMount"))


def of_system(pod: JsonObject) -> Iterator[Problem]:
    """Yield what a pod may not say on its operating system."""
    system = value_at(pod, "os", "name")
    if system not in ("linux", "windows"):
        return
    why, of_pod, of_containers = f"in a pod of {system}", NOT_ON_LINUX, NOT_ON_LINUX
    if system == "windows":
        of_pod, of_containers = NOT_ON_WINDOWS, NOT_IN_WINDOWS_CONTAINERS
        for field in ("hostPID", "hostIPC", "hostUsers", "shareProcessNamespace"):
            if pod.get(field) is not None and (pod[field] is True or field not in ("hostPID", "hostIPC")):
                yield SERVER_FORBIDDEN(f"found the field {cut(field)}, expected none {why}", (field,))
    context = values.mapping(pod.get("securityContext"))
    yield from values.below_path(_set(context, why, of_pod), "securityContext")
    for key in CONTAINERS:
        for index, item in entries_at(pod, key):
            context = values.mapping(item.get("securityContext"))
            yield from values.below_path(_set(context, why, of_containers), key, index, "securityContext")


def _set(value: JsonObject, why: str, fields: tuple[str, ...]) -> Iterator[Problem]:
    for field in fields:
        if value.get(field) is not None and not (field == "sysctls" and value[field] == []):
            yield SERVER_FORBIDDEN(f"found the field {cut(field)}, expected none {why}", (field,))


VALIDATORS: Validators = {
    "core/v1.AppArmorProfile": _apparmor,
    "core/v1.PodSecurityContext": _of_pod,
    "core/v1.SeccompProfile": _seccomp,
    "core/v1.SecurityContext": _of_container,
    "core/v1.Sysctl": _sysctl,
    "core/v1.WindowsSecurityContextOptions": _windows,
}
