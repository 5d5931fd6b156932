"""What becomes of objects in an upgrade: the same, moved, renamed, replaced by the next version, or gone."""

from __future__ import annotations

from textwrap import dedent

import pytest
from checking import manifests

from kitgen.check import Context
from kitgen.check.engine import findings
from kitgen.check.upgrade.objects import check
from kitgen.check.upgrade.permissions import permissions
from kitgen.check.upgrade.versions import versions_back


def told(old: str, new: str) -> list[str]:
    """Return the findings of an upgrade, as `rule subject`."""
    context = Context(targets={"": manifests(new)}, minors=(32,), before={"": manifests(old)})
    return [f"{each.rule} {each.subject}".partition(" /")[0] for each in findings(context, check(context))]


def thing(kind: str, name: str, more: str = "", *, namespace: str = "apps", api: str = "v1") -> str:
    meta = f"{{name: {name}, namespace: {namespace}}}" if namespace else f"{{name: {name}}}"
    return f"---\napiVersion: {api}\nkind: {kind}\nmetadata: {meta}\n{dedent(more)}\n"


ACCOUNT, LONELY = thing("ServiceAccount", "web"), thing("ServiceAccount", "web", namespace="")
APPS = "apps/v1"
SPEC = "spec: {replicas: 1, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}}}"
VOLUMES = (
    "spec: {serviceName: a, volumeClaimTemplates: [{metadata: {name: d}}], template: {spec: {hostPID: true}}}"
)
DELETED = "spec: {persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}}"
OWNED = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a, ownerReferences: [{name: b}]}\n"
KEPT = (
    "---\napiVersion: v1\nkind: Secret\nmetadata: {name: a, annotations: {helm.sh/resource-policy: keep}}\n"
)
HASHED = ("5m9b4kc8df", "dk24d2h2hd")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (ACCOUNT, ACCOUNT, []),
        ("", ACCOUNT, []),
        (ACCOUNT, LONELY, []),
        (LONELY, ACCOUNT, []),
        (ACCOUNT, "", ["upgrade-gone ServiceAccount/web"]),
        (ACCOUNT, thing("ServiceAccount", "web", namespace="b"), ["upgrade-namespace ServiceAccount/web"]),
        (ACCOUNT, thing("ServiceAccount", "web-server"), ["upgrade-renamed ServiceAccount/web-server"]),
        (ACCOUNT, thing("ServiceAccount", "db"), ["upgrade-gone ServiceAccount/web"]),
        (
            thing("Ingress", "a", api="extensions/v1beta1"),
            thing("Ingress", "a", api="networking.k8s.io/v1"),
            [],
        ),
        (thing("Secret", f"a-{HASHED[0]}"), thing("Secret", f"a-{HASHED[1]}"), []),
        (
            thing("Secret", f"a-{HASHED[0]}"),
            thing("Secret", f"b-{HASHED[1]}"),
            [f"upgrade-gone Secret/a-{HASHED[0]}"],
        ),
        (thing("PersistentVolumeClaim", "a"), "", ["upgrade-data PersistentVolumeClaim/a"]),
        (thing("StatefulSet", "a", api=APPS), "", ["upgrade-gone StatefulSet/a"]),
        (thing("StatefulSet", "a", DELETED, api=APPS), "", ["upgrade-data StatefulSet/a"]),
        (
            thing("StatefulSet", "web", VOLUMES, api=APPS),
            thing("StatefulSet", "the-web", VOLUMES, api=APPS),
            ["upgrade-data StatefulSet/the-web"],
        ),
        (
            thing("Deployment", "web", SPEC, api=APPS),
            thing("Deployment", "the-web", SPEC, api=APPS),
            ["upgrade-renamed Deployment/the-web"],
        ),
        (OWNED + KEPT + thing("ConfigMap", "kube-root-ca.crt"), "", []),
        (thing("Namespace", "apps", namespace="") + ACCOUNT, "", ["upgrade-data Namespace/apps"]),
    ],
)
def test_what_becomes_of_an_object(old: str, new: str, expected: list[str]) -> None:
    assert told(old, new) == expected


