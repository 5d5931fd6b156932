"""Objects that are gone, got another name or went to another namespace, and what becomes of their data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.compare.crd_match import group_and_kind
from kitgen.compare.object_match import ObjectMatches, Pair
from kitgen.compare.upgrade.rules import UPGRADE_DATA, UPGRADE_GONE, UPGRADE_NAMESPACE, UPGRADE_RENAMED
from kitgen.compare.upgrade.values import shorten_text
from kitgen.findings import Problem
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.text.values import group_pairs, map_at, value_at
from kitgen.text.wording import format_count, quote_text
from kitgen.text.yaml import JsonObject

CRD = "CustomResourceDefinition"
LOST = {
    CRD: "every resource of the kind is deleted with it",
    "Namespace": "everything in it is deleted with it",
    "PersistentVolumeClaim": "the volume is deleted with it, unless its reclaim policy is Retain",
}
"""Kind → what is lost when its object is pruned."""
OWN_CLAIMS = "the claims of its pods are deleted with it, as its persistentVolumeClaimRetentionPolicy says"
EMPTY = {
    "Namespace": "what is in the old one stays there",
    "PersistentVolumeClaim": "the new volume is empty, and the data stays with the old claim",
    "StatefulSet": "its pods get new and empty volumes, and the data stays with the old claims",
}
"""Kind → what comes of it that data is found by the name of its object."""
PODS = "where nothing prunes, its pods run on beside the new ones: delete it as a step of the upgrade"
FIGHT = "both select the same pods and would fight over them: delete the old one as a step of the upgrade"
GRANTS = "where nothing prunes, what it grants stays granted: delete it as a step of the upgrade"
ASKED = (
    "where nothing prunes, the API server still asks it, and refuses requests once its service is gone: "
    "delete it as a step of the upgrade"
)
HELD = "where something prunes, what it holds is lost, and pods that refer to it do not start"
HINTS = {
    "APIService": ASKED,
    "ClusterRole": GRANTS,
    "ClusterRoleBinding": GRANTS,
    "ConfigMap": HELD,
    "CronJob": PODS,
    "DaemonSet": PODS,
    "Deployment": PODS,
    "MutatingWebhookConfiguration": ASKED,
    "Role": GRANTS,
    "RoleBinding": GRANTS,
    "Secret": HELD,
    "Service": "where something prunes, whoever calls it finds nothing",
    "ServiceAccount": "where something prunes, pods that run as it are refused everything",
    "StatefulSet": PODS,
    "ValidatingAdmissionPolicy": ASKED,
    "ValidatingWebhookConfiguration": ASKED,
}
STAYS = "where nothing prunes, it stays behind: delete it as a step of the upgrade"
OWN = frozenset({("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")})
PASSING = frozenset({"ControllerRevision", "EndpointSlice", "Endpoints", "Event", "Lease", "ReplicaSet"})
"""What a cluster makes by itself, and nobody misses in manifests."""
KEEP = (("argocd.argoproj.io/sync-options", "Prune=false"), ("helm.sh/resource-policy", "keep"))


def check_removed_objects(matched: ObjectMatches) -> Iterator[tuple[Manifest, Problem]]:
    """Yield what is gone, with the object that was there; what goes with another thing is not told again."""
    spaces = {each.id.name for each in matched.gone if each.id.kind == "Namespace"}
    kinds = {group_and_kind(each.body) for each in matched.gone if each.id.kind == CRD}
    for each in matched.gone:
        name = each.id
        if (
            name.namespace not in spaces
            and (name.group, name.kind) not in kinds
            and (found := report_removal(each.body))
        ):
            yield each, found


def report_removal(old: JsonObject) -> Problem | None:
    """Return what comes of it that an object is no longer there; nothing if it is meant to stay."""
    name = ObjectId.of(old)
    kind, notes = name.kind, map_at(old, "metadata", "annotations")
    own = value_at(old, "metadata", "ownerReferences") or kind in PASSING or (kind, name.name) in OWN
    if own or any(word in str(notes.get(key, "")) for key, word in KEEP):
        return None
    message = f"{shorten_text(name)} was there before and is gone"
    if what := LOST.get(kind) or _describe_deleted_claims(old, kind):
        return UPGRADE_DATA(
            f"{message}: where something prunes, {what}",
            hint="bring it back, or save what is needed and delete it as a step of the upgrade",
        )
    return UPGRADE_GONE(message, hint=HINTS.get(kind, STAYS))


def report_rename(old: JsonObject, new: JsonObject) -> Problem:
    """Return what comes of it that an object has another name."""
    was, now = ObjectId.of(old), ObjectId.of(new)
    message = f"found {shorten_text(now)}, which was {shorten_text(was)} before by all that is in it"
    path = ("metadata", "name")
    if (what := EMPTY.get(now.kind)) and (
        now.kind != "StatefulSet" or value_at(old, "spec", "volumeClaimTemplates")
    ):
        return UPGRADE_DATA(f"{message}: {what}", path, "keep the name, or copy the data before the upgrade")
    same = value_at(old, "spec", "selector")
    if (
        now.kind in ("Deployment", "ReplicaSet", "DaemonSet")
        and same
        and same == value_at(new, "spec", "selector")
    ):
        return UPGRADE_RENAMED(message, path, FIGHT)
    return UPGRADE_RENAMED(message, path, HINTS.get(now.kind, STAYS))


def report_namespace_moves(pairs: Sequence[Pair]) -> Iterator[tuple[list[Pair], Problem]]:
    """Yield that objects are in another namespace: once for all that went from one to another."""
    ways = group_pairs(((old.id.namespace, new.id.namespace), (old, new)) for old, new in pairs)
    for (was, now), some in ways.items():
        more = f" and {format_count(len(some) - 1, 'other object')}" if len(some) > 1 else ""
        first = min(new.id for _, new in some)
        message = (
            f"found {shorten_text(first)}{more} in the namespace {quote_text(now)}, expected "
            f"{quote_text(was)} as before"
        )
        hint = f"no update moves an object: those in {quote_text(was)} stay until they are deleted"
        yield some, UPGRADE_NAMESPACE(message, ("metadata", "namespace"), hint)


def _describe_deleted_claims(old: JsonObject, kind: str) -> str:
    policy = value_at(old, "spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted")
    return OWN_CLAIMS if kind == "StatefulSet" and policy == "Delete" else ""
