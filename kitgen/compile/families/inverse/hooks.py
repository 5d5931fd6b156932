"""One admission webhook of a real tree: the kind that it is for, and what a spec says of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.compile.bare import is_text
from kitgen.compile.families.inverse.hook_layouts import Hook, Layout, word_in
from kitgen.compile.families.inverse.running import is_maps, mapping, maps, texts
from kitgen.compile.families.webhooks import AS_THEY_ARE, TASKS, usual_path
from kitgen.compile.inverse import Scene
from kitgen.compile.webhook_kinds import DOMAIN, KIND
from kitgen.yamlio import Json, JsonObject

GROUP = re.compile(r"[a-z0-9.-]*$")
VERSION = re.compile(r"v[0-9]+((alpha|beta)[0-9]+)?$")
WORD = re.compile(r"[a-z][a-z0-9]*$")
OPERATIONS = ("CREATE", "UPDATE", "DELETE", "CONNECT", "*")
OPERATORS = {"In": True, "NotIn": True, "Exists": False, "DoesNotExist": False}
"""Operator of a selector → whether it has values."""
NAMESPACE_NAME = "kubernetes.io/metadata.name"
CHOICES: dict[str, tuple[str, ...]] = {
    "failurePolicy": ("Fail", "Ignore"),
    "matchPolicy": ("Equivalent", "Exact"),
    "sideEffects": ("None", "NoneOnDryRun"),
}
DEFAULTS = {"failurePolicy": "Fail", "sideEffects": "None"}
"""What the family says by itself."""
KINDS = (
    *(
        "Deployment",
        "Event",
        "Ingress",
        "Job",
        "Lease",
        "Namespace",
        "Node",
        "Pod",
        "Role",
        "Secret",
        "Service",
    ),
    *("AdmissionCheck", "AppWrapper", "ClusterQueue", "ClusterRole", "ClusterRoleBinding"),
    *("ConfigMap", "CronJob", "DaemonSet", "DestinationRule", "InferenceGraph", "InferenceService"),
    *("JAXJob", "JobSet", "LeaderWorkerSet", "LocalModelCache", "LocalQueue", "MPIJob", "MXJob"),
    *("NetworkPolicy", "NodePool", "PaddleJob", "PersistentVolume", "PersistentVolumeClaim", "PodGroup"),
    *("PodMonitor", "PriorityClass", "PrometheusRule", "AlertmanagerConfig", "PyTorchJob", "RayCluster"),
    *("RayJob", "RayService", "ReplicaSet", "ReplicationController", "ResourceFlavor", "ResourceQuota"),
    *("RoleBinding", "ServiceAccount", "ServiceMonitor", "ServingRuntime", "ClusterServingRuntime"),
    *("SparkApplication", "ScheduledSparkApplication", "SparkConnect", "StatefulSet", "StorageClass"),
    *("TFJob", "TrainedModel", "TrainJob", "TrainingRuntime", "ClusterTrainingRuntime", "XGBoostJob"),
    *("CertificateRequest", "ClusterIssuer", "VirtualService", "DataScienceCluster", "DSCInitialization"),
)
"""Kinds that are often asked of, most of which their lower case does not show."""
SPELLED = {kind.lower(): kind for kind in KINDS}


def hook_of(scene: Scene, task: str, hook: JsonObject, layout: Layout) -> Hook | None:
    """Read a webhook that the family could have made; None if it could not have been this one."""
    service = mapping(mapping(hook.get("clientConfig")).get("service"))
    name, rule = hook.get("name"), next(iter(maps(hook.get("rules"))), {})
    if service.get("name") != layout.service or not isinstance(name, str):
        return None
    resources, path = rule.get("resources"), str(service.get("path"))
    if not _is_list(resources):
        return None
    called = _called(task, name, word_in(hook), layout)
    found = _kind(scene, task, called[0], rule, path) if called else None
    own: JsonObject = {}
    if (called is None or found is None) and is_text(name):
        called, own = (_word(scene, hook, rule), DOMAIN), {"name": name}
        found = _kind(scene, task, called[0], rule, path)
    if called is None or found is None:
        return None
    (word, domain), (group, version, kind) = called, found
    if path != usual_path(task, *found) and path.startswith("/") and is_text(path):
        own["path"] = path
    plural, operations = scene.resources.plural(group, kind), rule.get("operations")
    usual = not _is_list(operations, OPERATIONS) or operations == list(TASKS[task][2])
    return Hook(
        kind="/".join(filter(None, (group, version, kind))),
        domain=domain,
        name=f"{word}.{domain}",
        resources=None if resources == [plural] else resources,
        operations=None if usual else operations,
        own=own,
        rest={**dict(_as_they_are(hook)), **namespaces(hook.get("namespaceSelector"))},
    )


def _called(task: str, name: str, word: str, layout: Layout) -> tuple[str, str] | None:
    """Return the kind that a name says, and its domain; None if the family would say another name."""
    if pattern := layout.names.get(task):
        return (word, DOMAIN) if word and pattern.replace(KIND, word) == name else None
    own, _, domain = name.partition(".")
    return (own[1:], domain) if own[:1] == task[0] and domain else None


def _word(scene: Scene, hook: JsonObject, rule: JsonObject) -> str:
    """Return the kind, in lower case, of a webhook whose name does not say it."""
    groups = rule.get("apiGroups")
    group = groups[0] if isinstance(groups, list) and groups else ""
    return scene.resources.singular(str(group), str(rule["resources"][0])) or word_in(hook)


def _kind(scene: Scene, task: str, word: str, rule: JsonObject, path: str) -> tuple[str, str, str] | None:
    """Return group, version and kind: those of the rule whose path this is, else those of its resource."""
    if not WORD.fullmatch(word) or not all(_is_list(rule.get(key)) for key in ("apiGroups", "apiVersions")):
        return None
    pairs = [(group, version) for group in rule["apiGroups"] for version in rule["apiVersions"]]
    fit = [pair for pair in pairs if GROUP.fullmatch(pair[0]) and VERSION.fullmatch(pair[1])]
    for group, version in fit:
        if path == f"/{task}-{group.replace('.', '-')}-{version}-{word}":
            return group, version, spelling(scene, group, word)
    one = str(next(iter(rule.get("resources") or ()), ""))
    if fit and scene.resources.singular(fit[0][0], one) == word:
        return *fit[0], spelling(scene, fit[0][0], word)
    return None


def spelling(scene: Scene, group: str, word: str) -> str:
    """Return a kind as its API spells it: that of a CRD, of Kubernetes, a known one, else a capital."""
    for own, kind in scene.resources.plurals:
        if own == group and kind.lower() == word:
            return kind
    if word not in SPELLED and ("." not in group or group.endswith(".k8s.io")):
        from kitgen.kubernetes import kinds, minors

        found = (each.kind for each in kinds(minors()[-1]) if each.group == group)
        return next((kind for kind in sorted(found) if kind.lower() == word), word.capitalize())
    return SPELLED.get(word, word.capitalize())


def _is_list(value: Json, choices: tuple[str, ...] = ()) -> bool:
    """Tell whether a value is a list of different texts, or of some of them."""
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        return False
    return len({*value}) == len(value) and (not choices or {*value} <= {*choices})


def _as_they_are(hook: JsonObject) -> Iterator[tuple[str, Json]]:
    """Yield what a spec says as Kubernetes does, unless the family does by itself."""
    for key in AS_THEY_ARE:
        value = hook.get(key)
        if key not in hook or value == DEFAULTS.get(key):
            continue
        seconds = key == "timeoutSeconds" and type(value) is int and 1 <= value <= 30
        if seconds or value in CHOICES.get(key, ()) or (key == "objectSelector" and _is_selector(value)):
            yield key, value


def _is_selector(value: Json) -> bool:
    """Tell whether a spec may say a selector."""
    if not isinstance(value, dict) or not {*value} <= {"matchLabels", "matchExpressions"}:
        return False
    terms, labels = value.get("matchExpressions", []), value.get("matchLabels", {})
    return is_maps(terms) and texts(labels) and all(map(_is_term, terms))


def _is_term(term: JsonObject) -> bool:
    valued = OPERATORS.get(str(term.get("operator")))
    if valued is None or not isinstance(term.get("key"), str) or not term["key"]:
        return False
    return {*term} == {"key", "operator", *(["values"] if valued else [])} and (
        not valued or _is_list(term["values"])
    )


def namespaces(selector: Json) -> JsonObject:
    """Return a selector of namespaces as a spec says it: those to skip, and what else there is."""
    if not _is_selector(selector):
        return {}
    *others, last = selector.get("matchExpressions") or [{}]
    skipped = last.get("key") == NAMESPACE_NAME and last.get("operator") == "NotIn"
    if not skipped or not all(last["values"]):
        return {"namespaceSelector": selector}
    rest = {key: value for key, value in selector.items() if key != "matchExpressions"}
    rest = {**rest, "matchExpressions": others} if others else rest
    return {**({"namespaceSelector": rest} if rest else {}), "skipNamespaces": last["values"]}


__all__ = ["DEFAULTS", "DOMAIN", "Hook", "hook_of", "namespaces"]
