"""Kill writes at every system call that changes the disk, and print what was found after repair.

Runs as a program of its own: it forks, which a test process with threads must not do.
"""

import json
import os
import shutil
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "unit/files"))

from calls import killed
from trees import files_of, fill, marked

from kitgen.files.apply import apply_tree, recover_write

OLD = marked(dict.fromkeys(("a", "b/c", "b/d/e", "file", "folder/in/it"), "old") | {"keep": "same"})
NEW = marked(dict.fromkeys(("a", "b/c", "x/y/z", "file/now/folder", "folder"), "new") | {"keep": "same"})
MINE = {"b/mine": "mine", "mine": "mine"}


def prepare(out: Path) -> None:
    shutil.rmtree(out, ignore_errors=True)
    apply_tree(OLD, out)
    fill(out, MINE)


def judge(out: Path) -> str:
    """Repair, and name the tree that is there then."""
    recover_write(out)
    found = {path: text for path, text in files_of(out).items() if path not in MINE}
    mine = all((out / path).read_text() == text for path, text in MINE.items())
    state = sorted(path.name for path in (out / ".kitgen").iterdir())
    folders = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_dir()}
    for name, tree in (("old", OLD), ("new", NEW)):
        listed = (out / ".kitgen/files").read_text().split() == sorted(tree)
        known = {parent.as_posix() for path in [*tree, *MINE] for parent in Path(path).parents}
        if found == tree and mine and listed and folders - {".kitgen"} <= known:
            return name if state == [".gitignore", "files", "lock"] else f"{name} with {state}"
    return f"a mix: {found} {folders}"


def main(folder: Path) -> None:
    out = folder / "out"
    # A kill loses nothing that was written, so there is no need to wait for the disk.
    os.fsync = lambda _: None  # type: ignore[assignment]
    results: list[str] = []
    count = 1
    while True:
        prepare(out)
        if not killed(lambda: apply_tree(NEW, out), count):
            break
        if count % 8 == 0:
            results += killed_repairs(out, folder / "saved")
        results.append(judge(out))
        count += 1
    print(json.dumps([*results, *first_writes(out)]))  # noqa: T201


def killed_repairs(out: Path, saved: Path) -> list[str]:
    """Kill the repair of a half-done write as well, at every step of its own."""
    results: list[str] = []
    shutil.copytree(out, saved)
    while killed(lambda: recover_write(out), len(results) + 1):
        results.append(judge(out))
        shutil.rmtree(out)
        shutil.copytree(saved, out)
    shutil.rmtree(saved)
    return results


def first_writes(out: Path) -> list[str]:
    """Kill the write into a folder that is not there yet; repair, look, and write again."""
    results: list[str] = []
    while True:
        shutil.rmtree(out, ignore_errors=True)
        if not killed(lambda: apply_tree(NEW, out), len(results) + 1):
            return results
        recover_write(out)
        found = files_of(out)
        apply_tree(NEW, out)
        whole = found in ({}, NEW) and files_of(out) == NEW
        results.append("new" if whole else f"a mix: {found}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
