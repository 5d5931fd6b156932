"""Admission webhooks of a real tree: Service, names and configurations, and the spec of each webhook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from kitgen.kube.identity import ObjectId
from kitgen.render.families.containers_inverse import is_list_of_maps, is_string_map, maps_at
from kitgen.render.families.webhook_kinds import DOMAIN, KIND
from kitgen.render.families.webhooks import AS_THEY_ARE, NAMESPACE_NAME, SERVICE, TASKS, USUAL, usual_path
from kitgen.render.inverse import TreeObjects, is_literal_text
from kitgen.text.patterns import compile_late
from kitgen.text.values import map_at, text_at, value_at
from kitgen.text.yaml import Json, JsonObject

GROUP = "admissionregistration.k8s.io"
PATH = compile_late(r"/(?:mutate|validate)-.*-v[0-9][0-9a-z]*-([a-z][a-z0-9]*)")
Configurations = dict[ObjectId, JsonObject]


class Hook(Struct, frozen=True, kw_only=True):
    """What a webhook is for, and the parts of it that a spec may say."""

    kind: str
    """As group/version/Kind."""
    domain: str
    name: str
    """What its name ends in, which is the same for both sorts."""
    resources: list[Json] | None
    """None if they are those of the kind."""
    own: JsonObject
    """Its name, path and operations, where they are not those that the layout gives it."""
    rest: JsonObject


class WebhookLayout(Struct, frozen=True, kw_only=True):
    """What all webhooks of a tree have in common."""

    service: str
    """The name in full of the Service that they are called by."""
    names: Mapping[str, str]
    """Task → what webhooks are called, if that is not as kubebuilder does; `*` is the kind."""
    configurations: Mapping[str, str]
    """Task → the name in full of their configuration, if it is not the usual one; `*` is the kind."""
    known: Mapping[str, Configurations]
    """Task → the configurations that may be the family's."""

    def matches_configuration(self, task: str, configuration: str, hook: Hook) -> bool:
        """Return whether the family puts a webhook into a configuration."""
        word = hook.name.partition(".")[0]
        return self.configurations.get(task, configuration).replace(KIND, word) == configuration


def find_layout(scene: TreeObjects) -> WebhookLayout | None:
    """Return how webhooks are laid out; None if there are none, or others serve them."""
    known: dict[str, Configurations] = {
        task: {
            at: body
            for at, body in scene.objects.items()
            if (at.group, at.kind) == (GROUP, f"{kind}WebhookConfiguration")
            if maps_at(body, "webhooks") and is_literal_text(at.name) and KIND not in at.name
        }
        for task, (kind, _, _) in TASKS.items()
    }
    hooks = [hook for some in known.values() for body in some.values() for hook in maps_at(body, "webhooks")]
    services = Counter(name for hook in hooks if (name := text_at(hook, "clientConfig", "service", "name")))
    usual = f"{scene.prefix}{SERVICE}"
    service = max(services, key=lambda name: (services[name], name == usual), default="")
    if not scene.strip_prefix(service):
        return None
    named: dict[str, str] = {}
    placed: dict[str, str] = {}
    for task, (_, name, _) in TASKS.items():
        if pattern := _find_name_pattern(task, known[task]):
            named[task] = pattern
        own = {at: each for at, each in known[task].items() if at.name == f"{scene.prefix}{name}"}
        if known[task] and not own:
            placed[task] = _find_configuration_name(known[task])
        else:
            known[task] = own
    return WebhookLayout(service=service, names=named, configurations=placed, known=known)


def parse_path_kind(hook: JsonObject) -> str:
    """Return the kind, in lower case, that a webhook's path is for; empty if it is no usual path."""
    return match[1] if (match := PATH.fullmatch(text_at(hook, "clientConfig", "service", "path"))) else ""


def _find_name_pattern(task: str, known: Configurations) -> str:
    """Return what most webhooks of a task are called; empty if that is as kubebuilder does."""
    found: Counter[str] = Counter()
    for hook in (hook for body in known.values() for hook in maps_at(body, "webhooks")):
        name, word = text_at(hook, "name"), parse_path_kind(hook)
        if word and is_literal_text(name) and KIND not in name:
            usual = name.partition(".")[0] == f"{task[0]}{word}"
            found["" if usual else name.replace(word, KIND, 1)] += 1
    best = max(found, key=lambda each: (found[each], not each), default="")
    return best if KIND in best and 2 * found[best] >= found.total() else ""


