"""Tell whether a pod may do more on its node, where the Pod Security Standards say nothing new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.diff.objects.difference import ABSENT, Found
from kitgen.findings import Path

LISTS = ("containers", "initContainers", "ports", "volumes")


def is_weaker(inside: Path, was: Found, now: Found) -> bool:
    """Tell whether a difference in a pod, at a place below it, lets it do more."""
    if was == now or (now is ABSENT and _is_item(inside)):
        return False
    return any(_weaker(path, *both) for path, *both in _leaves(inside, was, now))


def _is_item(path: Path) -> bool:
    """Tell whether a place is an item of a list, or where one was."""
    return any(isinstance(each, int) or each in LISTS for each in path[-1:])


def _leaves(path: Path, was: Found, now: Found) -> Iterator[tuple[Path, Found, Found]]:
    """Yield the fields of what came, went or changed as a whole; lists are looked at as they are."""
    sides = [each if isinstance(each, Mapping) else {} for each in (was, now)]
    yield path, was, now
    for key in sorted(sides[0].keys() | sides[1].keys()):
        yield from _leaves((*path, key), sides[0].get(key, ABSENT), sides[1].get(key, ABSENT))


def _weaker(path: Path, was: Found, now: Found) -> bool:
    match path:
        case (*_, "capabilities", "add"):
            return bool(_words(now) - _words(was))
        case (*_, "capabilities", "drop"):
            return bool(_words(was) - _words(now))
        case (*_, "securityContext", "readOnlyRootFilesystem"):
            return was is True and now is not True
        case ("spec", "shareProcessNamespace"):
            return now is True
        case ("spec", "hostUsers"):
            return was is False and now is not False
        case (*_, "ports", _, "hostPort"):
            return now not in (ABSENT, None, 0)
        case (*_, "volumes", _, "hostPath", "path"):
            return now is not ABSENT
    return False


def _words(value: Found) -> set[str]:
    return {str(each) for each in value} if isinstance(value, list) else set()
