"""How a target moves to another release, as programs get it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from kitgen.compare.report.changes import RiskCounts
from kitgen.compare.report.review_json import ClusterChange, to_cluster_changes
from kitgen.compare.report.review_view import View, count_by_risk
from kitgen.release.pin import PinResult
from kitgen.report.documents import FindingEntry, ResultDocument, safe_json, to_finding_entries
from kitgen.report.text import Read, locate_findings


class AcceptedMove(Struct, frozen=True, kw_only=True):
    """What a move breaks and is accepted."""

    rule: str
    """The id of the rule of upgrades."""
    before: str = field(name="from")
    """What is there before: a release, or what the target upgrades from."""
    reason: str
    """Why it is accepted."""


class PinReport(ResultDocument, frozen=True, kw_only=True, tag="kitgen/pin/v1"):
    """How a target moves to another release: kitgen pin."""

    target: str
    """The target that moves."""
    file: str
    """Its file, which the release is changed in."""
    before: str
    """The release that it comes from."""
    after: str
    """The release that it moves to."""
    written: bool
    """Whether the file was changed."""
    along: tuple[str, ...]
    """Targets that build on it, and move too."""
    gone: tuple[str, ...]
    """Components that the target names and the new release does not build."""
    undo: str | None
    """The command that takes the move back; null if there is none to take back."""
    accepted: tuple[AcceptedMove, ...]
    """What the move breaks and is accepted."""
    findings: Sequence[FindingEntry]
    """What stands in the way; if there is some, nothing is written."""
    summary: RiskCounts
    """How many changes of each risk stand, and how many are accepted."""
    changes: tuple[ClusterChange, ...]
    """Every change, the worst first."""


def as_json(made: PinResult, view: View | None, read: Read) -> str:
    """Tell a program where a target moves, what changes there, and what stands in the way."""
    return safe_json(
        PinReport(
            target=made.target,
            file=made.file,
            before=made.before,
            after=made.after,
            written=made.written,
            along=tuple(made.along),
            gone=tuple(made.gone),
            undo=None if made.refused or made.diff is None else made.undo_command,
            accepted=tuple(
                AcceptedMove(rule=each.rule, before=each.before, reason=each.reason) for each in made.accepted
            ),
            findings=to_finding_entries(locate_findings(made.refused, read)),
            summary=RiskCounts(**count_by_risk(view.changes if view else ())),
            changes=tuple(to_cluster_changes(view)) if view else (),
        )
    )
