"""Find the bundles behind a name: one, a package of them by version, or a folder of packages."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from posixpath import dirname

from msgspec import Struct

from kitgen.files.read import MAX_BYTES, read_file
from kitgen.findings.errors import KitgenError, UsageError
from kitgen.kit.manifests import exists
from kitgen.text.semver import is_version, version_key

CI = "ci.yaml"
CSV_ENDINGS = (".clusterserviceversion.yaml", ".clusterserviceversion.yml")
OPERATORS = "operators"
PARTS = ("manifests", "metadata")
MAX_BUNDLES = 20_000


class BundleFolder(Struct, frozen=True, kw_only=True):
    """Where a bundle is."""

    folder: str
    version: str = ""
    """The name of the folder, if it stands for a version in a package."""
    package: str = ""
    """The name of the folder above it, if that is a package's."""
    direct: bool = False
    """Whether the folder holds the manifests themselves."""


class FoundPackage(Struct, frozen=True, kw_only=True):
    """A package: its bundles from the oldest to the newest, and what is said of all."""

    folder: str
    name: str = ""
    """That of its folder; empty if only a bundle was named."""
    bundles: tuple[BundleFolder, ...] = ()
    ci: str = ""
    """The file that says how catalogs take it; empty if there is none."""


def join_path(folder: str, name: str) -> str:
    """Return the path of something in a folder, as those name it who read files."""
    return name if folder == os.curdir else f"{folder}/{name}"


def find_packages(name: str) -> tuple[FoundPackage, ...]:
    """Return the packages behind a name, with one that is empty where there is nothing like a bundle."""
    path = Path(name)
    if not exists(path):
        raise UsageError(f"no such folder: {name!r}")
    if not path.is_dir():
        raise UsageError(f"{name} is a file, expected the folder of a bundle or a package")
    folder = str(path)
    inner = _list_folders(folder)
    if any(each in PARTS for each in inner):
        return (_find_single_bundle(folder, direct=False),)
    if _has_csv(folder) or path.absolute().name == PARTS[0]:
        return (_find_single_bundle(folder, direct=True),)
    if (package := _find_package(folder, inner)).bundles or package.ci:
        return (package,)
    if OPERATORS in inner:
        folder = join_path(folder, OPERATORS)
        inner = _list_folders(folder)
    packages = [
        _find_package(join_path(folder, each), _list_folders(join_path(folder, each))) for each in inner
    ]
    found = tuple(each for each in packages if each.bundles)
    if sum(len(each.bundles) for each in found) > MAX_BUNDLES:
        raise KitgenError(f"cannot check {name}: found more than {MAX_BUNDLES} bundles")
    return found or (FoundPackage(folder=str(path)),)


def _find_single_bundle(folder: str, *, direct: bool) -> FoundPackage:
    """Return a bundle that was named itself; what is above counts if it is a package's."""
    whole = Path(folder).absolute()
    version, above = whole.name, whole.parent
    in_package = is_version(version) and (above.parent.name == OPERATORS or _is_regular_file(str(above / CI)))
    if direct or not in_package:
        return FoundPackage(folder=folder, bundles=(BundleFolder(folder=folder, direct=direct),))
    ci = join_path(dirname(folder) or os.curdir if folder != os.curdir else os.pardir, CI)
    place = BundleFolder(folder=folder, version=version, package=above.name)
    return FoundPackage(folder=folder, bundles=(place,), ci=ci if _is_regular_file(ci) else "")


def find_sibling_bundles(place: BundleFolder, name: str) -> Iterator[BundleFolder]:
    """Yield the bundles in the folder next to one that was named by itself which may be called `name`.

    Nothing but the text of a ClusterServiceVersion decides, so that few of them need to be read.
    """
    whole = Path(place.folder).absolute()
    inner = (whole.name,) if place.direct and whole.name == PARTS[0] else ()
    own = whole.parent if inner else whole
    try:
        folders = _list_folders(str(own.parent))
    except KitgenError:
        return
    for each in sorted(folders, key=lambda each: (not name.endswith(each), each)):
        folder = own.parent.joinpath(each, *inner)
        manifests = folder if inner else folder / PARTS[0]
        if each != own.name and manifests.is_dir() and _has_csv_with_text(manifests, name):
            yield BundleFolder(folder=str(folder), version=each, package=own.parent.name, direct=place.direct)


def _has_csv_with_text(folder: Path, name: str) -> bool:
    """Tell whether a ClusterServiceVersion in a folder has a text, read no further than any manifest."""
    for path in sorted(folder.glob("*")):
        if path.name.endswith(CSV_ENDINGS) and _is_regular_file(str(path)):
            with contextlib.suppress(OSError, KitgenError):
                if name.encode() in read_file(path, MAX_BYTES):
                    return True
    return False


def _find_package(folder: str, inner: list[str]) -> FoundPackage:
    name = Path(folder).absolute().name
    bundles = []
    for each in inner:
        place = join_path(folder, each)
        if any(one in PARTS for one in _list_folders(place)) or (is_version(each) and _has_csv(place)):
            bundles.append(BundleFolder(folder=place, version=each, package=name))
    if len(bundles) > MAX_BUNDLES:
        raise KitgenError(f"cannot check {folder}: found more than {MAX_BUNDLES} bundles")
    bundles.sort(key=lambda each: _version_sort_key(each.version))
    ci = join_path(folder, CI)
    return FoundPackage(
        folder=folder, name=name, bundles=tuple(bundles), ci=ci if _is_regular_file(ci) else ""
    )


def _version_sort_key(version: str) -> tuple[bool, object, str]:
    """Sort by version; what is none comes last, by name."""
    try:
        return False, version_key(version), version
    except ValueError:
        return True, (), version


def _is_regular_file(path: str) -> bool:
    return Path(path).is_file() and not Path(path).is_symlink()


def _list_folders(folder: str) -> list[str]:
    """Return the names of the folders in a folder, sorted; links and hidden ones aside."""
    return sorted(
        each.name
        for each in list_entries(folder)
        if each.is_dir(follow_symlinks=False) and not each.name.startswith(".")
    )


def _has_csv(folder: str) -> bool:
    return any(each.name.endswith(CSV_ENDINGS) for each in list_entries(folder))


def list_entries(folder: str, most: int = sys.maxsize) -> list[os.DirEntry[str]]:
    """Return what a folder holds; KitgenError if that is too much, or if nobody may look."""
    try:
        with os.scandir(folder) as entries:
            found = [*islice(entries, most)]
            if next(entries, None) is not None:
                raise KitgenError(f"cannot read {folder}: found more than {most} files")
    except OSError as error:
        raise KitgenError(f"cannot read the folder {folder}: {error.strerror}") from error
    return found
