"""Apply strategic merge patches as kustomize does: maps by key, lists by merge keys of their items.

Where kustomize would lose a part of the patch, or leave a directive in the result, this reports a problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import TypeAlias

from msgspec import Struct, field

from kitgen.findings import Path, Problem, Rule, get_rule
from kitgen.kube.manifest import ListMove
from kitgen.kube.merge_keys import DefinitionField, definition_of
from kitgen.text.values import group_pairs
from kitgen.text.wording import describe_value, join_words
from kitgen.text.yaml import Json, JsonObject, walk_values

Values: TypeAlias = tuple[Json, ...]
"""What tells an item of a list from the others."""


def merge_key_values(item: Json, keys: tuple[str, ...]) -> Values:
    """Return the values that identify an item; a key that is not there is None."""
    found = (item.get(key) if isinstance(item, dict) else None for key in keys)
    return tuple(None if isinstance(each, dict | list) else each for each in found)


def count_merge_keys(item: Json, keys: tuple[str, ...]) -> int:
    """Count the keys that an item says; kustomize brings patched items to the front if none says two."""
    return sum(value is not None for value in merge_key_values(item, keys))


class ListKeys:
    """The merge keys of an object's list, found without a look at every item."""

    def __init__(self, items: Iterable[Json], keys: tuple[str, ...]) -> None:
        """Take the items of the list."""
        self.places = group_pairs((merge_key_values(item, keys), at) for at, item in enumerate(items))
        self._alike = group_pairs((values[0], values) for values in self.places)
        self._vague = group_pairs((values[0], values) for values in self.places if None in values)

    def find_ambiguous(self, values: Values) -> list[Values]:
        """Return what other items have that may mean the same, as one side lacks a key."""
        if values in self.places:
            return []
        return (self._alike if None in values else self._vague).get(values[0], [])


def describe_ambiguity(item: Json, keys: tuple[str, ...], known: ListKeys, seen: set[Values]) -> str:
    """Report why it is ambiguous which item of the object an item of the patch means."""
    if not isinstance(item, dict):
        return f"found {describe_value(item, reveal=False)}, expected a mapping"
    values = merge_key_values(item, keys)
    if values[0] is None:
        return f"found no {keys[0]!r} in the item"
    if values in seen:
        return f"found a second item with this {join_words(list(keys), last='and')}"
    if len(known.places.get(values, ())) > 1:
        return "found more than one such item in the object"
    for other in known.find_ambiguous(values):
        pairs = list(zip(keys, values, other, strict=True))
        if all(mine == its or None in (mine, its) for _, mine, its in pairs):
            key, mine = next((key, mine) for key, mine, its in pairs if mine != its)
            return f"found no {key!r} in {'the item' if mine is None else 'the item of the object'}"
    return ""


PATCH_NOTHING = get_rule("patch-nothing")
PATCH_DIRECTIVE = get_rule("patch-directive")
PATCH_ITEM = get_rule("patch-item")
PATCH_TYPE = get_rule("patch-type")

DIRECTIVE = "$patch"
WORDS = ("delete", "merge", "replace")
GONE = object()
"""What a value becomes that the patch deletes."""


class Set(Struct, frozen=True):
    """Says that the patch set or removed a value, or an item of a list."""

    path: Path
    within: Path
    """Where the patch says it."""
    partial: bool = False
    """Items of the list left, and the others are as they were."""


class MergeResult(Struct):
    """What a merge made and found."""

    body: Json = None
    sets: list[Set] = field(default_factory=list)
    moves: list[ListMove] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def apply_merge_patch(body: JsonObject, patch: JsonObject, minor: int) -> MergeResult:
    """Apply a merge patch to an object; merge keys are looked up only if the patch has a list."""
    merger = _Merger(minor if any(isinstance(each, list) for _, each in walk_values(patch)) else 0)
    merged = merger.merge_value(body, patch, None, (), ())
    merger.made.body = {} if merged is GONE else merged
    return merger.made


