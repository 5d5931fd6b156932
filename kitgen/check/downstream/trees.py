"""Where files stand in the tree of a component, and which of them belong to one tree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from kitgen.check.downstream.terms import Sourced
from kitgen.load.downstream import Place


def steps_of(path: str) -> tuple[str, ...]:
    """Return the steps of a path in a repository."""
    return tuple(each for each in path.split("/") if each)


def place_in(folder: tuple[str, ...], path: str) -> int | None:
    """Return where a path ends in the steps to a folder, the last time; None if it is not on the way."""
    steps = steps_of(path)
    ends = range(len(folder), len(steps) - 1, -1)
    return next((end for end in ends if folder[end - len(steps) : end] == steps), None)


def right_places(
    place: Place, sourced: Iterable[Sourced], folders: Collection[tuple[str, ...]]
) -> Iterator[str]:
    """Yield the folders that a platform reads instead of the one of a file; none if it reads that, or may.

    A platform takes the folder that the source names and puts it into a folder of its own.
    """
    wrong: list[str] = []
    for each in sourced:
        taken, put = each.source.path if each.source else "", each.export.folder
        ends = place_in(place.folder, taken) if taken else None, place_in(place.folder, put)
        here = len(place.folder)
        # A repository may be called as the folder is that its manifests are put into.
        inner = steps_of(taken)
        whole = bool(taken) and any((*top, *inner) in folders for top in (place.folder, place.root))
        if ends[0] == here or (ends[1] == here and not whole):
            return
        if ends == (None, None) and place.folder == place.root and not whole:
            return  # a file by itself may be from anywhere
        wrong.append(taken or put)
    yield from dict.fromkeys(wrong)


def tree_of(place: Place, sourced: Iterable[Sourced]) -> tuple[str, ...]:
    """Return the folder that stands for the tree of a component a file is in."""
    for each in sourced:
        for path in ([each.source.path] if each.source else []) + [each.export.folder]:
            if (end := place_in(place.folder, path)) is not None:
                return place.folder[:end]
    return place.folder
