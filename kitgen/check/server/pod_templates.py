"""Pods and pod templates: annotations that repeat fields of the spec, and rules of certain minors."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server.constraints import each_fits, is_given, number_fits, one_of, refused, required
from kitgen.check.server.pods import check_duplicate_ports, list_containers
from kitgen.check.server.rule_tables import Fields, Rules, Validator, each_item, nested
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.scheduling import OF_REQUIRED
from kitgen.findings import Path, Problem, make_problem
from kitgen.kube.names import NameForm
from kitgen.text.patterns import compile_late
from kitgen.text.values import map_at, text_at, value_at
from kitgen.text.wording import describe_value, quote_text
from kitgen.text.yaml import JsonObject

SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"
APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
MIRROR = "kubernetes.io/config.mirror"
COST = "controller.kubernetes.io/pod-deletion-cost"
COST_FORM = compile_late(r"0|-?[1-9][0-9]{0,9}|-0[0-9]{0,9}")
ANNOTATIONS: Path = ("metadata", "annotations")
DEFAULTS = ("runtime/default", "docker/default")
READ_SINCE = {
    "supplementalGroupsPolicy": 33,
    "procMount": 33,
    "hostUsers": 33,
    "resizePolicy": 33,
    "resourceClaims": 34,
    "claims": 34,
}
"""Field of pods → the minor since which an API server does not drop it as one that is not switched on."""


def is_dropped_field(path: Path, minor: int) -> bool:
    """Return whether an API server drops what is at a place before it looks."""
    return any(READ_SINCE.get(step, 0) > minor for step in path if isinstance(step, str))


def _check_spec(value: JsonObject) -> Iterator[Problem]:
    """Report a template without a spec, which no schema requires."""
    if value.get("spec") is None:
        yield SERVER_REQUIRED('found no field "spec", expected one', ("spec",) if "spec" in value else ())


def _check_annotations(value: JsonObject) -> Iterator[Problem]:
    """Report annotations that a server reads and does not understand."""
    found = map_at(value, *ANNOTATIONS)
    if MIRROR in found and not value_at(value, "spec", "nodeName"):
        yield SERVER_INVALID("found a mirror pod, expected its nodeName in the spec", (*ANNOTATIONS, MIRROR))
    cost = found.get(COST)
    if isinstance(cost, str) and not (COST_FORM.fullmatch(cost) and -(2**31) <= int(cost) < 2**31):
        yield SERVER_INVALID(f"found {quote_text(cost)}, expected a number of 32 bits", (*ANNOTATIONS, COST))
    names = {text_at(item, "name") for _, item in list_containers(map_at(value, "spec"))}
    for key, profile in found.items():
        if not isinstance(profile, str):
            continue
        expected = ""
        if key == SECCOMP_POD or key.startswith(SECCOMP_CONTAINER):
            expected = _validate_seccomp(profile)
        elif key.startswith(APPARMOR):
            if (name := key.removeprefix(APPARMOR)) not in names:
                yield SERVER_INVALID(
                    f"found {quote_text(name)} in the key, expected the name of a container",
                    (*ANNOTATIONS, key),
                )
            if profile not in ("", DEFAULTS[0], "unconfined") and not profile.startswith("localhost/"):
                expected = "runtime/default, unconfined or localhost/NAME"
        if expected:
            yield SERVER_INVALID(f"found {quote_text(profile)}, expected {expected}", (*ANNOTATIONS, key))


def _validate_seccomp(profile: str) -> str:
    """Return what a server expects in place of a profile of seccomp; empty if it is one."""
    if not profile.startswith("localhost/"):
        known = profile in (*DEFAULTS, "unconfined")
        return "" if known else "runtime/default, unconfined or localhost/PATH"
    parts = profile.removeprefix("localhost/").split("/")
    if not parts[0] and len(parts) > 1:
        return "a relative path in it"
    return "no .. in it" if ".." in parts else ""


def _check_profiles(value: JsonObject) -> Iterator[Problem]:
    """Report annotations of a pod that say another profile than the field for the same thing."""
    context = map_at(value, "spec", "securityContext")
    fields = {SECCOMP_POD: context.get("seccompProfile")}
    for _, item in list_containers(map_at(value, "spec")):
        name, own = text_at(item, "name"), map_at(item, "securityContext")
        fields[f"{SECCOMP_CONTAINER}{name}"] = own.get("seccompProfile")
        fields[f"{APPARMOR}{name}"] = own.get("appArmorProfile") or context.get("appArmorProfile")
    annotations = map_at(value, *ANNOTATIONS)
    for key, profile in fields.items():
        if key in annotations and _differs_from_profile(
            annotations[key], profile if isinstance(profile, dict) else {}
        ):
            yield make_problem(
                "server-forbidden", "found another profile than the field has", (*ANNOTATIONS, key)
            )


def _differs_from_profile(annotation: object, profile: JsonObject) -> bool:
    match profile.get("type"):
        case "Localhost":
            return annotation != f"localhost/{profile.get('localhostProfile')}"
        case "RuntimeDefault":
            return annotation not in DEFAULTS
        case "Unconfined":
            return annotation != "unconfined"
    return False


def _check_pod(pod: JsonObject) -> Iterator[Problem]:
    """Report what the spec of a pod itself may not have, though that of a template may."""
    if pod.get("priority") and not pod.get("priorityClassName"):
        yield SERVER_FORBIDDEN(
            f"found {describe_value(pod['priority'])}, expected no number but that of a priority class",
            ("priority",),
            "name the class in priorityClassName",
        )
    if pod.get("hostNetwork") is True:
        # Ports of the node are reported with the spec.
        yield from (
            each for each in check_duplicate_ports(pod, of_network=True) if each.path[-1] != "hostPort"
        )
    for path, item in list_containers(pod):
        if (image := text_at(item, "image")) != image.strip():
            yield SERVER_INVALID(f"found {quote_text(image)}, expected no blanks around it", (*path, "image"))


OF_PODS = nested(
    refused(
        SERVER_FORBIDDEN,
        "found a node, expected none while schedulingGates stand",
        "nodeName",
        when=lambda pod: pod.get("nodeName") and is_given(pod.get("schedulingGates")),
    ),
    refused(
        SERVER_FORBIDDEN,
        "found an overhead, expected none without a runtime class, which says it",
        "overhead",
        when=lambda pod: is_given(pod.get("overhead")) and not pod.get("runtimeClassName"),
    ),
    _check_pod,
)
NOT_RUNNING = refused(
    SERVER_FORBIDDEN,
    "found ephemeral containers, expected none: only a running pod gets them",
    *("spec", "ephemeralContainers"),
    when=lambda value: is_given(value_at(value, "spec", "ephemeralContainers")),
)
PLAIN_SEARCHES: Fields = {
    "searches": each_fits(lambda found: found != "." and "_" not in found, f"{NameForm.SUBDOMAIN}, without _")
}
RESTARTS: Fields = {
    "containers": each_item(
        refused(
            SERVER_FORBIDDEN,
            "found a restartPolicy, expected none but in initContainers",
            "restartPolicy",
            when=lambda container: container.get("restartPolicy") is not None,
        )
    ),
    "initContainers": each_item({"restartPolicy": one_of("Always")}),
}
SINCE: tuple[tuple[int, str, Fields | Validator], ...] = ((33, "core/v1.NodeAffinity", OF_REQUIRED),)
"""The minor whose API server asks something first, and of what."""
UNTIL: tuple[tuple[int, str, Fields | Validator], ...] = (
    (33, "core/v1.PodDNSConfig", PLAIN_SEARCHES),
    (33, "core/v1.SleepAction", {"seconds": number_fits((0).__ne__, "at least 1")}),
    (35, "core/v1.PodSpec", RESTARTS),
)
"""The minor whose API server asks something no more, and of what."""


def rules_of_minor(rules: Rules, minor: int) -> Rules:
    """Return rules with those of a minor alone."""
    found = dict(rules)
    added = [
        *(row for row in SINCE if minor >= row[0]),
        *(row for row in UNTIL if minor < row[0]),
    ]
    for _, name, more in added:
        known = found.get(name, ())
        found[name] = (*(known if isinstance(known, tuple) else (known,)), more)
    return found


RULES: Rules = {
    "batch/v1.JobTemplateSpec": _check_spec,
    "core/v1.Pod": (_check_annotations, NOT_RUNNING, {"spec": OF_PODS}, _check_profiles),
    "core/v1.PodTemplate": {"template": required},
    "core/v1.PodTemplateSpec": (_check_spec, _check_annotations, NOT_RUNNING),
}