def _find_configuration_name(known: Configurations) -> str:
    """Return what configurations are called: alike but for the kind, or as the one with most webhooks."""
    found: Counter[str] = Counter()
    for at, body in known.items():
        words = {word for hook in maps_at(body, "webhooks") if (word := parse_path_kind(hook))}
        if len(words) == 1 and (word := words.pop()) in at.name:
            found[at.name.replace(word, KIND, 1)] += 1
    if found and (len(known) > 1 or KIND in next(iter(found))):
        return max(found, key=lambda each: found[each])
    return max(known, key=lambda at: len(maps_at(known[at]["webhooks"]))).name


def find_common_fields(hooks: Iterable[JsonObject]) -> Iterator[tuple[str, Json]]:
    """Yield what all webhooks say alike: the versions of AdmissionReview that they read, and a CA."""
    first, *others = hooks
    versions, bundle = first.get("admissionReviewVersions"), value_at(first, "clientConfig", "caBundle")
    known = (["v1beta1"], ["v1", "v1beta1"], ["v1beta1", "v1"])
    if versions in known and all(each.get("admissionReviewVersions") == versions for each in others):
        yield "reviewVersions", versions
    if is_literal_text(bundle) and all(
        value_at(each, "clientConfig", "caBundle") == bundle for each in others
    ):
        yield "caBundle", bundle


KIND_GROUP = compile_late(r"[a-z0-9.-]*$")
VERSION = compile_late(r"v[0-9]+((alpha|beta)[0-9]+)?$")
WORD = compile_late(r"[a-z][a-z0-9]*$")
OPERATIONS = ("CREATE", "UPDATE", "DELETE", "CONNECT", "*")
OPERATORS = {"In": ("values",), "NotIn": ("values",), "Exists": (), "DoesNotExist": ()}
"""Operator of a selector → what a term with it has besides its key."""
CHOICES: dict[str, tuple[str, ...]] = {
    "failurePolicy": ("Fail", "Ignore"),
    "matchPolicy": ("Equivalent", "Exact"),
    "sideEffects": ("None", "NoneOnDryRun"),
}
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


def parse_webhook(scene: TreeObjects, task: str, hook: JsonObject, layout: WebhookLayout) -> Hook | None:
    """Read a webhook that the family could have made; None if it could not have been this one."""
    service = map_at(hook, "clientConfig", "service")
    name, rule = hook.get("name"), next(iter(maps_at(hook, "rules")), {})
    if service.get("name") != layout.service or not isinstance(name, str):
        return None
    resources, path = rule.get("resources"), str(service.get("path"))
    if not isinstance(resources, list) or not _is_unique_list(resources):
        return None
    of_resource = scene.resources.singular(str(value_at(rule, "apiGroups", 0) or ""), str(resources[0]))
    last = of_resource or parse_path_kind(hook)
    words = dict.fromkeys((parse_path_kind(hook), last))  # a path of its own may say no kind
    called = next(filter(None, (_parse_name(task, name, word, layout) for word in words)), None)
    found = _find_kind(scene, task, called[0], rule, path) if called else None
    own: JsonObject = {}
    if (called is None or found is None) and is_literal_text(name):
        called, own = (last, DOMAIN), {"name": name}
        found = _find_kind(scene, task, last, rule, path)
    if called is None or found is None:
        return None
    (word, domain), (group, version, kind) = called, found
    if path != usual_path(task, *found) and path.startswith("/") and is_literal_text(path):
        own["path"] = path
    plural, operations = scene.resources.plural(group, kind), rule.get("operations")
    if _is_unique_list(operations, OPERATIONS) and operations != list(TASKS[task][2]):
        own["operations"] = operations
    return Hook(
        kind="/".join(filter(None, (group, version, kind))),
        domain=domain,
        name=f"{word}.{domain}",
        resources=None if resources == [plural] else resources,
        own=own,
        rest={**dict(_select_copied_fields(hook)), **split_namespace_selector(hook.get("namespaceSelector"))},
    )


