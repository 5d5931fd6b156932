"""Containers: their ports, variables and mounts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.check.server import values
from kitgen.check.server.rules import SERVER_DUPLICATE, SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.kube.names import NameForm, is_qualified
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import JsonObject

VARIABLE = re.compile(r"[ -<>-~]+")
FIELDS = frozenset(
    {
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.serviceAccountName",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
    }
)
"""What a variable may be of a pod, beside one label or annotation of it."""
FILE_FIELDS = frozenset(
    {"metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels", "metadata.annotations"}
)
"""What a file may be of a pod."""
RESOURCES = tuple(
    f"{kind}.{name}" for kind in ("limits", "requests") for name in ("cpu", "memory", "ephemeral-storage")
)
HUGE = ("limits.hugepages-", "requests.hugepages-")
SUBSCRIPT = re.compile(r"([^\[\]]*)\['(.*)'\]")
UNITS = {"1", *(f"1{prefix}{end}" for prefix in "KMGTPE" for end in ("", "i")), "1k"} - {"1K"}
SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")


def container(value: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with a container, whichever of a pod's lists it stands in."""
    yield from values.not_empty(value, "name", "image")
    yield from values.named(value, NameForm.LABEL, "name")
    yield from values.one_of(value, "imagePullPolicy", ("Always", "IfNotPresent", "Never"))
    yield from values.one_of(value, "terminationMessagePolicy", ("File", "FallbackToLogsOnError"))
    yield from values.unique(value, "ports")
    yield from _variables(value)
    yield from values.told_twice(value, "ports", "containerPort", "protocol", "hostPort", "hostIP")
    yield from values.unique(value, "resizePolicy", "resourceName")
    yield from _mounts(value)
    yield from _devices(value)


def _port(value: JsonObject) -> Iterator[Problem]:
    yield from values.fitting(value, "name", _is_port_name, values.PORT_EXPECTED)
    yield from values.between(value, *values.PORTS, "containerPort")
    yield from values.between(value, 0, values.PORTS[1], "hostPort")
    yield from values.one_of(value, "protocol", ("TCP", "UDP", "SCTP"))


def _is_port_name(found: str) -> bool:
    return values.PORT_NAME.fullmatch(found) is not None


def _variable(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "name")
    expected = "letters, digits and signs of ASCII without ="
    yield from values.fitting(value, "name", lambda found: VARIABLE.fullmatch(found) is not None, expected)


def _variables(value: JsonObject) -> Iterator[Problem]:
    """Yield variables that hide one before them, unless they lengthen what it says."""
    for problem in values.told_twice(value, "env", "name"):
        item = values.mapping(value_at(value, *problem.path[:2]))
        own, found = f"$({item.get('name')})", values.text(item.get("value"))
        if own not in found or found == own:
            yield problem


