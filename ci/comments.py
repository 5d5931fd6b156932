"""Print the id of the comment to keep up to date: the first that has the mark and is by the one who keeps it.

The comments come from standard input: lists in JSON, one for each page. The arguments say by which field of a
comment its author is known, and what that must be, such as `user.login github-actions[bot]`. Anybody may
write the mark.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

MARK = "<!-- kitgen diff -->"


def main(field: str, author: str) -> None:
    """Print the id of the first comment that is ours, if there is one."""
    for comment in comments(sys.stdin.read()):
        if str(value(comment, field)) == author and str(comment.get("body")).startswith(MARK):
            sys.stdout.write(f"{comment['id']}\n")
            return


def comments(text: str) -> Iterator[dict[str, Any]]:
    """Yield the comments of all pages, which stand one after another."""
    decoder = json.JSONDecoder()
    while text := text.lstrip():
        page, end = decoder.raw_decode(text)
        yield from page
        text = text[end:]


def value(comment: dict[str, Any], field: str) -> object:
    """Return a value by the names that lead to it; a user who is gone has none."""
    found: Any = comment
    for name in field.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
