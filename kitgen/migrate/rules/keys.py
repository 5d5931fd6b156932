"""Check keys of labels, annotations and finalizers that were renamed with the group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.crd.definition import is_crd
from kitgen.findings import Path, Problem, make_problem
from kitgen.kit.model.migration import MovedKey, Policy
from kitgen.migrate.kinds import MovedKinds
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import quote_text
from kitgen.text.yaml import Json, JsonObject, walk_values

MAPPINGS = frozenset({"annotations", "labels", "matchLabels", "nodeSelector", "selector"})
"""Fields that map keys to values, wherever they stand."""
SELECTING = frozenset({"matchExpressions", "matchLabels", "selector"})
HINT = "bring the old key back beside it; keys of the migration say which of them move"


def check_renamed_keys(
    body: JsonObject, kinds: MovedKinds, before: JsonObject | None = None
) -> Iterator[Problem]:
    """Yield keys that differ from a declared one, or from one that was there, by the group alone."""
    for path, some in _list_keys(body):
        gone = _keys_at(path[-1], value_at(before, *path)).keys() - some.keys()
        for key, at in some.items():
            for old, said in _find_old_keys(key, kinds):
                decided = said is not None and said.policy is not Policy.MOVE
                if old not in some and (decided or (said is None and old in gone)):
                    why = f": {said.reason}" if said else ", and nobody says that it moves"
                    selects = " in a selector" if SELECTING & {*map(str, path)} else ""
                    message = f"found the key {quote_text(key)}{selects}, expected {quote_text(old)}{why}"
                    yield make_problem("migration-key-rewritten", message, (*path, *at), HINT)


def _find_old_keys(key: str, kinds: MovedKinds) -> Iterator[tuple[str, MovedKey | None]]:
    """Yield the keys that one may have been before, with what the migration says of each."""
    told: set[str] = set()
    for each in kinds.keys:
        for target in [each.to] if each.to else _replace_group(each.key, kinds.group_moves):
            if key == target or key.startswith(f"{target}/"):
                old = each.key + key[len(target) :]
                told.add(old)
                yield old, each
    new_groups = {new for there in kinds.group_moves.values() for new in there}
    back = {new: [old for old, there in kinds.group_moves.items() if new in there] for new in new_groups}
    for old in _replace_group(key, back):
        if old not in told:
            yield old, next((each for each in kinds.keys if f"{old}/".startswith(f"{each.key}/")), None)


def _replace_group(key: str, ways: Mapping[str, list[str]]) -> list[str]:
    """Return a key with another group in place of the one that it ends with before the slash."""
    name, slash, rest = key.partition("/")
    found = [(group, each) for group, others in ways.items() for each in others]
    return [
        f"{name.removesuffix(group)}{each}{slash}{rest}"
        for group, each in found
        if f".{name}".endswith(f".{group}")
    ]


def _list_keys(body: JsonObject) -> Iterator[tuple[Path, dict[str, Path]]]:
    """Yield every place that holds keys, with the keys and where each stands below it."""
    for path, value in walk_values({"metadata": body.get("metadata")} if is_crd(body) else body):
        if path and (found := _keys_at(path[-1], value)):
            yield path, found


def _keys_at(field: str | int, value: Json) -> dict[str, Path]:
    if field in MAPPINGS and isinstance(value, dict):
        return {str(key): (str(key),) for key in value}
    if field == "finalizers" and isinstance(value, list):
        return {each: (at,) for at, each in enumerate(value) if isinstance(each, str)}
    if field == "matchExpressions" and isinstance(value, list):
        return {str(each["key"]): (at, "key") for at, each in entries_at(value) if "key" in each}
    return {}
