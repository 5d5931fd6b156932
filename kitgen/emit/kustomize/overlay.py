"""The overlay: how one target's component differs from the base, in kustomize's own terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct

from kitgen.compile import Base, Params, Plan, Unit
from kitgen.emit.kustomize.difference import Difference, difference
from kitgen.emit.kustomize.files import kustomization
from kitgen.emit.kustomize.last import moved_back, origins_of, unlabelled
from kitgen.findings import Path
from kitgen.model import Component, LabelRule
from kitgen.objects import Manifest, ObjectId
from kitgen.root import CRDS, OVERLAYS
from kitgen.schema.wording import choice
from kitgen.yamlio import Json, JsonObject


class Layout(Struct, frozen=True, kw_only=True):
    """Where an overlay finds what it builds on, as relative paths."""

    base: str
    """Empty when there is nothing that all targets have in common."""
    crds: tuple[str, ...]
    params: str = ""
    """The folder that generates the ConfigMap from params.env; empty when it is this one."""
    note: str = ""
    """What the overlay lacks, and where that is."""


def overlay_files(unit: Unit, base: Base, layout: Layout) -> dict[str, str]:
    """Return the overlay's files, below its folder."""
    origins = origins_of(unit)
    made = difference(
        base.assembled, unit.assembled, origins, unit.context.component.prefix, partial(_filled, unit.params)
    )
    of_crds = crd_patches(unit.changed_crds, origins)
    namespace = [name for name in made.own if name == "namespace.yaml"]
    rest = [name for name in made.own if name != "namespace.yaml"]
    files = {**made.files, **of_crds.files}
    fields: JsonObject = {
        "namespace": unit.context.namespace,
        "labels": [labels_entry(rule) for rule in unit.labels],
        "sortOptions": {"order": "fifo"},
        "resources": [
            *namespace,
            *layout.crds,
            *([layout.base] if layout.base else []),
            *rest,
            *([layout.params] if layout.params else []),
        ],
        "patches": [*made.patches, *of_crds.patches],
    }
    prefix = unit.context.component.prefix
    objects = (*unit.assembled, *as_patched(unit.crds, unit.changed_crds))
    if last := moved_back(unit) | unlabelled(objects, unit.labels, unit.spared, prefix, origins):
        fields["transformers"] = list(last)
        files |= last
    if unit.params:
        if not layout.params:
            fields |= generator(unit.params)
            files["params.env"] = params_env(unit.params)
        fields["replacements"] = list(_replacements(unit.params))
    return {"kustomization.yaml": kustomization(fields, *origins, note=layout.note), **files}


def crd_patches(changed: Sequence[tuple[Manifest, Manifest]], origins: tuple[str, ...]) -> Difference:
    """Return the patches that make a target's CRDs of those that all have."""
    return difference((before for before, _ in changed), (after for _, after in changed), origins)


def as_patched(crds: Sequence[Manifest], changed: Sequence[tuple[Manifest, Manifest]]) -> Iterator[Manifest]:
    """Yield CRDs as a target has them."""
    here = {id(before): after for before, after in changed}
    return (here.get(id(each), each) for each in crds)


def bundle_note(plan: Plan, carrier: Component | None = None) -> str:
    """Say where the CRDs are that a target, or one component of it, keeps apart; empty if there are none."""
    names = [each.component.name for each in plan.bundled if carrier in (None, each.carrier)]
    if not names:
        return ""
    whose = choice(names, last="and", most=len(names))
    return (
        f"the CRDs of {whose} are not here but in {OVERLAYS}/{plan.target.name}/{CRDS} (crds: bundle); "
        "whoever installs the ODH operator applies them first"
    )


def _filled(params: Params | None, identity: ObjectId) -> set[Path]:
    """Return what follows a parameter in an object: that is set by it, and no patch sets it too."""
    own = (each for each in (params.fills if params else ()) if each.name == identity.name)
    return {fill.path for fill in own if fill.kind == identity.kind and not fill.delimiter}


def params_env(params: Params) -> str:
    """Return params.env: one `key=value` a line, which is all that the ODH operator reads."""
    return "".join(f"{key}={value}\n" for key, value in params.data.items())


def generator(params: Params) -> JsonObject:
    """Return the fields that make a ConfigMap of params.env."""
    entry: JsonObject = {"name": params.config_map, "envs": ["params.env"]}
    if not params.hashed:
        entry["options"] = {"disableNameSuffixHash": True}
    return {"configMapGenerator": [entry]}


def params_files(unit: Unit) -> dict[str, str]:
    """Return the folder that holds params.env where the overlay does not."""
    if unit.params is None:
        return {}
    text = kustomization(generator(unit.params), *origins_of(unit))
    return {"kustomization.yaml": text, "params.env": params_env(unit.params)}


def labels_entry(rule: LabelRule) -> JsonObject:
    """Return a label rule as kustomize has it."""
    entry: JsonObject = {"pairs": rule.pairs}
    if rule.selectors:
        entry["includeSelectors"] = True
    elif rule.templates:
        entry["includeTemplates"] = True
    return entry


def _replacements(params: Params) -> Iterator[JsonObject]:
    for key in params.data:
        targets: list[Json] = []
        for fill in params.fills:
            if fill.key == key:
                entry: JsonObject = {
                    "select": {"kind": fill.kind, "name": fill.name},
                    "fieldPaths": [fill.field],
                }
                if fill.delimiter:
                    entry["options"] = {"delimiter": fill.delimiter, "index": fill.index}
                targets.append(entry)
        if targets:
            field = key.replace(".", "\\.")
            source = {"kind": "ConfigMap", "name": params.config_map, "fieldPath": f"data.{field}"}
            yield {"source": source, "targets": targets}
