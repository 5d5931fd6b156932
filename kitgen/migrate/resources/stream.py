"""Convert objects one by one; results wait on the disk so that owners can be written first."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.files.spool import SpooledTexts
from kitgen.findings import MAX_ERRORS, Finding, Path, Problem, Severity, make_problem, report_limit
from kitgen.kube.identity import ObjectId
from kitgen.migrate.exports.reader import ExportedObject, find_lines
from kitgen.migrate.exports.yaml_stream import ExportPiece
from kitgen.migrate.resources.kinds import MigrationMoves, MigrationRole, kind_name_of
from kitgen.migrate.resources.metadata import list_owner_references
from kitgen.migrate.resources.resource import Check, MigratedObject, Outcome, migrate_object
from kitgen.migrate.resources.selectors import find_moved_keys
from kitgen.text.values import text_at
from kitgen.text.yaml import JsonObject, dump_yaml


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


Carry: TypeAlias = Callable[[JsonObject, MigrationMoves, Check], MigratedObject]
"""Tells what becomes of an object."""
COMPARE = "it may have been carried over before; compare the two, and export one of them"


class MigratedStream:
    """Takes objects in the order in which they were exported, and keeps what becomes of them."""

    def __init__(
        self,
        moves: MigrationMoves,
        check: Check,
        spooled: SpooledTexts,
        *,
        carry: Carry = migrate_object,
        as_json: bool,
    ) -> None:
        """Start with none."""
        self.moves, self.check, self.carry, self.as_json = moves, check, carry, as_json
        self.spooled = spooled
        self.counts: Counter[Outcome] = Counter()
        self.kept: dict[Severity, list[Finding]] = {each: [] for each in Severity}
        self.piece: ExportPiece | None = None
        """What the findings without a line yet are in."""
        self.waiting: list[tuple[Severity, int, Path]] = []
        """Findings without a line yet, by their number, and where in the piece they are."""
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
        self.owned: dict[int, tuple[str, ...]] = {}

    def add(self, each: ExportedObject) -> None:
        """Take an object."""
        if each.found.problems:
            self._refuse_object(each, each.found.problems, "")
            return
        body: JsonObject = each.found.body
        self.selected |= {one.key for one in find_moved_keys(body, self.moves.keys)}
        subject = str(ObjectId.of(body))
        result = self.carry(body, self.moves, self.check)
        problems = [*result.problems]
        text = ""
        if result.outcome is not Outcome.UNMOVED:
            problems += self._check_name_clash(result.outcome, result.body)
            if self._is_new_kind(result.outcome, result.body):
                self._drop_clashing_object(each, result.body)
            text, wrong = self._render_text(result.body)
            problems += wrong
        if any(fault.rule.severity is Severity.ERROR for fault in problems):
            self._refuse_object(each, problems, subject)
            return
        self._add_findings(each, problems, subject)
        self._store_result(result.outcome, body, result.body, text)

    def _store_result(self, outcome: Outcome, before: JsonObject, after: JsonObject, text: str) -> None:
        number = len(self.spooled)
        self.counts[outcome] += 1
        self.spooled.add(text)
        if outcome is Outcome.MOVED:
            self.names[self._identity_of(after)] = -1 - number
        elif self._is_new_kind(outcome, after):
            self.names[self._identity_of(after)] = number
        if outcome is Outcome.WITHIN and len(self.within) < MAX_ERRORS:
            self.within.append(_format_identity(after))
        if uid := text_at(before, "metadata", "uid"):
            self.uids[uid] = number
        if above := tuple(str(owner.get("uid")) for owner in list_owner_references(before.get("metadata"))):
            self.owned[number] = above

    def _check_name_clash(self, outcome: Outcome, body: JsonObject) -> Iterator[Problem]:
        """Yield that an object would take the name of another."""
        if outcome is Outcome.MOVED and (other := self.names.get(self._identity_of(body))) is not None:
            what = "which moves too" if other < 0 else "which is of the new kind already"
            yield make_problem(
                "migration-clash", f"found another object of this name, {what}", ("metadata", "name"), COMPARE
            )

    def _identity_of(self, body: JsonObject) -> str:
        """Return the identity of an object; a cluster-scoped one has no namespace."""
        made = ObjectId.of(body)
        namespace = "" if kind_name_of(body) in self.moves.cluster_wide else made.namespace
        return f"{made.group}/{made.kind}/{namespace}/{made.name}"

    def _is_new_kind(self, outcome: Outcome, body: JsonObject) -> bool:
        """Return whether an object was of a new kind before anything moved."""
        return outcome is not Outcome.MOVED and self.moves.role_of(body) is MigrationRole.NEW

    def _drop_clashing_object(self, each: ExportedObject, body: JsonObject) -> None:
        """Leave out an object that moved before it was known that there is one of the new kind."""
        if (number := -1 - self.names.get(self._identity_of(body), 0)) < 0:
            return
        self.gone.add(number)
        self.counts[Outcome.MOVED] -= 1
        message = "found another object that moves to this name, which is left out"
        self._refuse_object(
            each,
            [make_problem("migration-clash", message, ("metadata", "name"), COMPARE)],
            str(ObjectId.of(body)),
        )

    def _render_text(self, body: JsonObject) -> tuple[str, list[Problem]]:
        try:
            if self.as_json:
                text = json.dumps(body, indent=4, ensure_ascii=False, allow_nan=False)
            else:
                text = f"---\n{dump_yaml(body)}"
            text.encode("utf-8")
        except ValueError:
            message = "found a value that cannot be written: half of a character, or no number"
            return "", [make_problem("migration-unwritable", message)]
        return text, []

    def _refuse_object(self, each: ExportedObject, problems: Iterable[Problem], subject: str) -> None:
        self.counts[Outcome.UNMOVED] += 1
        if len(self.unmoved) < MAX_ERRORS:
            self.unmoved.append(_format_identity(each.found.body) if subject else str(each.found.origin))
        self._add_findings(each, problems, subject)

    def _add_findings(self, each: ExportedObject, problems: Iterable[Problem], subject: str) -> None:
        """Keep findings; above a limit they are only counted."""
        if each.piece is not self.piece:
            self._locate_findings()
            self.piece = each.piece
        for wrong in problems:
            if len(kept := self.kept[wrong.rule.severity]) < MAX_ERRORS:
                self.waiting.append((wrong.rule.severity, len(kept), each.path_in_piece(wrong.path)))
                kept.append(wrong.to_finding(each.found.origin, subject))
            else:
                self.more[wrong.rule.id] += 1

    def _locate_findings(self) -> None:
        """Give findings their lines, all of a piece at once: it may hold thousands of objects."""
        lines = find_lines(self.piece, [place for *_, place in self.waiting])
        for (severity, number, _), line in zip(self.waiting, lines, strict=True):
            finding = self.kept[severity][number]
            if line:
                self.kept[severity][number] = replace(finding, origin=replace(finding.origin, line=line))
        self.waiting = []

    def read_texts(self) -> Iterator[str]:
        """Yield the objects as text, owners first."""
        known = {number: filter(self.uids.__contains__, above) for number, above in self.owned.items()}
        owners = {number: [self.uids[uid] for uid in above] for number, above in known.items()}
        order = sort_by_owners(len(self.spooled), owners)
        return self.spooled.read_texts([each for each in order if each not in self.gone])

    def collect_findings(self) -> list[Finding]:
        """Return what there is to say of all objects."""
        self._locate_findings()
        errors = self.kept[Severity.ERROR]
        more = [report_limit(errors[-1].origin.file)] if len(errors) >= MAX_ERRORS else []
        return [*errors, *more, *self.kept[Severity.WARNING], *self.kept[Severity.NOTE]]


def _format_identity(body: JsonObject) -> str:
    made = ObjectId.of(body)
    return f"{made}{f' in {made.namespace}' if made.namespace else ''}"
