"""The targets that were compiled last: most commands look at few, more than once; some look at many, once."""

from __future__ import annotations

from kitgen.render.plan import TargetPlan

MOST_OBJECTS = 2_000
"""What all of them may have; one is always kept."""


class RecentPlans:
    """Plans by the name of their target and their release, the oldest first."""

    def __init__(self) -> None:
        """Have none yet."""
        self._plans: dict[tuple[str, str], TargetPlan] = {}
        self._objects = 0

    def get(self, where: tuple[str, str]) -> TargetPlan | None:
        """Return a plan, if it is kept."""
        return self._plans.get(where)

    def add(self, where: tuple[str, str], plan: TargetPlan) -> None:
        """Keep a plan, and drop the oldest if there are too many objects."""
        self._plans[where] = plan
        self._objects += len(plan.objects)
        while self._objects > MOST_OBJECTS and len(self._plans) > 1:
            self._objects -= len(self._plans.pop(next(iter(self._plans))).objects)
