"""Write the steps of a release: for a terminal, or for programs."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from msgspec import Struct

from kitgen.kit.model import Release
from kitgen.release.steps.commands import pull_request_head
from kitgen.release.steps.facts import ReleaseFacts
from kitgen.release.steps.plan import ReleasePlan
from kitgen.release.steps.step import ReleaseStep, StepKey, StepState
from kitgen.report.documents import ResultDocument, safe_json
from kitgen.report.text import format_inline, style_text
from kitgen.text.values import group_pairs
from kitgen.text.wording import escape_unprintable, format_count

WORDS = {
    StepState.DONE: "done",
    StepState.TODO: "to do",
    StepState.BLOCKED: "blocked",
    StepState.NONE: "nothing to do",
}
COLOURS = {StepState.DONE: "green", StepState.TODO: "yellow", StepState.BLOCKED: "red", StepState.NONE: None}
LEAST = 30
"""Narrower than this, lines are not broken any more."""


def as_text(plan: ReleasePlan, *, width: int, colour: bool) -> str:
    """Tell a person at a terminal; commands stay as they are, to be copied."""
    lines = [
        style_text(line, colour, bold=True)
        for each in _render_header(plan)
        for line in _wrap_text(each, "", width)
    ]
    for step in plan.steps:
        title = _wrap_text(f"{step.number} {step.title}: {WORDS[step.state]}", "", width)
        lines += ["", *(style_text(line, colour, fg=COLOURS[step.state], bold=True) for line in title)]
        lines += _wrap_text(step.why, "  ", width) if step.why else []
        for text, commands in _describe_parts(step):
            lines += _wrap_text(text, "  - ", width)
            # A text of several lines stays one, to be copied.
            copied = (f"    {command}".split("\n") for command in commands)
            lines += [
                style_text(escape_unprintable(line), colour, dim=True) for one in copied for line in one
            ]
        if step.key is StepKey.ANNOUNCE and step.is_open:
            lines += [f"  | {escape_unprintable(line)}".rstrip() for line in plan.announcement.split("\n")]
    return "".join(f"{line}\n" for line in lines)


class CatalogRequest(Struct, frozen=True, kw_only=True):
    """The pull request that brings the bundles into the catalog."""

    repository: str
    """The catalog's repository."""
    base: str
    """The branch that it is for."""
    fork: str
    """Where the branch is pushed to."""
    branch: str
    """The branch that it comes from."""
    head: str
    """The branch with whose it is."""
    title: str
    """Its title."""
    body: str
    """Its text."""
    commit: str
    """The message of the commit, which is signed off."""
    folders: tuple[str, ...]
    """What it adds."""


class PlanReport(ResultDocument, frozen=True, kw_only=True, tag="kitgen/plan/v1"):
    """The steps of a release: kitgen release plan."""

    release: str
    """The release."""
    date: str | None
    """Its day."""
    builds: bool
    """Whether it builds something; a record has no steps."""
    next: str | None
    """The first step that is left."""
    steps: tuple[ReleaseStep, ...]
    """The steps, in order."""
    pull_request: CatalogRequest | None
    """The catalog's pull request; null if there is none."""
    announcement: str | None
    """What to tell people."""


def as_json(release: Release, plan: ReleasePlan | None) -> str:
    """Write the same for a program; a release that builds nothing has no steps."""
    return safe_json(
        PlanReport(
            release=release.name,
            date=release.date or None,
            builds=plan is not None,
            next=plan.next_step.key if plan and plan.next_step else None,
            steps=plan.steps if plan else (),
            pull_request=_build_request(plan.facts) if plan else None,
            announcement=(plan.announcement or None) if plan else None,
        )
    )


def _build_request(facts: ReleaseFacts) -> CatalogRequest | None:
    if not (facts.bundles and (request := facts.request)):
        return None
    return CatalogRequest(
        repository=request.repository,
        base=request.base,
        fork=request.fork,
        branch=request.branch,
        head=pull_request_head(request),
        title=request.title,
        body=request.body,
        commit=request.commit,
        folders=tuple(each.folder for each in facts.bundles),
    )


def _render_header(plan: ReleasePlan) -> Iterator[str]:
    left = [each for each in plan.steps if each.is_open]
    count = (
        f"{format_count(len(left), 'step')} left, next is step {left[0].number}" if left else "all is done"
    )
    yield f"{plan.facts.kit.name} {plan.facts.name}: {count}"
    if not plan.facts.release.date:
        yield f"{plan.facts.file} has no date yet"


def _describe_parts(step: ReleaseStep) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what there is to say of each part, and its commands; what is done alike is said once."""
    same = group_pairs((each.by, each.what) for each in step.parts if each.state is StepState.DONE)
    yield from ((f"done: {', '.join(things)} ({by})", ()) for by, things in same.items())
    for each in step.parts:
        if each.state is not StepState.DONE:
            mark = "" if each.state is StepState.NONE else f"{WORDS[each.state]}: "
            yield f"{mark}{each.what}{f' ({each.by})' if each.by else ''}", each.commands


def _wrap_text(text: str, mark: str, width: int) -> list[str]:
    line, below = format_inline(text), " " * len(mark)
    if not width or width < LEAST:
        return [f"{mark}{line}"]
    lines = wrap(line, width, initial_indent=mark, subsequent_indent=below, break_on_hyphens=False)
    return [*map(escape_unprintable, lines)]
