"""Apply the patches of a component, its features and a target, in that order."""

from __future__ import annotations

from collections.abc import Sequence

from kitgen.findings import Cause, CauseKind, Finding, Origin, Path, make_problem, parse_pointer, suggest_word
from kitgen.kit.model import Layer
from kitgen.kube.definitions import list_minors
from kitgen.kube.manifest import FieldSource, ListMove, Manifest, existing_value
from kitgen.render.context import ComputedValue, RenderContext
from kitgen.render.kustomize.json_patch import apply_operation
from kitgen.render.kustomize.merge_patch import PATCH_NOTHING, apply_merge_patch
from kitgen.render.size import PER_SOURCE, validate_size
from kitgen.text.semver import is_in_range
from kitgen.text.values import group_pairs, text_at
from kitgen.text.yaml import Json, JsonObject

CRD = "CustomResourceDefinition"


def apply_patches(
    context: RenderContext, objects: Sequence[Manifest], *, crds: bool = False
) -> ComputedValue[list[Manifest]]:
    """Return the objects with every patch applied that is for this version of the component.

    Patches of CRDs are for CRDs alone, and others for all else. Where there are no CRDs, they are elsewhere.
    """
    objects = list(objects)
    minor = context.component.minor or list_minors()[-1]
    findings: list[Finding] = []
    known = [str(manifest.id) for manifest in objects]
    places = group_pairs((name, at) for at, name in enumerate(known))
    for layer in select_patches(context):
        wanted: str = layer.data["object"]
        if "unlabelled" in layer.data or wanted.startswith(f"{CRD}/") is not crds or (crds and not objects):
            continue
        if not places.get(wanted):
            findings.append(report_missing_object(layer, known))
        for at in places.pop(wanted, ()):
            objects[at], wrong = _apply_patch(objects[at], layer, minor)
            findings += wrong
            known[at] = str(objects[at].id)  # which a patch may change
            places.setdefault(known[at], []).append(at)
    return ComputedValue(objects, tuple(findings))


def report_missing_object(layer: Layer, known: list[str]) -> Finding:
    """Return the finding for a patch whose object is not there."""
    wanted = layer.data["object"]
    message = f"found no object {wanted!r}, so the patch matches nothing"
    return PATCH_NOTHING(message, hint=suggest_word(wanted, known)).to_finding(layer.origin.at("object"))


def select_patches(context: RenderContext) -> list[Layer]:
    """Return the patches that are for this version of the component, in the order in which they apply."""
    items = (*context.part["patches"], *context.settings.patches)
    return [layer for item in items for layer in item.layers[:1] if _matches_version(layer.data, context)]


def has_patch_findings(patch: JsonObject, body: JsonObject) -> bool:
    """Return whether a patch does not fit an object: it finds nothing, changes nothing, or breaks it."""
    layer, manifest = Layer(data=patch, origin=Origin("")), Manifest(body=body, sources=())
    return bool(_apply_patch(manifest, layer, list_minors()[-1]).findings)


def _matches_version(patch: JsonObject, context: RenderContext) -> bool:
    """Return whether a patch is for a version of the component, in a release; only targets' name releases."""
    if "releases" in patch and not is_in_range(context.release, patch["releases"]):
        return False
    return is_in_range(context.component.version, patch.get("versions", ""))


def _apply_patch(manifest: Manifest, layer: Layer, minor: int) -> ComputedValue[Manifest]:
    made, wrong = (
        _apply_merge(manifest, layer, minor) if "merge" in layer.data else _apply_operations(manifest, layer)
    )
    if not all(text_at(made.body, *path) for path in (("apiVersion",), ("kind",), ("metadata", "name"))):
        message = "the patch leaves no object: apiVersion, kind and metadata.name are gone or no text"
        return ComputedValue(
            manifest, (*wrong, make_problem("patch-object", message).to_finding(layer.origin))
        )
    if made.body == manifest.body and not wrong:
        return ComputedValue(
            made, (PATCH_NOTHING("the patch changes nothing", hint="remove it").to_finding(layer.origin),)
        )
    return ComputedValue(made, wrong)


