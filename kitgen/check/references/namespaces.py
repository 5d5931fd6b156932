"""Check namespaces: hard-coded ones in texts, and ones that do not fit the scope of a kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest

from kitgen.check.references.probes import list_used_config_maps
from kitgen.check.references.target_objects import SHORTEST, Found, TargetObjects
from kitgen.check.schemas.catalog import is_kubernetes_group
from kitgen.findings import CauseKind, Path, is_typo, make_problem
from kitgen.kube.identity import is_namespaced
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import PodView
from kitgen.text.values import group_pairs, map_at, text_at, value_at
from kitgen.text.wording import describe_value, quote_text

PLATFORM = ("opendatahub", "redhat-ods-applications")
ANYWHERE = ("", "default", "kube-public", "kube-system")
"""Namespaces that every cluster has."""
LONGEST = 100_000
UNMISTAKABLE = PLATFORM[1]
"""Nothing but the namespace is called so."""
# Possessive and bounded, so that a long text takes no long time.
CALLED = r"(?:namespaces?|oc_project|(?<![a-z])ns)[\w.-]{0,60}+[\"']?+\s{0,99}+[:=]\s{0,99}+"
BEFORE = r"[\[-]?+\s{0,99}+(?:[\"']?+[\w-]{1,63}+[\"']?+[ ]{0,9}+(?:,|\n[ ]{0,99}+-)\s{0,99}+){0,20}"
"""Other namespaces of a list."""


def check_hardcoded_namespaces(scene: TargetObjects) -> Iterator[Found]:
    """Yield texts of pods and ConfigMaps that name a namespace which may be another one."""
    own = any(plan.target.name == scene.target for plan in scene.context.plans)
    for pod in scene.index.pods:
        yield from _check_texts(pod.manifest, _list_pod_texts(pod), own=own)
    used = {(pod.namespace, name) for pod in scene.index.pods for name in list_used_config_maps(pod)}
    for manifest in scene.objects_of("", "ConfigMap"):
        # A single value that no pod takes is one that kustomize does, such as that of a params.env.
        is_used = (manifest.id.namespace, manifest.id.name) in used
        yield from _check_texts(manifest, _list_config_texts(manifest, is_used=is_used), own=own)


def _list_pod_texts(pod: PodView) -> Iterator[tuple[Path, str]]:
    """Yield the variables and arguments of a pod, as NAME=VALUE."""
    for container in pod.containers:
        for at, variable in container.variables:
            if isinstance(value := variable.get("value"), str):
                yield container.path_to("env", at, "value"), f"{text_at(variable, 'name')}={value}"
        before = ""
        for path, word in container.arguments:
            flag = before if path[1] and before.startswith("-") and "=" not in before else ""
            before = word
            yield container.path_to(*path), f"{flag}={word}" if flag else word


def _list_config_texts(manifest: Manifest, *, is_used: bool) -> Iterator[tuple[Path, str]]:
    for key, value in map_at(manifest.body, "data").items():
        if isinstance(value, str) and (is_used or "\n" in value.strip()):
            yield ("data", key), value if "\n" in value.strip() else f"{key}={value}"


def _check_texts(manifest: Manifest, texts: Iterator[tuple[Path, str]], *, own: bool) -> Iterator[Found]:
    mine = manifest.id.namespace
    names = sorted({*PLATFORM, *([mine] if own and mine not in ANYWHERE else [])})
    for path, found in texts:
        for name in (each for each in names if each in found):
            is_named = _compile_pattern(name).search(found[:LONGEST])
            if is_named and not _is_computed_value(manifest, path):
                message = (
                    f"found the namespace {quote_text(name)} in a text, which stays when the "
                    "namespace changes"
                )
                yield manifest, make_problem("namespace-hard-coded", message, path)


@lru_cache(maxsize=64)
def _compile_pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of a text that surely names a namespace."""
    word = re.escape(name)
    alone = r"(?<![\w./-])" if name == UNMISTAKABLE else rf"{CALLED}{BEFORE}[\"']?"
    host, account = rf"[\w-]\.{word}\.svc\b", rf"system:serviceaccount:{word}:"
    return re.compile(rf"{alone}{word}(?![\w./-])|{host}|{account}", re.IGNORECASE)


def _is_computed_value(manifest: Manifest, path: Path) -> bool:
    """Return whether a value of a spec follows a parameter, or something that an expression reads."""
    source = manifest.find_source(path)
    inside = source.path_from_origin(path)
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


OTHERS = 3
"""How many times as many objects are in a namespace that one with a slip in its name was meant to be."""
MANY = 20
"""Namespaces that are worth a look."""


def check_namespace_scopes(scene: TargetObjects) -> Iterator[Found]:
    """Yield namespaces that a cluster drops, and objects that lack one."""
    # What is wrong with objects of CRDs is reported with their schema.
    declared = {(each.group, each.kind): each.is_namespaced for each in scene.crds}
    spaced: list[Manifest] = []
    for manifest in scene.index.manifests:
        group, kind = manifest.id.group, manifest.id.kind
        is_scoped = not is_namespaced(group, kind) or kind in CLUSTER_SCOPED.get(group, ())
        if declared.get((group, kind), not is_scoped and is_kubernetes_group(group, scene.context.minors)):
            spaced.append(manifest)
        if manifest.id.namespace and is_scoped and (group, kind) not in declared:
            space = value_at(manifest.body, "metadata", "namespace")
            message = (
                f"found the namespace {describe_value(space)}, which the API server drops: the "
                "kind is cluster-scoped"
            )
            yield manifest, make_problem("namespace-dropped", message, ("metadata", "namespace"), "remove it")
    if not scene.target:  # a kit says what is in no namespace
        for found in group_pairs((each.find_origin(()).file, each) for each in spaced).values():
            yield from (*_check_missing_namespaces(found), *_check_misspelt_namespaces(found))


def _check_missing_namespaces(found: list[Manifest]) -> Iterator[Found]:
    spaces = {each.id.namespace for each in found} - {*ANYWHERE}
    lacking = [each for each in found if not each.id.namespace]
    if len(spaces) == 1 and len(found) - len(lacking) >= max(2, 2 * len(lacking)):
        message = f"found no namespace, expected {quote_text(*spaces)}, as all others have"
        yield from ((each, make_problem("namespace-missing", message, ("metadata",))) for each in lacking)


def _check_misspelt_namespaces(found: list[Manifest]) -> Iterator[Found]:
    """Yield objects in a namespace that is surely meant to be that of many others."""
    spaces = group_pairs((each.id.namespace, each) for each in found if each.id.namespace)
    usual = sorted(spaces, key=lambda each: len(spaces[each]))[-MANY:]
    for space, few in spaces.items():
        meant = [
            each
            for each in usual
            if len(spaces[each]) >= OTHERS * len(few) and _is_namespace_typo(space, each)
        ]
        if meant:
            message = (
                f"found the namespace {quote_text(space)}, expected {quote_text(meant[0])}, as others have"
            )
            wrong = make_problem("namespace-missing", message, ("metadata", "namespace"))
            yield from ((each, wrong) for each in few)


def _is_namespace_typo(space: str, other: str) -> bool:
    """Return whether two names differ in one word, by a letter of it."""
    words, others = space.split("-"), other.split("-")
    pairs = [(one, two) for one, two in zip_longest(words, others, fillvalue="") if one != two]
    is_word = all(len(each) >= SHORTEST and each.isalpha() for pair in pairs for each in pair)
    return is_word and len(pairs) == 1 and is_typo(*pairs[0])
