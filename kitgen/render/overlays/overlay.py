"""The overlay: how one target's component differs from the base, in kustomize's own terms.

Kustomize applies namespace and labels to all objects. For objects with another namespace, or that label rules
exclude, patches that run last revert that.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kitgen.files.root import CRDS, OVERLAYS
from kitgen.findings import Path
from kitgen.kit.model import Component, LabelRule
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.render.kustomize.labels import apply_labels
from kitgen.render.kustomize.namespace import has_empty_namespace, has_other_namespace
from kitgen.render.overlays.difference import (
    OverlayDifference,
    build_difference,
    build_patch_target,
    format_spec_name,
)
from kitgen.render.overlays.files import assign_file_names, render_document, render_kustomization
from kitgen.render.overlays.json_patch import build_operations
from kitgen.render.parameters import ParameterFill, Params
from kitgen.render.plan import TargetPlan
from kitgen.render.unit import Base, Unit
from kitgen.text.values import group_pairs
from kitgen.text.wording import join_words
from kitgen.text.yaml import JsonObject


def origins_of(unit: Unit) -> tuple[str, str]:
    """Return what an overlay is generated from."""
    return format_spec_name(unit.context.component.origin.file), f"targets/{unit.context.target}.yaml"


def render_namespace_patches(unit: Unit) -> dict[str, str]:
    """Return what gives objects their own namespace again, or none, a file each.

    Without a namespace for all, kustomize moves none, but what says an empty one keeps that.
    """
    home = unit.context.namespace
    note = f"kustomize moves all objects to {home}" if home else "kustomize writes an empty namespace"
    steps: list[LastStep] = []
    for manifest in unit.assembled:
        if has_other_namespace(manifest, home) if home else has_empty_namespace(manifest):
            place = manifest.id.namespace
            change: JsonObject = {"op": "replace" if place else "remove", "path": "/metadata/namespace"}
            change |= {"value": place} if place else {}
            steps.append((manifest, [change], f"{note}; this one belongs to {place or 'none'}"))
    return _render_transformers(
        "namespaces", steps, unit.assembled, unit.context.component.prefix, origins_of(unit)
    )


def render_label_removals(
    objects: Sequence[Manifest],
    rules: Sequence[LabelRule],
    spared: frozenset[str],
    prefix: str,
    origins: Sequence[str],
) -> dict[str, str]:
    """Return what takes labels off again that kustomize puts on all objects, a file each."""
    note = "kustomize labels all objects; this one is left alone"
    steps = [
        (manifest, [each.data for each in changes], note)
        for manifest in objects
        if str(manifest.id) in spared
        and (changes := build_operations(apply_labels(manifest, rules), manifest))
    ]
    return _render_transformers("labels", steps, objects, prefix, origins)


LastStep: TypeAlias = tuple[Manifest, list[JsonObject], str]
"""What is done to an object when all else is done: its changes, and a note."""


def _render_transformers(
    folder: str, steps: Sequence[LastStep], objects: Iterable[Manifest], prefix: str, origins: Sequence[str]
) -> dict[str, str]:
    """Return transformers, which kustomize runs after all that the fields of a kustomization say."""
    like = [replace(each.id, namespace="") for each in objects] if steps else []
    names = assign_file_names((manifest.id for manifest, _, _ in steps), prefix, flat=True)
    files = {}
    for manifest, changes, note in steps:
        identity, name = manifest.id, names[manifest.id]
        near = [each for each in like if (each.kind, len(each.name)) == (identity.kind, len(identity.name))]
        found = build_patch_target(manifest, near).items()  # all are in one namespace when this is looked for
        body = {
            "apiVersion": "builtin",
            "kind": "PatchTransformer",
            "metadata": {"name": name.removesuffix(".yaml")},
            "target": {key: value for key, value in found if key != "namespace"},
            "patch": json.dumps(changes),
        }
        files[f"{folder}/{name}"] = render_document(body, *origins, note=note)
    return files


class OverlayLayout(Struct, frozen=True, kw_only=True):
    """Where an overlay finds what it builds on, as relative paths."""

    base: str
    """Empty when there is nothing that all targets have in common."""
    crds: tuple[str, ...]
    params: str = ""
    """The folder that generates the ConfigMap from params.env; empty when it is this one."""
    note: str = ""
    """What the overlay lacks, and where that is."""


def overlay_files(unit: Unit, base: Base, layout: OverlayLayout) -> dict[str, str]:
    """Return the overlay's files, below its folder."""
    origins = origins_of(unit)
    made = build_difference(
        base.assembled,
        unit.assembled,
        origins,
        unit.context.component.prefix,
        partial(_list_filled_paths, unit.params),
    )
    of_crds = build_crd_patches(unit.changed_crds, origins)
    files = {**made.files, **of_crds.files}
    fields: JsonObject = {
        "namespace": unit.context.namespace,
        "labels": [to_labels_entry(rule) for rule in unit.labels],
        "sortOptions": {"order": "fifo"},
        "resources": [
            *(name for name in made.own if name == "namespace.yaml"),
            *layout.crds,
            *([layout.base] if layout.base else []),
            *(name for name in made.own if name != "namespace.yaml"),
            *([layout.params] if layout.params else []),
        ],
        "patches": [*made.patches, *of_crds.patches],
    }
    prefix = unit.context.component.prefix
    objects = (*unit.assembled, *apply_crd_changes(unit.crds, unit.changed_crds))
    if last := render_namespace_patches(unit) | render_label_removals(
        objects, unit.labels, unit.spared, prefix, origins
    ):
        fields["transformers"] = list(last)
        files |= last
    if unit.params:
        if not layout.params:
            fields |= build_generator(unit.params)
            files["params.env"] = render_params_env(unit.params)
        fields["replacements"] = list(_build_replacements(unit.params))
    return {"kustomization.yaml": render_kustomization(fields, *origins, note=layout.note), **files}


