"""What `kitgen pin` does: move a target to a release, and report what changes on a cluster before.

The rules of upgrades stand in the way of a move, and all that a render would refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.compare.review.change import ReviewResult
from kitgen.compare.run.diff import compare_states
from kitgen.compare.upgrade.rules import UPGRADE_MIGRATION
from kitgen.files.edits import change_files
from kitgen.files.folders import is_writable
from kitgen.findings import (
    AcceptedException,
    Chapter,
    Finding,
    deduplicate_findings,
    make_problem,
    rules_by_id,
    suggest_word,
)
from kitgen.findings.errors import FindingsError, UsageError
from kitgen.kit.model import Target
from kitgen.text.wording import join_words
from kitgen.workspace.baselines import Baselines
from kitgen.workspace.checks import check_plans
from kitgen.workspace.kit import OpenedKit, load_changed_kit, open_kit
from kitgen.workspace.sources import Kits, SourceKind, SourceName
from kitgen.workspace.states import SourceState, state_of
from kitgen.workspace.target_edits import edit_exceptions, edit_pinned_release, file_of, report_uneditable

PinProblem: TypeAlias = tuple[str, Finding]
"""What a target was held against, a release or a source that it names, and what is wrong with it."""


class PinRequest(Struct, frozen=True, kw_only=True):
    """Which target to move where."""

    root: Path | None = None
    target: str
    version: str
    accept: tuple[str, ...] = ()
    """Rules of upgrades that the move may break."""
    reason: str = ""
    dry_run: bool = False


class PinResult(Struct, frozen=True, kw_only=True):
    """What was done, or would be."""

    root: Path
    target: str
    file: str
    before: str
    after: str
    written: bool = False
    diff: ReviewResult | None = None
    """Nothing, if the target is at the release already."""
    refused: tuple[Finding, ...] = ()
    """Why nothing was written."""
    accepted: tuple[AcceptedException, ...] = ()
    above: str = ""
    """The target that it took its release from until now."""
    along: tuple[str, ...] = ()
    """Targets that build on it, and move too."""
    gone: tuple[str, ...] = ()
    """Components that the target names and the new release does not build."""
    back: tuple[str, ...] = ()
    """The rules that the way back breaks."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The specs as they would be, for the lines of findings."""

    @property
    def undo_command(self) -> str:
        """Return the command that takes it back; it needs a reason too, if the way back breaks something."""
        options = "".join(f" --accept {rule}" for rule in self.back)
        return f"kitgen pin {self.target} {self.before}{options}{' --reason TEXT' if options else ''}"


def pin_target(request: PinRequest, show: Callable[[ReviewResult], None]) -> PinResult:
    """Move a target to a release; what stands in the way and nobody accepts is told, and nothing written.

    What changes on a cluster is shown before anything is written.
    """
    _validate_rules(request.accept)
    opened = open_kit(request.root)
    old = opened.target(request.target)
    version, file = opened.get_buildable_release(request.version).name, file_of(old)
    result = PinResult(root=opened.root, target=old.name, file=file, before=old.release, after=version)
    if version == old.release and not request.accept:
        return result
    text = edit_pinned_release(opened.texts[file], old, version)
    after = load_changed_kit(opened.root, {file: text})
    moved = [each for each in after.kit.targets.values() if each.release != _pinned_release_of(opened, each)]
    target = after.kit.targets[old.name]
    found = [
        each
        for one in moved or [target]
        for each in _check_upgrade(after, one, _pinned_release_of(opened, one))
    ]
    wanted = _build_exceptions(found, target, request.accept, request.reason)
    diff = _compare_targets(
        after, {each.name: _pinned_release_of(opened, each) for each in moved or [target]}
    )
    show(diff)
    result = replace(
        result,
        diff=diff,
        refused=tuple(_check_acceptance(found, wanted, request, target)),
        accepted=tuple(wanted),
        above=_find_pinning_target(old, file),
        along=tuple(each.name for each in moved if each.name != old.name),
        gone=tuple(_find_dropped_components(after, target, old.release)),
        texts=after.texts,
    )
    if result.refused:
        return result
    text = edit_exceptions(text, target, wanted)
    load_changed_kit(opened.root, {file: text})
    result = replace(result, back=tuple(_find_rollback_rules(opened, old.name, version)))
    if request.dry_run:
        return result
    if not is_writable(opened.root / file):
        raise FindingsError([report_uneditable(old, "found a file that is read-only", f"chmod u+w {file}")])
    change_files(opened.root, opened.texts, {file: text})
    return replace(result, written=True)


