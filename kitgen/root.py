"""Find the kit: the nearest folder that is marked as one."""

from __future__ import annotations

from pathlib import Path

from kitgen.errors import KitgenError
from kitgen.findings import Chapter, Rule

PATH_SYMLINK = Rule(
    id="path-symlink",
    chapter=Chapter.FILE,
    checks=(
        "No symbolic link leads out of the kit, or out of a folder that is checked, and none stands where "
        "files are written."
    ),
    fix="Put the file itself there.",
)
MARK = "kit.yaml"
OVERLAYS = "overlays"
"""The folder that is rendered."""
BASES, CRDS, BUNDLE, INSTALL = "base", "crds", "bundle", "install"
ARGOCD, APPS, FLEET, SETS = "argocd", "apps", "fleet", "sets"
"""Folders in it, beside those that targets and components are called after."""
MIGRATIONS = "migrations"
"""The folder of migrations, which only some commands read."""
LOCKS = "locks"
"""The folder of digests, a file a release."""
SPECS = ("components", "targets", "releases", LOCKS, MIGRATIONS)
"""The folders that hold specs, beside the mark."""


class NoKitError(KitgenError):
    """There is no kit where one is looked for."""


def absolute(path: Path) -> Path:
    """Return a path from the root of the disk; an error if it starts in a folder that is gone."""
    try:
        return path.absolute()
    except FileNotFoundError as error:
        raise KitgenError("the current folder is gone", hint="change to another one") from error


def find_root(start: Path | None) -> Path:
    """Return the given root, or the nearest folder upwards that holds a kit."""
    try:
        if start is not None:
            if not (start / MARK).is_file():
                raise NoKitError(f"no kit in {start}: it has no {MARK}", hint="kitgen init DIR starts one")
            return start.resolve()
        here = absolute(Path())
        for folder in (here, *here.parents):
            if (folder / MARK).is_file():
                return folder
    except OSError as error:
        where = f" in {start}" if start is not None else ""
        raise KitgenError(f"cannot look for a kit{where}: {error.strerror}") from error
    raise NoKitError(f"no kit here: no {MARK} in this folder or above it", hint="kitgen init DIR starts one")


def in_kit(start: Path | None) -> bool:
    """Tell whether there is a kit to work on; a root that is named has to be one."""
    try:
        find_root(start)
    except NoKitError:
        if start is not None:
            raise
        return False
    return True