def build_crd_patches(
    changed: Sequence[tuple[Manifest, Manifest]], origins: tuple[str, ...]
) -> OverlayDifference:
    """Return the patches that make a target's CRDs of those that all have."""
    return build_difference((before for before, _ in changed), (after for _, after in changed), origins)


def apply_crd_changes(
    crds: Sequence[Manifest], changed: Sequence[tuple[Manifest, Manifest]]
) -> Iterator[Manifest]:
    """Yield CRDs as a target has them."""
    here = {id(before): after for before, after in changed}
    return (here.get(id(each), each) for each in crds)


def describe_bundled_crds(plan: TargetPlan, carrier: Component | None = None) -> str:
    """Return where the CRDs are that a target, or one of its components, keeps apart; empty if none are."""
    if not (names := [each.component.name for each in plan.bundled if carrier in (None, each.carrier)]):
        return ""
    whose = join_words(names, last="and", most=len(names))
    return (
        f"the CRDs of {whose} are not here but in {OVERLAYS}/{plan.target.name}/{CRDS} (crds: bundle); "
        "whoever installs the ODH operator applies them first"
    )


def _list_filled_paths(params: Params | None, identity: ObjectId) -> set[Path]:
    """Return what follows a parameter in an object: that is set by it, and no patch sets it too."""
    return {
        fill.path
        for fill in (params.fills if params else ())
        if (fill.kind, fill.name) == (identity.kind, identity.name) and not fill.delimiter
    }


def render_params_env(params: Params) -> str:
    """Return params.env: one `key=value` a line, which is all that the ODH operator reads."""
    return "".join(f"{key}={value}\n" for key, value in params.data.items())


def build_generator(params: Params) -> JsonObject:
    """Return the fields that make a ConfigMap of params.env."""
    entry: JsonObject = {"name": params.config_map, "envs": ["params.env"]}
    if not params.hashed:
        entry["options"] = {"disableNameSuffixHash": True}
    return {"configMapGenerator": [entry]}


def params_files(unit: Unit) -> dict[str, str]:
    """Return the folder that holds params.env where the overlay does not."""
    if unit.params is None:
        return {}
    text = render_kustomization(build_generator(unit.params), *origins_of(unit))
    return {"kustomization.yaml": text, "params.env": render_params_env(unit.params)}


def to_labels_entry(rule: LabelRule) -> JsonObject:
    """Return a label rule as kustomize has it."""
    if not (rule.selectors or rule.templates):
        return {"pairs": rule.pairs}
    return {"pairs": rule.pairs, "includeSelectors" if rule.selectors else "includeTemplates": True}


def _build_replacements(params: Params) -> Iterator[JsonObject]:
    fills = group_pairs((fill.key, fill) for fill in params.fills)
    for key in (each for each in params.data if each in fills):
        field = key.replace(".", "\\.")
        yield {
            "source": {"kind": "ConfigMap", "name": params.config_map, "fieldPath": f"data.{field}"},
            "targets": [_build_target(fill) for fill in fills[key]],
        }


def _build_target(fill: ParameterFill) -> JsonObject:
    """Return a field that follows a parameter, as kustomize has it."""
    options = {"options": {"delimiter": fill.delimiter, "index": fill.index}} if fill.delimiter else {}
    return {"select": {"kind": fill.kind, "name": fill.name}, "fieldPaths": [fill.field], **options}
