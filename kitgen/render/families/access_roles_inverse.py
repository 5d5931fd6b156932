"""Inverse of access roles: pairs of viewer and editor roles, their aggregates and their labels.

A label belongs to an audience, to all roles of the family, or to a single role.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from kitgen.kube.identity import ObjectId
from kitgen.render.expressions import THE_ROLE
from kitgen.render.families.access_role_sets_inverse import (
    TASKS,
    SharedRights,
    convert_access_role_changes,
    normalize_access_roles,
)
from kitgen.render.families.access_roles import VERBS, build_aggregation_rule
from kitgen.render.families.permissions_inverse import has_permission_errors, parse_policy_rules
from kitgen.render.families.role_binding_inverse import VERSION
from kitgen.render.inverse import Inverse, RecognisedSection, TreeObjects, is_literal_text
from kitgen.text.patterns import compile_late
from kitgen.text.values import map_at, text_at
from kitgen.text.yaml import JsonObject

TRUE = "true"
RESOURCE = compile_late(r"[a-z0-9.-]+/[a-z0-9]+")


class AccessRole(Struct, frozen=True):
    """An editor or a viewer role."""

    id: ObjectId
    resource: str
    status: bool
    labels: JsonObject


class AccessRolePair(Struct, frozen=True):
    """The editor and the viewer role of a resource."""

    key: str
    """The resource, with the name that roles are called after if that is not the usual one."""
    editor: AccessRole
    viewer: AccessRole
    editors: set[str]
    """The labels of those that may edit."""
    viewers: set[str]
    labels: JsonObject
    """All others, which both roles have."""


def recognise_access_roles(scene: TreeObjects) -> RecognisedSection | None:
    """Find roles that aggregate others, and pairs of roles that let people edit and view a resource."""
    before = map_at(scene.older, "accessRoles")
    aggregates, taken = _find_aggregates(scene, before)
    pairs = [*_match_roles(scene, find_non_audience_labels(before, aggregates))]
    labels = find_common_labels(before, [each.labels for each in pairs])
    pairs = [each for each in pairs if labels.keys() <= each.labels.keys()]
    used = {label for each in pairs for label in each.editors | each.viewers}
    aggregates = add_other_audiences(before, aggregates, used)
    names = {content["label"]: name for name, content in reversed(aggregates.items())}
    resources = {
        each.key: SharedRights(
            editors=frozenset(names[label] for label in each.editors),
            viewers=frozenset(names[label] for label in each.viewers),
            status=each.editor.status,
            labels=frozenset(each.labels.items() - labels.items()),
        ).to_normal_form()
        for each in pairs
    }
    taken.update(*((each.editor.id, each.viewer.id) for each in pairs))
    section = {"aggregates": aggregates, "labels": labels, "resources": resources}
    section = {key: value for key, value in section.items() if value}
    return RecognisedSection(section=section, objects=frozenset(taken)) if section else None


def _find_aggregates(scene: TreeObjects, before: JsonObject) -> tuple[JsonObject, set[ObjectId]]:
    """Return the roles that take in all others with a label, by audience."""
    known = map_at(before, "aggregates")
    called, by_label = ({text_at(known, name, key): name for name in known} for key in ("role", "label"))
    found: JsonObject = {}
    taken: set[ObjectId] = set()
    for at, role, body in scene.find_family_objects(
        VERSION, ("ClusterRole",), ("aggregationRule", "rules"), ("labels",)
    ):
        label = next(iter(map_at(body, "aggregationRule", "clusterRoleSelectors", 0, "matchLabels")), "")
        if (
            body.get("rules")
            or not is_literal_text(label)
            or body.get("aggregationRule") != build_aggregation_rule(label)
        ):
            continue
        names = (called.get(role), by_label.get(label), role.removesuffix("-role"), role)
        if audience := next((name for name in names if name and name not in found), None):
            own = map_at(body, "metadata", "labels")
            found[audience] = {"role": role, "label": label, **({"labels": own} if own else {})}
            taken.add(at)
    return found, taken


def _match_roles(scene: TreeObjects, plain: Collection[str]) -> Iterator[AccessRolePair]:
    """Yield editors and viewers of the same resource that are called after the same thing.

    Of their labels, `plain` are of no audience.
    """
    found = _find_roles(scene)
    for name, editor in found["editor"].items():
        viewer = found["viewer"].get(name)
        if not viewer or (viewer.resource, viewer.status) != (editor.resource, editor.status):
            continue
        editors, viewers = (select_audience_labels(each.labels, plain) for each in (editor, viewer))
        labels = select_other_labels(editor.labels, editors, f"{name}-editor")
        if labels == select_other_labels(viewer.labels, viewers, f"{name}-viewer"):
            group, _, plural = editor.resource.partition("/")
            usual = scene.resources.singular("" if group == "core" else group, plural)
            key = editor.resource if name == usual else f"{editor.resource}:{name}"
            yield AccessRolePair(key, editor, viewer, editors, viewers, labels)


def _find_roles(scene: TreeObjects) -> dict[str, dict[str, AccessRole]]:
    """Return roles that look as if they were for editors, and for viewers, by what they are called after."""
    kept = map_at(scene.older, "roles")
    found: dict[str, dict[str, AccessRole]] = {task: {} for task in VERBS}
    for at, short, body in scene.find_family_objects(VERSION, ("ClusterRole",), ("rules",), ("labels",)):
        for task in VERBS if short not in kept else ():
            name = short.removesuffix(f"-{task}-role")
            role = _parse_role(at, body, task) if name not in ("", short) else None
            if role and not has_permission_errors(scene, {role.resource: "get"}):
                found[task][name] = role
    return found


def _parse_role(at: ObjectId, body: JsonObject, task: str) -> AccessRole | None:
    """Return what a role is for, if it is one that the family could have made."""
    permissions = parse_policy_rules(body.get("rules")) or {}
    resource = next((key for key in permissions if RESOURCE.fullmatch(key)), "")
    status = f"{resource}/status" in permissions
    usual = {resource: " ".join(sorted(VERBS[task])), **({f"{resource}/status": "get"} if status else {})}
    if not resource or permissions != usual:
        return None
    return AccessRole(at, resource, status, map_at(body, "metadata", "labels"))


def find_non_audience_labels(before: JsonObject, aggregates: JsonObject) -> set[str]:
    """Return the labels that an older spec says as such, though they have the value of an audience's."""
    known = {each["label"] for each in (*aggregates.values(), *_select_audiences(before).values())}
    found = (map_at(each, "labels") for each in (before, *map_at(before, "resources").values()))
    return {key for labels in found for key, text in labels.items() if text == TRUE} - known


