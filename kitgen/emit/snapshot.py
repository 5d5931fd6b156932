"""Snapshots: what reviewers read first. One file an object, CRDs as an outline, and two lists a target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.compile import Plan, Unit
from kitgen.crds.outline.text import outline
from kitgen.emit.tree import FileTree
from kitgen.kustomize.nameref import PODS
from kitgen.kustomize.ways import places
from kitgen.objects import Manifest, ObjectId
from kitgen.yamlio import JsonObject, dump

MASK = "(masked)"
ESCAPES = {char: f"%{ord(char):02X}" for char in "%_:/"}
"""What files must not be called, and the underscore, which stands between the parts of a name."""


def snapshots(plans: Iterable[Plan]) -> FileTree:
    """Return every snapshot of targets by its path, such as odh/kueue/Deployment.apps__NAME.yaml."""
    return {path: text for plan in plans for path, text in _of_target(plan).items()}


def _of_target(plan: Plan) -> FileTree:
    files: FileTree = {}
    for unit in plan.units:
        folder = f"{plan.target.name}/{unit.context.component.name}"
        for manifest in unit.final:
            name, text = _snapshot(manifest, _stable_id(unit, manifest), unit.context.namespace)
            files[f"{folder}/{name}"] = text
    for manifest in plan.outside:
        name, text = _snapshot(manifest, manifest.id, "")
        files[f"{plan.target.name}/{name}"] = text
    files[f"{plan.target.name}/inventory.txt"] = "".join(_inventory(plan))
    files[f"{plan.target.name}/images.txt"] = "".join(_images(plan))
    return files


def _snapshot(manifest: Manifest, identity: ObjectId, home: str) -> tuple[str, str]:
    body, name = manifest.body, _name(identity, home)
    if identity.kind == "CustomResourceDefinition":
        return f"{name}.txt", "".join(_metadata(body)) + outline(body)
    if identity.kind == "Secret":
        secret = {key: value for key, value in body.items() if key in ("data", "stringData")}
        masked = {
            key: dict.fromkeys(value, MASK) if isinstance(value, dict) else MASK
            for key, value in secret.items()
        }
        body = {**body, **masked}
    if "rules" in body and identity.kind in ("Role", "ClusterRole"):
        rest = {key: value for key, value in body.items() if key != "rules"}
        body = {**rest, "permissions": permissions(body["rules"])}
    if identity.name != manifest.id.name:
        body = {**body, "metadata": {**body["metadata"], "name": identity.name}}
    return f"{name}.yaml", dump(body)


def _metadata(body: JsonObject) -> Iterator[str]:
    """Yield one line a label or annotation, which an outline does not show."""
    for kind in ("labels", "annotations"):
        for key, value in sorted((body["metadata"].get(kind) or {}).items()):
            yield f"{kind.removesuffix('s')} {key}={value}\n"


def _stable_id(unit: Unit, manifest: Manifest) -> ObjectId:
    """Return the identity without the hash of the content, which changes with every edit."""
    identity = manifest.id
    if unit.params and identity.kind == "ConfigMap" and identity.name == unit.params.manifest().id.name:
        return ObjectId(identity.group, identity.kind, identity.namespace, unit.params.config_map)
    return identity


def _name(identity: ObjectId, home: str) -> str:
    """Return a file name that no other object of the component, whose namespace is home, can have."""
    elsewhere = [identity.namespace] if identity.namespace not in ("", home) else []
    parts = [f"{identity.kind}.{identity.group or 'core'}", *elsewhere, identity.name]
    return "__".join("".join(ESCAPES.get(char, char) for char in part) for part in parts)


def permissions(rules: list[JsonObject]) -> JsonObject:
    """Return what rules grant, one line a resource: how they are grouped does not matter."""
    granted: dict[str, set[str]] = {}
    for rule in rules:
        names = f"[{','.join(sorted(rule['resourceNames']))}]" if rule.get("resourceNames") else ""
        places = [
            f"{group or 'core'}/{resource}{names}"
            for group in rule.get("apiGroups", [])
            for resource in rule.get("resources", [])
        ]
        for place in (*places, *rule.get("nonResourceURLs", [])):
            granted.setdefault(place, set()).update(rule.get("verbs", []))
    return {place: " ".join(sorted(verbs)) for place, verbs in sorted(granted.items())}


def _inventory(plan: Plan) -> Iterator[str]:
    """Yield one line an object, in the order in which a cluster gets them."""
    for unit in plan.units:
        for manifest in unit.final:
            identity = _stable_id(unit, manifest)
            place = f"{identity.namespace}/" if identity.namespace else ""
            kind = f"{identity.kind}.{identity.group or 'core'}"
            yield f"{unit.context.component.name} {kind} {place}{identity.name}\n"


def _images(plan: Plan) -> Iterator[str]:
    """Yield one line an image and the container that runs it."""
    found = {
        f"{container.get('image', '-')} {manifest.id}/{container['name']}\n"
        for unit in plan.units
        for manifest in unit.final
        if manifest.id.kind in PODS
        for key in ("initContainers", "containers")
        for _, container in places(manifest.body, f"{PODS[manifest.id.kind]}/{key}[]")
    }
    yield from sorted(found)
