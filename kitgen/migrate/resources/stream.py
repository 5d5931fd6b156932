"""Convert objects one by one; results wait on the disk so that owners can be written first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from kitgen.files.spool import SpooledTexts
from kitgen.findings import MAX_ERRORS, Finding, Severity, make_problem, report_limit
from kitgen.migrate.exports.blocks import ExportBlocks
from kitgen.migrate.exports.reader import find_lines
from kitgen.migrate.resources.carried import CarriedObject
from kitgen.migrate.resources.resource import Outcome


def sort_by_owners(count: int, owners: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """Yield numbers in order, each behind its owners; in a circle, the one that is met first comes last."""
    seen = bytearray(count)
    for start in range(count):
        waiting = [start]
        while waiting:
            here = waiting[-1]
            if seen[here] == 0:
                seen[here] = 1
                waiting += [each for each in reversed(owners.get(here, ())) if not seen[each]]
            else:
                waiting.pop()
                if seen[here] == 1:
                    seen[here] = 2
                    yield here


COMPARE = "it may have been carried over before; compare the two, and export one of them"


class Place(NamedTuple):
    """Where an object stands: a piece of a block."""

    blocks: ExportBlocks
    block: int
    piece: int


class MigratedStream:
    """Takes objects in the order in which they were exported, and keeps what becomes of them."""

    def __init__(self, spooled: SpooledTexts) -> None:
        """Start with none."""
        self.spooled = spooled
        self.counts: Counter[Outcome] = Counter()
        self.kept: dict[Severity, list[Finding]] = {each: [] for each in Severity}
        self.place: Place | None = None
        """Where the findings without a line yet are."""
        self.waiting: list[tuple[Severity, int]] = []
        """Findings without a line yet, by their number."""
        self.more: Counter[str] = Counter()
        """Rule → how many more warnings there were than are kept."""
        self.within: list[str] = []
        """What holds an object that moved, as far as it is listed."""
        self.unmoved: list[str] = []
        """What cannot move, as far as it is listed."""
        self.names: dict[str, int] = {}
        """What objects of new kinds are called → their numbers; below 0 those that moved."""
        self.gone: set[int] = set()
        self.selected: set[str] = set()
        """Keys that objects select by, and that would move."""
        self.uids: dict[str, int] = {}
        self.owned: dict[int, Sequence[str]] = {}

    def add(self, each: CarriedObject, place: Place | None = None) -> None:
        """Take what became of an object; without a place it was read as a part of all."""
        self.selected |= {*each.selected}
        findings = each.findings
        if each.outcome is Outcome.MOVED and (other := self.names.get(each.identity)) is not None:
            what = "which moves too" if other < 0 else "which is of the new kind already"
            findings = [*findings, _report_clash(each, f"found another object of this name, {what}")]
        elif each.is_new:
            self._drop_clashing_object(each, place)
        if each.outcome is Outcome.UNMOVED or any(one.severity is Severity.ERROR for one in findings):
            self._refuse_object(each, findings, place)
        else:
            self._add_findings(findings, place)
            self._store_result(each)

    def _store_result(self, each: CarriedObject) -> None:
        number = len(self.spooled)
        self.counts[each.outcome] += 1
        self.spooled.add(each.text)
        if each.outcome is Outcome.MOVED:
            self.names[each.identity] = -1 - number
        elif each.is_new:
            self.names[each.identity] = number
        if each.outcome is Outcome.WITHIN and len(self.within) < MAX_ERRORS:
            self.within.append(each.name)
        if each.uid:
            self.uids[each.uid] = number
        if each.owners:
            self.owned[number] = each.owners

    def _drop_clashing_object(self, each: CarriedObject, place: Place | None) -> None:
        """Leave out an object that moved before it was known that there is one of the new kind."""
        if (number := -1 - self.names.get(each.identity, 0)) < 0:
            return
        self.gone.add(number)
        self.counts[Outcome.MOVED] -= 1
        message = "found another object that moves to this name, which is left out"
        self._refuse_object(each, [_report_clash(each, message)], place)

    def _refuse_object(self, each: CarriedObject, findings: Iterable[Finding], place: Place | None) -> None:
        self.counts[Outcome.UNMOVED] += 1
        if len(self.unmoved) < MAX_ERRORS:
            self.unmoved.append(each.name)
        self._add_findings(findings, place)

    def _add_findings(self, findings: Iterable[Finding], place: Place | None) -> None:
        """Keep findings; above a limit they are only counted."""
        if place != self.place:
            self.locate_findings()
            self.place = place
        for wrong in findings:
            if len(kept := self.kept[wrong.rule.severity]) < MAX_ERRORS:
                self.waiting.append((wrong.rule.severity, len(kept)))
                kept.append(wrong)
            else:
                self.more[wrong.rule.id] += 1

    def locate_findings(self) -> None:
        """Give findings their lines, all of a piece at once: it may hold thousands of objects."""
        waiting, self.waiting = self.waiting, []
        if self.place is None or not waiting:
            return
        piece = self.place.blocks.find_piece(self.place.block, self.place.piece)
        origins = [self.kept[severity][number].origin for severity, number in waiting]
        lines = find_lines(piece, [origin.path for origin in origins])
        for (severity, number), origin, line in zip(waiting, origins, lines, strict=True):
            if line:
                kept = self.kept[severity]
                kept[number] = replace(kept[number], origin=replace(origin, line=line))

    def read_texts(self) -> Iterator[str]:
        """Yield the objects as text, owners first."""
        known = {number: filter(self.uids.__contains__, above) for number, above in self.owned.items()}
        owners = {number: [self.uids[uid] for uid in above] for number, above in known.items()}
        order = sort_by_owners(len(self.spooled), owners)
        return self.spooled.read_texts([each for each in order if each not in self.gone])

    def collect_findings(self) -> list[Finding]:
        """Return what there is to say of all objects."""
        self.locate_findings()
        errors = self.kept[Severity.ERROR]
        more = [report_limit(errors[-1].origin.file)] if len(errors) >= MAX_ERRORS else []
        return [*errors, *more, *self.kept[Severity.WARNING], *self.kept[Severity.NOTE]]


def _report_clash(each: CarriedObject, message: str) -> Finding:
    wrong = make_problem("migration-clash", message, ("metadata", "name"), COMPARE)
    return wrong.to_finding(each.origin, each.subject)
