"""Kill a command that writes at every system call that changes the disk, and print what was found.

Whatever a kill leaves, the next command repairs: then all is old or all is new, which `render --check` knows.
Running the command again makes it new, without a trace.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

from kill_everywhere import killed
from running import run
from writers import WRITERS

from kitgen import write
from kitgen.pipeline.crds import importing

UMASK = 0o077
ONCE = {"init": 2, "flatten": 2, "retire": 2, "import a component": 2, "release new": 1}
"""What says that it is done already, and how."""
USUAL = ("files", ".gitignore", "lock")
"""What kitgen keeps for itself in a folder that was rendered."""


def remembered(function: Callable[..., object]) -> Callable[..., object]:
    """Do it once for the same input: what is killed is the write, not the thinking before it."""
    known: dict[str, object] = {}

    def wrapped(*args: object, **options: object) -> object:
        key = repr((args, options))
        if key not in known:
            known[key] = function(*args, **options)
        return known[key]

    return wrapped


def state(folder: Path) -> dict[str, tuple[str, int]]:
    """Return every file with its text and mode, and every folder with its mode; not what kitgen keeps."""
    return {
        path.relative_to(folder).as_posix(): (
            path.read_text(encoding="utf-8") if path.is_file() else "",
            path.stat().st_mode,
        )
        for path in sorted(folder.rglob("*"))
        if not {".kitgen", "cache"} & set(path.relative_to(folder).parts)
    }


def traces(folder: Path) -> list[str]:
    """Return what kitgen left for itself, but for what every rendered folder has."""
    states = [path for path in folder.rglob(".kitgen") if path.is_dir()]
    return [
        str(path)
        for each in states
        for path in ([each] if not (each / "files").exists() else each.iterdir())
        if path == each or path.name not in USUAL
    ]


class Judge:
    """One command, and its folder before and after."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder, self.writer = name, folder, WRITERS[name]
        self.writer.prepare(folder)
        self.old = state(folder)
        self.work()
        self.new = state(folder)
        if left := traces(folder):
            sys.exit(f"{name} left {left}")

    def work(self) -> None:
        done = self.writer.run(self.folder)
        if done.code:
            sys.exit(f"{self.name} failed: {done}")

    def judge(self) -> str:
        """Let the next command repair, and say what is there then; the command itself does the rest."""
        self.repair()
        found = state(self.folder)
        files = {path: each for path, each in found.items() if each[0]}
        trees = {"new": self.new, "old": self.old}
        names = [
            name
            for name, tree in trees.items()
            if files == {path: each for path, each in tree.items() if each[0]}
        ]
        wrong = [path for path, (_, mode) in found.items() if mode != {**self.old, **self.new}[path][1]]
        if not names or wrong:
            return f"a mix: {sorted(found)}, modes: {wrong}"
        if self.name.startswith("render") and self.up_to_date() != (names[0] == "new"):
            return f"{names[0]}, and render --check says otherwise"
        again = self.writer.run(self.folder)
        # What is there, or gone, cannot be asked for again.
        done = again.code == (ONCE.get(self.name, 0) if names[0] == "new" else 0)
        if not done or state(self.folder) != self.new or traces(self.folder):
            return f"{names[0]}, and then {again} {traces(self.folder)}"
        return names[0]

    def repair(self) -> None:
        """Run a command that only looks; a folder elsewhere is looked at by those that write there."""
        if self.name == "render elsewhere":
            self.up_to_date()
        elif self.name == "export":
            write.recover(self.folder / "kit/build/out")
        elif self.name == "init":
            write.recover_change(self.folder / "kit")
        else:
            checked = run("check", "-o", "lines", "-q", *self.root)
            if checked.code and self.name != "upgrade":
                sys.exit(f"{self.name} left what cannot be read: {checked}")

    @property
    def root(self) -> tuple[str, ...]:
        return ("--root", str(self.folder / "kit"))

    def up_to_date(self) -> bool:
        out = ("--out", str(self.folder / "kit/build/out")) if "elsewhere" in self.name else ()
        return run("render", "--check", *out, *self.root).code == 0


def main(folder: Path, name: str) -> None:
    os.fsync = lambda _: None  # type: ignore[assignment]
    os.environ["KITGEN_CACHE_DIR"] = str(folder / "work/cache")
    sys.dont_write_bytecode = True
    importing.import_crds = remembered(importing.import_crds)  # type: ignore[assignment]
    judge = Judge(name, folder / "work")
    os.umask(UMASK)
    results: list[str] = []
    while True:
        judge.writer.prepare(judge.folder)
        if not killed(judge.work, len(results) + 1):
            break
        results.append(judge.judge())
    print(json.dumps(results))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
