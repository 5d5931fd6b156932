"""The overlay: how one target's component differs from the base, in kustomize's own terms."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from kitgen.compile import Params, Plan, Unit
from kitgen.emit.kustomize.files import comment, file_names, generated, kustomization, object_files
from kitgen.emit.kustomize.jsonpatch import Operation, operations
from kitgen.findings import path_of
from kitgen.model import Component, LabelRule
from kitgen.objects import Manifest, ObjectId, Source, split_api_version
from kitgen.root import CRDS, OVERLAYS
from kitgen.schema.wording import choice
from kitgen.yamlio import Json, JsonObject, dump


class Layout(Struct, frozen=True, kw_only=True):
    """Where an overlay finds what it builds on, as relative paths."""

    base: str
    crds: tuple[str, ...]
    params: str = ""
    """The folder that generates the ConfigMap from params.env; empty when it is this one."""
    note: str = ""
    """What the overlay lacks, and where that is."""


def overlay_files(unit: Unit, base: Unit, layout: Layout) -> dict[str, str]:
    """Return the overlay's files, below its folder."""
    origins = _origins(unit)
    have = {manifest.id: manifest for manifest in base.assembled}
    want = {manifest.id: manifest for manifest in unit.assembled}
    own = [manifest for key, manifest in want.items() if key not in have]
    files = object_files(own, unit.context.component.prefix)
    namespace = [name for name in files if name == "namespace.yaml"]
    rest = [name for name in files if name != "namespace.yaml"]
    patches = dict(_patches(unit, have, want))
    files |= {path: text for path, (text, _) in patches.items()}
    fields: JsonObject = {
        "namespace": unit.context.namespace,
        "labels": [labels_entry(rule) for rule in unit.labels],
        "sortOptions": {"order": "fifo"},
        "resources": [
            *namespace,
            *layout.crds,
            *([layout.base] if base.assembled else []),
            *rest,
            *([layout.params] if layout.params else []),
        ],
        "patches": [{"path": path, **target} for path, (_, target) in patches.items()],
    }
    if unit.params:
        if not layout.params:
            fields |= generator(unit.params)
            files["params.env"] = params_env(unit.params)
        fields["replacements"] = list(_replacements(unit.params))
    return {"kustomization.yaml": kustomization(fields, *origins, note=layout.note), **files}


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


def _origins(unit: Unit) -> tuple[str, str]:
    return unit.context.component.origin.file, unit.context.settings.origin.file


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
    text = kustomization(generator(unit.params), unit.params.sources[0].origin.file)
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


def _patches(
    unit: Unit, have: dict[ObjectId, Manifest], want: dict[ObjectId, Manifest]
) -> Iterator[tuple[str, tuple[str, JsonObject]]]:
    head = generated(_origins(unit))
    names = file_names(have, unit.context.component.prefix, flat=True)
    for key, before in have.items():
        path = f"patches/{names[key]}"
        after = want.get(key)
        if after is None:
            body = {field: before.body[field] for field in ("apiVersion", "kind")}
            gone = {"$patch": "delete", **body, "metadata": {"name": key.name}}
            reason = _reason(before.sources[0], undone=True)
            yield path, (head + reason + dump(gone), {})
            continue
        # What follows a parameter is set by it, and no patch sets it too.
        fills = unit.params.fills if unit.params else ()
        own = (fill for fill in fills if (fill.kind, fill.name) == (key.kind, key.name))
        filled = {fill.path for fill in own if not fill.delimiter}
        found = [o for o in operations(before, after) if path_of(o.data["path"]) not in filled]
        if found:
            group, version = split_api_version(str(before.body["apiVersion"]))
            select = {**({"group": group} if group else {}), "version": version}
            target = {**select, "kind": key.kind, "name": key.name}
            yield path, (head + _patch_text(found), {"target": target})


def _patch_text(found: list[Operation]) -> str:
    """Write the operations, each under the reasons why it is there."""
    parts = []
    last = ""
    for operation in found:
        said = [source for source in operation.sources if source.why] or operation.sources
        reasons = "".join(dict.fromkeys(_reason(each, undone=operation.undone) for each in said))
        parts.append((reasons if reasons != last else "") + dump([operation.data]))
        last = reasons
    return "".join(parts)


def _reason(source: Source, *, undone: bool = False) -> str:
    why = source.why or f"set in {source.origin.file}"
    return comment(f"{'without ' if undone else ''}{source.asked or source.cause}: {why}")
