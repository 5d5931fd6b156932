"""Run a command with each of the others at once on one kit, and print what was found.

One runs when the other has read the kit and is about to write; then both at the same moment. What is there
afterwards is as if they had come one after the other, or one of them refused to write.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import kits
from calls import Edit, Interruption, at_once, interrupted
from commands import attacked_kit
from running import Run, run

LINES = {
    "render": "render --no-cache",
    "export": "export odh exported",
    "pin": "pin rhoai v1.1.0",
    "flatten": "flatten hello@v1.1.0",
    "retire": "retire hello@v0.9.0",
    "release new": "release new v2.1.0 --from v2.0.0 --date 2030-01-31 --reason because",
    "images lock": "images lock digests.json --release v1.0.0 --tool skopeo",
    "crd import": "crd import real.yaml --component hello --version v1.0.0",
    "import": "import real.yaml --as hello@v9.0.0 --from hello@v1.0.0 --target olm=real.yaml",
    "matrix": "matrix README.md --release v1.0.0 --write",
}
"""Commands that write into one kit."""
State = dict[str, str]


def state(root: Path) -> State:
    """Return every file with its text, but for what kitgen keeps for itself."""
    found = (path for path in sorted(root.rglob("*")) if path.is_file() and ".kitgen" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_text() for path in found}


class Kit:
    """A kit that commands run on, each time as it was at first."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.first = folder, attacked_kit(folder / "first")
        old = self.first / "components/hello/v0.9.0"
        shutil.copytree(kits.CASES / "kit/components/hello/v1.0.0", old)
        spec = old / "component.yaml"
        spec.write_text(spec.read_text().replace("version: v1.0.0", "version: v0.9.0"))
        for name in LINES:  # what children import and read of kitgen, they have from here
            self.fresh()
            run_line(name)

    def fresh(self, made: Path | None = None) -> Path:
        """Return a copy, in which commands are run."""
        root = self.folder / "kit"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(made or self.first, root, symlinks=True)
        os.chdir(root)
        return root

    @cache  # noqa: B019 # there is one
    def after(self, *names: str) -> tuple[tuple[int, ...], State]:
        """Return how commands end, and what is there, if they come one after the other."""
        if not names:
            return (), state(self.first)
        *before, name = names
        codes, _ = self.after(*before)
        root = self.fresh(self.folder / "-".join(before) if before else None)
        done = interrupted(lambda: run_line(name), 0, Interruption())[1]
        if not before:
            shutil.copytree(root, self.folder / name, symlinks=True)
        return (*codes, done.code), state(root)

    def within(self, outer: str, inner: str) -> str:
        """Run a command just before another one writes."""
        root, inside = self.fresh(), list[Run]()

        def work() -> tuple[Run, Run]:
            done = run_line(outer)
            return done, inside[0]

        _, runs = interrupted(work, 1, Edit(lambda: inside.append(run_line(inner))))
        return self.judge((outer, inner), runs, state(root))

    def beside(self, *names: str) -> str:
        """Run two commands at the same moment."""
        root = self.fresh()
        return self.judge(names, at_once([lambda name=name: run_line(name) for name in names]), state(root))

    def judge(self, names: tuple[str, ...], runs: list[Run] | tuple[Run, ...], found: State) -> str:
        """Tell whether it is as if the commands had come one after the other, or one of them not at all."""
        codes = tuple(each.code for each in runs)
        if any(each.code not in (0, 1, 2, 3) or "kitgen failed" in each.err for each in runs):
            return f"{names}: {runs}"
        if self.after(*names) == (codes, found) or self.after(*reversed(names)) == (codes[::-1], found):
            return "serial"
        # One that reads while the other writes may also find what is half there, and writes nothing then.
        left = [name for name, code in zip(names, codes, strict=True) if code == 0]
        if len(left) < len(names) and self.after(*left)[1] == found:
            return "refused"
        wrong = sorted(path for path, _ in found.items() ^ self.after(*names)[1].items())
        return f"{names}: {codes} {[each.err[-300:] for each in runs]} {wrong}"


def run_line(name: str) -> Run:
    return run(*LINES[name].split())


def results(kit: Kit, name: str) -> Iterator[str]:
    """Yield what comes of a command with half of the others, which have the rest, and with itself."""
    names, each = [*LINES], [*LINES].index(name)
    for step in range(len(names) // 2 + 1):
        other = names[(each + step) % len(names)]
        if 2 * step == len(names) and each > names.index(other):
            continue  # it is the other's
        yield kit.within(name, other)
        if name != other:
            yield kit.within(other, name)
        yield kit.beside(name, other)


def main(folder: Path, *names: str) -> None:
    os.fsync = lambda _: None  # type: ignore[assignment]
    os.environ["KITGEN_CACHE_DIR"] = str(folder / "cache")
    sys.dont_write_bytecode = True
    kit = Kit(folder)
    print(json.dumps({name: [*results(kit, name)] for name in names}))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
