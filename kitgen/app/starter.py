"""Run `kitgen init`: write the files of a new kit."""

from __future__ import annotations

import json
import re
from pathlib import Path

from kitgen.files.edits import change_files, recover_change
from kitgen.files.root import to_absolute_path
from kitgen.findings.errors import KitgenError, UsageError
from kitgen.text import schema_check as schemafiles
from kitgen.text.yaml import dump_yaml

STARTER = Path(__file__).parent / "starter_kit"
"""A small kit, whole and valid."""
HIDDEN = "dot-"
"""How names begin there that begin with a dot in the kit, so that nothing takes them for its own."""
EMPTY = ".git"
"""What an empty folder may hold: a repository that waits for its first commit."""


def start_kit(folder: Path) -> None:
    """Write a new kit into a folder that is new or empty, wholly or not at all."""
    try:
        recover_change(folder)
        if folder.exists() and any(each.name != EMPTY for each in folder.iterdir()):
            raise UsageError(f"{folder} is not empty", hint="choose a new folder")
    except OSError as error:
        raise KitgenError(f"cannot write {folder}: {error.strerror}") from error
    change_files(folder, {}, render_starter_files(to_absolute_path(folder).name))


def suggest_kit_name(folder: str) -> str:
    """Return a name for a kit that is like its folder's."""
    return re.sub(r"[^a-z0-9.-]+", "-", folder.lower())[:253].strip(".-") or "my-kit"


def render_starter_files(folder: str) -> dict[str, str]:
    """Return the files of a new kit in a folder of this name."""
    files = {
        _restore_dot_names(path.relative_to(STARTER)): path.read_text(encoding="utf-8")
        for path in sorted(STARTER.rglob("*"))
        if path.is_file()
    }
    name = suggest_kit_name(folder)
    files["kit.yaml"] = files["kit.yaml"].replace("kit: my-kit\n", dump_yaml({"kit": name}))
    files["README.md"] = files["README.md"].replace("# my-kit\n", f"# {name}\n")
    for name in (each for each in schemafiles.list_schema_names() if not each.startswith("output/")):
        files[f"schemas/{name}.json"] = (
            json.dumps(schemafiles.read_schema(name), indent=2, ensure_ascii=False) + "\n"
        )
    return files


def _restore_dot_names(path: Path) -> str:
    return "/".join(
        f".{part.removeprefix(HIDDEN)}" if part.startswith(HIDDEN) else part for part in path.parts
    )
