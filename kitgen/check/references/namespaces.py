"""Check namespaces: hard-coded ones in texts, and those that a cluster drops."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.check.references.probes import used_config_maps
from kitgen.check.references.target_objects import Found, TargetObjects
from kitgen.findings import CauseKind, Path, problem
from kitgen.kube.identity import is_namespaced
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import PodView
from kitgen.text.values import map_at, text_at, value_at
from kitgen.text.wording import cut, shown

PLATFORM = ("opendatahub", "redhat-ods-applications")
ANYWHERE = ("", "default", "kube-system")
"""Namespaces that every cluster has."""
LONGEST = 100_000
UNMISTAKABLE = PLATFORM[1]
"""Nothing but the namespace is called so."""
# Possessive and bounded, so that a long text takes no long time.
CALLED = r"(?:namespaces?|oc_project|(?<![a-z])ns)[\w.-]{0,60}+[\"']?+\s{0,99}+[:=]\s{0,99}+"
BEFORE = r"[\[-]?+\s{0,99}+(?:[\"']?+[\w-]{1,63}+[\"']?+[ ]{0,9}+(?:,|\n[ ]{0,99}+-)\s{0,99}+){0,20}"
"""Other namespaces of a list."""


def look(scene: TargetObjects) -> Iterator[Found]:
    """Yield texts of pods and ConfigMaps that name a namespace which may be another one."""
    own = any(plan.target.name == scene.target for plan in scene.context.plans)
    for pod in scene.index.pods:
        yield from _found(pod.manifest, _told(pod), own=own)
    used = {(pod.namespace, name) for pod in scene.index.pods for name in used_config_maps(pod)}
    for manifest in scene.of("", "ConfigMap"):
        # A single value that no pod takes is one that kustomize does, such as that of a params.env.
        is_used = (manifest.id.namespace, manifest.id.name) in used
        yield from _found(manifest, _held(manifest, is_used=is_used), own=own)


def _told(pod: PodView) -> Iterator[tuple[Path, str]]:
    """Yield the variables and arguments of a pod, as NAME=VALUE."""
    for container in pod.containers:
        for at, variable in container.variables:
            if isinstance(value := variable.get("value"), str):
                yield container.at("env", at, "value"), f"{text_at(variable, 'name')}={value}"
        before = ""
        for path, word in container.words:
            flag = before if path[1] and before.startswith("-") and "=" not in before else ""
            before = word
            yield container.at(*path), f"{flag}={word}" if flag else word


def _held(manifest: Manifest, *, is_used: bool) -> Iterator[tuple[Path, str]]:
    for key, value in map_at(manifest.body, "data").items():
        if isinstance(value, str) and (is_used or "\n" in value.strip()):
            yield ("data", key), value if "\n" in value.strip() else f"{key}={value}"


def _found(manifest: Manifest, texts: Iterator[tuple[Path, str]], *, own: bool) -> Iterator[Found]:
    mine = manifest.id.namespace
    names = {*PLATFORM, *([mine] if own and mine not in ANYWHERE else [])}
    forms = [(name, _form(name)) for name in sorted(names)]
    for path, found in texts:
        for name, form in forms:
            if name in found and form.search(found[:LONGEST]) and not _is_computed(manifest, path):
                message = f"found the namespace {cut(name)} in a text, which stays when the namespace changes"
                yield manifest, problem("namespace-hard-coded", message, path)


def _form(name: str) -> re.Pattern[str]:
    """Return the pattern of a text that surely names a namespace."""
    word = re.escape(name)
    alone = r"(?<![\w./-])" if name == UNMISTAKABLE else rf"{CALLED}{BEFORE}[\"']?"
    host, account = rf"[\w-]\.{word}\.svc\b", rf"system:serviceaccount:{word}:"
    return re.compile(rf"{alone}{word}(?![\w./-])|{host}|{account}", re.IGNORECASE)


def _is_computed(manifest: Manifest, path: Path) -> bool:
    """Return whether a value of a spec follows a parameter, or something that an expression reads."""
    source = manifest.source(path)
    inside = source.inside(path)
    read = any(place == inside[: len(place)] for place, _ in source.reads)
    return read or source.cause.kind is CauseKind.PARAMETER


CLUSTER_SCOPED: dict[str, tuple[str, ...]] = {
    "": ("ComponentStatus",),
    "admissionregistration.k8s.io": ("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"),
    "authentication.k8s.io": ("SelfSubjectReview", "TokenReview"),
    "authorization.k8s.io": ("SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"),
    "internal.apiserver.k8s.io": ("StorageVersion",),
    "networking.k8s.io": ("IPAddress", "ServiceCIDR"),
    "resource.k8s.io": ("DeviceClass", "DeviceTaintRule", "ResourceSlice"),
    "storage.k8s.io": ("VolumeAttributesClass",),
    "storagemigration.k8s.io": ("StorageVersionMigration",),
    "argoproj.io": ("ClusterWorkflowTemplate",),
    "cert-manager.io": ("ClusterIssuer",),
    "certificates.k8s.io": ("ClusterTrustBundle",),
    "config.openshift.io": ("ImageDigestMirrorSet", "ImageTagMirrorSet", "OperatorHub"),
    "console.openshift.io": ("ConsoleLink", "ConsolePlugin", "ConsoleQuickStart"),
    "dscinitialization.opendatahub.io": ("DSCInitialization",),
    "external-secrets.io": ("ClusterExternalSecret", "ClusterSecretStore"),
    "gateway.networking.k8s.io": ("GatewayClass",),
    "operator.openshift.io": ("ImageContentSourcePolicy",),
    "project.openshift.io": ("Project",),
    "quota.openshift.io": ("ClusterResourceQuota",),
}
"""Group → more kinds whose objects live in no namespace."""


def look_scopes(scene: TargetObjects) -> Iterator[Found]:
    """Yield namespaces that a cluster drops."""
    # What is wrong with objects of CRDs is reported with their schema.
    declared = {(each.group, each.kind) for each in scene.crds}
    for manifest in scene.index.manifests:
        group, kind = manifest.id.group, manifest.id.kind
        is_scoped = not is_namespaced(group, kind) or kind in CLUSTER_SCOPED.get(group, ())
        if manifest.id.namespace and is_scoped and (group, kind) not in declared:
            space = value_at(manifest.body, "metadata", "namespace")
            message = (
                f"found the namespace {shown(space)}, which the API server drops: the kind is cluster-scoped"
            )
            yield manifest, problem("namespace-dropped", message, ("metadata", "namespace"), "remove it")
