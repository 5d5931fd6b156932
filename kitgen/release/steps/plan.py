"""The plan of a release: eight steps in order, and what each waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from kitgen.release.matrix.block import build_tag_url
from kitgen.release.matrix.writing import versions_by_label
from kitgen.release.steps import step_parts
from kitgen.release.steps.facts import ReleaseFacts
from kitgen.release.steps.step import ReleaseStep, StepKey, StepPart, StepState, merge_states
from kitgen.text.wording import join_words

STEPS: Mapping[StepKey, tuple[str, Callable[[ReleaseFacts], Iterator[StepPart]]]] = {
    StepKey.COMPONENTS: ("components are released", step_parts.list_component_parts),
    StepKey.SPECS: ("specs name their images and CRDs, and the image is built", step_parts.list_spec_parts),
    StepKey.BUNDLE: ("bundle and matrix are up to date", step_parts.list_bundle_parts),
    StepKey.TAG: ("tag and release notes", step_parts.list_tag_parts),
    StepKey.CATALOG: ("pull request to the catalog", step_parts.list_catalog_parts),
    StepKey.STABLE: ("stable tags", step_parts.list_stable_tag_parts),
    StepKey.ANNOUNCE: ("announcement", step_parts.list_announcement_parts),
    StepKey.DOWNSTREAM: ("downstream projects", step_parts.list_downstream_parts),
}
NEEDS = {
    StepKey.TAG: (StepKey.COMPONENTS, StepKey.SPECS, StepKey.BUNDLE),
    StepKey.CATALOG: (StepKey.BUNDLE, StepKey.TAG),
    StepKey.STABLE: (StepKey.TAG, StepKey.CATALOG),
    StepKey.ANNOUNCE: (StepKey.TAG, StepKey.CATALOG, StepKey.STABLE),
    StepKey.DOWNSTREAM: (StepKey.TAG,),
}
"""Step → those that come first."""


class ReleasePlan(Struct, frozen=True, kw_only=True):
    """The steps of a release."""

    facts: ReleaseFacts
    steps: tuple[ReleaseStep, ...]
    announcement: str
    """What to tell people; empty if nobody is to be told."""

    @property
    def next_step(self) -> ReleaseStep | None:
        """Return the first step that somebody has to do something for."""
        return next((each for each in self.steps if each.is_open), None)


def build_plan(facts: ReleaseFacts) -> ReleasePlan:
    """Return the steps of a release that builds something."""
    made: dict[StepKey, ReleaseStep] = {}
    for number, (key, (title, parts)) in enumerate(STEPS.items(), 1):
        found = tuple(parts(facts))
        step = ReleaseStep(number=number, key=key, title=title, state=merge_states(found), parts=found)
        made[key] = _mark_blocked(step, made) if step.is_open else step
    return ReleasePlan(facts=facts, steps=tuple(made.values()), announcement=render_announcement(facts))


def _mark_blocked(step: ReleaseStep, before: Mapping[StepKey, ReleaseStep]) -> ReleaseStep:
    """Return a step that is blocked if an earlier one has to come first."""
    own = next((each.by or each.what for each in step.parts if each.state is StepState.BLOCKED), "")
    first = [before[key] for key in NEEDS.get(step.key, ()) if before[key].is_open]
    if step.key is StepKey.BUNDLE and before[StepKey.SPECS].state is StepState.BLOCKED:
        first = [before[StepKey.SPECS]]  # nothing is rendered while an error stands
    numbers = join_words([str(each.number) for each in first], last="and")
    waits = (
        f"steps {numbers} come first" if len(first) > 1 else f"step {numbers} comes first" if first else ""
    )
    why = "; ".join(filter(None, [own, waits]))
    return replace(step, state=StepState.BLOCKED, why=why) if why else step


def render_announcement(facts: ReleaseFacts) -> str:
    """Return the text that tells people of the release."""
    if not facts.kit.publishing.announce:
        return ""
    where = f": {build_tag_url(facts.repository, facts.name)}" if facts.repository else ""
    replaced = f" It replaces {facts.release.replaces}." if facts.release.replaces else ""
    lines = [f"{facts.kit.name} {facts.name} is out{where}", "", f"These versions belong together.{replaced}"]
    versions = (
        versions_by_label(facts.kit.matrix, facts.release) if facts.kit.matrix else facts.release.components
    )
    return "\n".join([*lines, *(f"- {name} {version}" for name, version in versions.items())])
