"""What all forms show of a change: its subject, the targets that it reaches, the line of the spec behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kitgen.compare.change import Risk
from kitgen.compare.report.changes import format_subject
from kitgen.compare.review.change import HELD, ReviewedChange
from kitgen.findings import Origin
from kitgen.report.text import Lined, Read, format_file_line, locate_origins
from kitgen.text.values import group_pairs
from kitgen.text.wording import format_count, join_words

FULL = (Risk.BREAKING, Risk.SECURITY)
"""What is always shown in full."""
MOST = 3


class View:
    """How changes are shown: with the lines of their origins, and the targets that there are."""

    def __init__(self, changes: Sequence[ReviewedChange], scopes: Sequence[str], read: Read) -> None:
        """Take the changes in, and look their lines up."""
        self.changes = changes
        self.scopes = tuple(scopes)
        self._read = read
        self._lined: Lined | None = None
        self._first_lined: Lined | None = None

    def locate_origin(self, origin: Origin) -> Origin:
        """Return an origin with its line; those of all are looked up once, when the first is asked for."""
        if self._lined is None:
            self._lined = locate_origins(
                (hold.origin for each in self.changes for hold in each.holds), self._read
            )
        return self._lined[origin]

    def format_origin(self, change: ReviewedChange) -> str:
        """Return the line of the specs behind a change, in the first place that has it."""
        if self._first_lined is None:  # a change may have thousands of places
            self._first_lined = locate_origins((each.holds[0].origin for each in self.changes), self._read)
        origin = change.holds[0].origin
        return format_file_line(self._first_lined[origin]) if origin and origin.file else ""

    def format_targets(self, change: ReviewedChange) -> str:
        """Return the targets that a change reaches, where there are several."""
        return ", ".join(change.scopes) if self.scopes else ""

    def format_subject(self, change: ReviewedChange) -> str:
        """Return what changed: a field of an object or of a type, or of several objects."""
        found = change.objects
        if change.change.rule.id in HELD:  # who may do it, not which role says so
            return ", ".join(dict.fromkeys(place.object for place in change.change.places))
        if len(found) > 1 and not change.change.type_name and not change.change.versions:
            if len(named := {str(each) for each in found}) == 1:
                return f"{next(iter(named))} {change.change.path}".strip()
            said = [
                format_count(count, kind)
                for kind, count in Counter(each.kind for each in found).most_common()
            ]
            return f"{join_words(said, last='and', most=MOST)} {change.change.path}".strip()
        return format_subject(change.change)


def count_by_risk(changes: Iterable[ReviewedChange]) -> dict[str, int]:
    """Count the changes by risk, those that are accepted aside."""
    found = Counter("accepted" if each.change.accepted else each.risk for each in changes)
    return {name: found[name] for name in (*(risk.value for risk in Risk), "accepted")}


def format_summary(changes: Sequence[ReviewedChange]) -> str:
    """Say in a line how many changes there are of each risk."""
    said = (
        f"{count} {name}" for name, count in count_by_risk(changes).items() if count or name != "accepted"
    )
    return ", ".join(said) if changes else "no changes"


def changes_by_reason(changes: Iterable[ReviewedChange]) -> dict[str, list[ReviewedChange]]:
    """Return the changes that are accepted, by the reason."""
    return group_pairs((each.change.accepted, each) for each in changes if each.change.accepted)


def changes_by_risk(changes: Iterable[ReviewedChange]) -> dict[Risk, list[ReviewedChange]]:
    """Return the changes of each risk that has some, the worst first, without those that are accepted."""
    found = group_pairs((each.risk, each) for each in changes if not each.change.accepted)
    return {risk: found[risk] for risk in Risk if risk in found}