def _apply_merge(manifest: Manifest, layer: Layer, minor: int) -> ComputedValue[Manifest]:
    """Apply a merge patch; sources of items that it moves go with them."""
    merged = apply_merge_patch(manifest.body, layer.data["merge"], minor)
    problems = tuple(each.to_finding(layer.origin.at("merge")) for each in merged.problems)
    whole = {each.path for each in merged.sets if not each.partial}
    sources = (_build_source(layer, each.path, ("merge", *each.within), each.partial) for each in merged.sets)
    made = (
        manifest.apply_moves(merged.moves)
        .drop_nested_sources(whole)
        .replace_body(merged.body, *dict.fromkeys(sources))
    )
    return ComputedValue(made, problems)


def _apply_operations(manifest: Manifest, layer: Layer) -> ComputedValue[Manifest]:
    """Apply a JSON patch; sources of items behind an inserted or removed one go with them."""
    body = _copy_value(manifest.body)
    problems: list[Finding] = []
    added: list[FieldSource] = []
    moved = 0
    # Copied as well: a later operation may change what an earlier one put there, and the spec must stay.
    for index, operation in enumerate(_copy_value(layer.data["ops"])):
        moves = _find_moves(body, operation)
        try:
            changed = apply_operation(body, operation)
        except LookupError as error:
            problems.append(
                make_problem("patch-path", error.args[0]).to_finding(layer.origin.at("ops", index))
            )
            continue
        if changed is not None:
            partial = bool(moves) and operation["op"] == "remove"
            if moves:
                moved += PER_SOURCE * sum(len(each.places) for each in moves)
                validate_size(moved)  # each insertion says where all items of the list went
                manifest, added = _add_sources(manifest, added).apply_moves(moves), []
            added.append(_build_source(layer, changed, ("ops", index), partial))
    return ComputedValue(_add_sources(manifest, added).replace_body(body), tuple(problems))


def _add_sources(manifest: Manifest, added: list[FieldSource]) -> Manifest:
    """Return the object with the sources of operations, without those inside what a later one replaced."""
    kept, later = list[FieldSource](), set[Path]()
    for each in reversed(added):
        if not any(each.path[:size] in later for size in range(len(each.path))):
            kept.append(each)
        if not each.partial:
            later.add(each.path)
    return manifest.drop_nested_sources(later).replace_body(manifest.body, *reversed(kept))


def _copy_value(value: Json) -> Json:
    """Copy a value as the tree that it is written as: what stands twice in it becomes two."""
    if isinstance(value, dict):
        return {key: _copy_value(item) for key, item in value.items()}
    return [_copy_value(item) for item in value] if isinstance(value, list | tuple) else value


def _build_source(layer: Layer, path: Path, within: Path, partial: bool) -> FieldSource:
    return FieldSource(
        path=path,
        cause=layer.cause or Cause(CauseKind.PATCH),
        origin=layer.origin.at(*within),
        feature=layer.feature,
        why=layer.why,
        reads=layer.reads_below(within),
        partial=partial,
    )


def _find_moves(body: Json, operation: JsonObject) -> list[ListMove]:
    """Return where an operation takes the items of the list that it inserts into or removes from."""
    path = parse_pointer(operation["path"])
    try:
        items = existing_value(body, path[:-1])
    except KeyError:
        return []
    op, place = operation["op"], path[-1] if path else "-"
    if not isinstance(items, list) or not isinstance(place, int) or op not in ("add", "remove"):
        return []
    olds = range(len(items))
    added = tuple(old + (old >= place) for old in olds)
    removed = tuple(None if old == place else old - (old > place) for old in olds)
    return [ListMove(path[:-1], added if op == "add" else removed)]
