"""What becomes of objects in an upgrade: the same, moved, renamed, replaced by the next version, or gone."""

from __future__ import annotations

from textwrap import dedent

import pytest
from checking import manifests

from kitgen.check.context import CheckContext
from kitgen.check.engine import to_findings
from kitgen.compare.upgrade.check import check
from kitgen.compare.upgrade.versions import check_downgrades


def told(old: str, new: str) -> list[str]:
    """Return the findings of an upgrade, as `rule subject`."""
    context = CheckContext(targets={"": manifests(new)}, minors=(32,), before={"": manifests(old)})
    return [f"{each.rule} {each.subject}".partition(" /")[0] for each in to_findings(context, check(context))]


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
UNNAMED = "---\napiVersion: v1\nkind: LimitRange\nmetadata: {namespace: apps}\n"
HASHED = ("5m9b4kc8df", "dk24d2h2hd")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (ACCOUNT, ACCOUNT, []),
        (ACCOUNT, f"{ACCOUNT}{UNNAMED}", ["name-invalid LimitRange/"]),
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
    assert bool(list(check_downgrades(old, new))) == older


@pytest.mark.parametrize(
    ("was", "now", "older"),
    [
        ("web-1.2.0", "web-1.1.0", True),
        ("web-1.2.0", "web-1.3.0", False),
        ("web-1.2.0", "db-1.1.0", False),
        ("web", "web-1.1.0", False),
    ],
)
def test_charts_that_go_back(was: str, now: str, older: bool) -> None:
    old, new = (
        manifests(
            f"{{apiVersion: v1, kind: Secret, metadata: {{name: a, labels: {{helm.sh/chart: {each}}}}}}}"
        )[0].body
        for each in (was, now)
    )
    assert bool(list(check_downgrades(old, new))) == older


@pytest.mark.parametrize(
    ("was", "now", "older"),
    [
        ("quay.io/a/b:v1.2.0", "quay.io/a/b:v1.1.9", True),
        ("quay.io/a/b:v1.2.0", "quay.io/a/b:v1.2.1", False),
        ("quay.io/a/b:v1.2.0", "quay.io/a/c:v1.1.9", False),
        ("http://a.com:8080/b", "http://a.com:8070/b", False),
        ("a:1.2.0", "a:1.1.0", False),
    ],
)
def test_images_in_variables_that_go_back(was: str, now: str, older: bool) -> None:
    text = "spec: {{containers: [{{name: a, image: x, env: [{{name: E, value: {!r}}}]}}]}}"
    old, new = (manifests(thing("Pod", "a", text.format(each)))[0].body for each in (was, now))
    assert bool(list(check_downgrades(old, new))) == older
