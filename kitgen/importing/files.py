"""The files that an import writes: specs and config.yaml of the new version, and edits of targets."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kitgen.importing.crd_changes import build_changes
from kitgen.importing.crd_component import find_previous_version
from kitgen.importing.crds import ImportedDeclarations
from kitgen.importing.inversion import InvertedSpec
from kitgen.importing.older_spec import Expression
from kitgen.importing.request import ImportRequest
from kitgen.importing.spec import Spec
from kitgen.importing.spec_formatter import escape_spec, render_spec
from kitgen.importing.target_files import edit_target_settings
from kitgen.importing.trees import InvertedTree
from kitgen.kit.model import Component
from kitgen.kube.schema_interning import freeze_value
from kitgen.render.families.config_inverse import PLACE
from kitgen.render.families.config_types_inverse import extend_type, merge_config_types
from kitgen.text.yaml import JsonObject
from kitgen.workspace.kit import OpenedKit


def infer_config(trees: Sequence[InvertedSpec], old: JsonObject | None) -> JsonObject:
    """Return what trees show of a configuration; it stays where it was as long as one has it there."""
    learnt = merge_config_types([each.config_fields for each in trees])
    shown = [each.config_fields for each in trees if "config" in each.sections]
    stays = old is not None and any(not each.keys() & set(PLACE) for each in shown)
    return {name: value for name, value in learnt.items() if not stays or name not in PLACE}


def build_config_data(learnt: JsonObject, old: JsonObject | None) -> JsonObject | None:
    """Return what config.yaml has to say of fields and a header that a tree shows; None if that is nothing.

    In: all of a new one, or what the older one lacks and what it says otherwise.
    """
    if old is None or not learnt:
        return learnt or None
    fields = ({"type": "object", "properties": each} for each in (old["fields"], learnt.get("fields", {})))
    whole = {**old, **learnt, "fields": extend_type(*fields)["properties"]}
    return None if freeze_value(whole) == freeze_value(old) else build_changes(old, whole, "config") or whole


def find_new_fields(learnt: JsonObject, known: JsonObject | None) -> Iterator[str]:
    """Yield the fields that a tree has and an older config.yaml lacks, or has with another type."""
    if known is None:
        return
    todo: list[tuple[str, JsonObject, JsonObject]] = [("", learnt.get("fields", {}), known["fields"])]
    while todo:
        way, more, have = todo.pop()
        for name, each in more.items():
            if name not in have:
                yield f"{way}{name}"
            elif "properties" in each and "properties" in have[name]:
                todo.append((f"{way}{name}.", each["properties"], have[name]["properties"]))
            elif each.get("type") != have[name].get("type"):
                yield f"{way}{name}, of another type"


SCHEMA = "../../../schemas/component.json"
SETTINGS = (
    *("images", "replicas", "resources", "env", "roles", "labels", "features", "config"),
    *("patches", "withhold"),
)
"""What a target says of a spec, and not of another one that has nothing to do with it."""
CONFIG_SCHEMA = "../../../schemas/config.json"


def find_previous_component(opened: OpenedKit, request: ImportRequest) -> Component | None:
    """Return the version before, whether the new one builds on it or not."""
    versions = opened.kit.components.get(request.component, {})
    return versions.get(find_previous_version(versions, request.version))


def render_files(
    request: ImportRequest,
    opened: OpenedKit,
    spec: Spec,
    declared: ImportedDeclarations,
    older: Component | None,
    reads: Sequence[InvertedTree],
) -> dict[str, str]:
    """Return all files to write, by path."""
    folder = request.folder
    gone = (*(f"/crds/{name}" for name in declared.gone), *declared.list_removed_carries(older))
    remove = [Expression(each) for each in (*spec.remove, *gone)]
    head: JsonObject = {"component": request.component, "version": request.version}
    if older is not None:
        head = {"version": request.version, "from": older.version}
    elif like := find_previous_component(opened, request):
        said = {"about": like.about, "after": [*like.after], "carries": [*declared.carried_versions]}
        head |= {key: value for key, value in said.items() if value}
    if declared.minor and (older is None or older.minor != declared.minor):
        head["kubernetes"] = f"1.{declared.minor}"
    data = {**head, **({"remove": remove} if remove else {}), **spec.data}
    texts = {f"{folder}/component.yaml": render_spec(data, SCHEMA)}
    texts |= {f"{folder}/crds/{name}": text for name, text in declared.texts.items()}
    known = older.config_type[1] if older and older.config_type else None
    if (content := build_config_data(infer_config([each.taken for each in reads], known), known)) is not None:
        texts[f"{folder}/config.yaml"] = render_spec(content, CONFIG_SCHEMA)
    left = _find_excluded_settings(opened, request, spec, older, reads)
    others = list(opened.kit.components.get(request.component, {}))
    for who in dict.fromkeys((*spec.settings, *left)):
        settings, text = escape_spec(spec.settings.get(who, {})), opened.texts[f"targets/{who}.yaml"]
        made = edit_target_settings(
            text, request.component, request.version, settings, left.get(who, {}), others
        )
        texts |= {f"targets/{who}.yaml": made} if made != text else {}
    return texts


def _find_excluded_settings(
    opened: OpenedKit,
    request: ImportRequest,
    spec: Spec,
    older: Component | None,
    reads: Sequence[InvertedTree],
) -> dict[str, dict[str, Collection[str] | None]]:
    """Return what targets say that is not for the new version: target → key → things by name, or all."""
    versions = opened.kit.components.get(request.component, {}).values()
    known = dict.fromkeys(name for each in versions for name in each.features)
    have = {*spec.data.get("features", {}), *(older.features if older else ())} - {*spec.dropped}
    dropped = tuple(name for name in known if name not in have)
    made: dict[str, dict[str, Collection[str] | None]] = {}
    for read in reads if dropped else ():  # other targets stay as they are: they do not take this version
        if read.given.who:
            made[read.given.who] = {"features": dropped}
    for who in sorted(spec.relabelled):
        made.setdefault(who, {})["labels"] = None
    for read in reads:
        if read.given.who and older is None:
            made[read.given.who] = dict.fromkeys(SETTINGS)
        elif read.given.who and read.stale:
            made.setdefault(read.given.who, {})["patches"] = read.stale
    return made
