"""Write patches for what the families cannot express: the smallest change of each object."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from kitgen.compare.objects.difference import ABSENT, Difference, find_value
from kitgen.compare.objects.permissions import collect_grants
from kitgen.findings import Path, format_pointer
from kitgen.importing.places import nest_places, set_nested_value
from kitgen.kube.identity import ObjectId
from kitgen.kube.rbac.rules import parse_permission
from kitgen.render.patches import has_patch_findings
from kitgen.text.yaml import Json, JsonObject

TEXTS = "ConfigMap"
ROLES = ("Role", "ClusterRole")
WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
GROUPED = ("labels", "annotations", "matchLabels", "selector", "rules")
"""Fields that are named as a whole."""
MANY = 4
"""From more fields than this on, a reason does not name them all."""


def build_patch(
    identity: ObjectId, differences: Sequence[Difference], real: JsonObject, made: JsonObject
) -> JsonObject | None:
    """Return a patch that makes an object the real one, as far as one can; None if none could.

    `made` is the object before kustomize gives it the namespace and the labels of all: what only comes then,
    no patch takes away.
    """
    start = build_empty_patch(identity)
    if identity.kind in WEBHOOKS:
        differences = [replace(each, right=_drop_service_namespace(each.right, made)) for each in differences]
    whole = _find_replaced_parts(identity, differences, real, made)
    more = _find_missing_rules(made, real) if identity.kind in ROLES else []
    differences = [each for each in differences if not (more and each.path[:1] == ("rules",))]
    steps = [each for each in differences if not any(each.path[: len(path)] == path for path in whole)]
    # What is to go or to change must be there already when patches are applied.
    steps = [
        each
        for each in steps
        if each.path and not each.order and (each.left is ABSENT or find_value(made, each.path) is not ABSENT)
    ]
    for words in _list_patch_variants(steps, whole, made, more):
        patch = {**start, **words, "why": describe_patch(words)}
        if not has_patch_findings(patch, made):
            return patch
    return None


def _drop_service_namespace(hook: Json, made: JsonObject) -> Json:
    """Return a webhook that comes, without a namespace of its Service that comes with the target's."""
    own = find_value((made.get("webhooks") or [{}])[0], ("clientConfig", "service"))
    given = find_value(hook, ("clientConfig", "service")) if isinstance(hook, dict) else ABSENT
    if not isinstance(own, dict) or not isinstance(given, dict) or given.get("name") != own.get("name"):
        return hook
    service = {key: value for key, value in given.items() if key != "namespace" or key in own}
    return {**hook, "clientConfig": {**hook["clientConfig"], "service": service}}


def build_empty_patch(identity: ObjectId) -> JsonObject:
    """Return how a patch of an object begins, with the reason to come."""
    name = re.sub(r"[^a-z0-9.-]+", "-", f"{identity.kind}-{identity.name}".lower()).strip("-.")
    return {"name": name, "why": "", "object": str(identity)}


def describe_patch(words: JsonObject) -> str:
    """Return the reason of a patch in terms of what it does; why the tree is so, only people know."""
    if words.get("unlabelled"):
        return "the imported tree has it without these labels"
    changed: list[tuple[Path, bool]] = [
        (parse_pointer(op["path"]), op["op"] != "remove") for op in words.get("ops", ())
    ]
    changed += _list_merge_fields(words.get("merge", {}))
    said = {
        verb: _format_fields(path for path, sets in changed if sets is which)
        for verb, which in (("sets", True), ("has no", False))
    }
    parts = [f"{verb} {fields}" for verb, fields in said.items() if fields]
    return f"the imported tree {' and '.join(parts)}; no other key can say that"


def _list_merge_fields(value: JsonObject, path: Path = ()) -> Iterator[tuple[Path, bool]]:
    """Yield the fields that a merge sets, or takes away."""
    for key, each in value.items():
        if isinstance(each, dict) and each:
            yield from _list_merge_fields(each, (*path, key))
        else:
            yield (*path, key), each is not None


def _format_fields(paths: Iterable[Path]) -> str:
    """Name fields for people: of labels and annotations the map, of a list its name."""
    found: dict[str, None] = {}
    for steps in (list(map(str, path)) for path in paths):
        end = next((index + 1 for index, step in enumerate(steps) if step in GROUPED), len(steps))
        found[".".join(step for step in steps[:end] if step != "-" and not step.isdigit())] = None
    if len(fields := [*found]) > MANY:
        return f"{', '.join(fields[: MANY - 1])} and {len(fields) - MANY + 1} more fields"
    return " and ".join(filter(None, (", ".join(fields[:-1]), *fields[-1:])))


