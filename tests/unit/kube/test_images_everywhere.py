"""Images are found in whatever object names them, and nothing else is taken for one."""

from __future__ import annotations

import pytest
from checking import bodies, manifest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.kube.image_mentions import find_images_in_text
from kitgen.kube.image_reference import parse_image_reference
from kitgen.render.image_places import find_object_images
from kitgen.text.yaml import Json, JsonObject, dump_yaml

SHA = "sha256:" + "a" * 64
DIGEST = f"quay.io/a/b@{SHA}"


def images(text: str) -> list[str]:
    return sorted({image for body in bodies(text) for image, *_ in find_object_images(manifest(body))})


def of_pod(container: str, key: str = "containers") -> str:
    return f"{{apiVersion: v1, kind: Pod, metadata: {{name: a}}, spec: {{{key}: [{container}]}}}}"


META = "metadata: {name: a}"
CASES = {
    "init": (of_pod("{name: a, image: busybox}", "initContainers"), ["busybox"]),
    "ephemeral": (of_pod("{name: a, image: 'a/b:v1'}", "ephemeralContainers"), ["a/b:v1"]),
    "variable": (of_pod("{name: a, env: [{name: RELATED_IMAGE_X, value: 'a/b:v1'}]}"), ["a/b:v1"]),
    "short variable": (of_pod("{name: a, env: [{name: RAY_IMAGE, value: 'ray:2.9.0'}]}"), ["ray:2.9.0"]),
    "img": (
        of_pod(
            "{name: a, env: [{name: A_IMG, value: 'a/b:v1'}, {name: IMG, value: 'redis:7'}], "
            "args: ['--img=c/d', --proxy-img, 'quay.io/e/f']}"
        ),
        ["a/b:v1", "c/d", "quay.io/e/f", "redis:7"],
    ),
    "variable of an address": (
        of_pod("{name: a, env: [{name: A_IMAGE_URL, value: quay.io/a/b}]}"),
        ["quay.io/a/b"],
    ),
    "option and image in one": (
        of_pod("{name: a, args: ['--sidecar-image ghcr.io/x/y', '--short-image=a/b']}"),
        ["a/b", "ghcr.io/x/y"],
    ),
    "argument": (of_pod("{name: a, args: ['--image=redis:7', --x]}"), ["redis:7"]),
    "two arguments": (of_pod("{name: a, args: [--proxy-image, 'a/b:v1', --image]}"), ["a/b:v1"]),
    "shell": (of_pod("{name: a, command: [sh, -c, 'run --image redis:7 --all']}"), ["redis:7"]),
    "cron job": (
        f"{{apiVersion: batch/v1, kind: CronJob, {META}, spec: {{jobTemplate: {{spec: {{template: {{spec: "
        "{containers: [{name: a, image: 'a/b:v1'}]}}}}}}",
        ["a/b:v1"],
    ),
    "pod template": (
        f"{{apiVersion: v1, kind: PodTemplate, {META}, template: {{spec: {{containers: [{{name: a, "
        f"image: '{DIGEST}'}}]}}}}}}",
        [DIGEST],
    ),
    "config map": (
        f"{{apiVersion: v1, kind: ConfigMap, {META}, data: {{image: 'a/b:v1', b: ' quay.io/c/d:v2 '}}}}",
        ["a/b:v1", "quay.io/c/d:v2"],
    ),
    "yaml in yaml": (
        f'{{apiVersion: v1, kind: ConfigMap, {META}, data: {{pod: "kind: Pod\\nspec:\\n  containers:\\n'
        '  - image: nginx\\n    name: a\\n"}}',
        ["nginx"],
    ),
    "parts in a text": (
        f'{{apiVersion: v1, kind: ConfigMap, {META}, data: {{values.yaml: "image:\\n  repository: a/b\\n'
        '  tag: v1\\n"}}',
        ["a/b:v1"],
    ),
    "parts": (
        f"{{apiVersion: x.io/v1, kind: X, {META}, spec: {{image: {{registry: quay.io, repository: a/b, "
        f"digest: '{SHA}'}}}}}}",
        [DIGEST],
    ),
    "csv": (
        "{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: a, "
        "annotations: {containerImage: 'quay.io/a/b:v1', x-image: 'a/c:v1', alm-examples: "
        '\'[{"spec": {"image": "busybox:1.36"}}]\'}}, spec: {install: {spec: {deployments: [{name: a, '
        "spec: {template: {spec: {containers: [{name: a, image: 'd/e'}]}}}}]}}, "
        f"relatedImages: [{{name: a, image: '{DIGEST}'}}]}}}}",
        ["a/c:v1", "busybox:1.36", "d/e", "quay.io/a/b:v1", DIGEST],
    ),
    "ray": (
        f"{{apiVersion: ray.io/v1, kind: RayCluster, {META}, spec: {{headGroupSpec: {{template: {{spec: "
        "{containers: [{name: a, image: 'rayproject/ray:2.9.0'}]}}}, autoscalerOptions: {image: 'a/b:v1'}}}",
        ["a/b:v1", "rayproject/ray:2.9.0"],
    ),
    "kserve": (
        f"{{apiVersion: serving.kserve.io/v1alpha1, kind: ServingRuntime, {META}, spec: {{containers: "
        "[{name: a, image: 'a/b:v1'}], storageUri: 'oci://quay.io/a/model:v1'}}",
        ["a/b:v1", "quay.io/a/model:v1"],
    ),
    "image stream": (
        f"{{apiVersion: image.openshift.io/v1, kind: ImageStream, {META}, spec: {{dockerImageRepository: "
        "quay.io/a/c, tags: [{name: v1, from: {kind: DockerImage, name: quay.io/a/b}}, "
        "{name: v2, from: {kind: ImageStreamTag, name: 'other:v1'}}]}}",
        ["quay.io/a/b", "quay.io/a/c"],
    ),
    "tekton": (
        f"{{apiVersion: tekton.dev/v1, kind: Task, {META}, spec: {{stepTemplate: {{image: alpine}}, "
        "sidecars: [{image: 'a/b:v1'}], steps: [{image: golang, script: x}, {image: $(params.image)}]}}",
        ["a/b:v1", "alpine", "golang"],
    ),
    "workflow": (
        f"{{apiVersion: argoproj.io/v1alpha1, kind: Workflow, {META}, spec: {{templates: [{{container: "
        "{image: alpine}}, {script: {image: 'python:3', source: x}}]}}",
        ["alpine", "python:3"],
    ),
    "volume": (
        of_pod("{name: a, image: 'a/b:v1'}").replace(
            "spec: {", "spec: {volumes: [{name: v, image: {reference: 'a/model:v1'}}], "
        ),
        ["a/b:v1", "a/model:v1"],
    ),
    "images": (
        f"{{apiVersion: x.io/v1, kind: X, {META}, spec: {{images: [a/b, c], extraImages: {{d: 'e/f:v1'}}}}}}",
        ["a/b", "e/f:v1"],
    ),
    "secret": (f"{{apiVersion: v1, kind: Secret, {META}, stringData: {{image: 'quay.io/a/b:v1'}}}}", []),
}


