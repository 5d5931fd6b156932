"""The steps in which Argo CD syncs the Applications of an ApplicationSet (RollingSync).

Labels of the Applications that a fleet is made of; steps of a rollout go by them.
"""

from __future__ import annotations

from msgspec import Struct

from kitgen.kube.selectors import LabelSelector, read_selector
from kitgen.text.yaml import JsonObject


class RolloutStep(Struct, frozen=True, kw_only=True):
    """Applications that are synced together, once all of the step before are healthy."""

    labels: LabelSelector
    at_once: int | str | None = None
    """How many of them at a time, as a number or a percentage; all when absent."""

    def count_at_once(self, total: int) -> int:
        """Return how many of the step's Applications change at a time; 0 where they wait for somebody."""
        match self.at_once:
            case None:
                return total
            case int():
                return min(self.at_once, total)
            case _:
                share = total * int(self.at_once.removesuffix("%")) // 100
                return max(share, 1) if total else 0


def parse_steps(body: JsonObject) -> list[RolloutStep]:
    """Return the steps of an ApplicationSet, in order."""
    return [
        RolloutStep(labels=read_selector(each) or (), at_once=each.get("maxUpdate"))
        for each in body["spec"]["strategy"]["rollingSync"]["steps"]
    ]


WAVE_LABEL, COMPONENT_LABEL = "kitgen.wave", "kitgen.component"
