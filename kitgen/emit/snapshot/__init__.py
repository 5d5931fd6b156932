"""Snapshots: what reviewers read first. One file an object, CRDs as an outline, and three lists a target.

What targets have in common is kept once, with the first of them by name, and opens with a line that names
them all. So a target that gets something of its own adds one file and changes one line.
"""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.compile import Plan
from kitgen.emit.snapshot.images import images
from kitgen.emit.snapshot.names import file_name, stable_id
from kitgen.emit.snapshot.objects import snapshot
from kitgen.emit.snapshot.permissions import permissions
from kitgen.emit.tree import FileTree


def snapshots(plans: Iterable[Plan]) -> FileTree:
    """Return every snapshot of targets by its path, such as odh/kueue/Deployment.apps__NAME.yaml."""
    made = {plan.target.name: plan for plan in plans}
    lists = {f"{name}/{path}": text for name, plan in made.items() for path, text in _lists(plan).items()}
    return shared({name: _objects(plan) for name, plan in made.items()}) | lists


def shared(files: dict[str, FileTree]) -> FileTree:
    """Return the files of targets, each text once: with the first target that has it, for all that do."""
    holders: dict[tuple[str, str], list[str]] = {}
    for target in sorted(files):
        for path, text in files[target].items():
            holders.setdefault((path, text), []).append(target)
    return {
        f"{names[0]}/{path}": f"# {', '.join(names)}\n{text}" if len(names) > 1 else text
        for (path, text), names in holders.items()
    }


def _objects(plan: Plan) -> FileTree:
    files: FileTree = {}
    for unit in plan.units:
        for manifest in unit.final:
            identity = stable_id(unit, manifest)
            name = file_name(identity, unit.context.namespace)
            files[f"{unit.context.component.name}/{name}"] = snapshot(manifest, identity)
    return files | {file_name(each.id, ""): snapshot(each, each.id) for each in plan.outside}


def _lists(plan: Plan) -> FileTree:
    lines = {
        "inventory.txt": _inventory(plan),
        "images.txt": images(plan),
        "permissions.txt": permissions(plan),
    }
    return {path: "".join(f"{line}\n" for line in found) for path, found in lines.items()}


def _inventory(plan: Plan) -> Iterable[str]:
    """Yield one line an object, in the order in which a cluster gets them."""
    for unit in plan.units:
        for manifest in unit.final:
            identity = stable_id(unit, manifest)
            place = f"{identity.namespace}/" if identity.namespace else ""
            kind = f"{identity.kind}.{identity.group or 'core'}"
            yield f"{unit.context.component.name} {kind} {place}{identity.name}"
