"""Paths: folders of a repository that Applications name, and how Argo CD would read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from posixpath import basename

from kitgen.argocd.rules.applications import App, AppSource, folder, found_in
from kitgen.argocd.rules.globs import matches
from kitgen.check.context import CheckContext, Hit, SyncedFolder
from kitgen.check.limits import MAX_DIRECTORY
from kitgen.findings import Problem, near, problem
from kitgen.text.values import text_at, value_at
from kitgen.text.wording import counted, shown

OUT = ".."


def look(context: CheckContext, apps: list[App]) -> Iterator[Hit]:
    """Yield paths that lead nowhere, and folders that are not read as they are meant."""
    for app in apps:
        for source in app.sources:
            wrong = _shape(source) or _missing(context, source)
            found = found_in(context, source)
            if wrong is None and found is not None:
                wrong = _directory(source, found)
            if wrong is not None:
                yield Hit(app.target, app.manifest, wrong.below(*source.path))


def misplaced(said: str, here: str) -> Iterator[Problem]:
    """Yield that a kit is in another folder of its repository than a target says."""
    if folder(said) != here:
        what = f"the folder {shown(said)}" if said else "no folder"
        where = f"in {shown(here)}" if here else "at the top of the repository"
        hint = f"write folder: {here}" if here else "remove it"
        yield problem("argocd-path", f"found {what}, but the kit is {where}", ("folder",), hint)


def _shape(source: AppSource) -> Problem | None:
    if source.place is None:
        return None
    path = text_at(source.body, "path")
    if path.startswith("/"):
        return problem(
            "argocd-path", f"found the absolute path {shown(path)}", ("path",), "leave out the first slash"
        )
    if OUT in path.split("/"):
        message = f"found the path {shown(path)}, expected one without '..'"
        return problem("argocd-path", message, ("path",), "a path starts at the top of the repository")
    return None


def _missing(context: CheckContext, source: AppSource) -> Problem | None:
    if source.place is None or context.folders.get(source.place, source) is not None:
        return None
    repository, path = source.place
    known = [at for (where, at), found in context.folders.items() if where == repository and found]
    message = f"found the path {shown(text_at(source.body, 'path'))}, but the repository has no such folder"
    return problem("argocd-path", message, ("path",), near(path, known))


def _directory(source: AppSource, found: SyncedFolder) -> Problem | None:
    """Return what is wrong with a folder that Argo CD reads as it is."""
    said = source.body.get("directory")
    if found.built:
        if not isinstance(said, dict) or not said:
            return None
        message = f"found directory, but the folder has a {found.built}"
        return problem(
            "argocd-directory", message, ("directory",), "remove it, and Argo CD builds the folder"
        )
    size, count = _read(source, found.files)
    if size <= MAX_DIRECTORY:
        return None
    return problem(
        "size-directory",
        f"found {counted(count, 'file')} of manifests with {size:,} bytes in the folder, of which Argo CD "
        f"reads {MAX_DIRECTORY:,}",
        ("path",),
        "split it, or raise reposerver.max.combined.directory.manifests.size",
    )


def _read(source: AppSource, files: Mapping[str, int]) -> tuple[int, int]:
    """Return how many bytes and files Argo CD reads of a folder."""
    deep = value_at(source.body, "directory", "recurse") is True
    include, exclude = (text_at(source.body, "directory", key) for key in ("include", "exclude"))
    sizes = [
        size
        for file, size in files.items()
        if (deep or "/" not in file)
        and (not include or _fits(include, file) is True)
        and (not exclude or _fits(exclude, file) is False)
    ]
    return sum(sizes), len(sizes)


def _fits(pattern: str, file: str) -> bool | None:
    """Tell whether a pattern means a file, by its path or by its name alone."""
    whole, name = matches(pattern, file), matches(pattern, basename(file))
    return None if whole is None or name is None else whole or name
