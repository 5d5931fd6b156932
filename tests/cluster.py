"""A stand-in for an API server: it keeps objects in memory, and refuses what a server refuses.

Namespaces and kinds have to be there. Custom resources have to fit their CRD, as kitgen judges them. A CRD
keeps the versions that are stored, and takes its resources along when it goes. Webhooks refuse what nobody
answers, policies what they are there for. An object with a finalizer goes when its operator answers. Without
it, the deletion ends in an error, where kubectl would wait for ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from copy import deepcopy
from itertools import count
from typing import Any, NamedTuple

from kitgen.crd.validate.objects import walk_object
from kitgen.findings import Severity
from kitgen.kube.identity import is_namespaced
from kitgen.text.yaml import JsonObject

BUILT_IN = {
    "": "ConfigMap Namespace Pod Secret Service ServiceAccount",
    "admissionregistration.k8s.io": (
        "MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
        "ValidatingWebhookConfiguration"
    ),
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apps": "Deployment",
    "networking.k8s.io": "NetworkPolicy",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding Role RoleBinding",
    # What OpenShift and its operators have, without a word on their fields.
    "datasciencecluster.opendatahub.io": "DataScienceCluster",
    "monitoring.coreos.com": "PodMonitor PrometheusRule ServiceMonitor",
    "operators.coreos.com": "ClusterServiceVersion InstallPlan Subscription",
    "security.openshift.io": "SecurityContextConstraints",
}
SHORT = {"crd": "customresourcedefinitions"}
SERVER_SET = (
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "managedFields",
    "generation",
    "deletionTimestamp",
)


class Type(NamedTuple):
    """A kind that the server serves."""

    group: str
    kind: str
    plural: str
    namespaced: bool
    versions: tuple[str, ...] = ()
    """Those that a CRD serves, the preferred one first; a built-in kind takes any."""


class Key(NamedTuple):
    """What an object is found by."""

    group: str
    kind: str
    namespace: str
    name: str


class RefusedError(Exception):
    """What kubectl prints where the server does not do it."""


class Cluster:
    """Objects, and the commands that change them."""

    def __init__(self) -> None:
        self.objects: dict[Key, JsonObject] = {}
        self.ready: set[tuple[str, str]] = set()
        """Deployments whose pods answer."""
        self.finalizing: dict[tuple[str, str], tuple[tuple[str, str], str]] = {}
        """Group and kind → the Deployment that looks after them, and the finalizer that it sets."""
        self.numbers = count(1)
        self.actors: list[Any] = []
        """Operators that act on objects of others: called with each object that changes."""

    # The state of it

    def saved(self) -> tuple[dict[Key, JsonObject], set[tuple[str, str]]]:
        return deepcopy(self.objects), set(self.ready)

    def load(self, saved: tuple[dict[Key, JsonObject], set[tuple[str, str]]]) -> None:
        self.objects, self.ready = deepcopy(saved[0]), set(saved[1])

    def settle(self) -> None:
        """Let all pods start, and operators see their resources."""
        for key, body in self.objects.items():
            if key.kind == "Deployment":
                self.started((key.namespace, key.name), body)

    def started(self, name: tuple[str, str], body: JsonObject) -> None:
        running = body["spec"].get("replicas", 1) > 0
        (self.ready.add if running else self.ready.discard)(name)
        for (group, kind), (operator, finalizer) in self.finalizing.items() if running else ():
            for key, each in self.objects.items():
                if operator == name and (key.group, key.kind) == (group, kind):
                    each["metadata"].setdefault("finalizers", [])
                    each["metadata"]["finalizers"] = [*{*each["metadata"]["finalizers"], finalizer}]

    # Kinds

    def types(self) -> Iterator[Type]:
        for group, kinds in BUILT_IN.items():
            for kind in kinds.split():
                plural = re.sub(r"y$", "ie", kind.lower()).removesuffix("s") + "s"
                yield Type(group, kind, plural, is_namespaced(group, kind))
        for crd in self.crds():
            spec = crd["spec"]
            served = sorted((v["name"] for v in spec["versions"] if v["served"]), reverse=True)
            served.sort(key=lambda name: ("alpha" in name, "beta" in name))
            names = spec["names"]
            yield Type(
                spec["group"], names["kind"], names["plural"], spec["scope"] != "Cluster", tuple(served)
            )

    def crds(self) -> Iterator[JsonObject]:
        for key, body in self.objects.items():
            if key.kind == "CustomResourceDefinition":
                yield body

    def crd(self, kind: Type) -> JsonObject:
        key = Key("apiextensions.k8s.io", "CustomResourceDefinition", "", f"{kind.plural}.{kind.group}")
        return self.objects[key]

    def named(self, word: str) -> tuple[Type, str]:
        """Return what a command calls `greetings.v1.example.com`, or in a shorter way, and the version."""
        first, _, rest = word.lower().partition(".")
        version, _, group = rest.partition(".")
        for each in self.types():
            if SHORT.get(first, first) not in (each.plural, each.kind.lower()):
                continue
            if rest in ("", each.group):
                return each, ""
            if group == each.group and (version in each.versions or not each.versions):
                return each, version
        raise RefusedError(f'error: the server doesn\'t have a resource type "{word}"')

    def type_of(self, body: JsonObject) -> Type:
        group, _, version = body["apiVersion"].rpartition("/")
        for each in self.types():
            if (each.group, each.kind) == (group, body["kind"]) and version in (each.versions or (version,)):
                return each
        raise RefusedError(
            f'error: resource mapping not found: no matches for kind "{body["kind"]}" in version '
            f'"{body["apiVersion"]}"\nensure CRDs are installed first'
        )

    def key(self, body: JsonObject, namespace: str = "") -> Key:
        kind = self.type_of(body)
        home = (body["metadata"].get("namespace") or namespace or "default") if kind.namespaced else ""
        return Key(kind.group, kind.kind, home, body["metadata"]["name"])

    # Reading and writing

    def at(self, key: Key, kind: Type, version: str = "") -> JsonObject:
        """Return an object as a version has it; without a conversion, it lacks what that does not know."""
        body = deepcopy(self.objects[key])
        version = version or next(iter(kind.versions), "")
        if kind.versions and not body["apiVersion"].endswith(f"/{version}"):
            body["apiVersion"] = f"{kind.group}/{version}"
            spec = self.crd(kind)["spec"]
            if (spec.get("conversion") or {}).get("strategy", "None") == "None":
                schema = next(
                    v["schema"]["openAPIV3Schema"] for v in spec["versions"] if v["name"] == version
                )
                known = schema["properties"].get("spec", {}).get("properties", {})
                body["spec"] = {name: value for name, value in body.get("spec", {}).items() if name in known}
        return body

    def put(self, body: JsonObject, namespace: str = "", *, dry: bool = False, new: bool = False) -> str:
        """Create or change an object; what the server itself says of it stays."""
        key, body = self.key(body, namespace), deepcopy(body)
        old = self.objects.get(key)
        if new and old:
            raise RefusedError(f'Error from server (AlreadyExists): {key.kind} "{key.name}" already exists')
        if key.namespace and Key("", "Namespace", "", key.namespace) not in self.objects:
            raise RefusedError(f'Error from server (NotFound): namespaces "{key.namespace}" not found')
        self.admit(key, body, "UPDATE" if old else "CREATE")
        self.validate(key, body, old)
        if dry:
            return f"{key.kind}/{key.name}"
        meta = body["metadata"]
        if key.namespace:
            meta["namespace"] = key.namespace
        for name in SERVER_SET:
            meta.pop(name, None)
        meta |= {"uid": f"uid-{next(self.numbers)}", "resourceVersion": str(next(self.numbers))}
        if old:
            meta["uid"] = old["metadata"]["uid"]
            for name in ("ownerReferences", "finalizers"):
                if name in old["metadata"]:
                    meta.setdefault(name, old["metadata"][name])
        if key.kind == "CustomResourceDefinition":
            stored = [each["name"] for each in body["spec"]["versions"] if each["storage"]]
            kept = old["status"]["storedVersions"] if old else []
            body["status"] = {"storedVersions": [*dict.fromkeys([*kept, *stored])]}
        elif old and "status" in old:
            body["status"] = old["status"]
        self.objects[key] = body
        if key.kind == "Deployment" and (old is None or old["spec"] != body["spec"]):
            self.ready.discard((key.namespace, key.name))
        self.act(key, body)
        return f"{key.kind}/{key.name}"

    def act(self, key: Key, body: JsonObject | None) -> None:
        for each in self.actors:
            each(key, body)

    def validate(self, key: Key, body: JsonObject, old: JsonObject | None) -> None:
        faults: list[str] = []
        if key.kind == "CustomResourceDefinition" and old:
            names = [each["name"] for each in body["spec"]["versions"]]
            gone = [each for each in old["status"]["storedVersions"] if each not in names]
            faults += [f'status.storedVersions: "{each}": must appear in spec.versions' for each in gone]
        for kind, path in (("Deployment", "selector"), ("ClusterRoleBinding", "roleRef")):
            if old and key.kind == kind:
                was, now = (each.get("spec", each).get(path) for each in (old, body))
                faults += [f"{path}: field is immutable"] if was != now else []
        if (kind := self.type_of(body)).versions:
            walk = walk_object(
                {**body, "metadata": {"name": key.name, "namespace": key.namespace}}, [self.crd(kind)]
            )
            faults += [str(each.message) for each in walk.problems if each.rule.severity is Severity.ERROR]
        if faults:
            raise RefusedError(f'The {key.kind} "{key.name}" is invalid: {"; ".join(faults)}')

    def admit(self, key: Key, body: JsonObject, operation: str) -> None:
        """Refuse what a policy denies, and what a webhook is asked about that nobody answers."""
        kind, version = self.type_of(body), body["apiVersion"].rpartition("/")[2]
        for each in [*self.objects.values()]:
            if each["kind"] == "ValidatingAdmissionPolicy" and self.bound(each):
                rules = each["spec"]["matchConstraints"]["resourceRules"]
                if any(_fits(rule, kind, operation, (version,)) for rule in rules):
                    raise RefusedError(
                        f"Error from server (Forbidden): {each['spec']['validations'][0]['message']}"
                    )
            for hook in each.get("webhooks", ()) if each["kind"].endswith("WebhookConfiguration") else ():
                versions = kind.versions or (version,)
                asked = any(_fits(rule, kind, operation, versions) for rule in hook["rules"])
                if asked and hook.get("failurePolicy") != "Ignore" and not self.answers(hook):
                    raise RefusedError(
                        f'Error from server (InternalError): failed calling webhook "{hook["name"]}"'
                    )

    def bound(self, policy: JsonObject) -> bool:
        name = policy["metadata"]["name"]
        return any(
            each["spec"]["policyName"] == name
            for key, each in self.objects.items()
            if key.kind == "ValidatingAdmissionPolicyBinding"
        )

    def answers(self, hook: JsonObject) -> bool:
        service = hook["clientConfig"]["service"]
        found = self.objects.get(Key("", "Service", service["namespace"], service["name"]))
        selector = found["spec"]["selector"].items() if found else [("", "")]
        return any(
            (key.namespace, key.name) in self.ready
            and key.namespace == service["namespace"]
            and selector <= each["spec"]["template"]["metadata"]["labels"].items()
            for key, each in self.objects.items()
            if key.kind == "Deployment"
        )

    def remove(self, key: Key, *, orphan: bool = False) -> None:
        """Delete an object, and what it holds or owns."""
        body = self.objects[key]
        meta = body["metadata"]
        operator, finalizer = self.finalizing.get((key.group, key.kind), ((), ""))
        if finalizer in meta.get("finalizers", ()) and operator in self.ready:
            meta["finalizers"].remove(finalizer)
            # It answers by deleting what it made, whoever owns that now.
            for child in [k for k, each in self.objects.items() if _made_for(each) == key.name]:
                self.remove(child)
        if meta.get("finalizers"):
            raise RefusedError(
                f"error: timed out waiting for the condition on {key.kind}/{key.name}: finalizers"
            )
        if key.kind == "CustomResourceDefinition":
            names = body["spec"]["group"], body["spec"]["names"]["kind"]
            self.remove_all(k for k in self.objects if (k.group, k.kind) == names)
        if key.kind == "Namespace":
            self.remove_all(k for k in self.objects if k.namespace == key.name)
        self.objects.pop(key, None)
        self.ready.discard((key.namespace, key.name)) if key.kind == "Deployment" else None
        for child, each in [*self.objects.items()]:
            owners = each["metadata"].get("ownerReferences", [])
            left = [one for one in owners if one["uid"] != meta["uid"]]
            if left == owners:
                continue
            if orphan or left:
                each["metadata"]["ownerReferences"] = left
            elif child in self.objects:
                self.remove(child)
        self.act(key, None)

    def remove_all(self, keys: Iterable[Key]) -> None:
        for each in [*keys]:
            if each in self.objects:
                self.remove(each)


def _fits(rule: JsonObject, kind: Type, operation: str, versions: Iterable[str]) -> bool:
    return (
        bool({kind.group, "*"} & {*rule["apiGroups"]})
        and bool({kind.plural, "*"} & {*rule["resources"]})
        and bool({operation, "*"} & {*rule["operations"]})
        and bool({*versions, "*"} & {*rule["apiVersions"]} or "*" in rule["apiVersions"])
    )


def _made_for(body: JsonObject) -> str:
    return str((body["metadata"].get("labels") or {}).get("made-for", ""))