def _validate_rules(names: Iterable[str]) -> None:
    """Refuse names that are no rules of upgrades."""
    known = [name for name, rule in rules_by_id().items() if rule.chapter is Chapter.UPGRADE] if names else []
    for name in names:
        if name not in known:
            raise UsageError(
                f"no rule of upgrades {name!r}",
                hint=suggest_word(name, known) or f"known are {', '.join(known)}",
            )


def _pinned_release_of(opened: OpenedKit, target: Target) -> str:
    return opened.kit.targets[target.name].release


def _find_pinning_target(target: Target, file: str) -> str:
    """Return the target that says which release another one pins, if it does not say so itself."""
    said = target.origin.at("release").file
    return said.removeprefix("targets/").removesuffix(".yaml") if said != file else ""


def _find_dropped_components(opened: OpenedKit, target: Target, old: str) -> list[str]:
    """Return the components that a target says something of, and leaves behind with the older release."""
    before, after = (opened.kit.releases[each].components for each in (old, target.release))
    return [name for name in target.settings if name in before and name not in after]


def _check_acceptance(
    found: list[PinProblem], accepted: list[AcceptedException], request: PinRequest, target: Target
) -> list[Finding]:
    """Return what stands in the way, and what is accepted for nothing."""
    known = {each.rule for each in accepted}
    wrong = [finding for _, finding in found if finding.is_blocking and finding.rule.id not in known]
    left = sorted({each.rule.id for each in wrong})
    hint = f"leave it out; the move breaks {join_words(left, last='and')}" if left else "leave it out"
    stale = (
        make_problem(
            "exception-stale",
            f"found --accept {rule}, but the move to {target.release} breaks no such rule",
            hint=hint,
        ).to_finding(target.origin.at("release"))
        for rule in request.accept
        if rule not in known
    )
    return deduplicate_findings([*wrong, *stale])


def _compare_targets(opened: OpenedKit, moved: Mapping[str, str]) -> ReviewResult:
    """Compare targets in the releases that they come from with what they pin."""
    kits = Kits(opened.root, opened=opened)
    sources = [SourceName(kind=SourceKind.TARGET, name=name) for name in moved]
    before = [state_of(kits, replace(each, version=moved[each.name])) for each in sources]
    after = [state_of(kits, each) for each in sources]
    return compare_states(_merge_states(before), _merge_states(after), opened.load_declared_moves())


def _merge_states(states: list[SourceState]) -> SourceState:
    """Return one state of several targets."""
    return replace(states[0], parts={name: part for each in states for name, part in each.parts.items()})


def _check_upgrade(opened: OpenedKit, target: Target, old: str) -> Iterator[PinProblem]:
    """Yield what nobody accepted of a target in the release that it pins.

    It is held against the release that it comes from, and against what it says that it upgrades from. A
    migration accepts what its moves break. But nobody knows whether its phases were gone through, so that one
    lies on the way has to be accepted by somebody.
    """
    kits = Kits(opened.root, opened=opened)
    plan = opened.plan(target)
    for before, asked in {target.upgrades_from: None, old: f"release:{old}"}.items():
        if before and before != target.release:
            baselines = Baselines(kits, asked)
            made = check_plans(opened, [plan], before=partial(baselines.of_target, opened))
            own = target.list_accepted_rules(before, target.release)
            for finding in baselines.locate_findings(opened.apply_exceptions(made)):
                if finding.rule is UPGRADE_MIGRATION and finding.rule.id not in own:
                    yield before, replace(finding, accepted="", origin=target.origin.at("release"))
                elif not finding.accepted:
                    yield before, finding


def _build_exceptions(
    found: Iterable[PinProblem], target: Target, rules: Iterable[str], reason: str
) -> list[AcceptedException]:
    """Return an exception for each rule, and for each thing that a target was held against and breaks it."""
    wanted = {*rules}
    pairs = {(finding.rule.id, before) for before, finding in found if finding.rule.id in wanted}
    return [
        AcceptedException(rule=rule, before=before, after=target.release, reason=reason, origin=target.origin)
        for rule, before in sorted(pairs)
    ]


def _find_rollback_rules(opened: OpenedKit, name: str, new: str) -> list[str]:
    """Return the rules that a target breaks on the way back from a new release to the one that it pins."""
    target = replace(opened.kit.targets[name], exceptions=())  # they go with the move
    found = (finding for _, finding in _check_upgrade(opened, target, new))
    return sorted(
        {each.rule.id for each in found if each.rule.chapter is Chapter.UPGRADE and each.is_blocking}
    )
