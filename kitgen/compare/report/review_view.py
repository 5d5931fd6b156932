"""What all forms show of a change: its subject, the targets that it reaches, the line of the spec behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kitgen.compare.change import Risk
from kitgen.compare.report.changes import where
from kitgen.compare.review.change import HELD, ReviewedChange
from kitgen.findings import Origin
from kitgen.report.text import Lined, Read, file_line, with_lines
from kitgen.text.values import collect
from kitgen.text.wording import choice, counted

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

    def lined(self, origin: Origin) -> Origin:
        """Return an origin with its line; those of all are looked up once, when the first is asked for."""
        if self._lined is None:
            self._lined = with_lines(
                (hold.origin for each in self.changes for hold in each.holds), self._read
            )
        return self._lined[origin]

    def place(self, change: ReviewedChange) -> str:
        """Return the line of the specs behind a change."""
        origin = change.holds[0].origin
        return file_line(self.lined(origin)) if origin and origin.file else ""

    def reach(self, change: ReviewedChange) -> str:
        """Return the targets that a change reaches, where there are several."""
        return ", ".join(change.scopes) if self.scopes else ""

    def subject(self, change: ReviewedChange) -> str:
        """Return what changed: a field of an object or of a type, or of several objects."""
        found = change.objects
        if change.change.rule.id in HELD:  # who may do it, not which role says so
            return ", ".join(dict.fromkeys(place.object for place in change.change.places))
        if len(found) > 1 and not change.change.type_name and not change.change.versions:
            if len(named := {str(each) for each in found}) == 1:
                return f"{next(iter(named))} {change.change.path}".strip()
            said = [
                counted(count, kind) for kind, count in Counter(each.kind for each in found).most_common()
            ]
            return f"{choice(said, last='and', most=MOST)} {change.change.path}".strip()
        return where(change.change)


def counts(changes: Iterable[ReviewedChange]) -> dict[str, int]:
    """Count the changes by risk, those that are accepted aside."""
    found = Counter("accepted" if each.change.accepted else each.risk for each in changes)
    return {name: found[name] for name in (*(risk.value for risk in Risk), "accepted")}


def summary(changes: Sequence[ReviewedChange]) -> str:
    """Say in a line how many changes there are of each risk."""
    said = (f"{count} {name}" for name, count in counts(changes).items() if count or name != "accepted")
    return ", ".join(said) if changes else "no changes"


def by_reason(changes: Iterable[ReviewedChange]) -> dict[str, list[ReviewedChange]]:
    """Return the changes that are accepted, by the reason."""
    return collect((each.change.accepted, each) for each in changes if each.change.accepted)


def by_risk(changes: Iterable[ReviewedChange]) -> dict[Risk, list[ReviewedChange]]:
    """Return the changes of each risk that has some, the worst first, without those that are accepted."""
    found = collect((each.risk, each) for each in changes if not each.change.accepted)
    return {risk: found[risk] for risk in Risk if risk in found}
