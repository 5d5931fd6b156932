"""Fields that never change: what the API server's own rules of updates refuse, kind by kind.

One function for two states of one object, which knows nothing of where they come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from kitgen.compare.upgrade.rules import UPGRADE_IMMUTABLE
from kitgen.compare.upgrade.services import service
from kitgen.compare.upgrade.storage import claim, config_map, secret, volume
from kitgen.compare.upgrade.values import Changed, changes, reached, short, told
from kitgen.compare.upgrade.workloads import job, pod, stateful_set
from kitgen.findings import Path, Problem
from kitgen.kube.identity import RBAC, ObjectId
from kitgen.text.secrets import is_secretive
from kitgen.text.values import value_at
from kitgen.text.wording import text_of
from kitgen.text.yaml import Json, JsonObject

Judge: TypeAlias = Callable[[JsonObject, JsonObject, bool, int], Iterator[Changed]]
"""Old and new body, whether the old one is live, and the oldest minor: yields what must not change."""

SELECTOR: tuple[Path, ...] = (("spec", "selector"),)
ROLE: tuple[Path, ...] = (("roleRef",),)
FIELDS: dict[tuple[str, str], tuple[Path, ...]] = {
    ("", "ResourceQuota"): (("spec", "scopes"),),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): (
        ("spec", "group"),
        ("spec", "scope"),
        ("spec", "names", "kind"),
        ("spec", "names", "plural"),
    ),
    ("apps", "ControllerRevision"): (("data",),),
    ("apps", "DaemonSet"): SELECTOR,
    ("apps", "Deployment"): SELECTOR,
    ("apps", "ReplicaSet"): SELECTOR,
    ("certificates.k8s.io", "ClusterTrustBundle"): (("spec", "signerName"),),
    ("discovery.k8s.io", "EndpointSlice"): (("addressType",),),
    ("networking.k8s.io", "IngressClass"): (("spec", "controller"),),
    ("networking.k8s.io", "IPAddress"): (("spec", "parentRef"),),
    ("networking.k8s.io", "ServiceCIDR"): (("spec", "cidrs", 0),),
    ("node.k8s.io", "RuntimeClass"): (("handler",),),
    (RBAC, "ClusterRoleBinding"): ROLE,
    (RBAC, "RoleBinding"): ROLE,
    ("resource.k8s.io", "ResourceClaim"): (("spec",),),
    ("resource.k8s.io", "ResourceClaimTemplate"): (("spec",),),
    ("resource.k8s.io", "ResourceSlice"): (
        ("spec", "driver"),
        ("spec", "nodeName"),
        ("spec", "pool", "name"),
    ),
    ("scheduling.k8s.io", "PriorityClass"): (("value",), ("preemptionPolicy",)),
    ("storage.k8s.io", "CSIDriver"): (("spec", "attachRequired"), ("spec", "volumeLifecycleModes")),
    ("storage.k8s.io", "CSIStorageCapacity"): (("nodeTopology",), ("storageClassName",)),
    ("storage.k8s.io", "StorageClass"): (
        ("provisioner",),
        ("parameters",),
        ("reclaimPolicy",),
        ("volumeBindingMode",),
    ),
    ("storage.k8s.io", "VolumeAttachment"): (("spec",),),
    ("storage.k8s.io", "VolumeAttributesClass"): (("driverName",), ("parameters",)),
    ("storagemigration.k8s.io", "StorageVersionMigration"): (("spec", "resource"),),
}
"""Group and kind → fields that no update changes."""
DEFAULTS: dict[tuple[str, Path], Json] = {
    ("CSIDriver", ("spec", "attachRequired")): True,
    ("CSIDriver", ("spec", "volumeLifecycleModes")): ["Persistent"],
    ("PriorityClass", ("preemptionPolicy",)): "PreemptLowerPriority",
    ("PriorityClass", ("value",)): 0,
    ("StorageClass", ("reclaimPolicy",)): "Delete",
    ("StorageClass", ("volumeBindingMode",)): "Immediate",
}
JUDGES: dict[tuple[str, str], Judge] = {
    ("", "ConfigMap"): config_map,
    ("", "PersistentVolume"): volume,
    ("", "PersistentVolumeClaim"): claim,
    ("", "Pod"): pod,
    ("", "Secret"): secret,
    ("", "Service"): service,
    ("apps", "StatefulSet"): stateful_set,
    ("batch", "Job"): job,
}
"""Group and kind → what tells of the changes that are refused, where it takes more than a list of fields."""
STEP = "delete the old {0} as a step of the upgrade"
ANEW = f"{STEP}, so that it is created anew, or keep what was there"
BOUND = f"{STEP}; until the new one is there, nobody is bound"
STOPS = f"keep the selector, or {STEP}; its pods stop until the new ones run"
HINTS = {
    "ClusterRoleBinding": BOUND,
    "ConfigMap": "give it another name, as kustomize does with a hash, and let pods refer to that",
    "CustomResourceDefinition": "keep what was there: to delete the CRD deletes every resource of its kind",
    "DaemonSet": STOPS,
    "Deployment": STOPS,
    "Job": f"{STEP}, or give the new one another name",
    "PersistentVolume": "make a new volume under another name; a claim that is bound stays with the old one",
    "PersistentVolumeClaim": "make a new claim under another name, and copy the data before the old one goes",
    "Pod": f"{STEP}, or let a Deployment make it",
    "ReplicaSet": STOPS,
    "RoleBinding": BOUND,
    "Secret": f"give it another name, and let pods refer to that, or {STEP}",
    "Service": f"{STEP}; nobody reaches it until the new one is there, under another address",
    "StatefulSet": f"{STEP}, with kubectl delete --cascade=orphan: its pods and volumes stay",
}
"""Kind → what must be done."""
UNTOLD = frozenset({"annotations", "args", "command", "data", "env", "parameters"})
"""Fields below which a value may be a secret."""
ASSIGNED = ("uid", "resourceVersion")
HOOKS = ("argocd.argoproj.io/hook", "helm.sh/hook")
SYNC = "argocd.argoproj.io/sync-options"


def unchangeable(old: JsonObject, new: JsonObject, minors: tuple[int, ...] = ()) -> Iterator[Problem]:
    """Yield a problem for each field of an object that is not as it was and must be; one a field."""
    name = ObjectId.of(new)
    kind = (name.group, name.kind)
    yield from _assigned(old, new)
    judge = JUDGES.get(kind)
    if not (judge or kind in FIELDS) or _made_anew(new):
        return
    live = is_live(old)
    found = judge(old, new, live, min(minors, default=0)) if judge else _listed(old, new, kind, live)
    hint = HINTS.get(name.kind, ANEW).format(short(name))
    for each in found:
        yield _problem(each, new, hint)


def _listed(old: JsonObject, new: JsonObject, kind: tuple[str, str], live: bool) -> Iterator[Changed]:
    for path in FIELDS[kind]:
        was, now = value_at(old, *path), value_at(new, *path)
        default = DEFAULTS.get((kind[1], path))
        was, now = (default if each is None else each for each in (was, now))
        if path[-1] == "scopes" and isinstance(was, list | None) and isinstance(now, list | None):
            was, now = (sorted(map(text_of, each or ())) for each in (was, now))
        if found := next(changes(was, now, path, live=live), None):
            yield found


def _problem(changed: Changed, new: JsonObject, hint: str) -> Problem:
    path = reached(new, changed.path)
    if UNTOLD.intersection(map(str, changed.path)) or is_secretive(changed.path, new):
        message = "found another value than before"
    else:
        now, was = told(changed.now), told(changed.was)
        message = (
            f"found {now}, expected {was} as before" if now != was else f"found another {now} than before"
        )
    last = [step for step in changed.path if isinstance(step, str)][-1]
    lost = f" under {last}" if path != changed.path else ""
    return UPGRADE_IMMUTABLE(f"{message}{lost}, no update may change it", path, hint)


def _assigned(old: JsonObject, new: JsonObject) -> Iterator[Problem]:
    """Yield what only the server gives an object, where a manifest says another one."""
    for key in (*ASSIGNED, "creationTimestamp"):
        now, was = value_at(new, "metadata", key), value_at(old, "metadata", key)
        if now and was and now != was:
            message = f"found a {key} that is not the one of the object that is there, no update is for it"
            yield UPGRADE_IMMUTABLE(message, ("metadata", key), "remove it: the API server gives it")


def is_live(body: JsonObject) -> bool:
    """Tell whether an object was read from a cluster, which fills fields in."""
    return any(value_at(body, "metadata", key) for key in ASSIGNED)


def _made_anew(body: JsonObject) -> bool:
    """Tell whether whoever applies an object deletes the old one first."""
    annotations = value_at(body, "metadata", "annotations")
    if not isinstance(annotations, dict):
        return False
    options = str(annotations.get(SYNC, ""))
    return any(key in annotations for key in HOOKS) or ("Replace=true" in options and "Force=true" in options)
