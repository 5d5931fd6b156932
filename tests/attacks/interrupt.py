"""Interrupt a command that writes at every call that changes the disk, and print what was found.

A kill: whatever it leaves, the next command repairs; then all is old or all is new, which `render --check`
knows. Running the command again makes it new, without a trace.

A full disk: the command reports it, all is old, and nothing is left. With space, it makes it new.

An edit: somebody changes, makes or removes a file that the command is about to write. That is never lost.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

from calls import Edit, FullDisk, Interrupted, Interruption, Kill, at_once
from running import Run, run
from writers import WRITERS

from kitgen.files.apply import recover_write
from kitgen.files.atomic import WAITING
from kitgen.files.edits import recover_change
from kitgen.importing import crd_import as importing

UMASK = 0o077
USUAL = ("files", ".gitignore", "lock")
"""What kitgen keeps for itself in a folder that was rendered."""
EDITED = "# edited by somebody else\n"
FEW = 12
"""Calls that are tried at the start and at the end where those between are alike."""
SPARE = 7
HOWS = ("killed", "filled", "edited")

State = dict[str, tuple[str, int]]


def remembered(function: Callable[..., object]) -> Callable[..., object]:
    """Do it once for the same input: what is interrupted is the write, not the thinking before it."""
    known: dict[str, object] = {}

    def wrapped(*args: object, **options: object) -> object:
        key = repr((args, options))
        if key not in known:
            known[key] = function(*args, **options)
        return known[key]

    return wrapped


def state(folder: Path) -> State:
    """Return every file with its text and mode, and every folder with its mode; not what kitgen keeps."""
    return {
        path.relative_to(folder).as_posix(): (
            path.read_text(encoding="utf-8") if path.is_file() else "",
            path.stat().st_mode,
        )
        for path in sorted(folder.rglob("*"))
        if not {".kitgen", "cache"} & set(path.relative_to(folder).parts) and not WAITING.fullmatch(path.name)
    }


def whole(folder: Path) -> frozenset[tuple[str, int, bytes]]:
    """Return all that is there, what kitgen keeps too; its waiting files have new names each time."""
    found = []
    for place, _, files in os.walk(folder):
        found.append((place, os.lstat(place).st_mode, b""))
        for path in (Path(place, name) for name in files):
            known = "waiting" if path.name.startswith(".kitgen-") else path.name
            content = bytes(path.readlink()) if path.is_symlink() else path.read_bytes()
            found.append((f"{place}/{known}", path.lstat().st_mode, content))
    return frozenset(found)


def texts(found: State) -> State:
    return {path: each for path, each in found.items() if each[0]}


def traces(folder: Path) -> list[str]:
    """Return what kitgen left for itself, but for what every rendered folder has."""
    states = [path for path in folder.rglob(".kitgen") if path.is_dir()]
    left = [
        path
        for each in states
        for path in ([each] if not (each / "files").exists() else each.iterdir())
        if path == each or path.name not in USUAL
    ]
    waiting = (path for path in folder.rglob(".kitgen-*") if path.parent.parent != folder / "cache")
    return [str(path) for path in (*left, *waiting)]


class Judge:
    """One command, and its folder before and after."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder, self.writer = name, folder, WRITERS[name]
        self.known: dict[object, Any] = {}
        self.writer.prepare(folder)
        self.old, checked = state(folder), [self.check()]
        done = self.work()
        if done.code:
            sys.exit(f"{self.name} failed: {done}")
        self.new, self.checked = state(folder), [*checked, self.check()]
        if left := traces(folder):
            sys.exit(f"{name} left {left}")

    def work(self) -> Run:
        return self.writer.run(self.folder)

    def begin(self) -> Interrupted:
        """Run the command up to its first change of the disk."""
        self.writer.prepare(self.folder)
        return Interrupted(self.work)

    def counts(self, begun: Interrupted) -> range:
        """Return the numbers of the calls that change the disk."""
        self.writer.prepare(self.folder)
        return range(1, begun.go_on(0, Interruption())[0] + 1)

    def killed(self) -> Iterator[str]:
        """Kill the command at every call."""
        with self.begin() as begun:
            for count in self.counts(begun):
                self.writer.prepare(self.folder)
                begun.go_on(count, Kill())
                yield self.after_a_kill()

    def after_a_kill(self) -> str:
        """Let the next command repair, and say what is there then; the command itself does the rest."""
        if self.writer.out:  # a folder elsewhere is looked at by those that write there
            (recover_write if self.writer.generated else recover_change)(self.folder / self.writer.out)
        else:
            run("list", *self.root)
        return self.once(self.after_repair)

    def once(self, look: Callable[..., str], *args: str) -> str:
        """Look at a folder once: most steps leave the same as the one before, once that is repaired."""
        key = (look.__name__, args, whole(self.folder))
        if key not in self.known:
            self.known[key] = look(*args)
        found: str = self.known[key]
        return found

    def after_repair(self) -> str:
        """Say what is there, and whether the command makes it new."""
        if not self.writer.out and (checked := self.check()) not in self.checked:
            sys.exit(f"{self.name} left what cannot be read: {checked}")
        found = state(self.folder)
        names = [name for name, tree in (("new", self.new), ("old", self.old)) if texts(found) == texts(tree)]
        names = names or ["old"] * self.is_mix(found)
        wrong = [path for path, (_, mode) in found.items() if mode != {**self.old, **self.new}[path][1]]
        if not names or wrong:
            return f"a mix: {sorted(found)}, modes: {wrong}"
        if self.name.startswith("render") and self.up_to_date() != (names[0] == "new"):
            return f"{names[0]}, and render --check says otherwise"
        return self.once_more(names[0])

    def is_mix(self, found: State) -> bool:
        """Tell whether each file is old or new, and the command writes them one by one."""
        trees = (self.old, self.new)
        return self.writer.single and all(
            any(each == tree.get(path) for tree in trees) for path, each in texts(found).items()
        )

    def once_more(self, name: str) -> str:
        """Run the command again, which makes all new."""
        again = self.work()
        done = again.code == (self.writer.again if name == "new" else 0)
        found = state(self.folder)
        new = texts(found) == texts(self.new) if self.writer.single else found == self.new
        if not done or not new or traces(self.folder):
            return f"{name}, and then {again} {traces(self.folder)}"
        return name

    def filled(self) -> Iterator[str]:
        """Fill the disk at calls."""
        with self.begin() as begun:
            counts = self.counts(begun)
            for count in counts:
                if count <= FEW or count > len(counts) - FEW or count % SPARE == 0:
                    self.writer.prepare(self.folder)
                    yield self.after_a_full_disk(begun.go_on(count, FullDisk())[1])

    def after_a_full_disk(self, done: Run) -> str:
        """Say what is there after the command; where there is space again, it does the rest."""
        found, left = state(self.folder), traces(self.folder)
        name = "new" if done.code == 0 else "old"
        tree = self.new if done.code == 0 else self.old
        if not (texts(found) == texts(tree) or self.is_mix(found)) or left or not self.reported(done):
            return f"{name} expected: {done}, {sorted(found)}, {left}"
        return self.once(self.once_more, name)

    def reported(self, done: Run) -> bool:
        """Tell whether a command says that the disk is full, if it failed; its memory may stay empty."""
        failed = 3 if self.writer.args else 1  # pytest's own
        return done.code == 0 or (done.code == failed and "no space left" in (done.out + done.err).lower())

    def edited(self) -> Iterator[str]:
        """Let somebody edit at every call a file that the command writes; and the others at the first one."""
        paths = [path for path, each in {**self.new, **self.old}.items() if self.differs(path)]
        with self.begin() as begun:
            for number, path in enumerate(paths):
                for count in self.counts(begun) if number == 0 else (1,):
                    self.writer.prepare(self.folder)
                    done = begun.go_on(count, Edit(partial(edit, self.folder / path)))[1]
                    kept = (self.folder / path).read_text() if (self.folder / path).is_file() else ""
                    refused = done.code in (1, 2, 3) and "kitgen failed" not in done.err
                    fine = EDITED in kept and (refused or done.code == 0)
                    yield "kept" if fine else f"{path} {count}: {done}"

    def differs(self, path: str) -> bool:
        """Tell whether the command makes, changes or removes a file; of its own, only new ones count."""
        old, new = (tree.get(path, ("", 0))[0] for tree in (self.old, self.new))
        return old != new and not (self.writer.generated and old)

    def check(self) -> Run:
        """Check the kit; its findings are those before the command, or those after it."""
        return run("check", "-o", "lines", "-q", *self.root)

    @property
    def root(self) -> tuple[str, ...]:
        return ("--root", str(self.folder / "kit"))

    def up_to_date(self) -> bool:
        out = ("--out", str(self.folder / self.writer.out)) if self.writer.out else ()
        return run("render", "--check", *out, *self.root).code == 0


def edit(path: Path) -> None:
    """Change a file, or make it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(EDITED)


def interrupt(name: str, place: Path) -> dict[str, list[str]]:
    """Interrupt a command in each way."""
    os.environ["KITGEN_CACHE_DIR"] = str(place / "cache")
    judge = Judge(name, place)
    os.umask(UMASK)
    # What stands in the place of a snapshot is written over, whoever wrote it.
    hows = [how for how in HOWS if (name, how) != ("snapshots", "edited")]
    return {how: [*getattr(judge, how)()] for how in hows}


def main(folder: Path, *names: str) -> None:
    os.fsync = lambda _: None  # type: ignore[assignment]
    sys.dont_write_bytecode = True
    importing.import_crds = remembered(importing.import_crds)  # type: ignore[assignment]
    # Each has a child of its own: the less of others there is in memory, the faster it forks.
    results = {name: at_once([partial(interrupt, name, folder / name)])[0] for name in names}
    print(json.dumps(results))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
