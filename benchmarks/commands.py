"""What commands cost, in instructions of `import click`."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.kit import copy_kit
from benchmarks.timing import FINDINGS, KITGEN, Row, instructions, run

UNIT = "import click"
CLICK = (sys.executable, "-c", "import click")
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
KUEUE = ("targets/odh.yaml", "    - queue-metrics\n", "")
RHOAI = ("targets/rhoai.yaml", "    - platform-gates\n", "")
ONE_OBJECT = ("targets/odh.yaml", "  kuberay:\n", "  kuberay:\n    replicas: 2\n")
ONE_OF_MANY = ("targets/t007.yaml", "replicas: 2", "replicas: 3")


class Ground:
    """A copy of the project's kit, with a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.kit, self.cache = copy_kit(folder / "kit"), folder / "cache"
        self.click = instructions(CLICK, self.kit)

    def row(self, name: str, goal: float, *args: str) -> Row:
        """Measure a command, its children included."""
        return Row(name=name, cost=self.cost(*args), unit=UNIT, goal=goal)

    def cost(self, *args: str) -> float:
        """Return what a command costs."""
        return instructions([*FINDINGS, *KITGEN, *args], self.kit, self.cache) / self.click

    def prepare(self, *args: str) -> None:
        """Run a command with an empty cache and without what was rendered, and keep what it leaves."""
        self.forget()
        run([*FINDINGS, *KITGEN, *args], self.kit, self.cache)

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


def rows() -> Iterator[Row]:
    """Measure the commands that people and machines run all day."""
    with tempfile.TemporaryDirectory() as folder:
        ground = Ground(Path(folder))
        yield ground.row("--help", 1.2, "--help")
        yield ground.row("check --explain pod-probes", 1.6, "check", "--explain", "pod-probes")
        yield ground.row("list", 4, "list")
        yield ground.row("list, again", 2.3, "list")
        for name in ("kueue", "kuberay"):
            ground.forget()
            yield ground.row(f"build odh {name}", 7, "build", "odh", name)
            yield ground.row(f"build odh {name}, again", 3, "build", "odh", name)
        for name, change, goal in (("odh's Kueue", KUEUE, 6), ("rhoai", RHOAI, 3.5)):
            ground.prepare("build", "odh", "kueue")
            with ground.edited(*change):
                yield ground.row(f"edit {name}, build odh kueue", goal, "build", "odh", "kueue")
        ground.forget()
        yield ground.row("render", 15, "render")
        yield ground.row("render, nothing changed", 2.3, "render")
        yield ground.row("why in a rendered kit", 5, "why", "odh", DEPLOYMENT, "spec.replicas")
        with ground.edited(*ONE_OBJECT):
            yield ground.row("edit a value of one object, render", 9, "render")
        ground.forget()
        yield ground.row("check", 22, "check")
        with ground.edited(*ONE_OBJECT):
            yield ground.row("edit a value of one object, check", 10, "check")
        ground.forget()
        yield ground.row("diff odh@v1.5.0 odh@v1.15.0", 16, "diff", "odh@v1.5.0", "odh@v1.15.0")
        yield from _grow(ground)


def _grow(ground: Ground) -> Iterator[Row]:
    """Measure what further targets cost, and one edit among many."""
    costs = []
    for count in (MORE, 2 * MORE):
        ground.forget()
        ground.add_targets(count)
        costs.append(ground.cost("render"))
    yield Row(name="each further target", cost=(costs[1] - costs[0]) / MORE, unit=UNIT, goal=1.2)
    ground.add_targets(MANY)
    ground.prepare("render")
    with ground.edited(*ONE_OF_MANY):
        yield ground.row(f"edit one of {MANY} targets, render", 13, "render")
