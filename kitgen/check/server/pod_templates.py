"""Pods and their templates: what annotations say of the spec beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.check.server import pods, values
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import cut
from kitgen.text.yaml import JsonObject

SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"
APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
MIRROR = "kubernetes.io/config.mirror"
COST = "controller.kubernetes.io/pod-deletion-cost"
COST_FORM = re.compile(r"0|-?[1-9][0-9]{0,9}|-0[0-9]{0,9}")


def _template(value: JsonObject) -> Iterator[Problem]:
    yield from _has_spec(value)
    yield from _annotations(value)
    spec = values.mapping(value.get("spec"))
    yield from values.below_path(pods.without_ephemeral(spec), "spec")


def _has_spec(value: JsonObject) -> Iterator[Problem]:
    """Yield the lack of a spec in a template, which no schema asks for."""
    if value.get("spec") is None:
        yield SERVER_REQUIRED('found no field "spec", expected one', ("spec",) if "spec" in value else ())


def _pod(value: JsonObject) -> Iterator[Problem]:
    yield from _annotations(value)
    spec = values.mapping(value.get("spec"))
    yield from values.below_path(pods.without_ephemeral(spec), "spec")
    yield from values.below_path(pods.only_in_pods(spec), "spec")
    yield from _profiles(value)


def _annotations(value: JsonObject) -> Iterator[Problem]:
    """Yield annotations that a server reads and does not understand."""
    found = values.mapping(value_at(value, "metadata", "annotations"))
    path = ("metadata", "annotations")
    if MIRROR in found and not value_at(value, "spec", "nodeName"):
        yield SERVER_INVALID("found a mirror pod, expected its nodeName in the spec", (*path, MIRROR))
    cost = found.get(COST)
    if isinstance(cost, str) and not (COST_FORM.fullmatch(cost) and -(2**31) <= int(cost) < 2**31):
        yield SERVER_INVALID(f"found {cut(cost)}, expected a number of 32 bits", (*path, COST))
    for key, profile in found.items():
        if not isinstance(profile, str):
            continue
        if key == SECCOMP_POD or key.startswith(SECCOMP_CONTAINER):
            yield from _seccomp(key, profile)
        elif key.startswith(APPARMOR):
            yield from _apparmor(value, key, profile)


def _seccomp(key: str, profile: str) -> Iterator[Problem]:
    path = ("metadata", "annotations", key)
    if profile.startswith("localhost/"):
        parts = profile.removeprefix("localhost/").split("/")
        if not parts[0] and len(parts) > 1:
            yield SERVER_INVALID(f"found {cut(profile)}, expected a relative path in it", path)
        if ".." in parts:
            yield SERVER_INVALID(f"found {cut(profile)}, expected no .. in it", path)
    elif profile not in ("runtime/default", "docker/default", "unconfined"):
        expected = "runtime/default, unconfined or localhost/PATH"
        yield SERVER_INVALID(f"found {cut(profile)}, expected {expected}", path)


def _apparmor(value: JsonObject, key: str, profile: str) -> Iterator[Problem]:
    path, name = ("metadata", "annotations", key), key.removeprefix(APPARMOR)
    names = {
        values.text(item.get("name"))
        for each in ("containers", "initContainers")
        for _, item in entries_at(value, "spec", each)
    }
    if name not in names:
        yield SERVER_INVALID(f"found {cut(name)} in the key, expected the name of a container", path)
    if profile not in ("", "runtime/default", "unconfined") and not profile.startswith("localhost/"):
        expected = "runtime/default, unconfined or localhost/NAME"
        yield SERVER_INVALID(f"found {cut(profile)}, expected {expected}", path)


def _profiles(value: JsonObject) -> Iterator[Problem]:
    """Yield annotations of a pod that say another profile than the field for the same thing."""
    annotations = values.mapping(value_at(value, "metadata", "annotations"))
    spec, path = values.mapping(value.get("spec")), ("metadata", "annotations")
    field = value_at(spec, "securityContext", "seccompProfile")
    if SECCOMP_POD in annotations and _differs(annotations[SECCOMP_POD], values.mapping(field)):
        yield SERVER_FORBIDDEN("found another profile than the field has", (*path, SECCOMP_POD))
    for each in ("containers", "initContainers"):
        for _, item in entries_at(spec, each):
            context = values.mapping(item.get("securityContext"))
            of_pod = value_at(spec, "securityContext", "appArmorProfile")
            for start, profile in (
                (SECCOMP_CONTAINER, context.get("seccompProfile")),
                (APPARMOR, context.get("appArmorProfile") or of_pod),
            ):
                key = f"{start}{values.text(item.get('name'))}"
                if key in annotations and _differs(annotations[key], values.mapping(profile)):
                    yield SERVER_FORBIDDEN("found another profile than the field has", (*path, key))


def _differs(annotation: object, profile: JsonObject) -> bool:
    match profile.get("type"):
        case "Localhost":
            return annotation != f"localhost/{profile.get('localhostProfile')}"
        case "RuntimeDefault":
            return annotation not in ("runtime/default", "docker/default")
        case "Unconfined":
            return annotation != "unconfined"
    return False


def _template_of(value: JsonObject) -> Iterator[Problem]:
    yield from values.required(value, "template")


VALIDATORS: Validators = {
    "batch/v1.JobTemplateSpec": _has_spec,
    "core/v1.Pod": _pod,
    "core/v1.PodTemplate": _template_of,
    "core/v1.PodTemplateSpec": _template,
}
