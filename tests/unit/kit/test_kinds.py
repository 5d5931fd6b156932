"""The kinds of other projects that kitgen ships: each declaration is sound, and a change of one is seen."""

from __future__ import annotations

import hashlib
import json

import pytest
import recorded
from declared import plain
from some import rows

from kitgen.check.schemas.builtin import check_crd_fields
from kitgen.crd.definition import is_crd
from kitgen.crd.format import render_declaration
from kitgen.crd.importer.check import check_crd
from kitgen.findings import Origin
from kitgen.kit.apis import find_shipped_crd
from kitgen.kube import foreign_kinds
from kitgen.kube.definitions import list_minors, list_supported_minors
from kitgen.kube.identity import is_namespaced
from kitgen.text.schema_check import check_against_schema
from kitgen.text.yaml import JsonObject, read_yaml

EVERY = [
    (group, kind) for group in foreign_kinds.list_groups() for kind in foreign_kinds.plurals_by_kind(group)
]
FILES = [
    (group, plural)
    for group in foreign_kinds.list_groups()
    for plural in foreign_kinds.read_declaration_texts(group)
]
RECORD = "compare with the real CRD first; then run pytest -n 0 tests/unit/kit --record-reference"


def crd(group: str, kind: str, *, admitted: bool = False) -> JsonObject:
    found = find_shipped_crd(group, kind, admitted=admitted)
    assert found is not None
    return found


def test_every_file_declares_a_kind() -> None:
    assert len(EVERY) == len(FILES) == 18
    for group, plural in FILES:
        data = foreign_kinds.read_declaration(group, plural)
        assert data["group"] == group
        assert foreign_kinds.plurals_by_kind(group)[data["names"]["kind"]] == plural


@rows("group", foreign_kinds.list_groups())
def test_a_group_says_where_it_comes_from(group: str) -> None:
    about = foreign_kinds.read_group(group)
    assert about.source
    assert about.minor in list_minors()
    assert about.admission.keys() <= foreign_kinds.read_declaration_texts(group).keys()


@rows(("group", "plural"), FILES)
def test_a_declaration_is_written_as_an_import_writes_it(group: str, plural: str) -> None:
    head, _, text = foreign_kinds.read_declaration_texts(group)[plural].partition("\n")
    assert head == "# yaml-language-server: $schema=../../crd.json"
    assert check_against_schema("crd", read_yaml(text), Origin(plural)) == []
    written = render_declaration(read_yaml(text))
    assert [line for line in written.splitlines() if not line.startswith("#")] == text.splitlines()


@rows("admitted", [False, True])
@rows(("group", "kind"), EVERY)
def test_a_declaration_expands_to_a_crd_that_a_server_takes(group: str, kind: str, admitted: bool) -> None:
    body = crd(group, kind, admitted=admitted)
    assert is_crd(body)
    assert list(check_crd_fields(body, list_supported_minors())) == []
    names = body["spec"]["names"]
    assert body["metadata"]["name"] == f"{names['plural']}.{group}"
    assert (names["kind"], names["plural"]) == (kind, foreign_kinds.plurals_by_kind(group)[kind])


@pytest.mark.exhaustive
@pytest.mark.parametrize(("group", "kind"), EVERY)
def test_an_expanded_crd_could_be_imported(group: str, kind: str) -> None:
    assert check_crd(crd(group, kind, admitted=True), Origin("")) == []


def test_declarations_expand_to_what_was_recorded(record_reference: bool) -> None:
    got = {
        f"{group}/{foreign_kinds.plurals_by_kind(group)[kind]}": hashlib.sha256(
            json.dumps(plain(crd(group, kind)), sort_keys=True).encode()
        ).hexdigest()[:16]
        for group, kind in EVERY
    }
    if record_reference:
        recorded.store_crd_digests(got, recorded.KINDS)
    assert got == recorded.crd_digests(recorded.KINDS), RECORD


@rows(("group", "kind"), EVERY)
def test_the_scope_is_that_of_the_declaration(group: str, kind: str) -> None:
    assert is_namespaced(group, kind) is (crd(group, kind)["spec"]["scope"] == "Namespaced")


def test_a_crd_is_read_once() -> None:
    assert crd("argoproj.io", "Application") is crd("argoproj.io", "Application", admitted=True)
    openshift = ("security.openshift.io", "SecurityContextConstraints")
    assert crd(*openshift) is not crd(*openshift, admitted=True)
    assert crd(*openshift, admitted=True) is crd(*openshift, admitted=True)


@rows("name", ["", ".", "..", "../kinds/argoproj.io", "argoproj.io/", "/", "kinds", "a\0b"])
def test_a_stranger_cannot_name_a_file(name: str) -> None:
    assert find_shipped_crd(name, "Application") is None
    assert find_shipped_crd("argoproj.io", name) is None
    assert is_namespaced(name, name)
