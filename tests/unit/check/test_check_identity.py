"""Names, labels and images."""

from __future__ import annotations

import pytest
from checking import CRD, DEPLOYMENT, checked, told

from kitgen.check.images.rules import IMAGE_TAG
from kitgen.kube.image_reference import check_image


def named(kind: str, api: str, name: str) -> list[str]:
    text = f"apiVersion: {api}\nkind: {kind}\nmetadata: {{name: {name!r}}}\n"
    return [each.message for each in checked(text) if each.rule.id == "name-invalid"]


@pytest.mark.parametrize(
    ("kind", "api", "name"),
    [
        ("ConfigMap", "v1", "a.b-c.0"),
        ("Namespace", "v1", "a" * 63),
        ("Service", "v1", "web-1"),
        ("ClusterRole", "rbac.authorization.k8s.io/v1", "system:Node_x"),
        ("ServiceAccount", "v1", "a" * 253),
    ],
)
def test_right_names(kind: str, api: str, name: str) -> None:
    assert named(kind, api, name) == []


@pytest.mark.parametrize(
    ("kind", "api", "name", "expected"),
    [
        ("ConfigMap", "v1", "a..b", "a DNS subdomain of at most 253 characters"),
        ("ConfigMap", "v1", "a" * 254, "a DNS subdomain of at most 253 characters"),
        ("ConfigMap", "v1", "a\\n", "a DNS subdomain of at most 253 characters"),
        ("Namespace", "v1", "a.b", "a DNS label of at most 63 characters"),
        ("Service", "v1", "1web", "a DNS label of at most 63 characters that starts with a letter"),
        ("ClusterRole", "rbac.authorization.k8s.io/v1", "a/b", "no / and no %"),
    ],
)
def test_wrong_names(kind: str, api: str, name: str, expected: str) -> None:
    (message,) = named(kind, api, name)
    assert message.endswith(f", expected {expected}")


def test_an_object_needs_a_name_or_the_start_of_one() -> None:
    assert told(checked("apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n")) == [
        "name-invalid ConfigMap/ /metadata: found an object without a name"
    ]
    assert checked("apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}\n") == []


def test_a_namespace_is_a_label() -> None:
    (finding,) = checked(DEPLOYMENT.replace("namespace: apps", "namespace: a.b"))
    assert finding.subject == "Deployment/web /metadata/namespace"


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("app.kubernetes.io/name: web", "a/b/c: web", "/metadata/labels/a~1b~1c"),
        ("app.kubernetes.io/name: web", f"app: {'a' * 64}", "/metadata/labels/app"),
        ("labels: {app.kubernetes.io/name: web}", "annotations: {'a b': c}", "/metadata/annotations/a b"),
        ("matchLabels: {app: web}", "matchLabels: {app: a b}", "/spec/selector/matchLabels/app"),
        (
            "metadata: {labels: {app: web}}",
            "metadata: {labels: {app: w/b}}",
            "/spec/template/metadata/labels/app",
        ),
    ],
)
def test_wrong_labels(old: str, new: str, where: str) -> None:
    found = checked(DEPLOYMENT.replace(old, new))
    assert [each.subject for each in found if each.rule.id == "label-invalid"] == [f"Deployment/web {where}"]


def test_values_of_annotations_are_free_and_labels_may_be_empty() -> None:
    free = DEPLOYMENT.replace(
        "labels: {app.kubernetes.io/name: web}", "annotations: {a: 'b c'}, labels: {a: ''}"
    )
    assert checked(free) == []


def test_the_schemas_of_a_crd_hold_no_labels() -> None:
    fields = "metadata: {type: object, properties: {labels: {type: object, description: 'a b c'}}}"
    assert checked(CRD.replace("pod: {", f"{fields}\n              pod: {{")) == []


@pytest.mark.parametrize(
    "image",
    [
        "controller:latest",
        "localhost:5000/web:1.0",
        "quay.io/a/b:v1.0.0-rc.1",
        f"quay.io/a/b@sha256:{'0' * 64}",
        f"quay.io/a/b:v1@sha256:{'a' * 64}",
    ],
)
def test_right_images(image: str) -> None:
    assert check_image(image, IMAGE_TAG) is None


@pytest.mark.parametrize(
    ("image", "words"),
    [
        ("web", "expected one with a tag or a digest"),
        ("localhost:5000/web", "expected one with a tag or a digest"),
        ("", "found an empty string, expected an image"),
        ("web:", 'found the tag "", expected'),
        ("web:a b", "expected an image"),
        ("web:v1\n", "expected an image"),
        ("web@sha256:abc", "expected sha256: and 64 hexadecimal digits"),
        ("web@", "expected sha256: and 64 hexadecimal digits"),
    ],
)
def test_wrong_images(image: str, words: str) -> None:
    problem = check_image(image, IMAGE_TAG)
    assert problem is not None
    assert words in problem.message


def test_images_are_found_in_every_kind_of_container() -> None:
    pod = DEPLOYMENT.replace("containers:", "initContainers: [{name: a, image: first}]\n      containers:")
    assert [each.subject for each in checked(pod)] == [
        "Deployment/web /spec/template/spec/initContainers/0/image"
    ]
