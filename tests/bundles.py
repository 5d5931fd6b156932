"""Bundles to test with: the small one of tests/cases/bundle, and what cases make of it."""

from __future__ import annotations

import shutil
from pathlib import Path

from kits import CASES, EDIT, OWN_FILES, edit

from kitgen.text.semver import is_version

FOLDER = CASES / "bundle"
BASE = FOLDER / "base"
VERSION = "1.0.0"
CSV = "manifests/web-operator.clusterserviceversion.yaml"
CRD = "manifests/example.com_webs.yaml"
ANNOTATIONS = "metadata/annotations.yaml"


def bundle_cases() -> list[Path]:
    """Return the folder of every case."""
    return sorted(path for path in FOLDER.glob("*/*") if path.is_dir() and path.parent != BASE)


def make_bundle(folder: Path, case: Path | None = None, version: str = VERSION) -> Path:
    """Put the base into a folder as some version, then change it as a case says."""
    shutil.copytree(BASE, folder, dirs_exist_ok=True)
    if version != VERSION:
        path = folder / CSV
        path.write_text(path.read_text().replace(VERSION, version))
    if case is not None:
        _change(folder, case)
    return folder


def make_case(folder: Path, case: Path) -> Path:
    """Put a case into a folder: a bundle, or a package if it has folders of versions."""
    versions = [path for path in sorted(case.iterdir()) if is_version(path.name)]
    if not versions:
        return make_bundle(folder / "bundle", case)
    package = folder / "operators" / "web-operator"
    for each in versions:
        make_bundle(package / each.name, each, each.name)
    if (case / "ci.yaml").exists():
        shutil.copy(case / "ci.yaml", package / "ci.yaml")
    return package


def _change(folder: Path, case: Path) -> None:
    shutil.copytree(case, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*OWN_FILES))
    gone = case / "delete.txt"
    for name in gone.read_text().split() if gone.exists() else ():
        path = folder / name
        path.unlink()
        if not any(path.parent.iterdir()):
            path.parent.rmdir()
    edits = case / "edits.diff"
    for part in EDIT.split(edits.read_text())[1:] if edits.exists() else ():
        edit(folder, part)
