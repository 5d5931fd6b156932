"""Snapshots for reviewers: one file per object, CRDs as outlines, and lists of images and permissions.

What targets share is stored once, with the first of them by name, under a line that lists them all. So an
object of a new target adds one file and changes one line. Values of secrets are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.crd.outline import render_outline
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import ACCOUNT, Access, RbacSubject
from kitgen.kube.rbac.rules import shorten_verbs
from kitgen.kube.rbac.subjects import WHOLE_ROLES, SubjectAccess, format_scope, list_subject_access
from kitgen.kube.rbac.summary import AccessLine
from kitgen.render.file_tree import FileTree, nest_files
from kitgen.render.image_places import collect_image_mentions, format_place
from kitgen.render.kustomize.field_paths import find_values
from kitgen.render.kustomize.namespace import PODS
from kitgen.render.overlays.files import shorten_name
from kitgen.render.plan import TargetPlan
from kitgen.render.unit import Unit
from kitgen.text.secrets import redact_value
from kitgen.text.values import group_pairs
from kitgen.text.yaml import JsonObject, dump_yaml

ESCAPES = {char: f"%{ord(char):02X}" for char in "%_:/"}
"""What files must not be called, and the underscore, which stands between the parts of a name."""
CRD = "CustomResourceDefinition"


def stable_id(unit: Unit, manifest: Manifest) -> ObjectId:
    """Return the identity without the hash of the content, which changes with every edit."""
    identity = manifest.id
    if unit.params and identity.kind == "ConfigMap" and identity.name == unit.params.to_manifest().id.name:
        return ObjectId(identity.group, identity.kind, identity.namespace, unit.params.config_map)
    return identity


def file_name(identity: ObjectId, home: str) -> str:
    """Return a file name that no other object of the component, whose namespace is home, can have."""
    elsewhere = [identity.namespace] if identity.namespace not in ("", home) else []
    parts = [f"{identity.kind}.{identity.group or 'core'}", *elsewhere, identity.name]
    name = shorten_name("__".join("".join(ESCAPES.get(char, char) for char in part) for part in parts))
    return f"{name}.txt" if identity.kind == CRD else f"{name}.yaml"


def format_images(plan: TargetPlan) -> list[str]:
    """Return one line an image and place: a container that runs it, or a field that names it."""
    found = set()
    for _, manifest, identity in _list_objects(plan):
        sure, unsure = collect_image_mentions(manifest)
        for path, image in (*((each.path, each.image) for each in sure), *unsure):
            found.add(f"{image} {identity}/{format_place(manifest.body, path)}")
    return sorted(found)


def _list_objects(plan: TargetPlan) -> Iterator[tuple[Unit, Manifest, ObjectId]]:
    """Yield the objects of a target, each with its component and the identity that stays the same."""
    for unit in plan.units:
        yield from ((unit, manifest, stable_id(unit, manifest)) for manifest in unit.final)


MASK = "(masked)"


def render_snapshot(manifest: Manifest, identity: ObjectId) -> str:
    """Return the text of an object under the name that stays the same."""
    body = manifest.body
    if identity.kind == CRD:
        return "".join(_format_metadata(body)) + render_outline(body)
    if identity.kind == "Secret":
        masked = {
            key: dict.fromkeys(value, MASK) if isinstance(value, dict) else MASK
            for key, value in body.items()
            if key in ("data", "stringData")
        }
        body = {**redact_value(body), **masked}  # an annotation may hold all of it
    if identity.name != manifest.id.name:
        body = {**body, "metadata": {**body["metadata"], "name": identity.name}}
    return dump_yaml(body)


def _format_metadata(body: JsonObject) -> Iterator[str]:
    """Yield one line a label or annotation, which an outline does not show."""
    for kind in ("labels", "annotations"):
        for key, value in sorted((body["metadata"].get(kind) or {}).items()):
            yield f"{kind.removesuffix('s')} {key}={value}\n"


def format_permissions(plan: TargetPlan) -> Iterator[str]:
    """Yield a paragraph for everybody, one line for the same verbs in a group of resources.

    What somebody may do as one of a group stands with the group alone.
    """
    objects = [manifest for unit in plan.units for manifest in unit.final]
    for number, person in enumerate(
        list_subject_access(Access(objects), objects, _objects_by_account(objects))
    ):
        if number:
            yield ""
        yield _format_title(person)
        yield from [*_format_lines(person)] or ["  nothing"]


def _objects_by_account(objects: list[Manifest]) -> dict[RbacSubject, list[str]]:
    """Return the objects whose pods run as an account."""
    runs = (
        (each.id, str(spec.get("serviceAccountName") or spec.get("serviceAccount") or "default"))
        for each in objects
        if each.id.kind in PODS
        for _, spec in find_values(each.body, PODS[each.id.kind])
        if isinstance(spec, dict)
    )
    return group_pairs(
        (RbacSubject(ACCOUNT, identity.namespace, name), str(identity)) for identity, name in runs
    )


def _format_title(person: SubjectAccess) -> str:
    if person.is_aggregate:
        return f"Whoever has Kubernetes' own {person.holder.name}"
    runs = f", runs {', '.join(person.runs)}" if person.runs else ""
    return f"{person.holder}{runs}"


def _format_lines(person: SubjectAccess) -> Iterator[str]:
    for whole in (each for each in person.wholes if not each.through):
        yield f"  {format_scope(whole.where, aggregate=False)}: {WHOLE_ROLES[whole.grants]} ({whole.role})"
    for line in (each for each in person.lines if not each.through):
        where = format_scope(line.where, aggregate=person.is_aggregate)
        yield (
            f"  {where}: {' '.join(shorten_verbs(line.verbs))}: {_format_resources(line)} "
            f"({', '.join(line.roles)})"
        )


def _format_resources(line: AccessLine) -> str:
    names = f" [{', '.join(line.names)}]" if line.names else ""
    group = "" if line.urls else f"{line.group or 'core'}/"
    return f"{group}{', '.join(line.urls or line.resources)}{names}"


def render_snapshots(plans: Iterable[TargetPlan]) -> FileTree:
    """Return every snapshot of targets by its path, such as odh/kueue/Deployment.apps__NAME.yaml."""
    known = list(plans)
    files = merge_shared_files({plan.target.name: _render_objects(plan) for plan in known})
    for plan in known:
        files |= nest_files(plan.target.name, _render_lists(plan))
    return files


def merge_shared_files(files: dict[str, FileTree]) -> FileTree:
    """Return the files of targets, each text once: with the first target that has it, for all that do."""
    holders = group_pairs((file, target) for target in sorted(files) for file in files[target].items())
    return {
        f"{names[0]}/{path}": f"# {', '.join(names)}\n{text}" if len(names) > 1 else text
        for (path, text), names in holders.items()
    }


def _render_objects(plan: TargetPlan) -> FileTree:
    files: FileTree = {}
    for unit, manifest, identity in _list_objects(plan):
        name = file_name(identity, unit.context.namespace)
        files[f"{unit.context.component.name}/{name}"] = render_snapshot(manifest, identity)
    return files | {file_name(each.id, ""): render_snapshot(each, each.id) for each in plan.outside_objects}


def _render_lists(plan: TargetPlan) -> FileTree:
    lines = {
        "inventory.txt": _format_inventory(plan),
        "images.txt": format_images(plan),
        "permissions.txt": format_permissions(plan),
    }
    return {path: "".join(f"{line}\n" for line in found) for path, found in lines.items()}


def _format_inventory(plan: TargetPlan) -> Iterable[str]:
    """Yield one line an object, in the order in which a cluster gets them."""
    for unit, _, identity in _list_objects(plan):
        place = f"{identity.namespace}/" if identity.namespace else ""
        kind = f"{identity.kind}.{identity.group or 'core'}"
        yield f"{unit.context.component.name} {kind} {place}{identity.name}"