def _parse_name(task: str, name: str, word: str, layout: WebhookLayout) -> tuple[str, str] | None:
    """Return the kind that a name says, and its domain; None if the family would say another name."""
    if pattern := layout.names.get(task):
        return (word, DOMAIN) if word and pattern.replace(KIND, word) == name else None
    own, _, domain = name.partition(".")
    return (own[1:], domain) if own[:1] == task[0] and domain else None


def _find_kind(
    scene: TreeObjects, task: str, word: str, rule: JsonObject, path: str
) -> tuple[str, str, str] | None:
    """Return group, version and kind: those of the rule whose path this is, else those of its resource."""
    if not WORD.fullmatch(word) or not all(
        _is_unique_list(rule.get(key)) for key in ("apiGroups", "apiVersions")
    ):
        return None
    pairs = [(group, version) for group in rule["apiGroups"] for version in rule["apiVersions"]]
    fit = [pair for pair in pairs if KIND_GROUP.fullmatch(pair[0]) and VERSION.fullmatch(pair[1])]
    likely = [pair for pair in fit if path == usual_path(task, *pair, word)]
    if fit and scene.resources.singular(fit[0][0], str(value_at(rule, "resources", 0))) == word:
        likely.append(fit[0])
    return next(((*pair, spell_kind(scene, pair[0], word)) for pair in likely), None)


def spell_kind(scene: TreeObjects, group: str, word: str) -> str:
    """Return a kind as its API spells it: that of a CRD, of Kubernetes, a known one, else a capital."""
    for own, kind in scene.resources.plurals:
        if own == group and kind.lower() == word:
            return kind
    if word not in SPELLED and ("." not in group or group.endswith(".k8s.io")):
        from kitgen.kube.definitions import list_kinds, list_minors

        found = (each.kind for each in list_kinds(list_minors()[-1]) if each.group == group)
        return next((kind for kind in sorted(found) if kind.lower() == word), word.capitalize())
    return SPELLED.get(word, word.capitalize())


def _is_unique_list(value: Json, choices: tuple[str, ...] = ()) -> bool:
    """Return whether a value is a list of different texts, or of some of them."""
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        return False
    return len({*value}) == len(value) and (not choices or {*value} <= {*choices})


def _select_copied_fields(hook: JsonObject) -> Iterator[tuple[str, Json]]:
    """Yield what a spec says as Kubernetes does, unless the family does by itself."""
    for key in AS_THEY_ARE:
        value = hook.get(key)
        if key not in hook or value == USUAL.get(key):
            continue
        seconds = key == "timeoutSeconds" and type(value) is int and 1 <= value <= 30
        if seconds or value in CHOICES.get(key, ()) or (key == "objectSelector" and _is_selector(value)):
            yield key, value


def _is_selector(value: Json) -> bool:
    """Return whether a spec may say a selector."""
    if not isinstance(value, dict) or not {*value} <= {"matchLabels", "matchExpressions"}:
        return False
    terms, labels = value.get("matchExpressions", []), value.get("matchLabels", {})
    return is_list_of_maps(terms) and is_string_map(labels) and all(map(_is_term, terms))


def _is_term(term: JsonObject) -> bool:
    if (own := OPERATORS.get(str(term.get("operator")))) is None or not text_at(term, "key"):
        return False
    return {*term} == {"key", "operator", *own} and ("values" not in term or _is_unique_list(term["values"]))


def split_namespace_selector(selector: Json) -> JsonObject:
    """Return a selector of namespaces as a spec says it: those to skip, and what else there is."""
    if not _is_selector(selector):
        return {}
    *others, last = selector.get("matchExpressions") or [{}]
    skipped = last.get("key") == NAMESPACE_NAME and last.get("operator") == "NotIn"
    if not skipped or not all(last["values"]):
        return {"namespaceSelector": selector}
    rest = {**selector, "matchExpressions": others}
    rest = {key: value for key, value in rest.items() if key != "matchExpressions" or others}
    return {**({"namespaceSelector": rest} if rest else {}), "skipNamespaces": last["values"]}