def _find_missing_rules(made: JsonObject, real: JsonObject) -> list[JsonObject]:
    """Return rules that a role lacks, if it is only that it lacks some."""
    rules = [each.get("rules") or [] for each in (made, real)]
    if not all(isinstance(each, list) and each for each in rules):
        return []
    have, want = map(collect_grants, rules)
    if any(verb not in want.get(what, ()) for what, verbs in have.items() for verb in verbs):
        return []
    less = {what: [v for v in verbs if v not in have.get(what, ())] for what, verbs in want.items()}
    return [parse_permission(what, " ".join(verbs)) for what, verbs in less.items() if verbs]


def _list_patch_variants(
    steps: Sequence[Difference], whole: dict[Path, Json], made: JsonObject, more: Sequence[JsonObject]
) -> Iterator[JsonObject]:
    """Yield what a patch may do, the way that reads best first."""
    if (
        steps
        and not whole
        and not more
        and all(isinstance(step, str) for each in steps for step in each.path)
    ):
        yield {"merge": _build_merge(steps)}
    ops: list[JsonObject] = [
        {
            "op": "add" if find_value(made, path) is ABSENT else "replace",
            "path": format_pointer(path),
            "value": value,
        }
        for path, value in whole.items()
    ]
    ops += [{"op": "add", "path": "/rules/-", "value": rule} for rule in more]
    if ops or steps:
        yield {"ops": [*ops, *_build_operations(steps, made)]}


def _find_replaced_parts(
    identity: ObjectId, differences: Iterable[Difference], real: JsonObject, made: JsonObject
) -> dict[Path, Json]:
    """Return parts that are replaced as they are: rules of roles, texts that hold documents, other orders."""
    found: dict[Path, Json] = {}
    for each in differences:
        if identity.kind in ROLES and each.path[:1] == ("rules",):
            if not _find_missing_rules(made, real):
                found["rules",] = real.get("rules") or []
        elif identity.kind == TEXTS and each.path[:1] == ("data",) and len(each.path) > 2:
            found[each.path[:2]] = find_value(real, each.path[:2])
        elif (
            each.order
            and find_value(made, each.path) is not ABSENT
            and find_value(real, each.path) is not ABSENT
        ):
            found[each.path] = find_value(real, each.path)
    inner = {path for path in found for other in found if path != other and path[: len(other)] == other}
    return {path: value for path, value in found.items() if path not in inner and value is not ABSENT}


def can_apply_patch(patch: JsonObject, body: JsonObject) -> bool:
    """Return whether an object has all places that a patch changes."""
    for op in patch.get("ops", ()):
        path = parse_pointer(op["path"])
        place: Json = body
        for step in path[:-1] if op["op"] == "add" else path:
            in_list = isinstance(place, list) and step.isdigit() and int(step) < len(place)
            if not in_list and not (isinstance(place, dict) and step in place):
                return False
            place = place[int(step) if in_list else step]
    return True


def parse_pointer(text: str) -> tuple[str, ...]:
    """Return the steps of a JSON pointer."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:])


def _build_merge(differences: Iterable[Difference]) -> JsonObject:
    return nest_places({each.path: None if each.right is ABSENT else each.right for each in differences})


def _build_operations(differences: Iterable[Difference], made: JsonObject) -> list[JsonObject]:
    """Return operations, those that remove last and from the end, so that places stay where they are."""
    ops: list[JsonObject] = []
    gone: list[Path] = []
    added: dict[Path, JsonObject] = {}
    for each in differences:
        if each.right is ABSENT:
            gone.append(each.path)
        elif each.left is not ABSENT:
            ops.append({"op": "replace", "path": format_pointer(each.path), "value": each.right})
        elif each.field.endswith("]") and not each.field.endswith(f"[{each.path[-1]}]"):
            ops.append({"op": "add", "path": f"{format_pointer(each.path)}/-", "value": each.right})
        else:
            _add_operation(added, each.path, each.right, made)
    later = sorted(
        gone, key=lambda path: [(at, "") if isinstance(at, int) else (-1, at) for at in path], reverse=True
    )
    return [*ops, *added.values(), *({"op": "remove", "path": format_pointer(path)} for path in later)]


def _add_operation(added: dict[Path, JsonObject], path: Path, value: Json, made: JsonObject) -> None:
    """Add a value, with the maps around it that are not there yet."""
    size = len(path)
    while size > 1 and isinstance(path[size - 1], str) and find_value(made, path[: size - 1]) is ABSENT:
        size -= 1
    if (before := added.get(path[:size])) is not None and size < len(path):
        set_nested_value(before["value"], path[size:], value)
        return
    for step in reversed(path[size:]):
        value = {str(step): value}
    added[path[:size]] = {"op": "add", "path": format_pointer(path[:size]), "value": value}
