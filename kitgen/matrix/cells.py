"""What a cell of the matrix says: a version, plain or with a link to its tag."""

from __future__ import annotations

import re

LINK = re.compile(r"\[(?P<text>[^\[\]]*)\]\((?P<address>[^()\s]*)\)")
GITHUB = "https://github.com"


def version_of(cell: str) -> str:
    """Return the version that a cell shows."""
    match = LINK.fullmatch(cell.strip())
    return (match["text"] if match else cell).strip()


def address_of(cell: str) -> str:
    """Return where the link of a cell leads; empty if it has none."""
    match = LINK.fullmatch(cell.strip())
    return match["address"] if match else ""


def cell(version: str, repository: str = "") -> str:
    """Return the cell of a version, with a link to its tag if it is known where that is."""
    if not repository:
        return version
    base = repository if "://" in repository else f"{GITHUB}/{repository}"
    return f"[{version}]({base.rstrip('/')}/releases/tag/{version})"
