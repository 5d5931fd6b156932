"""The difference between two sets of objects: new objects as files, other changes as patches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from operator import is_

from msgspec import Struct

from kitgen.findings import Path, parse_pointer
from kitgen.kube.identity import ObjectId, split_api_version
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.file_tree import FileTree
from kitgen.render.overlays.files import assign_file_names, format_comment, format_header, object_files
from kitgen.render.overlays.json_patch import Operation, build_operations
from kitgen.text.values import group_pairs
from kitgen.text.yaml import JsonObject, dump_yaml

SIGNS = frozenset("\\+*?()[]{}|^$")
"""What means something else in a pattern, beside the dot."""
MOST_LIKE = 100
"""Objects that are looked at before a selector is written out in any case."""


class OverlayDifference(Struct, frozen=True, kw_only=True):
    """How one set of objects is made from another, in kustomize's terms."""

    files: FileTree
    own: tuple[str, ...]
    """Those of the files that hold objects."""
    patches: tuple[JsonObject, ...]
    """As a kustomization lists them."""


def build_difference(
    have: Iterable[Manifest],
    want: Iterable[Manifest],
    origins: tuple[str, ...],
    prefix: str = "",
    aside: Callable[[ObjectId], set[Path]] = lambda _: set(),
) -> OverlayDifference:
    """Return what turns the first objects into the second; paths that are set otherwise are left aside."""
    have, want = tuple(have), tuple(want)
    if len(have) == len(want) and all(map(is_, have, want)):
        return OverlayDifference(files={}, own=(), patches=())
    old, new = ({manifest.id: manifest for manifest in some} for some in (have, want))
    own = object_files((each for key, each in new.items() if key not in old), prefix, origins)
    patches = dict(_build_patches(old, new, prefix, format_header(origins), aside))
    return OverlayDifference(
        files=own | {path: text for path, (text, _) in patches.items()},
        own=tuple(own),
        patches=tuple({"path": path, **target} for path, (_, target) in patches.items()),
    )


def _build_patches(
    have: dict[ObjectId, Manifest],
    want: dict[ObjectId, Manifest],
    prefix: str,
    head: str,
    aside: Callable[[ObjectId], set[Path]],
) -> Iterator[tuple[str, tuple[str, JsonObject]]]:
    if all(want.get(key) is before for key, before in have.items()):
        return
    names = assign_file_names(have, prefix, flat=True)
    like = group_pairs(((key.kind, len(key.name)), key) for key in have)
    for key, before in have.items():
        path = f"patches/{names[key]}"
        if (after := want.get(key)) is before:
            continue
        if after is None:
            body = {field: before.body[field] for field in ("apiVersion", "kind")}
            place = {"namespace": key.namespace} if key.namespace else {}
            gone = {"$patch": "delete", **body, "metadata": {"name": key.name, **place}}
            yield path, (head + _format_reason(before.sources[0], undone=True) + dump_yaml(gone), {})
        elif found := [
            each
            for each in build_operations(before, after)
            if parse_pointer(each.data["path"]) not in aside(key)
        ]:
            target = build_patch_target(before, like[key.kind, len(key.name)])
            yield path, (head + _render_patch(found), {"target": target})


def build_patch_target(manifest: Manifest, like: list[ObjectId]) -> JsonObject:
    """Return what makes kustomize patch an object, and none of those that are a little like it."""
    key, many = manifest.id, len(like) > MOST_LIKE
    group, version = split_api_version(str(manifest.body["apiVersion"]))
    select: JsonObject = {**({"group": group} if group else {}), "version": version, "kind": key.kind}
    if many or any(each.name == key.name and each.namespace != key.namespace for each in like):
        select |= {"namespace": key.namespace} if key.namespace else {}
    # Kustomize takes the name for a pattern. A dot is left alone where it means nothing else.
    others = (each.name for each in like if each.name != key.name)
    alike = (all(sign in (".", its) for sign, its in zip(key.name, name, strict=True)) for name in others)
    wide = (many and "." in key.name) or any(alike)
    plain = not wide and not SIGNS & set(key.name)
    return {**select, "name": key.name if plain else re.escape(key.name)}


def _render_patch(found: list[Operation]) -> str:
    """Write the operations, each under the reasons why it is there."""
    text, last = "", ""
    for operation in found:
        said = [source for source in operation.sources if source.why] or operation.sources
        reasons = "".join(dict.fromkeys(_format_reason(each, undone=operation.undone) for each in said))
        text += (reasons if reasons != last else "") + dump_yaml([operation.data])
        last = reasons
    return text


def _format_reason(source: FieldSource, *, undone: bool = False) -> str:
    why = source.why or f"set in {format_spec_name(source.origin.file)}"
    return format_comment(f"{'without ' if undone else ''}{source.asked or source.cause}: {why}")


def format_spec_name(file: str) -> str:
    """Return how a spec is called where its version would change the text for nothing."""
    steps = file.split("/")
    return "/".join(steps[:2]) if steps[0] == "components" else file