def select_audience_labels(labels: JsonObject, plain: Collection[str]) -> set[str]:
    """Return those labels of a role by which other roles may take it in."""
    return {key for key, text in labels.items() if text == TRUE and key not in plain and key.split() == [key]}


def select_other_labels(labels: JsonObject, joined: Collection[str], called: str) -> JsonObject:
    """Return the other labels; what a role is called is an expression in them."""
    return {key: text.replace(called, THE_ROLE) for key, text in labels.items() if key not in joined}


def find_common_labels(before: JsonObject, found: Sequence[JsonObject]) -> JsonObject:
    """Return the labels that are said once for all pairs of roles.

    Those of the older spec stay if half of the pairs have them, or all have the key.
    """
    said: JsonObject = before.get("labels") or {}
    if not found:
        return dict(said)
    apart = {
        pair for each in map_at(before, "resources").values() for pair in (each.get("labels") or {}).items()
    }
    counts = Counter(pair for labels in found for pair in labels.items())
    keys = Counter(key for labels in found for key in labels)
    made: JsonObject = {}
    for (key, text), count in sorted(counts.items()):
        if said.get(key) == text:
            if 2 * count >= len(found) or keys[key] == len(found):
                made[key] = text
        elif count == len(found) and (key, text) not in apart:
            made[key] = text
    return made


def add_other_audiences(before: JsonObject, aggregates: JsonObject, used: Collection[str]) -> JsonObject:
    """Return all audiences: also those whose role is none of the component's, by the labels that are used.

    An audience of the older spec that nobody was of stays, since no tree could show it.
    """
    made = dict(aggregates)
    labels = {each["label"] for each in made.values()}
    resources = map_at(before, "resources").values()
    members = {name for each in resources for key in TASKS for name in each.get(key, "").split()}
    for name, each in _select_audiences(before).items():
        label, idle = each["label"], "role" not in each and name not in members
        if name not in made and label not in labels and (label in used or idle):
            made[name] = {"label": label}
            labels.add(label)
    for label in sorted({*used} - labels):
        short = label.rpartition("/")[2]
        made[label if not short or short in made else short] = {"label": label}
    return made


def _select_audiences(before: JsonObject) -> JsonObject:
    """Return the audiences of an older spec; a feature may say a part of one alone."""
    found = map_at(before, "aggregates").items()
    return {name: each for name, each in found if isinstance(each, dict) and "label" in each}


INVERSE = Inverse(
    recognise=recognise_access_roles, normal=normalize_access_roles, terms=convert_access_role_changes
)
