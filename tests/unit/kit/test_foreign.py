"""Foreign manifests: those that kitgen did not render."""

from __future__ import annotations

from textwrap import dedent

from kitgen.check.context import CheckContext
from kitgen.check.engine import run_checks
from kitgen.findings import Chapter, Finding, Origin
from kitgen.kit.foreign_objects import parse_foreign_objects
from kitgen.kube.definitions import list_supported_minors
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import find_lines

LISTS = dedent("""\
    ---
    # nothing here
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: a}
    data: {word: yes}
    ---
    apiVersion: v1
    kind: List
    items:
    - apiVersion: v1
      kind: ConfigMapList
      items:
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
    - apiVersion: v1
      kind: Service
      metadata: {name: c}
      spec:
        prots: []
    """)


def read(file: str, text: str) -> tuple[list[Manifest], list[Finding]]:
    found = parse_foreign_objects({file: text})
    manifests = [each.manifest for each in found.objects if not each.problems]
    return manifests, [*found.findings, *(finding for each in found.objects for finding in each.findings)]


def test_documents_are_read_and_lists_unrolled() -> None:
    manifests, findings = read("all.yaml", LISTS)
    assert findings == []
    assert [str(each.id) for each in manifests] == ["ConfigMap/a", "ConfigMap/b", "Service/c"]
    assert [str(each.find_origin(("kind",))) for each in manifests] == [
        "all.yaml #2 /kind",
        "all.yaml #3 /items/0/items/0/kind",
        "all.yaml #3 /items/1/kind",
    ]


def test_findings_lead_to_the_line() -> None:
    manifests, _ = read("all.yaml", LISTS)
    found = [
        each
        for each in run_checks(CheckContext(targets={"": manifests}, minors=list_supported_minors()))
        if each.rule.chapter is Chapter.SCHEMA
    ]
    assert [(each.rule.id, each.subject) for each in found] == [
        ("field-type", "ConfigMap/a /data/word"),
        ("field-unknown", "Service/c /spec/prots"),
    ]
    lines = [
        find_lines(LISTS, {each.origin.path}, document=each.origin.document)[each.origin.path]
        for each in found
    ]
    assert [LISTS.splitlines()[line - 1].strip() for line in lines] == ["data: {word: yes}", "prots: []"]


def test_what_is_no_object_is_a_finding() -> None:
    text = "- a\n---\nhunter2\n---\nkind: Service\n---\napiVersion: v1\nkind: ''\nmetadata: [x]\n"
    manifests, findings = read("x.yaml", text)
    assert manifests == []
    assert {each.rule.id for each in findings} == {"manifest-invalid"}
    assert [(each.origin.document, each.origin.path) for each in findings] == [
        (0, ()),
        (1, ()),
        (2, ("apiVersion",)),
        (3, ("kind",)),
        (3, ("metadata",)),
    ]
    assert "hunter2" not in " ".join(each.message for each in findings)


def test_broken_yaml_is_a_finding_with_its_line() -> None:
    manifests, (finding,) = read("x.yaml", "a: b\n\tx: y\n")
    assert manifests == []
    assert finding.rule.id == "yaml-syntax"
    assert finding.origin.line > 1


def test_json_is_yaml() -> None:
    (manifest,), findings = read(
        "x.json", '{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}'
    )
    assert (str(manifest.id), findings) == ("Secret/s", [])


def test_the_number_of_a_document_is_shown_from_the_second_on() -> None:
    assert str(Origin("x.yaml", ("spec",))) == "x.yaml /spec"
    assert str(Origin("x.yaml", ("spec",), document=1).at("a")) == "x.yaml #2 /spec/a"


def test_a_list_without_an_api_version_is_unrolled_and_a_finding() -> None:
    manifests, (finding,) = read(
        "x.yaml", "kind: List\nitems: [{apiVersion: v1, kind: Secret, metadata: {name: s}}]"
    )
    assert [str(each.id) for each in manifests] == ["Secret/s"]
    assert finding.origin == Origin("x.yaml", ("apiVersion",))


def test_a_list_of_nothing_holds_nothing() -> None:
    assert read("x.yaml", "apiVersion: v1\nkind: PodList\nitems: null\n") == ([], [])