@pytest.mark.parametrize("name", CASES)
def test_every_image_is_found(name: str) -> None:
    text, want = CASES[name]
    assert images(text) == want


@pytest.mark.parametrize(
    "text",
    [
        "https://quay.io/a/b:v1", "https://github.com/a/b", "/usr/lib/a.so:ro", "./a.d/b:v1", "foo.io/v1",
        "rbac.authorization.k8s.io/v1:Role", "x.io/v1beta1:Kind", "app.kubernetes.io/name:web", "a=b/c",
        "app.kubernetes.io/name: web", "system:serviceaccount:a:b", "1.2/a:b", "10.0.0.1:8080/metrics",
        "image: logo/a.png", "image: see below", "image: IfNotPresent", "imagePullPolicy: Always",
        "github.com/a/b@v1.2.3", "image: $(IMAGE)", "image: {{ .Values.image }}", "image: ${IMAGE}",
        "localhost:8080/healthz", "2024-01-01T00:00:00Z", "a.b.svc:443", "http://a.svc:80/x:y",
    ],
)  # fmt: skip
def test_what_is_no_image(text: str) -> None:
    assert find_images_in_text(text) == []
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"text": text}}
    assert [image for image, *_ in find_object_images(manifest(body))] == []


WORDS = st.sampled_from(
    ["image", "images", "containers", "env", "name", "value", "args", "command", "steps", "kind", "tag",
     "DockerImage", "--image", "--image=", "a/b:v1", "repository", "reference", "relatedImages", "script",
     "dockerImageRepository", "image: [", "- image: x\n", "{\"image\": 1}", "a" * 300, "\ud800", "&a *a"],
)  # fmt: skip
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(st.dictionaries(WORDS | st.text(max_size=5), VALUES, max_size=4))
def test_any_object_can_be_asked(more: JsonObject) -> None:
    body = {**more, "apiVersion": "x.io/v1", "kind": "X", "metadata": {"name": "a"}}
    for image, place, _, _ in find_object_images(manifest(body)):
        assert image
        assert place


PARTS = st.from_regex(r"\A[a-z0-9]{1,5}([._-][a-z0-9]{1,5}){0,2}\Z")
REFERENCES = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "quay.io/", "localhost:5000/", "[::1]:5000/", "10.0.0.1:80/"]),
    st.lists(PARTS, min_size=1, max_size=3).map("/".join),
    st.sampled_from(["", ":v1", f"@{SHA}", f":v1@{SHA}"]),
).filter(parse_image_reference)
KEYS = st.sampled_from(["containers", "initContainers", "ephemeralContainers"])


@given(REFERENCES, KEYS, st.lists(st.text(max_size=5), max_size=4))
def test_what_a_container_runs_comes_out(image: str, key: str, above: list[str]) -> None:
    value: Json = {key: [{"name": "a", "image": image}]}
    for step in above:
        value = {step: value}
    body = {"spec": value, "apiVersion": "x.io/v1", "kind": "X", "metadata": {"name": "a"}}
    assert image in [each for each, *_ in find_object_images(manifest(body))]
    held = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a"},
        "data": {"a": dump_yaml(body)},
    }
    assert image in [each for each, *_ in find_object_images(manifest(held))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r'{"image": "quay.io\/a\/b:v1"}', ["quay.io/a/b:v1"]),
        (r'["quay.io/a/b:v1", {"image": "redis:7"}]', ["quay.io/a/b:v1", "redis:7"]),
        (r'cut off: "\u003equay.io/a/b:v1\u003c', ["quay.io/a/b:v1"]),
        (r"s/quay.io\/a\/b:v1/x/", []),
    ],
)
def test_json_in_a_text_is_read(text: str, found: list[str]) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": text}}
    assert sorted({image for image, *_ in find_object_images(manifest(body))}) == sorted(found)
