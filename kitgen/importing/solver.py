"""Decide who sets each place of a spec: the component, an older feature, a new feature, or a target.

A place is decided over all trees at once. What all of them have, the component sets. What an older spec has
as a feature stays one. What only some have becomes a feature of those, and permissions that a target has for
named objects only, where the component has them for all, become settings of that target.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from kitgen.compare.objects.difference import ABSENT
from kitgen.findings import Path
from kitgen.importing.decisions import decide_value, decide_verbs
from kitgen.importing.features import add_required_keys, reuse_older_features
from kitgen.importing.list_decisions import decide_list
from kitgen.importing.older_spec import replace_namespaces
from kitgen.importing.places import (
    COMPONENT,
    Group,
    Merging,
    Owner,
    Solution,
    SpecPlace,
    format_verbs,
    is_permission,
    merging_for,
    parse_verbs,
)
from kitgen.kit.model.component import SectionForm, list_section_forms
from kitgen.text.yaml import Json, JsonObject


def narrow_permissions(made: Solution) -> None:
    """Keep withheld permissions for some names in targets, rather than have a feature grant them again.

    What is withheld is withheld for every name, whoever grants it.
    """
    for owner, edit in list(made.edits.items()):
        if isinstance(owner, str):
            continue
        for path, words in [each for each in edit.new.items() if is_permission(each[0])]:
            wide, name = split_permission_path(path)
            lacking = [parse_verbs(made.withheld.get(who, {}).get(wide, "")) for who in owner]
            if not name or not (kept := parse_verbs(words).intersection(*lacking)):
                continue
            del edit.new[path]
            if left := parse_verbs(words) - kept:
                edit.new[path] = format_verbs(left)
            for who in owner:
                made.kept.setdefault(who, {})[path] = format_verbs(kept)
        if not edit.new and not edit.gone:
            del made.edits[owner]


def split_permission_path(path: Path) -> tuple[Path, str]:
    """Return the place of a permission for all names, and the name that it is for; empty if it is for all."""
    key, _, name = str(path[-1]).removesuffix("]").partition("[")
    return (*path[:-1], key), name


WHY = "the imported tree does not grant this"


def build_withhold_entries(lacking: Mapping[Path, Json], kept: Mapping[Path, Json]) -> list[JsonObject]:
    """Return what is withheld from each role, and for which names it is not, as a target says it."""
    stays: dict[Path, list[tuple[str, set[str]]]] = {}
    for (wide, name), words in (
        (split_permission_path(place), words) for place, words in sorted(kept.items())
    ):
        stays.setdefault(wide, []).append((name, parse_verbs(words)))
    found: dict[tuple[str, tuple[str, ...]], dict[str, set[str]]] = {}
    for path, words in lacking.items():
        for verb in sorted(parse_verbs(words)):
            names = tuple(name for name, verbs in stays.get(path, ()) if verb in verbs)
            found.setdefault((str(path[1]), names), {}).setdefault(str(path[3]), set()).add(verb)
    return [
        {
            "role": role,
            "permissions": {what: format_verbs(verbs) for what, verbs in permissions.items()},
            **({"keep": list(names)} if names else {}),
            "why": WHY,
        }
        for (role, names), permissions in found.items()
    ]


class SolvedTree(Struct, frozen=True, kw_only=True):
    """One tree: what it wants, and what an older spec says for it, layer by layer."""

    who: str
    """The target that it is for; empty for the component by itself."""
    wanted: Mapping[Path, Json]
    said: Sequence[tuple[str, Mapping[Path, Json]]] = ()
    """Owner and places, in the order in which they are laid over each other."""
    namespace: str = ""


def solve_trees(trees: Sequence[SolvedTree]) -> Solution:
    """Decide for every place who says it; the first tree is the component's own, if there is one."""
    made = Solution(own=dict(trees[0].said).get(COMPONENT, {}))
    on = _group_trees_by_feature(trees)
    sayers = _collect_owners(trees)
    roles = [{path[:2] for path in tree.wanted if path[0] == "roles"} for tree in trees]
    paths = dict.fromkeys(
        path for tree in trees for some in (tree.wanted, *(said for _, said in tree.said)) for path in some
    )
    for path in paths:
        place = _build_place(path, trees, on)
        sample = next(each for each in (*place.wanted.values(), *place.owners.values()) if each is not ABSENT)
        home = _find_owner(place, sayers)
        match merging_for(path, sample):
            case Merging.UNION if all(path[:2] in each for each in roles):
                decide_verbs(place, home, made)
            case Merging.UNION:  # a role that a tree does not have at all is not one whose verbs it lacks
                decide_value(place, home, made, exclusive=False)
            case Merging.EXTEND:
                decide_list(place, home, made)
            case kind:
                decide_value(place, home, made, exclusive=kind is Merging.EXCLUSIVE)
    _drop_webhook_stubs(trees, made)
    narrow_permissions(made)
    reuse_older_features({tree.who: tree.said for tree in trees}, made)
    add_required_keys({tree.who: tree.wanted for tree in trees}, made)
    return made


