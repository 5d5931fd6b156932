"""Run `kitgen migrate resources`: convert exported objects as a migration declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.crd.definition import Catalog, group_by_kind
from kitgen.crd.validate.objects import walk_object
from kitgen.files.spool import SpooledTexts, save_private_copy
from kitgen.files.workers import share_work
from kitgen.findings import Finding, Problem
from kitgen.findings.errors import UsageError
from kitgen.kit.model.migration import Migration
from kitgen.migrate.exports.blocks import ExportBlocks
from kitgen.migrate.exports.reader import read_objects_at_once
from kitgen.migrate.exports.spool import Spool, spool_inputs
from kitgen.migrate.exports.yaml_stream import OddExportError
from kitgen.migrate.kinds import MovedKinds
from kitgen.migrate.moved_kinds import load_declared_crds, load_declared_kinds
from kitgen.migrate.phases.run import open_migration
from kitgen.migrate.resources.carried import Carrier, decode_block, encode_block
from kitgen.migrate.resources.kinds import build_moves
from kitgen.migrate.resources.resource import migrate_object, restore_object
from kitgen.migrate.resources.stream import MigratedStream, Place
from kitgen.migrate.rules.fields import check_moved_fields
from kitgen.migrate.rules.schemas import check_conversions, check_scopes
from kitgen.text.yaml import JsonObject
from kitgen.workspace.kit import OpenedKit, raise_on_errors


class ResourcesRequest(Struct, frozen=True, kw_only=True):
    """What to move, by which migration, and where to keep it as it was."""

    root: Path | None = None
    migration: str
    files: tuple[str, ...] = ("-",)
    backup: Path | None = None
    restore: bool = False
    """Whether objects are to be what they were, and not what they become."""
    as_json: bool = False


class MigratedResources(Struct, frozen=True, kw_only=True):
    """What became of the objects."""

    root: Path
    carried: MigratedStream
    findings: tuple[Finding, ...]
    texts: Mapping[str, str] = field(default_factory=dict)
    """What was read as a whole, for the lines of findings."""

    @property
    def is_empty(self) -> bool:
        """Return whether all was read, and there was no object in it."""
        return not (any(self.carried.counts.values()) or any(each.is_blocking for each in self.findings))


@contextmanager
def migrate_resources(request: ResourcesRequest) -> Iterator[MigratedResources]:
    """Move exported objects; the input stays as it is, and is kept first if that is wanted.

    What was made can be read for as long as the context lasts.
    """
    opening = open_migration(request.root, request.migration)
    opened, migration = opening.opened, opening.migration
    known, moved = _load_checked_kinds(opened, migration)
    with ExitStack() as files:
        read = [_enter_spool(each, files) for each in spool_inputs(request.files)]
        if request.backup is not None:
            _write_backup(read, request.backup)
        spooled = files.enter_context(closing(SpooledTexts()))
        carrier = Carrier(
            carry=restore_object if request.restore else migrate_object,
            moves=build_moves(moved, opening.others),
            check=partial(_validate_object, known=known),
            as_json=request.as_json,
        )
        some = [each for each in read if isinstance(each, Spool)]
        carried, findings, texts = _migrate_spools(some, carrier, spooled)
        unread = [each for each in read if isinstance(each, Finding)]
        found = (*check_conversions(moved.moving_kinds), *unread, *findings, *carried.collect_findings())
        yield MigratedResources(root=opened.root, carried=carried, findings=found, texts=texts)


def _enter_spool(found: Spool | Finding, files: ExitStack) -> Spool | Finding:
    if isinstance(found, Spool):
        files.enter_context(found.file)
    return found


def _migrate_spools(
    read: list[Spool], carrier: Carrier, spooled: SpooledTexts
) -> tuple[MigratedStream, list[Finding], dict[str, str]]:
    """Take objects one at a time; where a file does not come in pieces, once more, with all of it at once.

    So is it where objects select by keys that those before them have moved already.
    """
    odd: dict[int, OddExportError] = {}
    selected: frozenset[str] = frozenset()
    while True:
        spooled.clear()
        stream, known, findings, texts = MigratedStream(spooled), len(odd), list[Finding](), dict[str, str]()
        carrying = carrier._replace(moves=replace(carrier.moves, selected=selected))
        for number, spool in enumerate(read):
            if number in odd:
                objects, wrong, texts[spool.name] = read_objects_at_once(spool, odd[number])
                findings += wrong
                for each in objects:
                    stream.add(carrying.carry_over(each))
            else:
                try:
                    _migrate_blocks(spool, carrying, stream)
                except OddExportError as error:
                    odd[number] = error
        if len(odd) == known and stream.selected <= selected:
            return stream, findings, texts
        selected |= stream.selected


def _migrate_blocks(spool: Spool, carrier: Carrier, stream: MigratedStream) -> None:
    """Take the objects of a file, which two processes read if there are many; it must say something."""
    blocks, places, says = ExportBlocks(spool), ExportBlocks(spool), False
    work = partial(carrier.carry_block, blocks)
    with share_work(work, range(len(blocks)), encode_block, decode_block) as results:
        for number, block in enumerate(results):
            says = says or block.says
            places.known = (number, block.pieces) if block.pieces else places.known
            for piece, each in block.objects:
                stream.add(each, Place(places, number, piece))
            stream.locate_findings()
    if not says:
        raise OddExportError


def _write_backup(read: list[Spool | Finding], path: Path) -> None:
    if len(read) != 1:
        raise UsageError(
            f"found {len(read)} files to keep in one backup, expected one", hint="pass one at a time"
        )
    for each in (each for each in read if isinstance(each, Spool)):
        if path.exists() and Path(each.name).exists() and path.samefile(each.name):
            raise UsageError(f"{str(path)!r} is the input", hint="name another file for the backup")
        save_private_copy(each.file, path)


def _load_checked_kinds(opened: OpenedKit, migration: Migration) -> tuple[Catalog, MovedKinds]:
    """Return the CRDs of the new kinds, and what moves; one that is not there is an error of the migration.

    So is a field that cannot go where it should, or a scope, which would refuse one resource after the other.
    """
    known = group_by_kind(crd.body for crd in load_declared_crds(opened, migration, migration.after))
    moved = load_declared_kinds(opened, migration)
    raise_on_errors(moved.findings, opened.root)
    raise_on_errors((*check_moved_fields(moved.moving_kinds), *check_scopes(moved.moving_kinds)), opened.root)
    return known, moved


def _validate_object(body: JsonObject, known: Catalog) -> list[Problem]:
    """Return what the CRD of a new kind has against an object."""
    return walk_object(body, known[str(body["apiVersion"]).rpartition("/")[0], body["kind"]]).problems