class _Merger:
    """Walks patch and object together."""

    def __init__(self, minor: int) -> None:
        self.minor = minor
        self.made = MergeResult()

    def merge_value(
        self, body: Json, patch: Json, kind: DefinitionField | None, path: Path, within: Path
    ) -> Json:
        if body is not None and _describe_type(body) != _describe_type(patch):
            self.report(
                PATCH_TYPE,
                f"found {_describe_type(patch)}, expected {_describe_type(body)}, as the object has it",
                within,
                "remove it with null in a patch before this one",
            )
            return body
        if isinstance(patch, dict):
            return self.merge_mapping(body, patch, kind, path, within)
        if isinstance(patch, list):
            return self.merge_list(body, patch, kind, path, within)
        if body is None or body != patch or type(body) is not type(patch):
            self.made.sets.append(Set(path, within))
        return patch

    def merge_mapping(
        self, body: Json, patch: JsonObject, kind: DefinitionField | None, path: Path, within: Path
    ) -> Json:
        if (word := self.read_directive(patch, within)) == "delete":
            if body is None:
                self.report(PATCH_NOTHING, "found nothing to delete here", (*within, DIRECTIVE), "remove it")
            self.made.sets.append(Set(path, within))
            return GONE
        if body is None or word == "replace":
            self.made.sets.append(Set(path, within))
            body = {}
        if kind is None and self.minor:
            kind = definition_of(body, self.minor) or definition_of(patch, self.minor)
        result: JsonObject = dict(body)
        for key, value in patch.items():
            if key.startswith("$"):
                continue
            here, there = (*path, key), (*within, key)
            if value is not None:
                below = kind.get_field(key) if kind else None
                result[key] = self.merge_value(result.get(key), value, below, here, there)
            elif key in result:
                self.made.sets.append(Set(here, there))
                result[key] = GONE
        return {key: value for key, value in result.items() if value is not GONE}

    def read_directive(self, patch: JsonObject, within: Path) -> Json:
        """Return what the patch says to do with a map; anything with a $ that is not known is a problem."""
        for key in patch:
            if key.startswith("$") and key != DIRECTIVE:
                self.report(
                    PATCH_DIRECTIVE,
                    f"found the directive {key!r}, expected {DIRECTIVE}",
                    (*within, key),
                    "ops can do what it is meant to do",
                )
        word = patch.get(DIRECTIVE)
        if DIRECTIVE in patch and word not in WORDS:
            self.report(
                PATCH_DIRECTIVE,
                f"found {describe_value(word)}, expected {join_words(list(WORDS))}",
                (*within, DIRECTIVE),
            )
        return word

    def merge_list(
        self, body: Json, patch: list[Json], kind: DefinitionField | None, path: Path, within: Path
    ) -> Json:
        words = {
            item[DIRECTIVE]: index
            for index, item in enumerate(patch)
            if isinstance(item, dict) and list(item) == [DIRECTIVE] and item[DIRECTIVE] in WORDS
        }
        items = {index: item for index, item in enumerate(patch) if index not in words.values()}
        keys = kind.merge_keys if kind else None
        if "delete" in words:
            return self.delete_list(body, items, path, (*within, words["delete"]))
        if keys is None or "replace" in words:
            for index, item in items.items():
                self.check_no_directives(item, (*within, index))
            self.made.sets.append(Set(path, within))
            return list(items.values())
        if not items and body is not None:
            self.report(
                PATCH_NOTHING,
                "found a list without items, which changes nothing",
                within,
                "write null to remove the list, or an item {$patch: replace} to empty it",
            )
        if body is None:
            self.made.sets.append(Set(path, within))
        have: list[Json] = body or []
        if not keys:
            return self.merge_scalars(have, items, path, within)
        return self.merge_keyed_items(have, items, keys, kind, path, within)

    def delete_list(self, body: Json, items: dict[int, Json], path: Path, within: Path) -> Json:
        if items or body is None:
            message = "found items beside it, expected none" if items else "found nothing to delete here"
            rule = PATCH_DIRECTIVE if items else PATCH_NOTHING
            self.report(rule, message, within, "an item {$patch: replace} replaces the list" if items else "")
        self.made.sets.append(Set(path, within))
        return GONE

    def check_no_directives(self, value: Json, within: Path) -> None:
        """Find directives in what is taken over as it is, where nothing would follow them."""
        mappings = ((here, each) for here, each in walk_values(value, within) if isinstance(each, dict))
        for here, key in ((here, key) for here, each in mappings for key in each if key.startswith("$")):
            self.report(
                PATCH_DIRECTIVE,
                f"found the directive {key!r} in a list that is replaced as a whole",
                (*here, key),
                "use ops to change one item",
            )

    def merge_scalars(self, have: list[Json], items: dict[int, Json], path: Path, within: Path) -> list[Json]:
        """Put the patch's plain values first, then the others."""
        plain = (item for item in items.values() if not isinstance(item, dict | list))
        places = {item: place for place, item in enumerate(dict.fromkeys(plain))}
        there = {item for item in have if not isinstance(item, dict | list)}
        for index, item in items.items():
            if isinstance(item, dict | list):
                self.report(
                    PATCH_ITEM, f"found {describe_value(item)}, expected a plain value", (*within, index)
                )
            elif item not in there:
                self.made.sets.append(Set((*path, places[item]), (*within, index)))
        known = [None if isinstance(item, dict | list) else places.get(item) for item in have]
        behind = count(len(places))
        self.record_move(path, tuple(next(behind) if place is None else place for place in known))
        return [*places, *(item for item, place in zip(have, known, strict=True) if place is None)]

    def merge_keyed_items(
        self,
        have: list[Json],
        items: dict[int, Json],
        keys: tuple[str, ...],
        kind: DefinitionField | None,
        path: Path,
        within: Path,
    ) -> list[Json]:
        """Merge the patch's items with their likes, and put all in the order in which kustomize does."""
        pairs = list(self.match_items(have, items, keys, within))
        deleted = dict.fromkeys(index for index, _ in pairs if items[index].get(DIRECTIVE) == "delete")
        kept = [(index, old) for index, old in pairs if index not in deleted]
        taken = {old for _, old in pairs}
        order = [*kept, *((None, old) for old in range(len(have)) if old not in taken)]
        if any(count_merge_keys(item, keys) > 1 for item in (*have, *items.values())):
            order.sort(key=lambda pair: -1 if pair[1] is None else pair[1])
        places = {old: place for place, (_, old) in enumerate(order)}
        self.record_move(path, tuple(places.get(old) for old in range(len(have))))
        self.made.sets += [Set(path, (*within, index), partial=True) for index in deleted]
        result: list[Json] = [None if old is None else have[old] for _, old in order]
        below = kind.item if kind else None
        for place, (index, _) in enumerate(order):
            if index is not None:
                here, there = (*path, place), (*within, index)
                result[place] = self.merge_value(result[place], items[index], below, here, there)
        return result

    def match_items(
        self, have: list[Json], items: dict[int, Json], keys: tuple[str, ...], within: Path
    ) -> Iterator[tuple[int, int | None]]:
        """Yield the patch's items, each with the object's item that it means, if there is one."""
        known = ListKeys(have, keys)
        seen: set[Values] = set()
        for index, item in items.items():
            at = (*within, index)
            if problem := describe_ambiguity(item, keys, known, seen):
                hint = f"items of this list are told apart by {join_words(list(keys), last='and')}"
                self.report(PATCH_ITEM, problem, at, hint)
                continue
            values = merge_key_values(item, keys)
            seen.add(values)
            old = next(iter(known.places.get(values, ())), None)
            if item.get(DIRECTIVE) == "replace":
                self.report(
                    PATCH_DIRECTIVE,
                    "found replace beside other keys, expected it in an item of its own",
                    (*at, DIRECTIVE),
                    "that replaces the list; null removes a key of one item",
                )
            elif old is None and item.get(DIRECTIVE) == "delete":
                self.report(PATCH_NOTHING, "found no such item to delete", at, "remove it")
            else:
                yield index, old

    def record_move(self, path: Path, places: tuple[int | None, ...]) -> None:
        if places != tuple(range(len(places))):
            self.made.moves.append(ListMove(path, places))

    def report(self, rule: Rule, message: str, within: Path, hint: str = "") -> None:
        self.made.problems.append(rule(message, within, hint))


def _describe_type(value: Json) -> str:
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, list) else "a plain value"
