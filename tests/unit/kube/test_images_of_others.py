"""Images are found as operators of others write them: in parts, by parameters, in templates and defaults."""

from __future__ import annotations

from time import process_time

import pytest
from checking import bodies, manifest

from kitgen.kube.image_mentions import find_images_in_text, is_image_key
from kitgen.render.image_places import find_object_images
from kitgen.text.yaml import JsonObject

SHA = "sha256:" + "b" * 64


def images(body: JsonObject) -> list[str]:
    return sorted({image for image, *_ in find_object_images(manifest(body))})


def custom(spec: str) -> JsonObject:
    (body,) = bodies(f"{{apiVersion: x.io/v1, kind: Tool, metadata: {{name: a}}, spec: {spec}}}")
    return body


def config(text: str, key: str = "a") -> JsonObject:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {key: text}}


SPECS = {
    "repository, name and version": (
        "{driver: {repository: example.com/gpu, image: driver, version: '525.60', "
        f"manager: {{repository: example.com/gpu/cloud, image: boss, version: '{SHA}'}}}}}}",
        ["example.com/gpu/cloud/boss@" + SHA, "example.com/gpu/driver:525.60"],
    ),
    "a version that is no number": (
        "{repository: example.com/net, image: driver, version: net3.3-26.01}",
        ["example.com/net/driver:net3.3-26.01"],
    ),
    "tag beside": ("{image: quay.io/a/b, tag: v3}", ["quay.io/a/b:v3"]),
    "version beside": ("{baseImage: quay.io/a/b, version: v2.3}", ["quay.io/a/b:v2.3"]),
    "two of them": ("{image: a/b, baseImage: 'c/d:1', version: '2.0'}", ["a/b:2.0", "c/d:1"]),
    "registry, name and tag": ("{registry: example.com, image: web, tag: '6'}", ["example.com/web:6"]),
    "repository of its code": ("{image: quay.io/a/b, repository: 'https://x.io/a'}", ["quay.io/a/b"]),
    "name alone and tag": ("{image: {image: web, tag: '1.2'}}", ["web:1.2"]),
    "version of an image": ("{image: {repository: a/b, version: '1.2'}}", ["a/b:1.2"]),
    "digest without its kind": (
        f"{{image: {{registry: quay.io, repository: a/b, tag: v1, sha: {SHA[7:]}}}}}",
        [f"quay.io/a/b@{SHA}"],
    ),
    "version of something else": ("{image: quay.io/a/b, version: stable}", ["quay.io/a/b"]),
    "version beside a tag": ("{image: 'quay.io/a/b:v1.2', version: v1.3}", ["quay.io/a/b:v1.2"]),
    "name and tag": ("{image: {name: quay.io/a/b, tag: 3}}", ["quay.io/a/b:3"]),
    "repository and tag": ("{server: {repository: quay.io/a/b, tag: v3}}", ["quay.io/a/b:v3"]),
    "repository of code": ("{source: {repository: github.com/a/b, tag: v3}}", []),
    "repository and tag by other names": (
        "{imageRepository: quay.io/a/b, imageTag: v3}",
        ["quay.io/a/b:v3"],
    ),
    "what runs": ("{image: nginx, imagePullPolicy: Always}", ["nginx"]),
    "a name alone": ("{image: busybox, sidecarImage: redis, useImage: always}", ["busybox", "redis"]),
    "pictures": ("{image: logo.png, backgroundImage: a/b.svg}", []),
    "a registry beside it": (
        "{image: {registry: quay.io, image: a/b, tag: v1}}",
        ["quay.io/a/b:v1"],
    ),
    "names of fields": (
        "{imageName: 'db:14', image_uri: 'ray/ray:nightly', imageURL: a/b, imageRef: 'c/d:1', "
        "imagePullPolicy: Always, imageTag: 'v1:2', imageStream: 'e/f:1'}",
        ["a/b", "c/d:1", "db:14", "ray/ray:nightly"],
    ),
    "parameters": (
        "{params: [{name: builder-image, default: example.com/ubi/minimal}, {name: IMAGE, value: a/git}, "
        "{name: image-policy, value: c/d}]}",
        ["a/git", "example.com/ubi/minimal"],
    ),
    "below images": (
        "{images: {amd64: {web: 'org/x:1'}, list: [{url: 'org/z:3'}]}}",
        ["org/x:1", "org/z:3"],
    ),
    "reference": ("{source: {image: {ref: quay.io/a/catalog}}}", ["quay.io/a/catalog"]),
    "address": (
        "{storageUri: 'oci://quay.io/a/model:v1', other: 'oci://n/bucket/b/x'}",
        ["quay.io/a/model:v1"],
    ),
    "taints": ("{a: 'example.com/gpu:NoSchedule', b: 'x.example.com/foo:Exists'}", []),
    "addresses": (
        "{a: 'deny 10.0.0.0/8:80', b: 'github.com/a/b:v1.2', c: 'pull 10.0.0.1/x8:80', d: 'quay.io/'}",
        ["10.0.0.1/x8:80"],
    ),
    "of an organisation": (
        "{a: 'ray/ray:2.9.0', b: 'kube-system/kubelet:10250', c: 'dir/file.py:12.3', d: '2024/01/02:10.30', "
        f"e: 'org/name@{SHA}', f: 'org/name:latest', g: image/png, h: 'a/b'}}",
        ["org/name:latest", f"org/name@{SHA}", "ray/ray:2.9.0"],
    ),
    "sentence": (
        "{description: 'Use quay.io/a/b:v1. Or **quay.io/a/c:v2**, [quay.io/a/d:v3](https://x.io/y).'}",
        ["quay.io/a/b:v1", "quay.io/a/c:v2", "quay.io/a/d:v3"],
    ),
    "Dockerfile": (  # only what is an image in any text
        '{source: {dockerfile: "FROM go:1.21 AS build\\nCOPY --from=quay.io/a/tool:1 /x /x\\n"}}',
        ["quay.io/a/tool:1"],
    ),
    "variables": (
        "{containers: [{name: a, image: 'a:1', env: [{name: RAY, value: 'ray/ray:2.9.0'}, "
        "{name: IMAGE_A, value: quay.io/a/b}, {name: IMAGE_REGISTRY, value: quay.io/org}, "
        "{name: IMAGE_C, value: 'c:1.2'}, {name: IMAGE_HOST, value: 'd:8080'}]}]}",
        ["a:1", "c:1.2", "quay.io/a/b", "ray/ray:2.9.0"],
    ),
}