def test_a_move_to_another_namespace_is_told_once() -> None:
    names = "abcd"
    old, new = ("".join(thing("ConfigMap", name, namespace=space) for name in names) for space in ("x", "z"))
    assert told(old, new) == ["upgrade-namespace ConfigMap/a"]


def test_resources_go_with_their_kind() -> None:
    crd = """
        spec:
          group: example.com
          scope: Namespaced
          names: {kind: Boat, plural: boats}
          versions:
          - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
    """
    name = "boats.example.com"
    whole = thing("CustomResourceDefinition", name, crd, namespace="", api="apiextensions.k8s.io/v1")
    boat = thing("Boat", "one", api="example.com/v1")
    assert told(whole + boat, "") == [f"upgrade-data CustomResourceDefinition/{name}"]
    assert told(whole + boat, whole) == ["upgrade-gone Boat/one"]


ROLE = "rules: [{apiGroups: [%s], resources: [%s], verbs: [%s]%s}]"
RBAC = "rbac.authorization.k8s.io/v1"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (("a", "x", "get", ""), ("a", "x", "get", ""), []),
        (("a", "x", "get", ""), ("a", "x", "'*'", ""), ["gained"]),
        (("a", "x", "get", ""), ("'*'", "'*'", "get", ""), ["gained"]),
        (("a", "x, x/status", "get", ""), ("a", "x, '*/status'", "get", ""), ["gained"]),
        (("a", "x", "get, list", ""), ("a", "x", "get", ""), ["lost"]),
        (("a", "x", "get", ""), ("a", "x", "get", ", resourceNames: [n]"), ["lost"]),
        (("a", "x", "get", ", resourceNames: [n]"), ("a", "x", "get", ""), ["gained"]),
        (("a", "x", "get", ""), ("b", "x", "get", ""), ["lost", "gained"]),
    ],
)
def test_permissions_of_a_role(old: tuple[str, ...], new: tuple[str, ...], expected: list[str]) -> None:
    was, now = (manifests(thing("Role", "a", ROLE % each, api=RBAC))[0].body for each in (old, new))
    assert [each.rule.id.removeprefix("upgrade-permission-") for each in permissions(was, now)] == expected


def test_a_permission_goes_with_its_kind_to_another_group() -> None:
    was, now = (
        manifests(thing("Role", "a", ROLE % (group, "x", "get", ""), api=RBAC))[0].body for group in "ab"
    )
    assert list(permissions(was, now, {("a", "X"): "b"})) == []


def test_a_role_beyond_measure_takes_no_time() -> None:
    many = [f"a{number}" for number in range(1000)]
    role = {"apiVersion": RBAC, "kind": "Role", "metadata": {"name": "a"}}
    wide = {**role, "rules": [dict.fromkeys(("apiGroups", "resources", "verbs", "resourceNames"), many)]}
    assert list(permissions(wide, {**role, "rules": []})) == []


@pytest.mark.parametrize(
    ("was", "now", "older"),
    [
        ("quay.io/a/b:v1.2.0", "quay.io/a/b:v1.10.0", False),
        ("quay.io/a/b:v1.2.0", "quay.io/a/b:v1.1.9", True),
        ("quay.io/a/b:v1.2.0", "other.io/c/b:1.1.9", True),
        ("quay.io/a/b:v1.2.0", "quay.io/a/c:v1.1.9", False),
        ("quay.io/a/b:v1.2.0", "quay.io/a/b:v1.2.0-rc.1", True),
        ("quay.io/a/b:v1.2.0", "quay.io/a/b:latest", False),
        ("quay.io/a/b:v2", "quay.io/a/b:v1", True),
        ("quay.io:5000/b:v1.2.0", "quay.io:5000/b:v1.1.0", True),
    ],
)
def test_images_that_go_back(was: str, now: str, older: bool) -> None:
    old, new = (
        manifests(thing("Pod", "a", f"spec: {{containers: [{{name: a, image: {image!r}}}]}}"))[0].body
        for image in (was, now)
    )
    assert bool(list(versions_back(old, new))) == older
