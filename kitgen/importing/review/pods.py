"""Review pods: images of containers, host access, and token Secrets."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.importing.review.sides import Told, TreeSide, maps
from kitgen.kube.identity import ObjectId
from kitgen.render.kustomize.field_paths import places
from kitgen.text.yaml import JsonObject

PODS = ("spec/template/spec", "spec", "spec/jobTemplate/spec/template/spec")
CONTAINERS = ("initContainers[]", "containers[]")
HOST = ("hostIPC", "hostNetwork", "hostPID")
TOKEN, ACCOUNT = "kubernetes.io/service-account-token", "kubernetes.io/service-account.name"


def differences(old: TreeSide, new: TreeSide) -> Told:
    """Report new access beyond a container, new token Secrets, and changed images."""
    reach, known = ({*_privileges(each), *_tokens(each)} for each in (new, old))
    images, had = _images(new), _images(old)
    changed = {key: image for key, image in images.items() if had.get(key, image) != image}
    return {
        "new holds on nodes, and tokens in Secrets": [("", line) for line in sorted(reach - known)],
        "new images": [("", f"{key[2]}: {image}") for key, image in images.items() if key not in had],
        "images that changed": [("", f"{key[2]}: {had[key]} → {image}") for key, image in changed.items()],
    }


def _images(side: TreeSide) -> dict[tuple[str, str, str], str]:
    """Return the image of every container, by the object and the name that it has there."""
    return {
        (each.kind, each.name, str(container.get("name"))): container["image"]
        for each, pod in _pods(side)
        for container in _containers(pod)
        if isinstance(container.get("image"), str)
    }


def _privileges(side: TreeSide) -> Iterator[str]:
    for each, pod in _pods(side):
        yield from (f"{each}: {key}" for key in HOST if pod.get(key) is True)
        yield from (f"{each}: hostPath {volume.get('path')}" for volume in maps(pod, "volumes[]/hostPath"))
        for container in _containers(pod):
            for context in maps(container, "securityContext"):
                name = f"{each}: container {container.get('name')}"
                if context.get("privileged") is True:
                    yield f"{name} is privileged"
                added = places(context, "capabilities/add[]")
                yield from (f"{name} has the capability {one}" for _, one in added)


def _tokens(side: TreeSide) -> Iterator[str]:
    for body in side.bodies:
        if body.get("kind") == "Secret" and body.get("type") == TOKEN:
            for notes in maps(body, "metadata/annotations"):
                account = side.short(str(notes.get(ACCOUNT)))
                yield f"{_identity(side, body)}: holds the token of the ServiceAccount {account}"


def _pods(side: TreeSide) -> Iterator[tuple[ObjectId, JsonObject]]:
    for body in side.bodies:
        yield from ((_identity(side, body), pod) for way in PODS for pod in maps(body, way))


def _containers(pod: JsonObject) -> Iterator[JsonObject]:
    for way in CONTAINERS:
        yield from maps(pod, way)


def _identity(side: TreeSide, body: JsonObject) -> ObjectId:
    """Return what people call an object: without prefix and namespace."""
    found = ObjectId.of(body)
    return ObjectId(found.group, found.kind, "", side.short(found.name))
