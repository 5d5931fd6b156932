"""Make patches of what the families cannot say: from differences to the smallest change of an object."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from kitgen.diff.objects import ABSENT, Difference
from kitgen.findings import Path, pointer
from kitgen.objects import ObjectId
from kitgen.yamlio import Json, JsonObject

TEXTS = "ConfigMap"
ROLES = ("Role", "ClusterRole")


def patch_of(identity: ObjectId, differences: Sequence[Difference], real: JsonObject) -> JsonObject | None:
    """Return a patch that makes an object the real one; None if there is none that could."""
    name = re.sub(r"[^a-z0-9.-]+", "-", f"{identity.kind}-{identity.name}".lower()).strip("-.")
    start: JsonObject = {"name": name, "why": "", "object": str(identity)}
    whole = _whole(identity, differences, real)
    steps = [each for each in differences if not any(each.path[: len(path)] == path for path in whole)]
    if any(each.order or not each.path for each in steps):
        return None
    if all(_is_plain(each.path) for each in steps) and not whole:
        return {**start, "merge": _merge(steps)}
    ops = [{"op": "replace", "path": pointer(path), "value": value} for path, value in whole.items()]
    return {**start, "ops": [*ops, *_ops(steps)]}


def _whole(identity: ObjectId, differences: Iterable[Difference], real: JsonObject) -> dict[Path, Json]:
    """Return parts that are replaced as they are: rules of roles, and texts that hold documents."""
    found: dict[Path, Json] = {}
    for each in differences:
        if identity.kind in ROLES and each.path[:1] == ("rules",):
            found["rules",] = real.get("rules") or []
        if identity.kind == TEXTS and each.path[:1] == ("data",) and len(each.path) > 2:
            found[each.path[:2]] = (real.get("data") or {}).get(str(each.path[1]))
    return found


def _is_plain(path: Path) -> bool:
    return all(isinstance(step, str) for step in path)


def _merge(differences: Iterable[Difference]) -> JsonObject:
    made: JsonObject = {}
    for each in differences:
        at = made
        for step in each.path[:-1]:
            at = at.setdefault(str(step), {})
        at[str(each.path[-1])] = None if each.right is ABSENT else each.right
    return made


def _ops(differences: Iterable[Difference]) -> list[JsonObject]:
    """Return operations, those that remove last and from the end, so that places stay where they are."""
    ops: list[JsonObject] = []
    gone: list[Path] = []
    for each in differences:
        at = pointer(each.path)
        if each.right is ABSENT:
            gone.append(each.path)
        elif each.left is not ABSENT:
            ops.append({"op": "replace", "path": at, "value": each.right})
        elif each.field.endswith("]") and not each.field.endswith(f"[{each.path[-1]}]"):
            ops.append({"op": "add", "path": f"{at}/-", "value": each.right})
        else:
            ops.append({"op": "add", "path": at, "value": each.right})
    later = sorted(gone, key=_from_the_end, reverse=True)
    return [*ops, *({"op": "remove", "path": pointer(path)} for path in later)]


def _from_the_end(path: Path) -> tuple[tuple[int, str], ...]:
    return tuple((step, "") if isinstance(step, int) else (-1, step) for step in path)


def common(patches: Mapping[str, JsonObject], trees: Iterable[str]) -> JsonObject | None:
    """Return the patch that all trees need, if it is the same for all."""
    found = [patches.get(who) for who in trees]
    return found[0] if found and all(each == found[0] for each in found) else None
