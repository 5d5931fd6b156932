"""Differences, until a change tells of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kitgen.diff.objects import Difference
from kitgen.findings import Path
from kitgen.objects import ObjectId


class Pool:
    """Differences that no change tells of yet, by object."""

    def __init__(self, found: Mapping[ObjectId, list[Difference]]) -> None:
        """Take all that there are."""
        self._found = {name: some for name, some in found.items() if some}

    def __contains__(self, name: ObjectId) -> bool:
        return name in self._found

    def take(self, name: ObjectId, meant: Callable[[Path], bool] = lambda _: True) -> list[Difference]:
        """Return the differences of an object at places that are meant, and have them no more."""
        found = self._found.get(name, [])
        taken = [each for each in found if meant(each.path)]
        self._found[name] = [each for each in found if not meant(each.path)]
        if not self._found[name]:
            del self._found[name]
        return taken
