"""Texts of about a megabyte that strain whoever reads them, by what they are made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

SIZE = 950_000
RBAC = "rbac.authorization.k8s.io"


def repeated(text: str, around: str = "{}") -> Callable[[], str]:
    """Return what makes a payload of one text, over and over."""
    return lambda: around.replace("{}", text * (SIZE // len(text)))


def numbered(text: str, around: str = "{}") -> Callable[[], str]:
    """Return what makes a payload of one text, in which # is another number each time."""
    return lambda: around.replace(
        "{}", "".join(text.replace("#", str(n)) for n in range(SIZE // (len(text) + 4)))
    )


def many(text: str, around: str) -> Callable[[], str]:
    """Return what makes a payload of a mapping with thousands of entries."""
    return lambda: around.replace(
        "{}", ", ".join(text.replace("#", str(n)) for n in range(SIZE // (len(text) + 6)))
    )


def documents(bodies: Iterable[Any]) -> str:
    """Write objects, a document each."""
    return "".join(f"---\n{json.dumps(each)}\n" for each in bodies)


def role_and_binding(number: int) -> str:
    """Return a role whose terms multiply, and as many accounts that have it."""
    terms = [f"t{each}" for each in range(number)]
    rule = {"apiGroups": terms, "resources": terms, "verbs": terms}
    subjects = [{"kind": "ServiceAccount", "name": each, "namespace": "n"} for each in terms]
    ref = {"apiGroup": RBAC, "kind": "ClusterRole", "name": "r"}
    head = {"apiVersion": f"{RBAC}/v1", "metadata": {"name": "r"}}
    binding = {**head, "kind": "ClusterRoleBinding", "roleRef": ref, "subjects": subjects}
    return documents([{**head, "kind": "ClusterRole", "rules": [rule]}, binding])


def pod(**spec: Any) -> str:
    """Return a Deployment with such a pod, and a Secret and a ConfigMap beside it."""
    meta = {"name": "a", "namespace": "n"}
    labels = {"a": "b"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "x"}], **spec}}
    body = {"selector": {"matchLabels": labels}, "template": template}
    kinds = ("ConfigMap", "Secret")
    beside = [{"apiVersion": "v1", "kind": kind, "metadata": meta, "data": {"k": "dg=="}} for kind in kinds]
    return documents(
        [{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": body}, *beside]
    )


def volumes() -> str:
    """Return a pod that takes thousands of Secrets that are not there."""
    names = (f"cert-{number}" for number in range(SIZE // 60))
    return pod(volumes=[{"name": name, "secret": {"secretName": name}} for name in names])


def arguments() -> str:
    """Return a pod with thousands of mounts, and arguments that name files in them."""
    mounts = [{"name": "v", "mountPath": f"/m/{number}"} for number in range(7_000)]
    args = [f"--file=/m/{number}/none" for number in range(14_000)]
    container = {"name": "c", "image": "x", "args": args, "volumeMounts": mounts}
    return pod(containers=[container], volumes=[{"name": "v", "configMap": {"name": "a"}}])


def probes() -> str:
    """Return a pod with thousands of containers, each asked at a port that it may have been told."""
    probe = {"httpGet": {"path": "/healthz", "port": 8081}}
    ports = [{"containerPort": 8080}]
    containers = [
        {"name": f"c{number}", "image": "x", "livenessProbe": probe, "ports": ports}
        for number in range(SIZE // 150)
    ]
    return pod(containers=containers)


def amounts() -> str:
    """Return a pod that asks for thousands of things, each of which is worth a warning."""
    names = {f"cpu{number}": "10m" for number in range(SIZE // 20)}
    return pod(containers=[{"name": "c", "image": "x", "resources": {"requests": names}}])


def alternating(step: int) -> str:
    """Return a ConfigMap with a long text of few different lines, in an order of its own."""
    lines = "\n".join(str(number * step % 300) for number in range(SIZE // 5))
    meta = {"name": "a", "namespace": "n"}
    return documents([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"text": lines}}])


def policies() -> str:
    """Return a pod, and thousands of policies and of Services that are about another port of it."""
    meta = {"namespace": "n", "labels": {"a": "b"}}
    container = {"name": "c", "image": "x", "ports": [{"containerPort": 1}]}
    body = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**meta, "name": "p"},
        "spec": {"containers": [container]},
    }
    ingress = [{"ports": [{"port": 2}]}]
    policy = {"podSelector": {"matchLabels": {"a": "b"}}, "ingress": ingress}
    service = {"selector": {"a": "b", "c": "d"}, "ports": [{"port": 2}]}
    kinds = (("networking.k8s.io/v1", "NetworkPolicy", policy), ("v1", "Service", service))
    others = (
        {"apiVersion": api, "kind": kind, "metadata": {"name": f"a{number}", "namespace": "n"}, "spec": spec}
        for number in range(SIZE // 400)
        for api, kind, spec in kinds
    )
    return documents([body, *others])


def webhook_rules(words: str, number: int = 1) -> str:
    """Return a webhook with rules whose words multiply, and that are others for other words."""
    size = SIZE // 40 // number
    rule = {
        key: [f"{words}{each}" for each in range(size)] for key in ("apiGroups", "resources", "operations")
    }
    rules = [{**rule, "apiVersions": [f"v{each}"]} for each in range(number)]
    meta = {"name": "h"}
    head = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration"}
    return documents([{**head, "metadata": meta, "webhooks": [{"name": "a.example.com", "rules": rules}]}])


def crd(name: str, schema: Any) -> Any:
    """Return a CRD, whatever it is called."""
    names = {"kind": "Web", "listKind": "WebList", "plural": "webs", "singular": "web"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    spec = {"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]}
    head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    return {**head, "metadata": {"name": name}, "spec": spec}


def crds() -> str:
    """Return hundreds of CRDs that are not called as their groups and plurals say."""
    fields = {f"field{number}": {"type": "string"} for number in range(15)}
    schema = {"type": "object", "properties": fields}
    return documents(crd(f"n{number}", schema) for number in range(SIZE // 950))


def unknown_keys() -> str:
    """Return a CRD of which a version has thousands of keys that no minor of Kubernetes knows."""
    body = crd("webs.example.com", {"type": "object"})
    body["spec"]["versions"][0] |= {f"k{number}": 1 for number in range(SIZE // 16)}
    return documents([body])


def reviewed() -> str:
    """Return a CRD whose webhook reads one version of reviews, over and over."""
    body = crd("webs.example.com", {"type": "object"})
    service = {"name": "web", "namespace": "n"}
    webhook = {"conversionReviewVersions": ["v1"] * 100_000, "clientConfig": {"service": service}}
    body["spec"]["conversion"] = {"strategy": "Webhook", "webhook": webhook}
    return documents([body])


def schema_words() -> str:
    """Return a CRD with a list that is nearly of a known type, and thousands of words that no schema has."""
    words = ("effect", "key", "operator", "value")
    fields = {"properties": {word: {"type": "string"} for word in words}, "type": "object"}
    more = {f"properties{number}": fields["properties"] for number in range(SIZE // 130)}
    items = {"type": "array", "items": {**fields, **more}}
    spec = {"type": "object", "properties": {"tolerations": items}}
    return documents([crd("webs.example.com", {"type": "object", "properties": {"spec": spec}})])


def exported() -> str:
    """Return a list of objects that cannot move, since all have one name, in one line."""
    meta = {"name": "a", "namespace": "b", "labels": {f"l{number}": "x" for number in range(60)}}
    item = {"apiVersion": "example.com/v1", "kind": "Greeting", "metadata": meta, "spec": {"text": "c"}}
    return documents([{"apiVersion": "v1", "kind": "List", "items": [item] * (SIZE // 800)}])


def bindings_of_roles() -> str:
    """Return thousands of bindings, which kustomize holds against each other by the names in them."""
    ref = {"apiGroup": RBAC, "kind": "ClusterRole", "name": "r"}
    subjects = [{"kind": "ServiceAccount", "name": "a", "namespace": "n"}]
    head = {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRoleBinding", "roleRef": ref, "subjects": subjects}
    return documents({**head, "metadata": {"name": f"b{number}"}} for number in range(3_400))


def pull_secrets() -> str:
    """Return an account with one pull secret, over and over."""
    meta = {"name": "a", "namespace": "n"}
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta}
    return documents([{**account, "imagePullSecrets": [{"name": "b"}] * (SIZE // 16)}])


DATA: dict[str, Callable[[], str]] = {
    "values": repeated("1,", "[{}1]"),
    "lists": repeated("[],", "[{}1]"),
    "keys": numbered("k#: 1\n"),
    "one value": repeated("x", "a: {}\n"),
    "one key": repeated("x", "{}: a\n"),
    "digits": repeated("1", "a: {}\n"),
    "base 60": repeated("1:", "a: {}1\n"),
    "depth": repeated("- "),
    "brackets": repeated("["),
    "empty documents": repeated("---\n"),
    "aliases": repeated("- *a\n", "- &a [1, 2, 3, 4]\n{}"),
    "merges": repeated("- {<<: *a, b: 1}\n", "- &a {c: 1, d: 2}\n{}"),
}
"""Payloads that are data of no particular kind."""

OBJECTS: dict[str, Callable[[], str]] = {
    "objects": numbered("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c#, namespace: n}\n"),
    "names alike": numbered("---\napiVersion: v1\nkind: ConfigMapp#\nmetadata: {name: c}\n"),
    "volumes": volumes,
    "arguments": arguments,
    "roles": lambda: role_and_binding(8_000),
    "other roles": lambda: role_and_binding(7_999),
    "policies": policies,
    "amounts": amounts,
    "crds": crds,
    "probes": probes,
    "unknown keys": unknown_keys,
    "review versions": reviewed,
    "schema words": schema_words,
    "exported": exported,
    "webhooks": lambda: webhook_rules("a"),
    "webhook rules": lambda: webhook_rules("a", 250),
    "other webhooks": lambda: webhook_rules("b", 250),
    "lines": lambda: alternating(1),
    "other lines": lambda: alternating(7),
    "bindings": bindings_of_roles,
    "pull secrets": pull_secrets,
    "items": many(
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: c#}}", "{apiVersion: v1, kind: List, items: [{}]}"
    ),
}
"""Payloads that are manifests."""


def patched(operation: str) -> Callable[[], str]:
    """Return what makes a payload of a patch with thousands of operations."""
    head = "{name: p, object: Deployment/hello-manager, why: because it is so, ops: [{}]}"
    return many(operation, f"patches: [{head}]\n")


LABELS = (
    "labels: [{pairs: {" + ", ".join(f"l{number}: x" for number in range(20_000)) + "}, selectors: true}]\n"
)
SPECS: dict[str, Callable[[], str]] = {
    "label rules": many("{pairs: {l#: x}}", "labels: [{}]\n"),
    "labels of services": lambda: (
        LABELS + many("s#: {ports: {metrics: 8080}}", "services: {{}}\n")()[: 2 * SIZE]
    ),
    "services": many("s#: {ports: {metrics: 8080}}", "services: {{}}\n"),
    "roles": many("r#: {permissions: {core/pods: read}}", "roles: {{}}\n"),
    "role labels": many("l#: x", "accessRoles: {labels: {{}}, sets: {a: {resources: [core/pods]}}}\n"),
    "replacements": patched('{"op": "replace", "path": "/spec/replicas", "value": #}'),
    "insertions": patched(
        '{"op": "add", "path": "/spec/template/spec/containers/0/command/0", "value": "v#"}'
    ),
    "containers": many("c#: {image: manager}", "deployment: {name: manager, containers: {{}}}\n"),
    "expressions": many("c#: '{{ namespace }}'", "services: {a: {labels: {{}}, ports: {metrics: 8080}}}\n"),
}
"""Payloads that take the place of a section of a component's spec."""

HEAD = "target: odh\nrelease: v1.0.0\nnamespace: opendatahub\n"


def patched_services() -> str:
    """Return thousands of services, and thousands of patches that change one of them each."""
    services = ", ".join(f"s{number}: {{ports: {{a: 1}}}}" for number in range(6_000))
    rest = "why: because it is so, ops: [{op: add, path: /spec/type, value: ClusterIP}]"
    patches = ", ".join(f"{{name: p{n}, object: Service/hello-s{n}, {rest}}}" for n in range(6_000))
    return f"services: {{{services}}}\npatches: [{patches}]\n"


SPECS |= {
    "accounts of a binding": lambda: (
        "bindings: {a: {role: manager-role, serviceAccounts: ["
        + "operator, " * (SIZE // 10)
        + "operator]}}\n"
    ),
    "bindings": lambda: (
        "bindings: {" + ", ".join(f"b{n}: {{role: none{n}, groups: [a]}}" for n in range(8_000)) + "}\n"
    ),
    "patches of services": patched_services,
    "operations of a webhook": many(
        "x#", "webhooks: {kinds: [{kind: example.com/v1/Greeting, validates: [{}]}]}\n"
    ),
}


def component_of_target(text: str, around: str) -> Callable[[], str]:
    """Return what makes a payload of what a target says thousands of times of a component."""
    return lambda: HEAD + many(text, f"components: {{hello: {around}}}\n")()


TARGETS: dict[str, Callable[[], str]] = {
    "label rules": component_of_target("{pairs: {a: b}, templates: true}", "{labels: [{pairs: {a: b}}, {}]}"),
    "overrides": component_of_target(
        '{version: v1.0.0, releases: ">=1.0.0", why: because}', "{overrides: [{}]}"
    ),
    "role labels": component_of_target("l#: x", "{roles: {manager-role: {labels: {{}}}}}"),
    "role labels taken away": component_of_target(
        "l#: x, n#: null", "{roles: {manager-role: {labels: {{}}}}}"
    ),
}
"""Payloads that are a target."""

TEMPLATES: dict[str, Callable[[], str]] = {
    "expressions": repeated("{{ release }}"),
    "loops": lambda: "{% for a in targets %}" * 15 + "x" * 1000 + "{% endfor %}" * 15,
    "doubling": lambda: "{% set a = 'xxxxxxxxxx' %}" + "{% set a = a ~ a %}" * 60,
    "text": repeated("text\n"),
}
"""Payloads that are templates of release notes."""

LUA: dict[str, Callable[[], str]] = {
    "loop": lambda: "while true do pcall(function() while true do end end) end",
    "doubling": lambda: "local s = 'x' while true do s = s .. s end",
    "copies": lambda: "local s = 'x' for i = 1, 24 do s = s .. s end while true do local t = s .. 'a' end",
    "messages": lambda: "local s = 'x' for i = 1, 22 do s = s .. s end return {status='Healthy', message=s}",
    "recursion": lambda: "local function f() return 1 + f() end return f()",
}
"""Payloads that are health checks."""
