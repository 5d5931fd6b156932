"""What `kitgen bundle write` does: the files that a pull request to a catalog needs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct

from kitgen.files.edits import change_files, recover_change
from kitgen.files.read import MAX_BYTES, read_file
from kitgen.findings import Finding
from kitgen.findings.errors import KitgenError, UsageError
from kitgen.kit.load import KitSelection
from kitgen.kit.model import Target
from kitgen.olm.bundle import Package, package_of
from kitgen.olm.bundle_files import render_package_files
from kitgen.render.images import check_lock_file
from kitgen.workspace.baselines import Baselines
from kitgen.workspace.checks import check_plans
from kitgen.workspace.kit import OpenedKit, open_kit, raise_on_errors
from kitgen.workspace.render import refuse_kit_folder
from kitgen.workspace.sources import Kits

COUNTED = ("/manifests", "/metadata")
"""Folders of a bundle in which every file is part of it."""


class WriteRequest(Struct, frozen=True, kw_only=True):
    """Which bundle to write, and into which folder."""

    root: Path | None = None
    folder: Path
    """The top of a catalog's repository."""
    target: str | None = None
    """The one that has a bundle when absent."""
    release: str | None = None
    """What the target pins when absent."""
    catalog: bool = False
    """Whether the catalog takes file-based catalogs."""


class WrittenBundle(Struct, frozen=True, kw_only=True):
    """What was written."""

    root: Path
    package: Package
    files: tuple[str, ...]
    """Those that are new or have changed."""
    kept: tuple[str, ...]
    """Those of the package that were there already, and stay as somebody wrote them."""
    findings: tuple[Finding, ...]


def write_bundle(request: WriteRequest) -> WrittenBundle:
    """Write one bundle into its package; nothing is written while an error stands."""
    opened = open_kit(request.root, KitSelection(release=request.release))
    target = _select_target(opened, request.target)
    plan = opened.plan(target, request.release)
    if (package := package_of(plan)) is None:
        raise UsageError(
            f"release {plan.release.name} builds no {target.bundle.component if target.bundle else ''}"
        )
    refuse_kit_folder(opened.root, request.folder)
    baselines = Baselines(Kits(request.root))
    before = partial(baselines.of_target, opened, release=request.release)
    checked = [*check_plans(opened, [plan], before=before), *check_lock_file(target, plan.release)]
    findings = baselines.locate_findings(opened.apply_exceptions(checked))
    raise_on_errors(findings, opened.root)
    community = package.settings.community
    if request.catalog and not (community and community.catalogs):
        raise UsageError(
            f"target {target.name} names no catalogs", hint="list them under bundle.community.catalogs"
        )
    tree = render_package_files(package, catalog=request.catalog)
    recover_change(request.folder)
    there = {path: text for path in tree if (text := _read_text(request.folder / path)) is not None}
    bundle = f"/{package.version}/"
    other = [path for path, text in there.items() if bundle in path and text != tree[path]]
    other += [path for path in _find_existing_files(request.folder, tree) if path not in tree]
    if other:
        raise UsageError(
            f"{request.folder / other[0]} is another bundle {package.name}",
            hint="a catalog never changes a bundle that it has; release a new version, or remove the folder",
        )
    kept = tuple(path for path, text in there.items() if text != tree[path])
    files = {path: text for path, text in tree.items() if path not in there}
    change_files(request.folder, {}, files)
    return WrittenBundle(
        root=opened.root, package=package, files=tuple(files), kept=kept, findings=tuple(findings)
    )


def _select_target(opened: OpenedKit, name: str | None) -> Target:
    """Return the target that is asked for, or the only one that has a bundle."""
    if name is not None:
        found = opened.target(name)
        if found.bundle is None:
            raise UsageError(f"target {name} has no bundle", hint="add `bundle` to it")
        return found
    if len(having := [each for each in opened.kit.targets.values() if each.bundle]) == 1:
        return having[0]
    if not having:
        raise UsageError("no target of this kit has a bundle", hint="add `bundle` to one of them")
    names = ", ".join(each.name for each in having)
    raise UsageError(f"several targets have a bundle: {names}", hint="name one with --target")


def _find_existing_files(folder: Path, tree: Collection[str]) -> Iterator[str]:
    """Yield what is there already in the folders of a bundle that all count: manifests and metadata."""
    for place in sorted({path.rpartition("/")[0] for path in tree}):
        if place.endswith(COUNTED) and (folder / place).is_dir():
            yield from sorted(f"{place}/{each.name}" for each in (folder / place).iterdir())


def _read_text(path: Path) -> str | None:
    """Return what a file of the catalog's repository holds; what is no plain file is an error."""
    try:
        return read_file(path, MAX_BYTES).decode(errors="surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise KitgenError(f"cannot read {path}: {error.strerror}") from error
