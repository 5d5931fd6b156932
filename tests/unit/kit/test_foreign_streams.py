"""Bytes as kubectl reads them: what kubectl 1.32 said of each is what is expected here."""

from __future__ import annotations

import codecs

from some import rows

from kitgen.findings import Problem
from kitgen.kit.foreign_objects import parse_foreign_objects
from kitgen.kit.manifests import check_kubectl_syntax, decode_manifest

A = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
B = A.replace("name: a", "name: b")
JSON_A, JSON_B = (
    f'{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "{name}"}}}}' for name in "ab"
)
MARK = codecs.BOM_UTF8


def names(data: bytes) -> list[str]:
    text = decode_manifest(data)
    assert isinstance(text, str)
    found = parse_foreign_objects({"x": text})
    assert found.findings == ()
    assert [each.problems for each in found.objects if each.problems] == []
    return [each.body["metadata"]["name"] for each in found.objects]


@rows(
    "data",
    [
        f"{A}---\n{B}".encode(),
        f"{A}---\n{B}".replace("\n", "\r\n").encode(),
        f"---\n---\n{A}...\n---\n# nothing\n--- # more\n{B}---\n".encode(),
        MARK + f"{A}---\n".encode() + MARK + B.encode(),
        f"{A}---\n{B}".encode("utf-16"),
        codecs.BOM_UTF16_BE + f"{A}---\n{B}".encode("utf-16-be"),
        f"{JSON_A}\n{JSON_B}\n".encode(),
        f"{JSON_A}{JSON_B}".encode(),
        f"\n\n{JSON_A}  {JSON_B}\n".encode(),
        f'{{"apiVersion": "v1", "kind": "List", "items": [{JSON_A}, {JSON_B}]}}'.encode(),
        b"apiVersion: v1\nkind: ConfigMapList\nitems: [{metadata: {name: a}}, {metadata: {name: b}}]\n",
    ],
)
def test_two_objects_are_read(data: bytes) -> None:
    assert names(data) == ["a", "b"]


@rows("data", [b"", b" \n\n", b"---\n---\n", b"# nothing\n", MARK, b"\xff\xfe", b"null\n"])
def test_nothing_is_read(data: bytes) -> None:
    assert names(data) == []


@rows(
    ("data", "line"),
    [(A.encode() + b"\xff", 4), (A.encode("utf-32"), 1), (b"\x89PNG\r\n\x1a\n", 1), (b"\xff\xfea", 1)],
)
def test_bytes_that_are_no_text_are_told_with_their_line(data: bytes, line: int) -> None:
    found = decode_manifest(data)
    assert isinstance(found, Problem)
    assert (found.rule.id, found.line) == ("file-encoding", line)


def test_lines_stay_where_they_are() -> None:
    text = f"{JSON_A}\n\n{JSON_B}\n"
    parted = decode_manifest(text.encode())
    assert isinstance(parted, str)
    assert [line.removeprefix("--- ") for line in parted.splitlines()] == text.splitlines()


@rows("text", ['{"a": "}{"}\n', '{"a": 1}\n{"b": }\n', "{a: 1}\n{b: 1}\n", "{" * 20_000 + "} {"])
def test_what_is_not_json_after_json_stays_as_it_is(text: str) -> None:
    assert decode_manifest(text.encode()) == text


@rows(
    ("text", "lines"),
    [
        (f"%YAML 1.2\n---\n{A}", [1]),
        (f"{A}--- {{a: 1}}\n--- |\n  x\n---   # said\n---\n", [4, 5]),
        (f"{A}data:\n  k: |\n    --- a\n    %YAML 1.2\n", []),
        (f"{JSON_A}\n--- {JSON_B}\n", []),
    ],
)
def test_what_kubectl_does_not_take_is_told(text: str, lines: list[int]) -> None:
    found = list(check_kubectl_syntax(text))
    assert [each.line for each in found] == lines
    assert {each.rule.id for each in found} <= {"yaml-syntax"}