def _drop_webhook_stubs(trees: Sequence[SolvedTree], made: Solution) -> None:
    """Drop what features say of a webhook if all that is left is its kind, which the component says too."""
    said = {owner: places for tree in trees for owner, places in tree.said}
    for owner, edit in list(made.edits.items()):
        places = said.get(owner, {}) if isinstance(owner, str) and owner != COMPONENT else {}
        for kind in {path[:3] for path in edit.gone if path[:2] == ("webhooks", "kinds")}:
            left = [path for path in (*places, *edit.new) if path[:3] == kind and path not in edit.gone]
            if left == [(*kind, "kind")] and left[0] in said.get(COMPONENT, {}):
                made.drop_value(owner, left[0])


def _build_place(path: Path, trees: Sequence[SolvedTree], on: Mapping[str, Group]) -> SpecPlace:
    """Return a place; what is not said yet may be said with an expression."""
    wanted = {tree.who: tree.wanted[path] for tree in trees if path in tree.wanted}
    said = {tree.who: [(o, s[path]) for o, s in tree.said if path in s] for tree in trees}
    if wanted and not any(said.values()):
        wanted = replace_namespaces(wanted, {tree.who: tree.namespace for tree in trees}, path)
    every = {tree.who: wanted.get(tree.who, ABSENT) for tree in trees}
    return SpecPlace(path=path, wanted=every, said=said, on=on)


def _group_trees_by_feature(trees: Sequence[SolvedTree]) -> dict[str, Group]:
    """Return the trees that each feature is on for."""
    found: dict[str, Group] = {}
    for tree in trees:
        found |= {owner: found.get(owner, frozenset()) | {tree.who} for owner, _ in tree.said}
    return found


def _collect_owners(trees: Sequence[SolvedTree]) -> dict[Path, dict[str, None]]:
    """Return who says something at a place or below it."""
    found: dict[Path, dict[str, None]] = {}
    for tree in trees:
        for owner, said in tree.said:
            for path in said:
                for size in range(
                    1 if list_section_forms().get(str(path[0])) is SectionForm.ONE else 2, len(path) + 1
                ):
                    found.setdefault(path[:size], {})[owner] = None
    return found


def _find_owner(place: SpecPlace, sayers: Mapping[Path, dict[str, None]]) -> Owner:
    """Return the owner of a new value: the one that alone owns what is around it, for these trees."""
    have = place.trees_with_value
    if place.path[0] == "objects":
        return _find_replaced_owner(place, sayers) or (COMPONENT if have == place.trees else have)
    for size in range(len(place.path) - 1, 0, -1):
        around = list(sayers.get(place.path[:size], ()))
        if len(around) == 1 and around[0] != COMPONENT and place.on[around[0]] == have:
            return around[0]
        if around:
            break
    return COMPONENT if have == place.trees else have


def _find_replaced_owner(place: SpecPlace, sayers: Mapping[Path, dict[str, None]]) -> Owner | None:
    """Return the feature whose object of the same name, but another kind, this one takes the place of."""
    name = str(place.path[1]).partition("/")[2]
    alike = (
        owner
        for path, owners in sayers.items()
        if len(path) == 2 and path[0] == "objects" and str(path[1]).partition("/")[2] == name
        for owner in owners
    )
    return next(
        (each for each in alike if each != COMPONENT and place.on[each] == place.trees_with_value), None
    )
