"""What files show of a release: its bundles, and the README."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kitgen.files.git import has_committed
from kitgen.files.read import MAX_BYTES, read_file
from kitgen.findings import Problem
from kitgen.findings.errors import KitgenError
from kitgen.kit.model import Matrix, Release
from kitgen.kube.image_mentions import mappings, mentions
from kitgen.olm.bundle import package_of
from kitgen.release.matrix.block import END, START, find_block
from kitgen.release.matrix.writing import replaced, rows_of
from kitgen.release.steps.facts import ReadmeMatrix, ReleaseBundle
from kitgen.text.semver import is_version
from kitgen.text.yaml import read
from kitgen.workspace.kit import Opened

COPIED = frozenset({"version", "from", "images"})
"""What `kitgen release new` writes into the spec of a version that there is none of."""


def bundles(
    opened: Opened, release: Release, catalog: Path | None, *, merged: bool
) -> Iterator[ReleaseBundle]:
    """Yield the bundles that targets make of a release, and whether a catalog's checkout has them, merged."""
    if catalog is not None and not catalog.is_dir():
        raise KitgenError(f"no folder {catalog}", hint="name the checkout of the catalog's repository")
    for target in opened.kit.targets.values():
        package = package_of(opened.plan(target, release.name)) if target.bundle else None
        if package is not None:
            running = (each.image for each in mentions(mappings(package.csv.body)) if each.runs)
            folder = f"operators/{package.settings.package}/{package.version}"
            yield ReleaseBundle(
                target=target.name,
                package=package.settings.package,
                folder=folder,
                image=next(running, ""),
                listed=merged and catalog is not None and _has(catalog, folder),
            )


def _has(catalog: Path, folder: str) -> bool:
    """Tell whether a checkout has a bundle, and not just on the disk."""
    manifests = f"{folder}/manifests"
    return (catalog / manifests).is_dir() and has_committed(catalog, manifests) is not False


def copied(opened: Opened, release: Release) -> dict[str, str]:
    """Return the specs of a release that say nothing but their version and images, and what they build on."""
    found = {}
    for name, version in release.components.items():
        component = opened.kit.components[name][version]
        folder = (opened.root / component.origin.file).parent
        if component.parent and [each.name for each in folder.iterdir()] == ["component.yaml"]:
            said = read(read_file(folder / "component.yaml", MAX_BYTES).decode())
            if isinstance(said, dict) and said.keys() <= COPIED:
                found[folder.relative_to(opened.root).as_posix()] = component.parent
    return found


def readme(file: Path, matrix: Matrix | None, release: Release) -> ReadmeMatrix | None:
    """Return which release the README shows, if it has a matrix."""
    try:
        text = read_file(file, MAX_BYTES).decode()
    except (OSError, UnicodeDecodeError):
        return None
    if matrix is None:
        return None
    block = find_block(text, [each.label for each in matrix.rows])
    if isinstance(block, Problem):  # which the command tells that is to write it
        return ReadmeMatrix(release="", fresh=False) if START in text or END in text else None
    own = matrix.own.label if matrix.own else ""
    shown = next((row.version for row in block.rows if row.label == own), "")
    fresh = replaced(block, matrix.title, [*rows_of(matrix, release)], matrix.widths) == text
    return ReadmeMatrix(release=shown if is_version(shown) else "", fresh=fresh)
