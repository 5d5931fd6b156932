"""The plan of a release: eight steps in order, and what each waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from kitgen.release.matrix.block import GITHUB
from kitgen.release.matrix.writing import versions_of
from kitgen.release.steps import step_parts
from kitgen.release.steps.facts import Facts
from kitgen.release.steps.step import Key, Part, State, Step, state_of
from kitgen.text.wording import choice

STEPS: Mapping[Key, tuple[str, Callable[[Facts], Iterator[Part]]]] = {
    Key.COMPONENTS: ("components are released", step_parts.components),
    Key.SPECS: ("specs name their images and CRDs, and the image is built", step_parts.specs),
    Key.BUNDLE: ("bundle and matrix are up to date", step_parts.bundle),
    Key.TAG: ("tag and release notes", step_parts.tag),
    Key.CATALOG: ("pull request to the catalog", step_parts.catalog),
    Key.STABLE: ("stable tags", step_parts.stable),
    Key.ANNOUNCE: ("announcement", step_parts.announce),
    Key.DOWNSTREAM: ("downstream projects", step_parts.downstream),
}
NEEDS = {
    Key.TAG: (Key.COMPONENTS, Key.SPECS, Key.BUNDLE),
    Key.CATALOG: (Key.BUNDLE, Key.TAG),
    Key.STABLE: (Key.TAG, Key.CATALOG),
    Key.ANNOUNCE: (Key.TAG, Key.CATALOG, Key.STABLE),
    Key.DOWNSTREAM: (Key.TAG,),
}
"""Step → those that come first."""


class Plan(Struct, frozen=True, kw_only=True):
    """The steps of a release."""

    facts: Facts
    steps: tuple[Step, ...]
    announcement: str
    """What to tell people; empty if nobody is to be told."""

    @property
    def next(self) -> Step | None:
        """Return the first step that somebody has to do something for."""
        return next((each for each in self.steps if each.is_open), None)


def plan_of(facts: Facts) -> Plan:
    """Return the steps of a release that builds something."""
    made: dict[Key, Step] = {}
    for key, (title, parts) in STEPS.items():
        found = tuple(parts(facts))
        step = Step(key=key, title=title, state=state_of(found), parts=found)
        made[key] = _blocked(step, made) if step.is_open else step
    return Plan(facts=facts, steps=tuple(made.values()), announcement=announcement(facts))


def _blocked(step: Step, before: Mapping[Key, Step]) -> Step:
    """Return a step that is blocked if an earlier one has to come first."""
    own = next((each.by or each.what for each in step.parts if each.state is State.BLOCKED), "")
    first = [before[key] for key in NEEDS.get(step.key, ()) if before[key].is_open]
    if step.key is Key.BUNDLE and before[Key.SPECS].state is State.BLOCKED:
        first = [before[Key.SPECS]]  # nothing is rendered while an error stands
    numbers = choice([str(each.number) for each in first], last="and")
    waits = (
        f"steps {numbers} come first" if len(first) > 1 else f"step {numbers} comes first" if first else ""
    )
    why = "; ".join(filter(None, [own, waits]))
    return replace(step, state=State.BLOCKED, why=why) if why else step


def announcement(facts: Facts) -> str:
    """Return the text that tells people of the release."""
    if not facts.kit.publishing.announce:
        return ""
    base = facts.repository if "://" in facts.repository else f"{GITHUB}/{facts.repository}"
    where = f": {base.rstrip('/')}/releases/tag/{facts.name}" if facts.repository else ""
    replaced = f" It replaces {facts.release.replaces}." if facts.release.replaces else ""
    lines = [f"{facts.kit.name} {facts.name} is out{where}", "", f"These versions belong together.{replaced}"]
    versions = versions_of(facts.kit.matrix, facts.release) if facts.kit.matrix else facts.release.components
    return "\n".join([*lines, *(f"- {name} {version}" for name, version in versions.items())])
