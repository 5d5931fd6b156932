"""The page about the architecture names packages and modules that there are, and stays short."""

from __future__ import annotations

import re

import kits

PAGE = kits.PROJECT / "docs" / "ARCHITECTURE.md"
PACKAGE = kits.PROJECT / "kitgen"
PATH = re.compile(r"`([a-z_]+/[a-z_/]*(?:\.py)?)`")


def test_every_path_is_there() -> None:
    paths = set(PATH.findall(PAGE.read_text()))
    assert len(paths) > 40
    places = (PACKAGE, kits.PROJECT)
    assert [path for path in sorted(paths) if not any((place / path).exists() for place in places)] == []


def test_every_package_is_in_the_table() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    named = {name for line in rows for name in re.findall(r"`([a-z]+)`", line.split("|")[1])}
    packages = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert packages <= named


def test_the_page_is_short() -> None:
    assert len(PAGE.read_text().splitlines()) <= 200
