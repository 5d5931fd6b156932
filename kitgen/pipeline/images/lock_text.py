"""The text of a lock: sorted, of one form, and with the comments of people above what they are about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

from kitgen.model.lock import LockedImage
from kitgen.yamlio import JsonObject, dump

HEAD = "# yaml-language-server: $schema=../schemas/lock.json"
EDITORS = "# yaml-language-server:"
BEHIND = re.compile(r"\s#")


class Comments(Struct, frozen=True, kw_only=True):
    """What people wrote into a lock besides its entries."""

    top: tuple[str, ...] = ()
    above: Mapping[str, tuple[str, ...]] = {}
    """Line of an entry's name → the comments above it."""
    lost: int = 0
    """How many lines have a comment that has no place in the new text."""


def lock_text(release: str, entries: Iterable[LockedImage], comments: Comments) -> str:
    """Write a lock."""
    lines = [
        comments.top[0] if comments.top else HEAD,
        *comments.top[1:],
        *dump({"release": release}).splitlines(),
    ]
    listed = sorted(entries, key=lambda each: each.image)
    lines.append("images:" if listed else "images: {}")
    for each in listed:
        body: JsonObject = {"digest": each.digest}
        body |= {"platform": each.platform} if each.platform else {}
        body |= {"source": each.source} if each.source else {}
        name, *rest = (f"  {line}" for line in dump({each.image: body}).splitlines())
        lines += [*comments.above.get(name, ()), name, *rest]
    return "".join(f"{line}\n" for line in lines)


def comments_of(text: str, kept: Iterable[str]) -> Comments:
    """Find the comments at the top of a lock, and those above entries that are to stay."""
    names = {f"  {dump({image: {'a': 1}}).splitlines()[0]}" for image in kept}
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line.strip() and not _is_comment(line)), len(lines))
    top = [line.rstrip() for line in lines[:start] if line.strip()]
    if not top or not top[0].startswith(EDITORS):
        top = [HEAD, *(line for line in top if not line.startswith(EDITORS))]
    above: dict[str, tuple[str, ...]] = {}
    waiting: list[str] = []
    lost = 0
    for line in map(str.rstrip, lines[start:]):
        if _is_comment(line):
            waiting.append(f"  {line.strip()}")
        elif line:
            if line in names:
                above[line] = tuple(waiting)
            else:
                lost += len(waiting) + bool(BEHIND.search(line))
            waiting = []
    return Comments(top=tuple(top), above=above, lost=lost + len(waiting))


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")
