"""What Argo CD reads on an object: its wave, and how it is synced. What the object says already stays.

Sync waves: what has to be there before what. Argo CD waits until all of a wave is healthy.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cached_property, partial
from hashlib import sha256
from typing import TypeAlias

from msgspec import Struct

from kitgen.kube.definitions import list_api_groups, list_minors
from kitgen.kube.identity import RBAC, ObjectId
from kitgen.kube.manifest import ANNOTATIONS, Manifest
from kitgen.kube.object_size import SYNC_OPTIONS, needs_server_side_apply, parse_sync_options
from kitgen.render.kustomize.field_paths import apply_change, find_values
from kitgen.render.kustomize.namespace import PLACES
from kitgen.text.values import map_at
from kitgen.text.yaml import Json, JsonObject


class Wave(StrEnum):
    """What comes to a cluster together."""

    NAMESPACES = "namespaces"
    CRDS = "crds"
    PERMISSIONS = "permissions"
    CONFIGURATION = "configuration"
    OPERATORS = "operators"
    WEBHOOKS = "webhooks"
    MONITORING = "monitoring"
    RESOURCES = "resources"
    FLAVORS = "flavors"
    CLUSTER_QUEUES = "cluster-queues"
    LOCAL_QUEUES = "local-queues"


WAVES = {
    Wave.NAMESPACES: (-5, "all else may be in one"),
    Wave.CRDS: (-4, "operators watch their kinds, and resources are of them"),
    Wave.PERMISSIONS: (-3, "pods run as accounts, and may nothing without roles"),
    Wave.CONFIGURATION: (-2, "pods mount it and are called through it"),
    Wave.OPERATORS: (0, "they serve the webhooks and look after the resources"),
    Wave.WEBHOOKS: (1, "one that nobody answers yet refuses every request that it is asked about"),
    Wave.MONITORING: (2, "it looks at what runs"),
    Wave.RESOURCES: (5, "their kinds are known by then, and their webhooks answer"),
    Wave.FLAVORS: (10, "queues name them"),
    Wave.CLUSTER_QUEUES: (11, "they name flavors, and local queues name them"),
    Wave.LOCAL_QUEUES: (12, "they name the queues of the cluster"),
}
"""Each with its number, and why it comes then."""
STEP = 20
"""What sets the components of one Application apart: more than there is between two waves of one of them."""

APPS, KUEUE, OLM = "apps", "kueue.x-k8s.io", "operators.coreos.com"
KINDS = {
    ("", "Namespace"): Wave.NAMESPACES,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): Wave.CRDS,
    ("", "ServiceAccount"): Wave.PERMISSIONS,
    **{("", kind): Wave.OPERATORS for kind in ("Pod", "ReplicationController")},
    **{(KUEUE, kind): Wave.FLAVORS for kind in ("AdmissionCheck", "ResourceFlavor", "Topology")},
    **{(KUEUE, kind): Wave.CLUSTER_QUEUES for kind in ("ClusterQueue", "Cohort")},
    (KUEUE, "LocalQueue"): Wave.LOCAL_QUEUES,
}
GROUPS = {
    RBAC: Wave.PERMISSIONS,
    "security.openshift.io": Wave.PERMISSIONS,
    **dict.fromkeys(
        ("cert-manager.io", "gateway.networking.k8s.io", "route.openshift.io"), Wave.CONFIGURATION
    ),
    **dict.fromkeys((APPS, "autoscaling", "batch", OLM), Wave.OPERATORS),
    # An aggregated API is answered by an operator, too.
    **dict.fromkeys(("admissionregistration.k8s.io", "apiregistration.k8s.io"), Wave.WEBHOOKS),
    "monitoring.coreos.com": Wave.MONITORING,
}
"""What is said of all other kinds of a group."""


def wave_of(identity: ObjectId) -> Wave:
    """Return when an object is due."""
    other = Wave.CONFIGURATION if is_built_in(identity.group) else Wave.RESOURCES
    return KINDS.get((identity.group, identity.kind)) or GROUPS.get(identity.group, other)


def is_built_in(group: str) -> bool:
    """Tell whether an API server serves a group by itself; the group of a CRD always has a dot."""
    return "." not in group or group in list_api_groups(list_minors()[-1])


SYNC_WAVE = "argocd.argoproj.io/sync-wave"
CHECKSUM = "checksum/config"
TEMPLATE = ("spec", "template", "metadata", "annotations")
RESTARTED = ("Deployment", "StatefulSet", "DaemonSet")
"""Kinds of `apps` whose pods are replaced when their template changes."""
GUARDED = (Wave.NAMESPACES, Wave.CRDS)
Configuration: TypeAlias = Mapping[tuple[str, str], JsonObject]
"""Namespace and name → ConfigMap."""


class AnnotatedObject(Struct, frozen=True, kw_only=True, dict=True):
    """An object, and the annotations that it gets."""

    manifest: Manifest
    wave: Wave
    annotations: dict[str, str]
    template: dict[str, str]
    """Those of its pods."""

    @cached_property
    def annotated_manifest(self) -> Manifest:
        """Return the object as Argo CD gets it."""
        body = self.manifest.body
        for path, more in ((ANNOTATIONS, self.annotations), (TEMPLATE, self.template)):
            if more:
                body = apply_change(body, path, partial(_merge_annotations, more))
        return self.manifest.replace_body(body)


def annotate_object(
    manifest: Manifest, configuration: Configuration, *, guard: bool, shift: int = 0
) -> AnnotatedObject:
    """Return an object with what Argo CD is to know of it; waves of a later component are shifted."""
    wave, given = wave_of(manifest.id), map_at(manifest.body, *ANNOTATIONS)
    notes = {} if SYNC_WAVE in given else {SYNC_WAVE: str(WAVES[wave][0] + shift)}
    said = parse_sync_options(given)
    options = _add_options(said, _list_sync_options(manifest, wave, guard=guard))
    notes |= _build_options_annotation(said, options)
    meta = {**manifest.body["metadata"], "annotations": {**given, **notes}}
    if needs_server_side_apply({**manifest.body, "metadata": meta}):
        notes |= _build_options_annotation(said, _add_options(options, ["ServerSideApply=true"]))
    return AnnotatedObject(
        manifest=manifest,
        wave=wave,
        annotations=notes,
        template=dict(_compute_checksum(manifest, configuration)),
    )


def _build_options_annotation(before: list[str], options: list[str]) -> dict[str, str]:
    return {} if options == before else {SYNC_OPTIONS: ",".join(options)}


def _list_sync_options(manifest: Manifest, wave: Wave, *, guard: bool) -> Iterator[str]:
    if guard and wave in GUARDED:
        yield from ("Prune=confirm", "Delete=confirm")
    if not is_built_in(manifest.id.group):
        yield "SkipDryRunOnMissingResource=true"


def _add_options(options: list[str], wanted: Iterator[str] | list[str]) -> list[str]:
    """Return options with others that they say nothing of."""
    said = {each.partition("=")[0] for each in options}
    return [*options, *(each for each in wanted if each.partition("=")[0] not in said)]


def _merge_annotations(more: dict[str, str], given: Json) -> Json:
    return {**(given or {}), **more}


def _compute_checksum(manifest: Manifest, configuration: Configuration) -> Iterator[tuple[str, str]]:
    """Yield a hash of all ConfigMaps that the pods of an object read, if there are any."""
    body, identity = manifest.body, manifest.id
    if (identity.group, identity.kind) not in {("apps", kind) for kind in RESTARTED}:
        return
    named = {str(name) for way in PLACES[identity.kind] for _, name in find_values(body, way)}
    read = {
        name: {key: found[key] for key in ("data", "binaryData") if key in found}
        for name in sorted(named)
        if (found := configuration.get((identity.namespace, name)))
    }
    if read and CHECKSUM not in map_at(body, *TEMPLATE):
        yield CHECKSUM, sha256(json.dumps(read, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
