"""Snapshots for reviewers: one file per object, CRDs as outlines, and lists of images and permissions.

What targets share is stored once, with the first of them by name, under a line that lists them all. So an
object of a new target adds one file and changes one line. Values of secrets are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.crd.outline import outline
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import ACCOUNT, Access, RbacSubject
from kitgen.kube.rbac.rules import verb_words
from kitgen.kube.rbac.subjects import WHOLE_ROLES, SubjectAccess, people, scope
from kitgen.kube.rbac.summary import AccessLine
from kitgen.render.file_tree import FileTree, below
from kitgen.render.image_places import found_in, place_of
from kitgen.render.kustomize.field_paths import places
from kitgen.render.kustomize.namespace import PODS
from kitgen.render.overlays.files import short
from kitgen.render.plan import TargetPlan
from kitgen.render.unit import Unit
from kitgen.text.secrets import redacted
from kitgen.text.values import collect
from kitgen.text.yaml import JsonObject, dump

ESCAPES = {char: f"%{ord(char):02X}" for char in "%_:/"}
"""What files must not be called, and the underscore, which stands between the parts of a name."""
CRD = "CustomResourceDefinition"


def stable_id(unit: Unit, manifest: Manifest) -> ObjectId:
    """Return the identity without the hash of the content, which changes with every edit."""
    identity = manifest.id
    if unit.params and identity.kind == "ConfigMap" and identity.name == unit.params.manifest().id.name:
        return ObjectId(identity.group, identity.kind, identity.namespace, unit.params.config_map)
    return identity


def file_name(identity: ObjectId, home: str) -> str:
    """Return a file name that no other object of the component, whose namespace is home, can have."""
    elsewhere = [identity.namespace] if identity.namespace not in ("", home) else []
    parts = [f"{identity.kind}.{identity.group or 'core'}", *elsewhere, identity.name]
    name = short("__".join("".join(ESCAPES.get(char, char) for char in part) for part in parts))
    return f"{name}.txt" if identity.kind == CRD else f"{name}.yaml"


def images(plan: TargetPlan) -> list[str]:
    """Return one line an image and place: a container that runs it, or a field that names it."""
    found = set()
    for _, manifest, identity in _identified(plan):
        sure, unsure = found_in(manifest)
        for path, image in (*((each.path, each.image) for each in sure), *unsure):
            found.add(f"{image} {identity}/{place_of(manifest.body, path)}")
    return sorted(found)


def _identified(plan: TargetPlan) -> Iterator[tuple[Unit, Manifest, ObjectId]]:
    """Yield the objects of a target, each with its component and the identity that stays the same."""
    for unit in plan.units:
        yield from ((unit, manifest, stable_id(unit, manifest)) for manifest in unit.final)


MASK = "(masked)"


def snapshot(manifest: Manifest, identity: ObjectId) -> str:
    """Return the text of an object under the name that stays the same."""
    body = manifest.body
    if identity.kind == CRD:
        return "".join(_metadata(body)) + outline(body)
    if identity.kind == "Secret":
        masked = {
            key: dict.fromkeys(value, MASK) if isinstance(value, dict) else MASK
            for key, value in body.items()
            if key in ("data", "stringData")
        }
        body = {**redacted(body), **masked}  # an annotation may hold all of it
    if identity.name != manifest.id.name:
        body = {**body, "metadata": {**body["metadata"], "name": identity.name}}
    return dump(body)


def _metadata(body: JsonObject) -> Iterator[str]:
    """Yield one line a label or annotation, which an outline does not show."""
    for kind in ("labels", "annotations"):
        for key, value in sorted((body["metadata"].get(kind) or {}).items()):
            yield f"{kind.removesuffix('s')} {key}={value}\n"


def permissions(plan: TargetPlan) -> Iterator[str]:
    """Yield a paragraph for everybody, one line for the same verbs in a group of resources.

    What somebody may do as one of a group stands with the group alone.
    """
    objects = [manifest for unit in plan.units for manifest in unit.final]
    for number, person in enumerate(people(Access(objects), objects, _runs(objects))):
        if number:
            yield ""
        yield _title(person)
        yield from [*_lines(person)] or ["  nothing"]


def _runs(objects: list[Manifest]) -> dict[RbacSubject, list[str]]:
    """Return the objects whose pods run as an account."""
    runs = (
        (each.id, str(spec.get("serviceAccountName") or spec.get("serviceAccount") or "default"))
        for each in objects
        if each.id.kind in PODS
        for _, spec in places(each.body, PODS[each.id.kind])
        if isinstance(spec, dict)
    )
    return collect((RbacSubject(ACCOUNT, identity.namespace, name), str(identity)) for identity, name in runs)


def _title(person: SubjectAccess) -> str:
    if person.aggregate:
        return f"Whoever has Kubernetes' own {person.holder.name}"
    runs = f", runs {', '.join(person.runs)}" if person.runs else ""
    return f"{person.holder}{runs}"


def _lines(person: SubjectAccess) -> Iterator[str]:
    for whole in (each for each in person.wholes if not each.through):
        yield f"  {scope(whole.where, aggregate=False)}: {WHOLE_ROLES[whole.grants]} ({whole.role})"
    for line in (each for each in person.lines if not each.through):
        where = scope(line.where, aggregate=person.aggregate)
        yield f"  {where}: {' '.join(verb_words(line.verbs))}: {_what(line)} ({', '.join(line.roles)})"


def _what(line: AccessLine) -> str:
    names = f" [{', '.join(line.names)}]" if line.names else ""
    group = "" if line.urls else f"{line.group or 'core'}/"
    return f"{group}{', '.join(line.urls or line.resources)}{names}"


def snapshots(plans: Iterable[TargetPlan]) -> FileTree:
    """Return every snapshot of targets by its path, such as odh/kueue/Deployment.apps__NAME.yaml."""
    known = list(plans)
    files = shared({plan.target.name: _objects(plan) for plan in known})
    for plan in known:
        files |= below(plan.target.name, _lists(plan))
    return files


def shared(files: dict[str, FileTree]) -> FileTree:
    """Return the files of targets, each text once: with the first target that has it, for all that do."""
    holders = collect((file, target) for target in sorted(files) for file in files[target].items())
    return {
        f"{names[0]}/{path}": f"# {', '.join(names)}\n{text}" if len(names) > 1 else text
        for (path, text), names in holders.items()
    }


def _objects(plan: TargetPlan) -> FileTree:
    files: FileTree = {}
    for unit, manifest, identity in _identified(plan):
        name = file_name(identity, unit.context.namespace)
        files[f"{unit.context.component.name}/{name}"] = snapshot(manifest, identity)
    return files | {file_name(each.id, ""): snapshot(each, each.id) for each in plan.outside}


def _lists(plan: TargetPlan) -> FileTree:
    lines = {
        "inventory.txt": _inventory(plan),
        "images.txt": images(plan),
        "permissions.txt": permissions(plan),
    }
    return {path: "".join(f"{line}\n" for line in found) for path, found in lines.items()}


def _inventory(plan: TargetPlan) -> Iterable[str]:
    """Yield one line an object, in the order in which a cluster gets them."""
    for unit, _, identity in _identified(plan):
        place = f"{identity.namespace}/" if identity.namespace else ""
        kind = f"{identity.kind}.{identity.group or 'core'}"
        yield f"{unit.context.component.name} {kind} {place}{identity.name}"
