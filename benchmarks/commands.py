"""What commands cost, in instructions of `import click`: a busy machine does not matter then.

Where valgrind is missing, processor time is measured instead, as a ratio to the same import.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kit import KIT, SPECS

KITGEN = (sys.executable, "-m", "kitgen")
UNIT = (sys.executable, "-c", "import click")
COUNTED = re.compile(r"^summary: (\d+)", re.MULTILINE)
DEPLOYMENT = "Deployment/kueue-controller-manager"
MORE = 10
"""Further targets that are rendered to know what each costs."""
MANY = 100
TARGET = """\
target: {name}
release: v1.5.0
platform: odh
namespace: {name}-system
components:
  kueue:
    replicas: 2
    resources: {{manager: {{memory: 1Gi}}}}
    labels: [{{pairs: {{app.kubernetes.io/name: kueue}}, selectors: true}}]
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A command, what it costs, and what it may cost."""

    name: str
    cost: float
    goal: float


class Ground:
    """A copy of the project's kit, with a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.kit, self.cache = folder / "kit", folder / "cache"
        self.kit.mkdir()
        for name in SPECS:
            source = KIT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, self.kit / name)
        self.unit = self.measure(UNIT)

    def run(self, *args: str) -> None:
        """Run kitgen, whatever it finds."""
        self._call([*KITGEN, *args])

    def cost(self, *args: str) -> float:
        """Return what a command costs, its children included."""
        return self.measure((*KITGEN, *args)) / self.unit

    def measure(self, argv: tuple[str, ...]) -> float:
        """Count instructions; where that cannot be, take the least processor time of three runs."""
        if not shutil.which("valgrind"):
            return min(self._seconds(argv) for _ in range(3))
        with tempfile.TemporaryDirectory() as folder:
            tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes"]
            self._call([*tool, f"--cachegrind-out-file={folder}/%p", *argv])
            return sum(int(COUNTED.findall(path.read_text())[0]) for path in Path(folder).iterdir())

    def _seconds(self, argv: tuple[str, ...]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._call([*argv])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def _call(self, argv: list[str]) -> None:
        env = {**os.environ, "KITGEN_CACHE_DIR": str(self.cache)}
        done = subprocess.run(argv, cwd=self.kit, env=env, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"{argv} failed: {done.stderr}")

    def forget(self) -> None:
        """Empty the cache, and take away what was rendered."""
        shutil.rmtree(self.cache, ignore_errors=True)
        shutil.rmtree(self.kit / "overlays", ignore_errors=True)

    @contextmanager
    def edited(self, file: str, old: str, new: str) -> Iterator[None]:
        """Change a spec, and take that back."""
        path = self.kit / file
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            sys.exit(f"{file} has {old!r} {text.count(old)} times")
        path.write_text(text.replace(old, new), encoding="utf-8")
        yield
        path.write_text(text, encoding="utf-8")

    def add_targets(self, count: int) -> None:
        """Add targets with a namespace of their own and two settings."""
        for number in range(count):
            name = f"t{number:03d}"
            (self.kit / f"targets/{name}.yaml").write_text(TARGET.format(name=name), encoding="utf-8")


def rows(ground: Ground) -> Iterator[Row]:
    """Measure every command of the table."""
    kueue = ("targets/odh.yaml", "    - queue-metrics\n", "")
    memory = ("targets/odh.yaml", "  kuberay:\n", "  kuberay:\n    replicas: 2\n")
    rhoai = ("targets/rhoai.yaml", "    - platform-gates\n", "")
    yield Row("--help", ground.cost("--help"), 1.2)
    yield Row("check --explain pod-probes", ground.cost("check", "--explain", "pod-probes"), 1.6)
    yield Row("list", ground.cost("list"), 4)
    yield Row("list, again", ground.cost("list"), 2.3)
    for name in ("kueue", "kuberay"):
        ground.forget()
        yield Row(f"build odh {name}", ground.cost("build", "odh", name), 7)
        yield Row(f"build odh {name}, again", ground.cost("build", "odh", name), 3)
    ground.forget()
    ground.run("build", "odh", "kueue")
    with ground.edited(*kueue):
        yield Row("edit odh's Kueue, build odh kueue", ground.cost("build", "odh", "kueue"), 6)
    with ground.edited(*rhoai):
        yield Row("edit rhoai, build odh kueue", ground.cost("build", "odh", "kueue"), 3.5)
    ground.forget()
    yield Row("render", ground.cost("render"), 15)
    yield Row("render, nothing changed", ground.cost("render"), 2.3)
    yield Row("why in a rendered kit", ground.cost("why", "odh", DEPLOYMENT, "spec.replicas"), 5)
    with ground.edited(*memory):
        yield Row("edit a value of one object, render", ground.cost("render"), 9)
    ground.forget()
    yield Row("check", ground.cost("check"), 22)
    with ground.edited(*memory):
        yield Row("edit a value of one object, check", ground.cost("check"), 10)
    ground.forget()
    yield Row("diff odh@v1.5.0 odh@v1.15.0", ground.cost("diff", "odh@v1.5.0", "odh@v1.15.0"), 16)
    yield from growth(ground)


def growth(ground: Ground) -> Iterator[Row]:
    """Measure what further targets cost, and one edit among many."""
    costs = []
    for count in (MORE, 2 * MORE):
        ground.forget()
        ground.add_targets(count)
        costs.append(ground.cost("render"))
    yield Row("each further target", (costs[1] - costs[0]) / MORE, 1.2)
    ground.add_targets(MANY)
    ground.run("render")
    with ground.edited("targets/t007.yaml", "replicas: 2", "replicas: 3"):
        yield Row(f"edit one of {MANY} targets, render", ground.cost("render"), 13)


def main() -> bool:
    """Print the table; tell whether every goal is reached."""
    with tempfile.TemporaryDirectory() as folder:
        good = True
        print(f"  {'command':<60}{'cost':>8}{'goal':>8}")
        for row in rows(Ground(Path(folder))):
            over = row.cost > row.goal
            good &= not over
            print(
                f"  {row.name:<60}{row.cost:>8.1f}{row.goal:>8.1f}{'  too much' if over else ''}", flush=True
            )
    return good


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
