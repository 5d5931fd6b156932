"""Load a kit once for all commands that find it as it was."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from unittest.mock import patch

import kitgen
from kitgen.files.root import find_root
from kitgen.kit.load import Only
from kitgen.workspace.kit import Opened, open_kit

MOST = 20
"""Kits that are kept."""
Files = frozenset[tuple[str, int, int]]


@cache
def users() -> list[str]:
    """Return the modules that open kits; all are imported, since they bind what is replaced here."""
    for each in pkgutil.walk_packages(kitgen.__path__, "kitgen."):
        if each.name != "kitgen.__main__":
            importlib.import_module(each.name)
    names = [name for name in sys.modules if name.startswith("kitgen.")]
    return [name for name in names if getattr(sys.modules[name], "open_kit", None) is open_kit]


def files_of(folder: Path) -> Files:
    """Return every path below a folder, with what changes where its content does."""
    found = set()
    ahead = [str(folder)]
    while ahead:
        for each in os.scandir(ahead.pop()):
            stat = each.stat(follow_symlinks=False)
            found.add((each.path, stat.st_size, stat.st_mtime_ns))
            if each.is_dir(follow_symlinks=False):
                ahead.append(each.path)
    return frozenset(found)


@contextmanager
def loaded_once() -> Iterator[None]:
    """Open a kit anew only where a file of it is another one; one that is wrong is read each time."""
    known: dict[object, Opened] = {}

    def opening(root: Path | None, only: Only | None = None, *, releases: bool = True) -> Opened:
        key = (files_of(find_root(root)), Path.cwd(), str(root), repr(only), releases)
        if key not in known:
            if len(known) > MOST:
                known.clear()
            known[key] = open_kit(root, only, releases=releases)
        return known[key]

    with ExitStack() as stack:
        for name in users():
            stack.enter_context(patch.object(sys.modules[name], "open_kit", opening))
        yield
