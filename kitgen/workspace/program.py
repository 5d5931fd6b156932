"""A fingerprint of kitgen itself: its code and data, Python, and the libraries that are installed.

It goes by files, not by the version, because an editable install changes without one.
"""

from __future__ import annotations

import os
import sys
from functools import cache

from kitgen import __version__
from kitgen.files.reads import hash_bytes

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCHEMAS = os.path.join(os.path.dirname(PACKAGE), "schemas")
"""Where the schemas are in a checkout; a wheel has them in the package."""


@cache
def fingerprint_program() -> str:
    """Return what changes whenever kitgen may give other results for the same input."""
    parts = [__version__, sys.version, sys.platform, PACKAGE, *_list_files(PACKAGE), *_list_libraries()]
    if os.path.isdir(SCHEMAS):
        parts += _list_files(SCHEMAS)
    return hash_bytes("\n".join(parts).encode(errors="surrogateescape"))


def _list_files(folder: str) -> list[str]:
    """Return the files below a folder with their sizes and times, without what Python compiles."""
    found = []
    with os.scandir(folder) as entries:
        ordered = sorted(entries, key=lambda each: each.name)
    for entry in ordered:
        if entry.is_dir():
            if entry.name != "__pycache__":
                found += [entry.name, *_list_files(entry.path)]
        else:
            seen = entry.stat()
            found.append(f"{entry.name} {seen.st_size} {seen.st_mtime_ns}")
    return found


def _list_libraries() -> list[str]:
    """Return the libraries that Python finds, with their versions."""
    folders = [each for each in sys.path if each.endswith("packages") and os.path.isdir(each)]
    return [name for folder in folders for name in sorted(os.listdir(folder)) if name.endswith("-info")]
