"""Fields that never change: what the API server's own rules of updates refuse, kind by kind.

One function for two states of one object, which knows nothing of where they come from.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import TypeAlias

from kitgen.compare.upgrade.rules import UPGRADE_IMMUTABLE
from kitgen.compare.upgrade.values import ChangedValue, find_changed_values, format_value, shorten_text
from kitgen.findings import Path, Problem
from kitgen.kit.model.component import find_existing_prefix
from kitgen.kube.identity import RBAC, ObjectId
from kitgen.kube.quantities import parse_amount
from kitgen.text.secrets import is_secret_path
from kitgen.text.values import map_at, value_at
from kitgen.text.wording import text_of
from kitgen.text.yaml import Json, JsonObject

Judge: TypeAlias = Callable[[JsonObject, JsonObject, bool, int], Iterator[ChangedValue]]
"""Old and new body, whether the old one is live, and the oldest minor: yields what must not change."""

SELECTOR: dict[Path, Json] = {("spec", "selector"): None}
ROLE: dict[Path, Json] = {("roleRef",): None}
SPEC: dict[Path, Json] = {("spec",): None}
FIELDS: dict[tuple[str, str], dict[Path, Json]] = {
    ("", "ResourceQuota"): {("spec", "scopes"): None},
    ("apiextensions.k8s.io", "CustomResourceDefinition"): {
        ("spec", "group"): None,
        ("spec", "scope"): None,
        ("spec", "names", "kind"): None,
        ("spec", "names", "plural"): None,
    },
    ("apps", "ControllerRevision"): {("data",): None},
    ("apps", "DaemonSet"): SELECTOR,
    ("apps", "Deployment"): SELECTOR,
    ("apps", "ReplicaSet"): SELECTOR,
    ("batch", "Job"): {
        ("spec", "backoffLimitPerIndex"): None,
        ("spec", "completionMode"): "NonIndexed",
        ("spec", "managedBy"): None,
        ("spec", "podFailurePolicy"): None,
        ("spec", "selector"): None,
        ("spec", "successPolicy"): None,
    },
    ("certificates.k8s.io", "ClusterTrustBundle"): {("spec", "signerName"): None},
    ("discovery.k8s.io", "EndpointSlice"): {("addressType",): None},
    ("networking.k8s.io", "IngressClass"): {("spec", "controller"): None},
    ("networking.k8s.io", "IPAddress"): {("spec", "parentRef"): None},
    ("networking.k8s.io", "ServiceCIDR"): {("spec", "cidrs", 0): None},
    ("node.k8s.io", "RuntimeClass"): {("handler",): None},
    (RBAC, "ClusterRoleBinding"): ROLE,
    (RBAC, "RoleBinding"): ROLE,
    ("resource.k8s.io", "ResourceClaim"): SPEC,
    ("resource.k8s.io", "ResourceClaimTemplate"): SPEC,
    ("resource.k8s.io", "ResourceSlice"): {
        ("spec", "driver"): None,
        ("spec", "nodeName"): None,
        ("spec", "pool", "name"): None,
    },
    ("scheduling.k8s.io", "PriorityClass"): {("value",): 0, ("preemptionPolicy",): "PreemptLowerPriority"},
    ("storage.k8s.io", "CSIDriver"): {
        ("spec", "attachRequired"): True,
        ("spec", "volumeLifecycleModes"): ["Persistent"],
    },
    ("storage.k8s.io", "CSIStorageCapacity"): {("nodeTopology",): None, ("storageClassName",): None},
    ("storage.k8s.io", "StorageClass"): {
        ("provisioner",): None,
        ("parameters",): None,
        ("reclaimPolicy",): "Delete",
        ("volumeBindingMode",): "Immediate",
    },
    ("storage.k8s.io", "VolumeAttachment"): SPEC,
    ("storage.k8s.io", "VolumeAttributesClass"): {("driverName",): None, ("parameters",): None},
    ("storagemigration.k8s.io", "StorageVersionMigration"): {("spec", "resource"): None},
}
"""Group and kind → fields that no update changes, with what the server fills in."""
HISTORY, HISTORY_FREE = "revisionHistoryLimit", 33
"""What of a StatefulSet may change too, and the minor from which on it may."""
STATEFUL_FREE = frozenset(
    {
        *("minReadySeconds", "ordinals", "persistentVolumeClaimRetentionPolicy", "replicas", "template"),
        "updateStrategy",
    }
)
"""What of a StatefulSet may change."""
STATEFUL_FILLED: JsonObject = {"podManagementPolicy": "OrderedReady", HISTORY: 10, "serviceName": ""}
VOLUME_FREE = frozenset(
    {
        *("accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity"),
        *("persistentVolumeReclaimPolicy", "storageClassName", "volumeAttributesClassName"),
    }
)
"""What of a volume is not its source, and may change; an affinity to nodes may be set once."""
STEERED = frozenset({"affinity", "nodeSelector", "schedulingGates", "tolerations"})
"""What may change in the template of a Job that waits to be started."""
KEPT = ("loadBalancerClass", "healthCheckNodePort")
"""What of a Service stays once it is set, as long as the type does."""
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


def check_immutable_fields(
    old: JsonObject, new: JsonObject, minors: tuple[int, ...] = ()
) -> Iterator[Problem]:
    """Yield a problem for each field of an object that is not as it was and must be; one a field."""
    name = ObjectId.of(new)
    kind = (name.group, name.kind)
    yield from _check_assigned_fields(old, new)
    if not (kind in JUDGES or kind in FIELDS) or _is_recreated(new):
        return
    live = is_live_object(old)
    found = [*_compare_listed_fields(old, new, kind, live)]
    if kind in JUDGES:
        found += JUDGES[kind](old, new, live, min(minors, default=0))
    hint = HINTS.get(name.kind, ANEW).format(shorten_text(name))
    yield from (_report_change(each, new, hint) for each in found)


def _compare_listed_fields(
    old: JsonObject, new: JsonObject, kind: tuple[str, str], live: bool
) -> Iterator[ChangedValue]:
    for path, default in FIELDS.get(kind, {}).items():
        was, now = (default if (each := value_at(body, *path)) is None else each for body in (old, new))
        if path[-1] == "scopes" and isinstance(was, list | None) and isinstance(now, list | None):
            was, now = (sorted(map(text_of, each or ())) for each in (was, now))
        yield from islice(find_changed_values(was, now, path, live=live), 1)


def _compare_specs(
    was: JsonObject,
    now: JsonObject,
    live: bool,
    free: Collection[str] = (),
    allowed: Callable[[ChangedValue], bool] = lambda found: False,
) -> Iterator[ChangedValue]:
    """Yield the first change of each field of a spec that is neither free nor allowed."""
    for key in dict.fromkeys([*now, *was]):
        if key not in free:
            found = find_changed_values({key: was.get(key)}, {key: now.get(key)}, ("spec",), live=live)
            yield from islice((each for each in found if not allowed(each)), 1)


def _compare_stateful_set(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[ChangedValue]:
    """Yield what of a StatefulSet is neither the pods, nor how many, nor how they are replaced."""
    free = STATEFUL_FREE | {HISTORY} if minor >= HISTORY_FREE else STATEFUL_FREE
    was, now = (
        {**spec, **{key: each for key, each in STATEFUL_FILLED.items() if spec.get(key) in (None, "")}}
        for spec in (map_at(old, "spec"), map_at(new, "spec"))
    )
    return _compare_specs(was, now, live, free)


def _compare_job(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[ChangedValue]:
    """Yield how often a Job must succeed, which is once if it says nothing, and another template."""
    was, now = map_at(old, "spec"), map_at(new, "spec")
    had, has = (
        1 if spec.get("completions") is None and spec.get("parallelism") is None else spec.get("completions")
        for spec in (was, now)
    )
    tandem = now.get("completionMode") == "Indexed" and has == now.get("parallelism", 1)
    if had != has and not tandem and not (live and has is None):
        yield ChangedValue(("spec", "completions"), had, has)

    def steers(found: ChangedValue) -> bool:
        inside = found.path[2:]
        meant = inside[:1] == ("metadata",) or (
            inside[:1] == ("spec",) and bool(STEERED.intersection(inside[1:2]))
        )
        return was.get("suspend") is True and meant

    yield from _compare_specs(
        {"template": was.get("template")}, {"template": now.get("template")}, live, (), steers
    )


def _compare_pod(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[ChangedValue]:
    """Yield what of a Pod is neither an image, nor a deadline that comes sooner, nor one more toleration."""
    was, now = map_at(old, "spec"), map_at(new, "spec")
    return islice(_compare_specs(was, now, live, (), lambda found: _is_mutable_pod_field(found, was, now)), 1)


def _is_mutable_pod_field(found: ChangedValue, old: JsonObject, new: JsonObject) -> bool:
    """Return whether a change of a pod is one that it takes while it runs."""
    path, was, now = found.path[1:], found.was, found.now
    match path[0]:
        case "activeDeadlineSeconds":
            return isinstance(now, int) and (was is None or (isinstance(was, int) and now <= was))
        case "tolerations" | "schedulingGates" as key:
            before, after = (spec.get(key) or [] for spec in (old, new))
            less, more = (before, after) if key == "tolerations" else (after, before)
            return isinstance(less, list) and isinstance(more, list) and all(each in more for each in less)
        case "nodeSelector" | "affinity":
            return bool(old.get("schedulingGates"))
        case "containers" | "initContainers":
            return len(path) == 3 and path[2] == "image" and bool(now)
    return False


def _compare_claim(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[ChangedValue]:
    """Yield what a claim asks for that it did not ask for before; a bound one may grow, and be bound once."""
    was, now = {**map_at(old, "spec")}, map_at(new, "spec")
    once = {each for each in ("volumeName", "storageClassName") if not was.get(each)}
    for key in ("dataSource", "dataSourceRef") if live else ():  # one is filled in from the other
        was.pop(key, None)
    return _compare_specs(was, now, live, {"volumeAttributesClassName", *once}, _is_storage_growth)


def _is_storage_growth(found: ChangedValue) -> bool:
    was, now = parse_amount(found.was), parse_amount(found.now)
    size = found.path == ("spec", "resources", "requests", "storage")
    return size and was is not None and now is not None and now >= was


def _compare_volume(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[ChangedValue]:
    """Yield another source or mode, and an affinity that was another one."""
    was, now = map_at(old, "spec"), map_at(new, "spec")
    yield from _compare_specs(was, now, live, VOLUME_FREE)
    if affinity := was.get("nodeAffinity"):
        yield from islice(
            find_changed_values(affinity, now.get("nodeAffinity"), ("spec", "nodeAffinity"), live=live), 1
        )


def _compare_service(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[ChangedValue]:
    """Yield an address or family of addresses that is another one; what is left out is kept."""
    before, after = map_at(old, "spec"), map_at(new, "spec")
    types = [spec.get("type") or "ClusterIP" for spec in (before, after)]
    if "ExternalName" in types:
        return
    was, now = (spec.get("clusterIP") or value_at(spec, "clusterIPs", 0) for spec in (before, after))
    if now and was != now:
        yield ChangedValue(("spec", "clusterIP" if after.get("clusterIP") else "clusterIPs"), was, now)
    families = [
        ChangedValue(
            ("spec", "ipFamilies", index), *(value_at(spec, "ipFamilies", index) for spec in (before, after))
        )
        for index in (0, 1)
    ]
    yield from islice((each for each in families if each.was and each.now and each.was != each.now), 1)
    for key in KEPT if types == ["LoadBalancer", "LoadBalancer"] else ():
        was, now = before.get(key), after.get(key)
        if was != now and (was or key == KEPT[0]) and not (now is None and live):
            yield ChangedValue(("spec", key), was, now)


def _compare_secret(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[ChangedValue]:
    """Yield another type, and other values where they are never to change."""
    was, now = (body.get("type") or "Opaque" for body in (old, new))
    if was != now:
        yield ChangedValue(("type",), was, now)
    yield from _compare_immutable_data(old, new, ("data", "stringData"))


def _compare_config_map(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[ChangedValue]:
    """Yield other values where they are never to change."""
    return _compare_immutable_data(old, new, ("data", "binaryData"))


def _compare_immutable_data(
    old: JsonObject, new: JsonObject, fields: tuple[str, str]
) -> Iterator[ChangedValue]:
    if old.get("immutable") is not True:
        return
    if new.get("immutable") is not True:
        yield ChangedValue(("immutable",), True, new.get("immutable"))
    was, now = _decode_data(old, fields), _decode_data(new, fields)
    for key in dict.fromkeys([*now, *was]):
        if key not in was or key not in now or was[key] != now[key]:
            there = (each for each in reversed(fields) if value_at(new, each, key) is not None)
            yield ChangedValue((next(there, fields[0]), key), None, None)
            return


def _decode_data(body: JsonObject, fields: tuple[str, str]) -> dict[str, Json | bytes]:
    """Return what it holds by key; texts of a Secret count as what the server makes of them."""
    return {
        key: _encode_text(value)
        if field == "stringData" or "stringData" not in fields
        else _decode_base64(value)
        for field in fields
        for key, value in map_at(body, field).items()
    }


def _encode_text(value: Json) -> Json | bytes:
    return value.encode() if isinstance(value, str) else value


def _decode_base64(value: Json) -> Json | bytes:
    try:
        return base64.b64decode(value, validate=False) if isinstance(value, str) else value
    except (binascii.Error, ValueError):
        return value


JUDGES: dict[tuple[str, str], Judge] = {
    ("", "ConfigMap"): _compare_config_map,
    ("", "PersistentVolume"): _compare_volume,
    ("", "PersistentVolumeClaim"): _compare_claim,
    ("", "Pod"): _compare_pod,
    ("", "Secret"): _compare_secret,
    ("", "Service"): _compare_service,
    ("apps", "StatefulSet"): _compare_stateful_set,
    ("batch", "Job"): _compare_job,
}
"""Group and kind → what yields the changes that are refused, where it takes more than a list of fields."""


def _report_change(changed: ChangedValue, new: JsonObject, hint: str) -> Problem:
    path = find_existing_prefix(new, changed.path)
    if UNTOLD.intersection(map(str, changed.path)) or is_secret_path(changed.path, new):
        message = "found another value than before"
    else:
        now, was = format_value(changed.now), format_value(changed.was)
        message = (
            f"found {now}, expected {was} as before" if now != was else f"found another {now} than before"
        )
    last = [step for step in changed.path if isinstance(step, str)][-1]
    lost = f" under {last}" if path != changed.path else ""
    return UPGRADE_IMMUTABLE(f"{message}{lost}, no update may change it", path, hint)


def _check_assigned_fields(old: JsonObject, new: JsonObject) -> Iterator[Problem]:
    """Yield what only the server gives an object, where a manifest says another one."""
    for key in (*ASSIGNED, "creationTimestamp"):
        now, was = value_at(new, "metadata", key), value_at(old, "metadata", key)
        if now and was and now != was:
            yield UPGRADE_IMMUTABLE(
                f"found a {key} that is not the one of the object that is there, no update is for it",
                ("metadata", key),
                "remove it: the API server gives it",
            )


def is_live_object(body: JsonObject) -> bool:
    """Return whether an object was read from a cluster, which fills fields in."""
    return any(value_at(body, "metadata", key) for key in ASSIGNED)


def _is_recreated(body: JsonObject) -> bool:
    """Return whether whoever applies an object deletes the old one first."""
    if not isinstance(annotations := value_at(body, "metadata", "annotations"), dict):
        return False
    options = str(annotations.get(SYNC, ""))
    return any(key in annotations for key in HOOKS) or ("Replace=true" in options and "Force=true" in options)