def _source(value: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with where a variable has its value from."""
    given = [key for key in SOURCES if value.get(key) is not None]
    if not given:
        yield SERVER_REQUIRED(f"found no source, expected {choice(SOURCES[:4])}")
    elif len(given) > 1:
        yield SERVER_FORBIDDEN(f"found {choice(given, last='and')}, expected one of them", (given[-1],))
    if isinstance(field := value.get("fieldRef"), dict):
        yield from values.below_path(field_of_pod(field, FIELDS), "fieldRef")
    if isinstance(resource := value.get("resourceFieldRef"), dict):
        yield from values.below_path(resource_of_container(resource), "resourceFieldRef")


def field_of_pod(value: JsonObject, known: frozenset[str]) -> Iterator[Problem]:
    """Yield what is wrong with a field of a pod that becomes a variable or a file."""
    yield from values.not_empty(value, "fieldPath")
    yield from values.one_of(value, "apiVersion", ("v1",))
    found = values.text(value.get("fieldPath"))
    if match := SUBSCRIPT.fullmatch(found):
        field, key = match.groups()
        fits = field in ("metadata.labels", "metadata.annotations") and is_qualified(
            key.lower() if field == "metadata.annotations" else key
        )
        if not fits:
            expected = "metadata.labels['KEY'] or metadata.annotations['KEY']"
            yield SERVER_INVALID(f"found {cut(found)}, expected {expected}", ("fieldPath",))
    else:
        yield from values.one_of(value, "fieldPath", sorted(known))


def resource_of_container(value: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with a resource of a container that becomes a variable or a file."""
    yield from values.not_empty(value, "resource")
    found = values.text(value.get("resource"))
    if not found.startswith(HUGE):
        yield from values.one_of(value, "resource", RESOURCES)
    size = values.quantity(value.get("divisor"))
    if size and found:
        units = ("1", "1m") if found.endswith(".cpu") else sorted(UNITS)
        if size not in {values.quantity(unit) for unit in units}:
            message = f"found {cut(str(value['divisor']))}, expected {choice(units, most=20)}"
            yield SERVER_INVALID(message, ("divisor",))


def _variables_of(value: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with an object whose keys become variables."""
    expected = "letters, digits and signs of ASCII without ="
    yield from values.fitting(value, "prefix", lambda found: VARIABLE.fullmatch(found) is not None, expected)
    given = [key for key in ("configMapRef", "secretRef") if value.get(key) is not None]
    if not given:
        yield SERVER_REQUIRED("found no source, expected configMapRef or secretRef")
    elif len(given) > 1:
        yield SERVER_FORBIDDEN(f"found {choice(given, last='and')}, expected one of them", (given[-1],))
    for key in given:
        if isinstance(source := value[key], dict):
            found = values.required(source, "name")
            form = NameForm.SUBDOMAIN
            wrong = values.fitting(source, "name", form.may_start, str(form))
            yield from values.below_path((*found, *wrong), key)


def _key_of_object(value: JsonObject) -> Iterator[Problem]:
    yield from values.required(value, "name")
    yield from values.named(value, NameForm.SUBDOMAIN, "name")
    yield from values.not_empty(value, "key")
    yield from values.fitting(value, "key", values.is_config_key, values.CONFIG_KEY)


def _mounts(value: JsonObject) -> Iterator[Problem]:
    """Yield mounts whose path or volume is taken by another, or that only others may have."""
    paths: set[str] = set()
    devices = {values.text(item.get("name")) for _, item in entries_at(value, "volumeDevices")}
    used = {values.text(item.get("devicePath")) for _, item in entries_at(value, "volumeDevices")}
    privileged = value_at(value, "securityContext", "privileged") is True
    for index, item in entries_at(value, "volumeMounts"):
        path, name = values.text(item.get("mountPath")), values.text(item.get("name"))
        if path and (path in paths or path in used):
            message = f"found {cut(path)} again, expected one mount or device at a path"
            yield SERVER_DUPLICATE(message, ("volumeMounts", index, "mountPath"))
        if name and name in devices:
            message = f"found {cut(name)} also as a device, expected one use of the volume"
            yield SERVER_DUPLICATE(message, ("volumeMounts", index, "name"))
        if item.get("mountPropagation") == "Bidirectional" and not privileged:
            message = "found Bidirectional, expected another one unless the container is privileged"
            yield SERVER_FORBIDDEN(message, ("volumeMounts", index, "mountPropagation"))
        paths.add(path)


def _mount(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "name", "mountPath")
    yield from values.relative_path(value, "subPath")
    yield from values.relative_path(value, "subPathExpr")
    if value.get("subPath"):
        yield from values.forbidden(value, "beside subPath", "subPathExpr")
    yield from values.one_of(value, "mountPropagation", PROPAGATIONS, empty=False)
    yield from values.one_of(value, "recursiveReadOnly", ("Disabled", "Enabled", "IfPossible"), empty=False)
    if value.get("recursiveReadOnly") in ("Enabled", "IfPossible"):
        if value.get("readOnly") is not True:
            yield from values.forbidden(value, "unless readOnly is true", "recursiveReadOnly")
        if value.get("mountPropagation") not in (None, "None"):
            yield from values.forbidden(value, "beside mountPropagation", "recursiveReadOnly")


def _devices(value: JsonObject) -> Iterator[Problem]:
    yield from values.unique(value, "volumeDevices")
    yield from values.unique(value, "volumeDevices", "devicePath")


def _device(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "name", "devicePath")
    yield from values.no_way_up(value, "devicePath")


def _resize(value: JsonObject) -> Iterator[Problem]:
    yield from values.one_of(value, "resourceName", ("cpu", "memory"), empty=False)
    yield from values.one_of(value, "restartPolicy", ("NotRequired", "RestartContainer"), empty=False)


VALIDATORS: Validators = {
    "core/v1.ConfigMapKeySelector": _key_of_object,
    "core/v1.Container": container,
    "core/v1.ContainerPort": _port,
    "core/v1.ContainerResizePolicy": _resize,
    "core/v1.EnvFromSource": _variables_of,
    "core/v1.EnvVar": _variable,
    "core/v1.EnvVarSource": _source,
    "core/v1.EphemeralContainer": container,
    "core/v1.SecretKeySelector": _key_of_object,
    "core/v1.VolumeDevice": _device,
    "core/v1.VolumeMount": _mount,
}