@pytest.mark.parametrize("name", SPECS)
def test_images_of_custom_resources(name: str) -> None:
    spec, want = SPECS[name]
    assert images(custom(spec)) == want


TEXTS = {
    "version in JSON": ('{"a": {"image": "org/x", "defaultImageVersion": "1.3"}}', ["org/x:1.3"]),
    "choices": (
        "image:\n  value: org/a:v1.7\n  options:\n  - org/a:v1.7\n  - org/b:py3\nimageGroupOne:\n"
        "  value: org/c:v1\n",
        ["org/a:v1.7", "org/b:py3", "org/c:v1"],
    ),
    "with its tag, and without": (
        "image: quay.io/a/b\n---\nimage: quay.io/a/b:v1\n---\nimage: quay.io/a/c\ntag: v2\n",
        ["quay.io/a/b", "quay.io/a/b:v1", "quay.io/a/c:v2"],
    ),
    "a word for an image": ('{"proxy": {"image": "proxy"}, "other": {"image": "auto"}}', ["proxy"]),
    "kustomization": (
        "images:\n- name: web\n  newName: quay.io/a/b\n  newTag: v1.2\n",
        ["quay.io/a/b:v1.2"],
    ),
    "properties": ("x.image=a/b:1\nx.image.name=c:1\nx.image.tag=1.2\n", ["a/b:1", "c:1"]),
    "template": (
        "containers:\n{{ range .x }}\n- image: busybox\n  name: a\n- name: b\n  image: {{ .b }}\n"
        "- image: 'c:1'\n{{ end }}\n",
        ["c:1"],
    ),
    "script": ("docker run ray/ray:2.9.0 true\ncurl http://a/b:1.2\nx/y.go:12: wrong\n", ["ray/ray:2.9.0"]),
}


@pytest.mark.parametrize("name", TEXTS)
def test_images_of_texts(name: str) -> None:
    text, want = TEXTS[name]
    assert images(config(text)) == want


def test_a_crd_gives_images_by_default() -> None:
    (body,) = bodies(
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: t.x.io}, "
        "spec: {versions: [{name: v1, schema: {openAPIV3Schema: {properties: {spec: {properties: {"
        "image: {default: 'a/b:1', description: 'or quay.io/no/a:1'}, other: {default: 'quay.io/c/d:2'}, "
        "more: {default: {image: 'e/f', mode: x/y}}, default: {description: 'quay.io/no/b:1', default: p/q}, "
        "pod: {default: {containers: [{image: busybox}]}}, side: {default: {image: 'g:1'}}, "
        "number: {default: 1}}}}}}}]}}"
    )
    found = {image: place for image, place, *_ in find_object_images(manifest(body))}
    assert sorted(found) == ["a/b:1", "busybox", "e/f", "g:1", "quay.io/c/d:2"]
    assert found["a/b:1"].endswith("/properties/image/default")


def test_names_speak_of_images_or_of_what_they_have() -> None:
    spoken = ["image", "sidecarImage", "RELATED_IMAGE_X", "IMAGE_queue-proxy", "x.io/tool-image", "A_IMG"]
    assert [each for each in spoken if not is_image_key(each)] == []
    others = ["imagePullPolicy", "imageTag", "IMAGE_REGISTRY", "imagine", "x-image.io/name", "image" * 99, ""]
    assert [each for each in others if is_image_key(each)] == []


@pytest.mark.parametrize(
    "text",
    [
        "image" * 40_000, "image: " * 30_000, "a/" * 100_000 + ":1.2", "oci://" * 40_000, "quay.io/" * 30_000,
        "FROM " * 40_000, "FROM" + " " * 200_000, "--platform=" * 20_000, "[*" * 100_000, ".:" * 100_000,
        "containers: {{\n" + "image: a\n" * 20_000, "ontainers: {{\nimage:" + " " * 190_000 + "\nimage: {",
    ],
)  # fmt: skip
def test_long_texts_take_no_longer_than_others(text: str) -> None:
    start = process_time()
    find_images_in_text(text)
    images(config(text, "script"))
    assert process_time() - start < 5
