"""Pairs of manifests of about a megabyte that strain whoever holds one against the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from payloads import RBAC, SIZE, crd, documents

HEAD = "target: odh\nrelease: v1.0.0\nnamespace: opendatahub\n"
DECLARED = ("drift", "a.yaml", "b.yaml", "--declared", "odh")
DIFF = ("diff", "a.yaml", "b.yaml", "-a")


class Compared(NamedTuple):
    """Two sides, and the commands that compare them."""

    commands: tuple[tuple[str, ...], ...]
    old: Callable[[], str]
    new: Callable[[], str]
    target: str = ""
    """What else a target says."""


def settings(name: str, space: str, size: int = 100, **data: str) -> str:
    """Return thousands of ConfigMaps; # is another number each time."""
    return documents(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name.replace("#", str(n)), "namespace": space.replace("#", str(n))},
            "data": data,
        }
        for n in range(SIZE // size // 2)
    )


def versions(number: int) -> str:
    """Return a CRD with versions that are deprecated for others."""
    schema = {"openAPIV3Schema": {"type": "object"}}
    body = crd("webs.example.com", {"type": "object"})
    body["spec"]["versions"] += [
        {"name": f"v1alpha{n}", "served": True, "storage": False, "deprecated": True, "schema": schema}
        for n in range(number)
    ]
    return documents([body])


def selected(value: str) -> str:
    """Return pods of one label, and as many Services that ask for a value of it."""
    head: dict[str, Any] = {"apiVersion": "v1"}
    number = SIZE // 280
    pods = (
        {
            **head,
            "kind": "Pod",
            "metadata": {"name": f"p{n}", "namespace": "n", "labels": {"a": "b"}},
        }
        for n in range(number)
    )
    services = (
        {
            **head,
            "kind": "Service",
            "metadata": {"name": f"s{n}", "namespace": "n"},
            "spec": {"selector": {"a": value}},
        }
        for n in range(number)
    )
    return documents([*pods, *services])


def choices(word: str) -> str:
    """Return a CRD with a field of very many values."""
    values = [f"{word}{n}" for n in range(SIZE // 10)]
    schema = {"type": "object", "properties": {"a": {"type": "string", "enum": values}}}
    return documents([crd("webs.example.com", schema)])


def keys(value: str) -> str:
    """Return a ConfigMap with very many keys."""
    meta = {"name": "a", "namespace": "n"}
    data = {f"k{n}": value for n in range(SIZE // 14)}
    return documents([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}])


def deployments(word: str) -> str:
    """Return what OLM installs thousands of Deployments by, and thousands of accounts with permissions."""
    head = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion"}
    rule = {"apiGroups": [""], "resources": ["pods"], "verbs": [word]}
    pod = {"spec": {"containers": [{"name": "c", "image": word}]}}
    installed = {
        "deployments": [{"name": f"d{n}", "spec": {"template": pod}} for n in range(SIZE // 500)],
        "clusterPermissions": [{"serviceAccountName": f"s{n}", "rules": [rule]} for n in range(SIZE // 160)],
    }
    spec = {"version": "1.0.0", "install": {"strategy": "deployment", "spec": installed}}
    return documents([{**head, "metadata": {"name": "a.v1.0.0", "namespace": "n"}, "spec": spec}])


def labelled() -> str:
    """Return a target that gives a role thousands of labels, each of which is a difference."""
    labels = ", ".join(f"l{n}: x" for n in range(19_000))
    return f"{HEAD}components: {{hello: {{roles: {{manager-role: {{labels: {{{labels}}}}}}}}}}}\n"


def grants(verb: str) -> str:
    """Return hundreds of roles whose resources and verbs multiply."""
    rule = {
        "apiGroups": [""],
        "resources": [f"r{n}" for n in range(220)],
        "verbs": [f"{verb}{n}" for n in range(220)],
    }
    head = {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole"}
    return documents({**head, "metadata": {"name": f"r{n}"}, "rules": [rule]} for n in range(SIZE // 3_800))


def bound(role: str) -> str:
    """Return a binding that names one account over and over."""
    subject = {"kind": "ServiceAccount", "name": "a", "namespace": "n"}
    ref = {"kind": "ClusterRole", "name": role, "apiGroup": RBAC}
    body = {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "a"}}
    return documents([{**body, "roleRef": ref, "subjects": [subject] * (SIZE // 60)}])


COMPARED = {
    "subjects": Compared((DIFF,), lambda: bound("a"), lambda: bound("b")),
    "grants": Compared(
        ((*DIFF, "-o", "json"), ("compare", *DIFF[1:-1], "-o", "json"), DECLARED),
        lambda: grants("a"),
        lambda: grants("b"),
    ),
    "choices": Compared(
        ((*DIFF, "-o", "json"), ("crd", *DIFF[:-1]), ("compare", *DIFF[1:-1])),
        lambda: choices("a"),
        lambda: choices("b"),
    ),
    "keys": Compared(((*DIFF, "-o", "json"),), lambda: keys("a"), lambda: keys("b")),
    "deployments of a bundle": Compared((DIFF,), lambda: deployments("a"), lambda: deployments("b")),
    "moved": Compared((DIFF,), lambda: settings("c#", "a#"), lambda: settings("c#", "b#")),
    "versions": Compared((DIFF, ("crd", *DIFF[:-1])), lambda: versions(1), lambda: versions(7_000)),
    "selected": Compared((DIFF,), lambda: selected("b"), lambda: selected("c")),
    "other namespaces": Compared(
        (DECLARED,),
        lambda: settings("c#", "a#", 300, x="y"),
        lambda: settings("c#", "b#", 300, x="z"),
        "drift: {real: [{namespace: true, reason: each has its own}]}\n",
    ),
    "declarations": Compared(
        (DECLARED,),
        lambda: settings("c#", "n"),
        lambda: settings("d#", "n"),
        "drift: {real: ["
        + ", ".join(f"{{object: ConfigMap/*{n}*x, reason: a}}" for n in range(1_000))
        + "]}\n",
    ),
    "stars": Compared(
        (DECLARED,),
        lambda: settings("a" * 240 + "#", "n", 300),
        lambda: settings("d#", "n"),
        f"drift: {{real: [{{object: ConfigMap/{'*a' * 50}*x, reason: a}}]}}\n",
    ),
}
