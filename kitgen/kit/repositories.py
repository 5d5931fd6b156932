"""Find the Git repository of a file by reading its metadata; no program is run, nothing is fetched."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from kitgen.files.read import read_file
from kitgen.text.patterns import compile_late

MAX_CONFIG = 1024 * 1024
HEAD = "ref: refs/heads/"
SECTION = compile_late(
    r'^[ \t]*+\[[ \t]*+([\w.-]++)(?:[ \t]++"((?:[^"\\\n]|\\.)*+)")?[ \t]*+\]', re.MULTILINE
)
URL = compile_late(r"^[ \t]*+url[ \t]*+=([^\n]*+)", re.MULTILINE | re.IGNORECASE)


class CheckedOutRepository(Struct, frozen=True, kw_only=True):
    """A repository that is checked out."""

    top: str
    remotes: tuple[str, ...]
    """The addresses that its configuration lists; they may hold credentials, and are never shown."""
    branch: str
    """Empty if it is on none."""


def find_checkout(folder: str) -> CheckedOutRepository | None:
    """Return the repository that a folder is in; None if it is in none that can be read."""
    place = Path(os.path.realpath(folder))
    for top in (place, *place.parents):
        if os.path.lexists(top / ".git"):
            return _read_checkout(top)
    return None


def _read_checkout(top: Path) -> CheckedOutRepository | None:
    try:
        own = common = top / ".git"
        if own.is_file():  # a work tree or a submodule, which says where the rest is
            own = common = (top / _read_text(own).removeprefix("gitdir:").strip()).resolve()
            if (own / "commondir").is_file():
                common = (own / _read_text(own / "commondir").strip()).resolve()
        head, config = _read_text(own / "HEAD").strip(), _read_text(common / "config")
    except (OSError, ValueError):
        return None
    branch = head.removeprefix(HEAD) if head.startswith(HEAD) else ""
    return CheckedOutRepository(top=str(top), remotes=tuple(_parse_remotes(config)), branch=branch)


def _read_text(path: Path) -> str:
    return read_file(path, MAX_CONFIG, links=True).decode("utf-8", "replace")


def _parse_remotes(config: str) -> Iterator[str]:
    """Yield the addresses of remotes in a configuration of git."""
    found = [*SECTION.finditer(config)]
    ends = [*(each.start() for each in found[1:]), len(config)]
    for section, end in zip(found, ends, strict=False):  # without a section there is an end too many
        if section[1].lower() == "remote":
            yield from (each[1].strip().strip('"') for each in URL.finditer(config, section.end(), end))
