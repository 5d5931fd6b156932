"""Steps that a migration itself adds to its runbook."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.model.migration import StepPlace
from kitgen.runbook.model import Step
from kitgen.runbook.scene import Scene


def own_steps(scene: Scene, *places: StepPlace) -> Iterator[Step]:
    """Yield the steps that are for these places of a phase, place by place."""
    for place in places:
        for each in scene.migration.steps:
            if (each.phase, each.place) == (scene.phase, place):
                yield Step(title=each.title.rstrip("."), why=each.why, commands=each.commands)
