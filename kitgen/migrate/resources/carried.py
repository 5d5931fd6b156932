"""Tell what becomes of each exported object, as far as no other object has a say in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from kitgen.files.results import decode_value, encode_value
from kitgen.findings import Finding, Origin, Problem, make_problem
from kitgen.findings.records import from_record, origin_from_record, origin_to_record, to_record
from kitgen.kit.foreign_objects import ForeignObject
from kitgen.kube.identity import ObjectId
from kitgen.migrate.exports.blocks import ExportBlocks
from kitgen.migrate.exports.reader import read_piece
from kitgen.migrate.exports.yaml_stream import ExportPiece
from kitgen.migrate.resources.kinds import MigrationMoves, MigrationRole, kind_name_of
from kitgen.migrate.resources.metadata import list_owner_references
from kitgen.migrate.resources.resource import Check, MigratedObject, Outcome
from kitgen.migrate.resources.selectors import find_moved_keys
from kitgen.text.values import text_at
from kitgen.text.yaml import JsonObject, dump_yaml


class CarriedObject(NamedTuple):
    """What became of an object, and what others need to know of it."""

    origin: Origin
    findings: Sequence[Finding]
    outcome: Outcome
    name: str
    """What people call it, or where it is if it is no object."""
    subject: str = ""
    """What findings call it."""
    text: str = ""
    """How it is to be printed, unless it cannot move."""
    identity: str = ""
    """What no other object may be called then."""
    is_new: bool = False
    """Whether it was of a new kind before anything moved."""
    uid: str = ""
    owners: Sequence[str] = ()
    """The UIDs of its owners."""
    selected: Sequence[str] = ()
    """Keys that it selects by, and that would move."""


class CarriedBlock(NamedTuple):
    """What became of the objects in a block of an export, each with the number of its piece."""

    objects: Sequence[tuple[int, CarriedObject]]
    says: bool
    """Whether there is anything in it."""
    pieces: Sequence[ExportPiece] = ()
    """Those of the block, unless another process read it."""


Carry: TypeAlias = Callable[[JsonObject, MigrationMoves, Check], MigratedObject]
"""Tells what becomes of an object."""


class Carrier(NamedTuple):
    """How objects are carried over."""

    carry: Carry
    moves: MigrationMoves
    check: Check
    as_json: bool

    def carry_block(self, blocks: ExportBlocks, number: int) -> CarriedBlock:
        """Carry over the objects of a block; OddExportError if all is to be read at once instead."""
        objects: list[tuple[int, CarriedObject]] = []
        says = False
        pieces: list[ExportPiece] = []
        for at, piece in enumerate(blocks.read(number)):
            pieces.append(piece)
            if (found := read_piece(blocks.spool, piece)) is not None:
                says = True
                objects += ((at, self.carry_over(each)) for each in found)
        return CarriedBlock(objects, says, pieces)

    def carry_over(self, found: ForeignObject) -> CarriedObject:
        """Return what becomes of an object."""
        origin, body = found.origin, found.body
        if found.problems:
            return CarriedObject(origin, found.findings, Outcome.UNMOVED, str(origin))
        named = ObjectId.of(body)
        result = self.carry(body, self.moves, self.check)
        problems, text = result.problems, ""
        moves = result.outcome is not Outcome.UNMOVED
        if moves:
            text, wrong = self._render_text(result.body)
            problems = (*problems, *wrong)
        subject = str(named)
        is_moved = result.outcome is Outcome.MOVED
        is_new = moves and not is_moved and self.moves.role_of(result.body) is MigrationRole.NEW
        return CarriedObject(
            origin=origin,
            findings=[wrong.to_finding(origin, subject) for wrong in problems],
            outcome=result.outcome,
            name=f"{subject} in {named.namespace}" if named.namespace else subject,
            subject=subject,
            text=text,
            identity=self._identify(result.body) if is_moved or is_new else "",
            is_new=is_new,
            uid=text_at(body, "metadata", "uid"),
            owners=[str(owner.get("uid")) for owner in list_owner_references(body.get("metadata"))],
            selected=[one.key for one in find_moved_keys(body, self.moves.keys)],
        )

    def _identify(self, body: JsonObject) -> str:
        """Return the identity of an object; a cluster-scoped one has no namespace."""
        made = ObjectId.of(body)
        namespace = "" if kind_name_of(body) in self.moves.cluster_wide else made.namespace
        return f"{made.group}/{made.kind}/{namespace}/{made.name}"

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


def encode_block(block: CarriedBlock) -> bytes | None:
    """Return a block as bytes; None if a text in it is no Unicode."""
    objects = [
        (at, origin_to_record(each.origin), [to_record(one) for one in each.findings], *each[2:])
        for at, each in block.objects
    ]
    return encode_value((objects, block.says))


def decode_block(content: bytes) -> CarriedBlock:
    """Return the block that was encoded."""
    objects, says = decode_value(content)
    return CarriedBlock(
        [
            (
                at,
                CarriedObject(
                    origin_from_record(origin), [*map(from_record, findings)], Outcome(outcome), *rest
                ),
            )
            for at, origin, findings, outcome, *rest in objects
        ],
        says,
    )
