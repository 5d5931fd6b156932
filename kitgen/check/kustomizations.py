"""Check that kustomize builds a rendered kustomization from nothing but generated files.

Kustomize fetches the addresses, repositories and charts that a kustomization names. The list of generated
files and their headers can be forged, so every path of a build must lead to a file on the list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from posixpath import join, normpath
from typing import TypeAlias

from kitgen.findings import Finding, Origin, Path, problem
from kitgen.text.values import entries_at, list_at
from kitgen.text.wording import shown
from kitgen.text.yaml import Json, JsonObject, YamlError, read

NAME = "kustomization.yaml"
FIELDS = {
    *("apiVersion", "kind", "namespace", "labels", "sortOptions", "resources", "patches"),
    *("configMapGenerator", "replacements", "transformers"),
}
"""What kitgen writes. Other fields may lead kustomize to files, addresses and programs."""
ITEMS = {
    "patches": {"path", "target"},
    "configMapGenerator": {"name", "envs", "options"},
    "replacements": {"source", "targets"},
}
"""The same for the items of a field."""
PLAIN = re.compile(r"(\.\./)*[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")
ADDRESS = re.compile(r"(\.\./)*github\.com(/|$)|.*(\.git|/_git)(/|$)", re.IGNORECASE)
"""What kustomize takes for a repository, even where there is a folder of that name."""
MAX_KUSTOMIZATION = 2**20
MAX_FOLDERS = 10_000
Read: TypeAlias = Callable[[str, int], str | None]
"""Returns how a file of the rendered folder begins, None where kitgen wrote none."""


def not_rendered(folder: str, text: Read, out: str) -> Iterator[Finding]:
    """Yield a finding for whatever a build of a folder would need that kitgen did not write."""
    todo, seen = [folder], {folder}
    while todo:
        place = todo.pop()
        file = join(place, NAME)
        data = _kustomization(text(file, MAX_KUSTOMIZATION))
        at = Origin(f"{out}/{file}", (), 1)
        if len(seen) > MAX_FOLDERS:
            yield _finding(f"found more than {MAX_FOLDERS} folders in one build, expected at most that", at)
            return
        if data is None:
            yield _finding(f"found no {NAME} that kitgen wrote", at)
            continue
        for path, found in _foreign(data):
            yield _finding(f"found {found}, which kitgen does not write", Origin(f"{out}/{file}", path))
        for path, name in _named(data):
            there = normpath(join(place, name)) if _plain(name) else ""
            if there and text(there, 0) is not None:
                if path[0] == "transformers" and not _moves_back(text(there, MAX_KUSTOMIZATION)):
                    yield _finding(
                        f"found {shown(name)}, which does more than kitgen writes",
                        Origin(f"{out}/{file}", path),
                    )
                continue
            if there and path[0] == "resources" and text(join(there, NAME), 0) is not None:
                todo += [there] if there not in seen else []
                seen.add(there)
                continue
            yield _finding(
                f"found {shown(name)}, expected a file that kitgen wrote", Origin(f"{out}/{file}", path)
            )


def _finding(message: str, origin: Origin) -> Finding:
    return problem("kustomize-build", message, hint="kitgen render writes it anew").at(origin)


def _kustomization(text: str | None) -> JsonObject | None:
    """Return what a kustomization says; None if it is none, or so large that its end is not known."""
    try:
        # Bytes were read, and a character may take several: by characters, one that was cut would look whole.
        whole = text is not None and len(text.encode()) < MAX_KUSTOMIZATION
        data = read(text) if text is not None and whole else None
    except YamlError:
        return None
    return data if isinstance(data, dict) else None


def _moves_back(text: str | None) -> bool:
    """Return whether a transformer only patches objects, by its content: others fetch and run things."""
    data = _kustomization(text)
    return (
        data is not None
        and data.keys() <= {"apiVersion", "kind", "metadata", "target", "patch"}
        and (data.get("apiVersion"), data.get("kind")) == ("builtin", "PatchTransformer")
        and isinstance(data.get("metadata"), dict)
        and data["metadata"].keys() == {"name"}
    )


def _plain(name: Json) -> bool:
    return isinstance(name, str) and bool(PLAIN.fullmatch(name)) and not ADDRESS.match(name)


def _foreign(data: JsonObject) -> Iterator[tuple[Path, str]]:
    """Yield the fields that kitgen never writes."""
    yield from (((key,), f"the field {shown(key)}") for key in data if key not in FIELDS)
    for field, known in ITEMS.items():
        for index, item in enumerate(list_at(data, field)):
            if not isinstance(item, dict):
                yield (field, index), shown(item, reveal=False)
                continue
            yield from (((field, index, key), f"the field {shown(key)}") for key in item if key not in known)
    for field in ("resources", "transformers", *ITEMS):
        if not isinstance(data.get(field, []), list):
            yield (field,), shown(data[field], reveal=False)


def _named(data: JsonObject) -> Iterator[tuple[Path, Json]]:
    """Yield every file and folder that a kustomization names."""
    for field in ("resources", "transformers"):
        yield from (((field, index), name) for index, name in enumerate(list_at(data, field)))
    for index, patch in entries_at(data, "patches"):
        if "path" in patch:
            yield ("patches", index, "path"), patch["path"]
    for index, made in entries_at(data, "configMapGenerator"):
        files = made.get("envs", [])
        for number, name in enumerate(files if isinstance(files, list) else [files]):
            yield ("configMapGenerator", index, "envs", number), name
