"""The whole of overlays/: bases, and for each target its components and what holds them together."""

from __future__ import annotations

from dataclasses import dataclass

from kitgen.compile import Session, Unit
from kitgen.compile.labels import overlay_labels
from kitgen.compile.resolve import settle
from kitgen.emit.base import base_files, crd_files
from kitgen.emit.files import document, kustomization
from kitgen.emit.overlay import Layout, labels_entry, overlay_files
from kitgen.model import Component, Release, Target
from kitgen.objects import Manifest
from kitgen.schema.wording import choice
from kitgen.semver import version_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One target with the release that it gets and what was compiled for it."""

    target: Target
    release: Release
    units: tuple[Unit, ...]
    apart: tuple[Manifest, ...] = ()
    """What is rendered beside the kustomization: the DataScienceCluster, and CRDs for a bundle."""


def overlays_tree(session: Session, plans: list[Plan]) -> dict[str, str]:
    """Return every file of overlays/, by its path below that folder."""
    used: dict[tuple[str, str], Component] = {}
    for plan in plans:
        for component in session.components(plan.release):
            if settle(plan.target, component).managed:
                used[component.name, component.version] = component
    folders = _base_folders(list(used.values()))
    tree: dict[str, str] = {}
    for key, component in used.items():
        _put(tree, folders[key], base_files(session.base(component)))
        _put(tree, f"{folders[key]}/crds", crd_files(component, session.crds(component).value))
    for plan in plans:
        _put(tree, plan.target.name, _target_files(session, plan, folders))
    return tree


def _base_folders(components: list[Component]) -> dict[tuple[str, str], str]:
    """Give the newest version of a component the plain name, so that most paths never change.

    No component has an underscore in its name, so an older version never gets another one's folder.
    """
    newest: dict[str, str] = {}
    for component in components:
        have = newest.get(component.name)
        if have is None or version_key(component.version) > version_key(have):
            newest[component.name] = component.version
    return {
        (c.name, c.version): f"base/{c.name}" + ("" if newest[c.name] == c.version else f"_{c.version}")
        for c in components
    }


def _put(tree: dict[str, str], folder: str, files: dict[str, str]) -> None:
    for name, text in files.items():
        tree[f"{folder}/{name}"] = text


def _target_files(session: Session, plan: Plan, folders: dict[tuple[str, str], str]) -> dict[str, str]:
    files: dict[str, str] = {}
    origin = plan.target.origin.file
    for unit in plan.units:
        component = unit.context.component
        layout = Layout(
            note=apart_note(session, plan, component),
            base=f"../../{folders[component.name, component.version]}",
            crds=tuple(
                f"../../{folders[c.name, c.version]}/crds"
                for c in session.beside(plan.target, plan.release, component)
            ),
        )
        _put(files, component.name, overlay_files(unit, session.base(component), layout))
    # Without resources it builds to nothing, which is what a target that manages nothing is.
    fields = {
        "sortOptions": {"order": "fifo"},
        "resources": [unit.context.component.name for unit in plan.units],
    }
    files["kustomization.yaml"] = kustomization(fields, origin, note=apart_note(session, plan))
    for manifest in plan.apart:
        if manifest.id.kind == "DataScienceCluster":
            files["datasciencecluster.yaml"] = document(manifest.body, manifest.sources[0].origin.file)
    _put(files, "crds", _bundled(session, plan, folders))
    return files


def apart_note(session: Session, plan: Plan, carrier: Component | None = None) -> str:
    """Say where the CRDs are that a target, or one component of it, keeps apart; empty if there are none."""
    bundled = session.bundled(plan.target, plan.release)
    names = [name for name, by in bundled.items() if carrier in (None, by.component)]
    if not names:
        return ""
    whose = choice(names, last="and", most=len(names))
    return (
        f"the CRDs of {whose} are not here but in overlays/{plan.target.name}/crds (crds: bundle); "
        "whoever installs the ODH operator applies them first"
    )


def _bundled(session: Session, plan: Plan, folders: dict[tuple[str, str], str]) -> dict[str, str]:
    """Return the CRDs that the target keeps apart, for the bundle of the ODH operator."""
    files: dict[str, str] = {}
    origin = plan.target.origin.file
    resources = []
    for name, context in session.bundled(plan.target, plan.release).items():
        version = plan.release.components[name]
        fields = {
            "labels": [labels_entry(rule) for rule in overlay_labels(context)],
            "resources": [f"../../../{folders[name, version]}/crds"],
        }
        files[f"{name}/kustomization.yaml"] = kustomization(fields, origin)
        resources.append(name)
    if resources:
        files["kustomization.yaml"] = kustomization({"resources": resources}, origin)
    return files
