"""Read the objects of an export with their places, by piece, or as a whole where it has no pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BufferedReader
from itertools import chain

from msgspec.structs import replace

from kitgen.files.tree import FILE_SIZE
from kitgen.findings import Finding, Origin, Path, Problem, make_problem
from kitgen.kit.foreign_objects import ForeignObject, objects_in, parse_documents
from kitgen.kit.manifests import MAX_BYTES, ReadBudget, decode_manifest
from kitgen.migrate.exports.json_stream import read_json, split_json
from kitgen.migrate.exports.spool import FAILED, Spool, SpoolReader
from kitgen.migrate.exports.yaml_stream import MAX_PIECE, ODD, ExportPiece, OddExportError, split_yaml
from kitgen.text.values import list_at, text_at, value_at
from kitgen.text.wording import describe_value
from kitgen.text.yaml import Dialect, Json, JsonObject, YamlError, build_line_finder, read_yaml_documents

LIST = "List"
OBJECT_PARTS = ("spec", "data")


def list_objects(document: Json, origin: Origin) -> Iterator[ForeignObject]:
    """Yield every object of a document, and every list without items as something that is no object."""
    broken = {each.origin: each for each in _find_broken_lists(document, origin)}
    yield from broken.values()
    yield from (each for each in objects_in(document, origin) if each.origin not in broken)


def _find_broken_lists(value: Json, origin: Origin) -> Iterator[ForeignObject]:
    """Yield lists, and lists within lists, whose items are none."""
    waiting = [(value, origin)]
    while waiting:
        body, where = waiting.pop()
        if not isinstance(body, dict) or not str(body.get("kind", "")).endswith(LIST):
            continue
        waiting += ((item, where.at("items", at)) for at, item in enumerate(list_at(body, "items")))
        if not isinstance(body.get("items"), list) and ("items" in body or _is_list_kind(body)):
            yield ForeignObject(body=body, origin=where, problems=(_report_broken_list(body),))


def _report_broken_list(body: JsonObject) -> Problem:
    hint = "export again; no objects are written items: []"
    if "items" not in body:
        return make_problem(
            "export-list", "found a list without items, expected a list of objects", ("kind",), hint
        )
    found = describe_value(body["items"], reveal=False)
    return make_problem("export-list", f"found {found}, expected a list of objects", ("items",), hint)


def _is_list_kind(body: JsonObject) -> bool:
    """Return whether something without items is a list: other kinds named so have a name."""
    named = any(value_at(body, "metadata", key) for key in ("name", "generateName"))
    return body["kind"] == LIST or not (named or any(key in body for key in OBJECT_PARTS))


TOO_BIG = FILE_SIZE(
    f"found more than {MAX_BYTES // 2**20} MiB that are neither a plain list nor documents of their own",
    hint="export with kubectl get -o yaml or -o json, and pass that on as it is",
    line=1,
)
HEAD = 512
DEEPEST = 200
"""As the strict reader has it."""


def find_lines(piece: ExportPiece, paths: Sequence[Path]) -> list[int]:
    """Return the lines of paths in a piece, which is read once for all of them; 0 in the head of a list."""
    if piece.is_head:
        return [0] * len(paths)
    if piece.item is not None:  # of YAML, written as a list of one
        paths = [path[2:] if piece.is_json else (0, *path[2:]) for path in paths]
    line_of = build_line_finder(piece.text, [(0, path) for path in paths])
    return [line_of(0, path) + piece.before for path in paths]


def split_export(spool: Spool) -> Iterator[ExportPiece]:
    """Yield the pieces of an export; OddExportError, at any time, if all is to be read at once instead."""
    start = SpoolReader(spool).read(HEAD).lstrip()
    is_json = start.startswith(b"{")
    if not is_json and start.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"[")):
        raise OddExportError
    yield from (split_json if is_json else split_yaml)(SpoolReader(spool))


def read_piece(spool: Spool, piece: ExportPiece) -> list[ForeignObject] | None:
    """Return the objects of a piece, or None if it says nothing; OddExportError as above."""
    if (data := _parse_piece(piece)) is None:
        return None
    if not piece.is_head:
        return [*_list_piece_objects(spool.name, piece, data)]
    if not text_at(data, "kind").endswith(LIST):
        raise OddExportError
    return [*_check_list_head(spool, piece, data)]


def _list_piece_objects(name: str, piece: ExportPiece, data: Json) -> Iterator[ForeignObject]:
    origin = Origin(name, document=piece.document)
    if piece.item is None:
        yield from list_objects(data, origin)
        yield from _check_continue_token(data, origin)
        return
    if not isinstance(data, dict) or not (data.get("apiVersion") and data.get("kind")):
        raise OddExportError  # it may be meant to have those of the list
    yield from list_objects(data, origin.at("items", piece.item))


def _parse_piece(piece: ExportPiece) -> Json:
    """Read a piece, strictly; it must hold one thing."""
    if piece.is_json:
        data = read_json(piece.text) if piece.data is ODD else piece.data
        data = _parse_yaml_piece(piece) if data is ODD else data
        if piece.text.count("[") + piece.text.count("{") > DEEPEST and _is_too_deep(data):
            raise OddExportError
        return data
    data = _parse_yaml_piece(piece)
    if piece.item is None:
        return data
    if not isinstance(data, list) or len(data) != 1:
        raise OddExportError
    return data[0]


def _parse_yaml_piece(piece: ExportPiece) -> Json:
    try:
        documents = read_yaml_documents(piece.text, dialect=Dialect.KUBECTL)
    except YamlError as error:
        below = (replace(each, path=(), line=each.line + piece.before) for each in error.problems)
        raise OddExportError(*below) from error
    if len(documents) > 1:
        raise OddExportError
    return documents[0] if documents else None


def _is_too_deep(value: Json) -> bool:
    level, depth = [value] if isinstance(value, dict | list) else [], 0
    while level and depth <= DEEPEST:
        below = (item.values() if isinstance(item, dict) else item for item in level)
        level = [item for item in chain.from_iterable(below) if type(item) is dict or type(item) is list]
        depth += 1
    return depth > DEEPEST


def _check_list_head(spool: Spool, piece: ExportPiece, data: JsonObject) -> Iterator[ForeignObject]:
    """Yield that a list goes on somewhere else."""
    for each in _check_continue_token(data, Origin(spool.name, document=piece.document)):
        line = _find_token_line(spool, str(data["metadata"]["continue"]).encode())
        problems = tuple(replace(wrong, line=line) for wrong in each.problems)
        yield replace(each, problems=problems)


def _check_continue_token(data: Json, origin: Origin) -> Iterator[ForeignObject]:
    """Yield a list that has a token to go on with, as something that is no object."""
    if value_at(data, "metadata", "continue") and isinstance(value_at(data, "items"), list):
        message = "found a list with a token to go on: there are more objects"
        wrong = make_problem("export-cut", message, ("metadata", "continue"))
        yield ForeignObject(body=data, origin=origin, problems=(wrong,))


def _find_token_line(spool: Spool, token: bytes) -> int:
    """Return the last line with a token, which stands once in an export; 0 if it is written otherwise."""
    number, found = 1, 0
    with BufferedReader(SpoolReader(spool)) as file:
        while part := file.readline(MAX_PIECE):
            found = number if token in part and b"continue" in part else found
            number += part.endswith(b"\n")
    return found


def read_objects_at_once(spool: Spool, odd: OddExportError) -> tuple[list[ForeignObject], list[Finding], str]:
    """Return all objects of an export that does not come in pieces, what is wrong with it, and its text."""
    origin = Origin(spool.name)
    if spool.size > MAX_BYTES:
        return [], [TOO_BIG.to_finding(origin), *(each.to_finding(origin) for each in odd.problems)], ""
    if isinstance(text := decode_manifest(SpoolReader(spool).read(MAX_BYTES)), Problem):
        return [], [text.to_finding(origin)], ""
    documents, findings = parse_documents(spool.name, text, ReadBudget())
    if not findings and all(each is None for each in documents):
        message = "found nothing, expected exported objects"
        findings = [make_problem("export-empty", message, (), FAILED, 1).to_finding(origin)]
    placed = [(each, Origin(spool.name, document=number)) for number, each in enumerate(documents)]
    found = chain.from_iterable((*list_objects(*each), *_check_continue_token(*each)) for each in placed)
    return [*found], findings, text
