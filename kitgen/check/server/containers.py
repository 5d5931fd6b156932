"""Containers: their ports, variables, mounts, probes and hooks."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server.constraints import (
    CONFIG_KEY,
    LABEL,
    NAME,
    NO_WAY_UP,
    PORT,
    PORT_NAME,
    PORT_NAME_EXPECTED,
    PORTS,
    PROTOCOLS,
    RELATIVE_PATH,
    any_of,
    at_least,
    at_most_one,
    between,
    find_given_fields,
    forbidden,
    not_empty,
    one_of,
    refused,
    required,
    text_fits,
    text_matches,
)
from kitgen.check.server.list_constraints import unique_by, warn_duplicates
from kitgen.check.server.resources import to_quantity
from kitgen.check.server.rule_tables import Fields, Rules, TypeRules, check_fields, nested, validator
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED
from kitgen.findings import Problem, make_problem
from kitgen.kube.names import NameForm, is_qualified_name
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, map_at, number_at, text_at, value_at
from kitgen.text.wording import join_words, quote_text
from kitgen.text.yaml import JsonObject

VARIABLE = text_matches(compile_late(r"[ -<>-~]+"), "letters, digits and signs of ASCII without =")
FIELDS = (
    *("metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName"),
    *("status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"),
)
"""What a variable may be of a pod, beside one label or annotation of it."""
FILE_FIELDS = (
    *("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"),
)
"""What a file may be of a pod."""
RESOURCES = tuple(
    f"{kind}.{name}" for kind in ("limits", "requests") for name in ("cpu", "memory", "ephemeral-storage")
)
HUGE = ("limits.hugepages-", "requests.hugepages-")
SUBSCRIPT = compile_late(r"([^\[\]]*)\['(.*)'\]")
UNITS = {"1", *(f"1{prefix}{end}" for prefix in "KMGTPE" for end in ("", "i")), "1k"} - {"1K"}
SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
PULL_POLICY = one_of("Always", "IfNotPresent", "Never", empty=True)


def _check_variables(value: JsonObject, field: str) -> Iterator[Problem]:
    """Report variables that hide one before them, unless they lengthen what it says."""
    for wrong in warn_duplicates("name")(value, field):
        item = map_at(value, *wrong.path[:2])
        own, found = f"$({item.get('name')})", text_at(item, "value")
        if own not in found or found == own:
            yield wrong


@validator
def check_pod_field(value: JsonObject, known: tuple[str, ...]) -> Iterator[Problem]:
    """Report what is wrong with a field of a pod that becomes a variable or a file."""
    yield from check_fields(value, {"fieldPath": not_empty, "apiVersion": one_of("v1", empty=True)})
    found = text_at(value, "fieldPath")
    if match := SUBSCRIPT.fullmatch(found):
        field, key = match.groups()
        fits = field in ("metadata.labels", "metadata.annotations") and is_qualified_name(
            key.lower() if field == "metadata.annotations" else key
        )
        if not fits:
            expected = "metadata.labels['KEY'] or metadata.annotations['KEY']"
            yield SERVER_INVALID(f"found {quote_text(found)}, expected {expected}", ("fieldPath",))
    else:
        yield from one_of(*known, empty=True)(value, "fieldPath")


def check_container_resource(value: JsonObject) -> Iterator[Problem]:
    """Report what is wrong with a resource of a container that becomes a variable or a file."""
    yield from not_empty(value, "resource")
    found = text_at(value, "resource")
    if not found.startswith(HUGE):
        yield from one_of(*RESOURCES, empty=True)(value, "resource")
    size = to_quantity(value.get("divisor"))
    units = ("1", "1m") if found.endswith(".cpu") else sorted(UNITS)
    if size and found and size not in map(to_quantity, units):
        yield SERVER_INVALID(
            f"found {quote_text(str(value['divisor']))}, expected {join_words(units, most=20)}", ("divisor",)
        )


def _check_mounts(value: JsonObject) -> Iterator[Problem]:
    """Report mounts whose path or volume is taken by another, or that only others may have."""
    devices = [item for _, item in entries_at(value, "volumeDevices")]
    names, paths = ({text_at(item, key) for item in devices} for key in ("name", "devicePath"))
    for index, item in entries_at(value, "volumeMounts"):
        path, name = text_at(item, "mountPath"), text_at(item, "name")
        if path and path in paths:
            yield make_problem(
                "server-duplicate",
                f"found {quote_text(path)} again, expected one mount or device at a path",
                ("volumeMounts", index, "mountPath"),
            )
        if name and name in names:
            yield make_problem(
                "server-duplicate",
                f"found {quote_text(name)} also as a device, expected one use of the volume",
                ("volumeMounts", index, "name"),
            )
        privileged = value_at(value, "securityContext", "privileged") is True
        if item.get("mountPropagation") == "Bidirectional" and not privileged:
            yield make_problem(
                "server-forbidden",
                "found Bidirectional, expected another one unless the container is privileged",
                ("volumeMounts", index, "mountPropagation"),
            )
        paths.add(path)


def check_probes(value: JsonObject, grace: int) -> Iterator[Problem]:
    """Report what the probes and hooks of a container may not say, each for what it is."""
    for name in PROBES:
        threshold = number_at(value, name, "successThreshold")
        if name != "readinessProbe" and threshold not in (None, 0, 1):
            yield SERVER_INVALID(
                f"found {threshold}, expected 1: one success is enough here", (name, "successThreshold")
            )
    sleep = nested({"sleep": nested({"seconds": between(0, grace)})})
    ending = forbidden("in a readinessProbe")
    yield from check_fields(
        value,
        {
            "readinessProbe": nested({"terminationGracePeriodSeconds": ending}),
            "lifecycle": nested({"postStart": sleep, "preStop": sleep}),
        },
    )


def _is_recursive_read_only(mount: JsonObject) -> bool:
    return mount.get("recursiveReadOnly") in ("Enabled", "IfPossible")


NAME_OR_START = nested(
    {"name": (required, text_fits(NameForm.SUBDOMAIN.can_start_with, str(NameForm.SUBDOMAIN)))}
)
CONTAINER: TypeRules = (
    {
        "name": (not_empty, LABEL),
        "image": not_empty,
        "imagePullPolicy": PULL_POLICY,
        "terminationMessagePolicy": one_of("File", "FallbackToLogsOnError", empty=True),
        "ports": (unique_by(), warn_duplicates("containerPort", "protocol", "hostPort", "hostIP")),
        "env": _check_variables,
        "resizePolicy": unique_by("resourceName"),
        "volumeDevices": (unique_by(), unique_by("devicePath")),
    },
    _check_mounts,
)
KEY_OF_OBJECT: Fields = {
    "name": (required, NAME),
    "key": (
        not_empty,
        text_matches(CONFIG_KEY, "at most 253 letters, digits, -, _ and ., and not . or .. at the start"),
    ),
}
RULES: Rules = {
    "core/v1.ConfigMapKeySelector": KEY_OF_OBJECT,
    "core/v1.Container": CONTAINER,
    "core/v1.ContainerPort": {
        "name": text_matches(PORT_NAME, PORT_NAME_EXPECTED),
        "containerPort": between(*PORTS),
        "hostPort": between(0, PORTS[1]),
        "protocol": one_of(*PROTOCOLS, empty=True),
    },
    "core/v1.ContainerResizePolicy": {
        "resourceName": one_of("cpu", "memory"),
        "restartPolicy": one_of("NotRequired", "RestartContainer"),
    },
    "core/v1.EnvFromSource": (
        {"prefix": VARIABLE, "configMapRef": NAME_OR_START, "secretRef": NAME_OR_START},
        any_of("source", "configMapRef", "secretRef"),
        at_most_one("configMapRef", "secretRef"),
    ),
    "core/v1.EnvVar": {"name": (not_empty, VARIABLE)},
    "core/v1.EnvVarSource": (
        at_most_one(*SOURCES, "fileKeyRef"),
        refused(
            SERVER_REQUIRED,
            f"found no source, expected {join_words(SOURCES)}",
            when=lambda value: value.get("fileKeyRef") is None and not find_given_fields(value, SOURCES),
        ),
        {
            "fieldRef": nested(check_pod_field(FIELDS)),
            "resourceFieldRef": nested(check_container_resource),
        },
    ),
    "core/v1.EphemeralContainer": CONTAINER,
    "core/v1.ExecAction": {"command": required},
    "core/v1.GRPCAction": {"port": PORT},
    "core/v1.HTTPGetAction": {"port": PORT, "scheme": one_of("HTTP", "HTTPS", empty=True)},
    "core/v1.HTTPHeader": {
        "name": (
            not_empty,
            text_matches(compile_late(r"[-A-Za-z0-9]+"), "letters, digits and dashes"),
        )
    },
    "core/v1.LifecycleHandler": any_of("handler", "exec", "httpGet", "sleep", "tcpSocket"),
    "core/v1.Probe": (
        any_of("handler", "exec", "grpc", "httpGet", "tcpSocket"),
        {
            "initialDelaySeconds": at_least(0),
            "timeoutSeconds": at_least(0),
            "periodSeconds": at_least(0),
            "successThreshold": at_least(0),
            "failureThreshold": at_least(0),
            "terminationGracePeriodSeconds": at_least(1),
        },
    ),
    "core/v1.SecretKeySelector": KEY_OF_OBJECT,
    "core/v1.TCPSocketAction": {"port": PORT},
    "core/v1.VolumeDevice": {"name": not_empty, "devicePath": (not_empty, NO_WAY_UP)},
    "core/v1.VolumeMount": {
        "name": not_empty,
        "mountPath": not_empty,
        "subPath": RELATIVE_PATH,
        "subPathExpr": (
            *RELATIVE_PATH,
            forbidden("beside subPath", when=lambda mount: mount.get("subPath")),
        ),
        "mountPropagation": one_of("Bidirectional", "HostToContainer", "None"),
        "recursiveReadOnly": (
            one_of("Disabled", "Enabled", "IfPossible"),
            forbidden(
                "unless readOnly is true",
                when=lambda mount: _is_recursive_read_only(mount) and mount.get("readOnly") is not True,
            ),
            forbidden(
                "beside mountPropagation",
                when=lambda mount: (
                    _is_recursive_read_only(mount) and mount.get("mountPropagation") not in (None, "None")
                ),
            ),
        ),
    },
}
