"""`remove`: what a spec does not inherit from the one that it builds on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from kitgen.findings import Path, Problem, Step, near, path_of, pointer, problem
from kitgen.kit.merge import (
    DraftNode,
    SpecValue,
    finished,
    is_permissions,
    is_sets,
    name_of,
    resource_keys,
    resources,
    without_keys,
    without_resources,
)
from kitgen.text.values import collect
from kitgen.text.yaml import Json

SHOWN, LOOKED_AT = 8, 1000
"""Names that a hint lists, and those among which it looks for a likely one."""


def remove(old: SpecValue, texts: Iterable[tuple[int, str]]) -> tuple[SpecValue, list[Problem]]:
    """Return what is left of a spec without some paths, each with its place, and what is wrong with those."""
    removal, problems = Removal(old), []
    for index, text in texts:
        way, hint = removal.find(tuple(map(str, path_of(text))))
        if hint or not way:
            message = f"found {text!r}, which is not there to be removed"
            hint = hint or "a path leads to what goes, such as /images/manager"
            problems.append(problem("remove-nothing", message, ("remove", index), hint))
        else:
            removal.remove(way)
    return removal.done(), problems


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
                where = self._places(node, path, name)
                if where and (size == len(steps) or self._leads_on(node, where)):
                    break
            else:
                return path, self._missing(node, path, steps)
            if not (steps := steps[size:]):
                return (*path, self._name(node, path, where, name)), ""
            if len(where) > 1:
                return path, f"{pointer(path)} has {name!r} more than once"
            path, node = (*path, self._name(node, path, where, name)), node.below(where[0])
        return path, ""

    def remove(self, way: Path) -> None:
        """Take away what is at the end of a way that was found."""
        node = self._root
        for depth, step in enumerate(way[:-1]):
            node = node.below(self._places(node, way[:depth], str(step))[0])
        path, name = way[:-1], str(way[-1])
        if is_permissions(path):
            if [name] == resources(name):
                self._forget(node, path, name)
                return
            self._resources(node, path).subtract(resources(name))
        for place in self._places(node, path, name):
            if is_sets(path) and place not in node.parts:
                self._forget(node, path, name)
                continue
            part = node.parts.pop(place, None)
            if is_sets(path) and part is not None:
                self._resources(node, path).subtract(resource_keys(finished(part).data))

    def _forget(self, node: DraftNode, path: Path, resource: str) -> None:
        self._resources(node, path)[resource] = 0
        self._gone.setdefault((node, is_sets(path)), set()).add(resource)

    def done(self) -> SpecValue:
        """Return what is left."""
        for (node, sets), gone in self._gone.items():
            whole = node.done()
            kept = {step: without_keys(part, gone) for step, part in whole.parts.items()} if sets else {}
            left = {step: part for step, part in kept.items() if part is not None}
            node.parts.clear()
            node.parts.update(left if sets else without_resources(whole, gone))
        return self._root.done()

    def _places(self, node: DraftNode, path: Path, name: str) -> list[Step]:
        """Return the keys or indexes that a name means in a node; of a resource in sets, its name."""
        if is_sets(path) and self._resources(node, path)[name] > 0:
            return [name]
        if node.is_map:
            one = is_permissions(path) and [name] == resources(name)
            return [name] if (self._resources(node, path)[name] > 0 if one else name in node.parts) else []
        if not node.is_list:
            return []
        if node not in self._items:
            parts = node.parts.items()
            self._items[node] = collect((_called(finished(part).data, path), index) for index, part in parts)
        by_index = [step for step in path_of(f"/{name}") if isinstance(step, int)]
        return [index for index in self._items[node].get(name) or by_index if index in node.parts]

    def _resources(self, node: DraftNode, path: Path) -> Counter[str]:
        """Return how often each resource of permissions, or of sets, is left."""
        if node not in self._left:
            parts = node.parts.items()
            in_sets = (each for _, part in parts for each in resource_keys(finished(part).data))
            granted = (each for key, _ in parts for each in resources(str(key)))
            self._left[node] = Counter(in_sets if is_sets(path) else granted)
        return self._left[node]

    @staticmethod
    def _leads_on(node: DraftNode, where: list[Step]) -> bool:
        """Return whether there is something below; one resource of several has nothing."""
        if where[0] not in node.parts:
            return False
        below = node.below(where[0])
        return below.is_map or below.is_list

    @staticmethod
    def _name(node: DraftNode, path: Path, where: list[Step], name: str) -> Step:
        """Return how an item is called, which its index does not say."""
        if not node.is_list or where[0] not in node.parts:
            return name
        return _called(finished(node.parts[where[0]]).data, path) or where[0]

    def _missing(self, node: DraftNode, path: Path, steps: tuple[str, ...]) -> str:
        names = [*islice(self._names(node, path), LOOKED_AT)]
        hint = near("/".join(steps), names) or near(steps[0], names)
        known = ", ".join(names[:SHOWN])
        return hint or (f"{pointer(path) or 'it'} has {known}" if known else "there is nothing")

    def _names(self, node: DraftNode, path: Path) -> Iterator[str]:
        """Yield what can be named in a node."""
        if node.is_map:
            yield from map(str, node.parts)
        counted = is_sets(path) or (node.is_map and is_permissions(path))
        left = self._resources(node, path).items() if counted else ()
        yield from (each for each, count in left if count > 0 and (is_sets(path) or each not in node.parts))
        yield from (
            name
            for part in (node.parts.values() if node.is_list else ())
            if (name := _called(finished(part).data, path)) is not None
        )


def _called(item: Json, path: Path) -> str | None:
    """Return the name of an item, which may be a text by itself."""
    return item if isinstance(item, str) else name_of(item, path)
