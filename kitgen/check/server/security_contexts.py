"""Security contexts of pods and containers, and fields that depend on the operating system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.check.server.constraints import (
    MOST,
    RELATIVE_PATH,
    between,
    not_empty,
    one_of,
    text_fits,
    text_matches,
    valid_name,
)
from kitgen.check.server.list_constraints import max_length, unique_by
from kitgen.check.server.rule_tables import Fields, OfMissing, Rules, check_fields, prefix_paths
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED
from kitgen.findings import Path, Problem, make_problem
from kitgen.kube.names import NameForm
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, list_at, map_at, number_at, text_at, texts_at, value_at
from kitgen.text.wording import describe_value, quote_text
from kitgen.text.yaml import JsonObject

SEGMENT = "[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?"
SYSCTL = compile_late(rf"(?=.{{1,253}}$){SEGMENT}(?:[./]{SEGMENT})*")
IPC = ("kernel.sem", "kernel.shm", "kernel.msg", "fs.mqueue.")
NOT_ON_WINDOWS = (
    *("appArmorProfile", "runAsGroup", "runAsUser", "seLinuxOptions", "seccompProfile"),
    *("fsGroup", "fsGroupChangePolicy", "seLinuxChangePolicy"),
    *("supplementalGroups", "supplementalGroupsPolicy", "sysctls"),
)
NOT_IN_WINDOWS_CONTAINERS = (
    *NOT_ON_WINDOWS[:5],
    *("allowPrivilegeEscalation", "capabilities", "privileged", "procMount", "readOnlyRootFilesystem"),
)
CONTAINERS = ("containers", "initContainers", "ephemeralContainers")


def list_security_contexts(pod: JsonObject) -> Iterator[tuple[Path, JsonObject]]:
    """Yield the security contexts of all containers of a pod with their paths."""
    for key in CONTAINERS:
        for index, item in entries_at(pod, key):
            yield (key, index, "securityContext"), map_at(item, "securityContext")


def _check_escalation(value: JsonObject, field: str) -> Iterator[Problem]:
    reasons = {
        "privileged: true": value.get("privileged") is True,
        "the capability CAP_SYS_ADMIN": "CAP_SYS_ADMIN" in texts_at(value, "capabilities", "add"),
    }
    for what in (each for each, is_so in reasons.items() if is_so and value.get(field) is False):
        yield make_problem(
            "server-forbidden",
            f"found false beside {what}, expected true: such a container may escalate",
            (field,),
        )


def _check_groups(value: JsonObject, field: str) -> Iterator[Problem]:
    for index, _ in enumerate(list_at(value, field)):
        if (group := number_at(value, field, index)) is not None and not 0 <= group <= MOST:
            yield SERVER_INVALID(f"found {group}, expected 0 to {MOST}", (field, index))


@OfMissing
def _check_profile(value: JsonObject, field: str) -> Iterator[Problem]:
    """Report what is wrong with a profile of a node, whichever program enforces it."""
    if value.get("type") == "Localhost":
        if value.get(field) is None:
            yield SERVER_REQUIRED('found no field "localhostProfile", expected one for the type Localhost')
    elif value.get(field) is not None:
        yield make_problem(
            "server-forbidden",
            "found a profile of the node, expected none for another type than Localhost",
            (field,),
        )


def _check_seccomp_path(value: JsonObject) -> Iterator[Problem]:
    if value.get("type") == "Localhost":
        yield from check_fields(value, {"localhostProfile": RELATIVE_PATH})


def _check_apparmor_name(value: JsonObject) -> Iterator[Problem]:
    found = value.get("localhostProfile")
    if value.get("type") == "Localhost" and isinstance(found, str):
        if not found or found != found.strip():
            yield SERVER_INVALID(
                f"found {describe_value(found)}, expected a name without blanks around it",
                ("localhostProfile",),
            )
        yield from max_length(4095)(value, "localhostProfile")


def check_host_namespaces(pod: JsonObject) -> Iterator[Problem]:
    """Report what a pod may not have together with namespaces of its node."""
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.get("hostUsers") is False and pod.get(field) is True:
            yield make_problem(
                "server-forbidden",
                f"found false beside {field}, expected true: the pod shares what is its node's",
                ("hostUsers",),
            )
    for index, item in entries_at(pod, "securityContext", "sysctls"):
        name = text_at(item, "name").replace("/", ".")
        for field, start in (("hostNetwork", "net."), ("hostIPC", IPC)):
            if name.startswith(start) and pod.get(field) is True:
                yield make_problem(
                    "server-forbidden",
                    f"found {quote_text(name)} beside {field}, expected no setting of the node",
                    ("securityContext", "sysctls", index, "name"),
                )
    for path, context in list_security_contexts(pod):
        if context.get("procMount") == "Unmasked" and pod.get("hostUsers") is not False:
            yield make_problem(
                "server-forbidden",
                "found Unmasked, expected Default unless hostUsers is false",
                (*path, "procMount"),
            )


def check_operating_system(pod: JsonObject) -> Iterator[Problem]:
    """Report what a pod may not say on its operating system."""
    if (system := value_at(pod, "os", "name")) == "linux":
        of_spec, of_pod, of_containers = [], ["windowsOptions"], ["windowsOptions"]
    elif system == "windows":
        of_spec = ["hostUsers", "shareProcessNamespace"]
        of_spec += [field for field in ("hostPID", "hostIPC") if pod.get(field) is True]
        of_pod, of_containers = list(NOT_ON_WINDOWS), list(NOT_IN_WINDOWS_CONTAINERS)
    else:
        return
    why = f"in a pod of {system}"
    yield from _check_forbidden_fields(pod, of_spec, why)
    yield from prefix_paths(
        _check_forbidden_fields(map_at(pod, "securityContext"), of_pod, why), "securityContext"
    )
    for path, context in list_security_contexts(pod):
        yield from prefix_paths(_check_forbidden_fields(context, of_containers, why), *path)


def _check_forbidden_fields(value: JsonObject, fields: Iterable[str], why: str) -> Iterator[Problem]:
    for field in fields:
        if value.get(field) is not None and not (field == "sysctls" and value[field] == []):
            yield make_problem(
                "server-forbidden", f"found the field {quote_text(field)}, expected none {why}", (field,)
            )


ID = between(0, MOST)
PROFILE: Fields = {
    "type": (not_empty, one_of("Localhost", "RuntimeDefault", "Unconfined", empty=True)),
    "localhostProfile": _check_profile,
}
RULES: Rules = {
    "core/v1.AppArmorProfile": (PROFILE, _check_apparmor_name),
    "core/v1.PodSecurityContext": {
        "runAsUser": ID,
        "runAsGroup": ID,
        "fsGroup": ID,
        "supplementalGroups": _check_groups,
        "fsGroupChangePolicy": one_of("Always", "OnRootMismatch"),
        "supplementalGroupsPolicy": one_of("Merge", "Strict"),
        "sysctls": unique_by(),
    },
    "core/v1.SeccompProfile": (PROFILE, _check_seccomp_path),
    "core/v1.SecurityContext": {
        "runAsUser": ID,
        "runAsGroup": ID,
        "procMount": one_of("Default", "Unmasked", empty=True),
        "allowPrivilegeEscalation": _check_escalation,
    },
    "core/v1.Sysctl": {
        "name": (
            not_empty,
            text_matches(SYSCTL, "at most 253 lower case letters, digits, -, _, . and /"),
        )
    },
    "core/v1.WindowsSecurityContextOptions": {
        "gmsaCredentialSpecName": valid_name(NameForm.SUBDOMAIN, empty=True),
        "gmsaCredentialSpec": (text_fits(bool, "a value", empty=True), max_length(64 * 1024)),
        "runAsUserName": text_fits(bool, "a name", empty=True),
    },
}
