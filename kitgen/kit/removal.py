"""`remove`: what a spec does not inherit from the one that it builds on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from kitgen.findings import Path, Problem, Step, format_pointer, make_problem, parse_pointer, suggest_word
from kitgen.kit.merge import (
    DraftNode,
    SpecValue,
    drop_resource_keys,
    drop_resources,
    is_permissions_path,
    is_sets_path,
    list_resource_keys,
    name_of,
    split_permission_key,
)
from kitgen.text.values import group_pairs
from kitgen.text.yaml import Json

SHOWN, LOOKED_AT = 8, 1000
"""Names that a hint lists, and those among which it looks for a likely one."""


def remove_paths(old: SpecValue, texts: Iterable[tuple[int, str]]) -> tuple[SpecValue, list[Problem]]:
    """Return what is left of a spec without some paths, each with its place, and what is wrong with those."""
    removal, problems = Removal(old), []
    for index, text in texts:
        way, hint = removal.find(tuple(map(str, parse_pointer(text))))
        if hint or not way:
            message = f"found {text!r}, which is not there to be removed"
            hint = hint or "a path leads to what goes, such as /images/manager"
            problems.append(make_problem("remove-nothing", message, ("remove", index), hint))
        else:
            removal.remove(way)
    return removal.to_value(), problems


class Removal:
    """A spec from which parts are removed; repeated lookups are cached."""

    def __init__(self, old: SpecValue) -> None:
        self._root = DraftNode(old)
        self._items: dict[DraftNode, dict[str | None, list[Step]]] = {}
        self._left: dict[DraftNode, Counter[str]] = {}
        self._gone: dict[tuple[DraftNode, bool], set[str]] = {}
        """Resources that go: from permissions by whatever key, or from whatever set they are in."""

    def find(self, steps: tuple[str, ...]) -> tuple[Path, str]:
        """Follow steps as far as there is something; return the way, and a hint if something is missing.

        A name with slashes may stand as it is: the shortest that leads on is taken.
        """
        node = self._root
        path: Path = ()
        while steps:
            for size in range(1, len(steps) + 1):
                name = "/".join(steps[:size])
                where = self._find_steps(node, path, name)
                if where and (size == len(steps) or self._has_children(node, where)):
                    break
            else:
                return path, self._suggest_names(node, path, steps)
            if not (steps := steps[size:]):
                return (*path, self._get_step_name(node, path, where, name)), ""
            if len(where) > 1:
                return path, f"{format_pointer(path)} has {name!r} more than once"
            path, node = (*path, self._get_step_name(node, path, where, name)), node.get_child(where[0])
        return path, ""

    def remove(self, way: Path) -> None:
        """Take away what is at the end of a way that was found."""
        node = self._root
        for depth, step in enumerate(way[:-1]):
            node = node.get_child(self._find_steps(node, way[:depth], str(step))[0])
        path, name = way[:-1], str(way[-1])
        if is_permissions_path(path):
            if [name] == split_permission_key(name):
                self._drop_resource(node, path, name)
                return
            self._count_resources(node, path).subtract(split_permission_key(name))
        for place in self._find_steps(node, path, name):
            if is_sets_path(path) and place not in node.parts:
                self._drop_resource(node, path, name)
                continue
            if is_sets_path(path):
                self._count_resources(node, path).subtract(list_resource_keys(node.get_data(place)))
            node.parts.pop(place, None)

    def _drop_resource(self, node: DraftNode, path: Path, resource: str) -> None:
        self._count_resources(node, path)[resource] = 0
        self._gone.setdefault((node, is_sets_path(path)), set()).add(resource)

    def to_value(self) -> SpecValue:
        """Return what is left."""
        for (node, sets), gone in self._gone.items():
            whole = node.to_value()
            kept = (
                {step: drop_resource_keys(part, gone) for step, part in whole.parts.items()} if sets else {}
            )
            left = {step: part for step, part in kept.items() if part is not None}
            node.parts.clear()
            node.parts.update(left if sets else drop_resources(whole, gone))
        return self._root.to_value()

    def _find_steps(self, node: DraftNode, path: Path, name: str) -> list[Step]:
        """Return the keys or indexes that a name means in a node; of a resource in sets, its name."""
        if is_sets_path(path) and self._count_resources(node, path)[name] > 0:
            return [name]
        if node.is_map:
            one = is_permissions_path(path) and [name] == split_permission_key(name)
            return (
                [name] if (self._count_resources(node, path)[name] > 0 if one else name in node.parts) else []
            )
        if not node.is_list:
            return []
        if node not in self._items:
            self._items[node] = group_pairs(
                (_find_item_name(node.get_data(index), path), index) for index in node.parts
            )
        by_index = [step for step in parse_pointer(f"/{name}") if isinstance(step, int)]
        return [index for index in self._items[node].get(name) or by_index if index in node.parts]

    def _count_resources(self, node: DraftNode, path: Path) -> Counter[str]:
        """Return how often each resource of permissions, or of sets, is left."""
        if node not in self._left:
            in_sets = (each for step in node.parts for each in list_resource_keys(node.get_data(step)))
            granted = (each for key in node.parts for each in split_permission_key(str(key)))
            self._left[node] = Counter(in_sets if is_sets_path(path) else granted)
        return self._left[node]

    @staticmethod
    def _has_children(node: DraftNode, where: list[Step]) -> bool:
        """Return whether there is something below; one resource of several has nothing."""
        if where[0] not in node.parts:
            return False
        below = node.get_child(where[0])
        return below.is_map or below.is_list

    @staticmethod
    def _get_step_name(node: DraftNode, path: Path, where: list[Step], name: str) -> Step:
        """Return how an item is called, which its index does not say."""
        if not node.is_list or where[0] not in node.parts:
            return name
        return _find_item_name(node.get_data(where[0]), path) or where[0]

    def _suggest_names(self, node: DraftNode, path: Path, steps: tuple[str, ...]) -> str:
        names = [*islice(self._list_names(node, path), LOOKED_AT)]
        hint = suggest_word("/".join(steps), names) or suggest_word(steps[0], names)
        known = ", ".join(names[:SHOWN])
        return hint or (f"{format_pointer(path) or 'it'} has {known}" if known else "there is nothing")

    def _list_names(self, node: DraftNode, path: Path) -> Iterator[str]:
        """Yield what can be named in a node."""
        if node.is_map:
            yield from map(str, node.parts)
        counted = is_sets_path(path) or (node.is_map and is_permissions_path(path))
        left = self._count_resources(node, path).items() if counted else ()
        yield from (
            each for each, count in left if count > 0 and (is_sets_path(path) or each not in node.parts)
        )
        yield from (
            name
            for step in (node.parts if node.is_list else ())
            if (name := _find_item_name(node.get_data(step), path)) is not None
        )


def _find_item_name(item: Json, path: Path) -> str | None:
    """Return the name of an item, which may be a text by itself."""
    return item if isinstance(item, str) else name_of(item, path)
