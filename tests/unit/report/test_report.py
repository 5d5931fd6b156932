"""Findings and tables as people and programs see them."""

import json

from hypothesis import given
from hypothesis import strategies as st
from some import rows

from kitgen.findings import Finding, Origin, rules_by_id
from kitgen.report.forms import render_findings
from kitgen.report.table import render_table
from kitgen.report.text import format_summary

SPEC = """\
name: kueue
webhooks:
- path: /a
- path: mutate-x
"""
FILES = {"components/kueue/component.yaml": SPEC, "broken.yaml": "a: 1\nb: [1\n"}
RULE = rules_by_id()
PATH = RULE["spec-value"](
    'found "mutate-x", expected it to start with "/"', hint='write "/mutate-x"'
).to_finding(Origin("components/kueue/component.yaml", ("webhooks", 1, "path")))
SYNTAX = RULE["yaml-syntax"]("expected ',' or ']'", ("b", 0), line=3).to_finding(Origin("broken.yaml"))
KIND = RULE["kind-unknown"]("found no schema").to_finding(
    Origin("missing.yaml", ("images", "a/b")), "apps/v1 Deployment odh/kueue /spec"
)
WHOLE = RULE["file-not-ours"]("found another file").to_finding(Origin("broken.yaml"))


def test_text_form() -> None:
    assert render_findings([PATH, SYNTAX, KIND, WHOLE, PATH], read=FILES.get).splitlines() == [
        "broken.yaml:1: file-not-ours: found another file",
        "broken.yaml:3 /b/0: yaml-syntax: expected ',' or ']'",
        "components/kueue/component.yaml:4 /webhooks/1/path: spec-value: "
        'found "mutate-x", expected it to start with "/" (hint: write "/mutate-x")',
        "missing.yaml /images/a~1b: warning: kind-unknown: found no schema "
        "[apps/v1 Deployment odh/kueue /spec]",
    ]


def test_finding_without_a_file() -> None:
    finding = RULE["targets-missing"]("found no target").to_finding(Origin(""))
    assert render_findings([finding], read=FILES.get) == "targets-missing: found no target\n"
    assert format_summary([finding]) == "1 error"


def test_json_form() -> None:
    entries = json.loads(render_findings([PATH, KIND], read=FILES.get, output="json"))["findings"]
    assert entries == [
        {
            "rule": "spec-value",
            "severity": "error",
            "file": "components/kueue/component.yaml",
            "line": 4,
            "pointer": "/webhooks/1/path",
            "message": 'found "mutate-x", expected it to start with "/"',
            "hint": 'write "/mutate-x"',
            "subject": "",
            "accepted": None,
        },
        {
            "rule": "kind-unknown",
            "severity": "warning",
            "file": "missing.yaml",
            "line": None,
            "pointer": "/images/a~1b",
            "message": "found no schema",
            "hint": "",
            "subject": "apps/v1 Deployment odh/kueue /spec",
            "accepted": None,
        },
    ]
    empty = json.loads(render_findings([], read=FILES.get, output="json"))
    assert (empty["schema"], empty["findings"]) == ("kitgen/findings/v1", [])


def test_files_are_read_late_and_once() -> None:
    asked: list[str] = []

    def read(file: str) -> str | None:
        asked.append(file)
        return FILES.get(file)

    other = RULE["spec-type"]("y").to_finding(Origin("components/kueue/component.yaml", ("name",)))
    assert render_findings([], read=read) == ""
    render_findings([SYNTAX], read=read)
    assert asked == []
    assert ":1 /name:" in render_findings([PATH, other, SYNTAX], read=read)
    assert asked == ["components/kueue/component.yaml"]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_strangers_cannot_steer_the_terminal(text: str) -> None:
    finding = RULE["spec-type"](text, hint=text).to_finding(Origin(f"f{text}", (f"k{text}",)), text)
    shown = render_findings([finding], read=lambda _: None)
    assert shown.endswith("\n")
    assert shown[:-1].isprintable()


def test_half_a_character_is_shown_too() -> None:
    finding = RULE["spec-type"]("found \ud800").to_finding(Origin("f"))
    assert render_findings([finding], read=FILES.get) == "f: spec-type: found \\ud800\n"


def test_colour_only_when_asked() -> None:
    assert "\x1b" not in render_findings([PATH, KIND], read=FILES.get)
    shown = render_findings([PATH, KIND], read=FILES.get, colour=True)
    assert "\x1b[31mspec-value\x1b[0m" in shown
    assert "\x1b[33mwarning: kind-unknown\x1b[0m" in shown
    assert "\x1b" not in render_findings([PATH], read=FILES.get, output="json", colour=True)


@rows(
    ("findings", "text"),
    [
        ([], "no findings"),
        ([PATH], "1 error in 1 file"),
        ([KIND], "1 warning in 1 file"),
        ([PATH, PATH, SYNTAX, KIND, WHOLE], "3 errors, 1 warning in 3 files"),
    ],
)
def test_summary(findings: list[Finding], text: str) -> None:
    assert format_summary(findings) == text


def test_plain_table() -> None:
    rows = [["olm", "v1.5.0", ""], ["rhoai\x1b", "v1", "why not"]]
    assert render_table("Targets", ("target", "release", "about"), rows) == (
        "Targets\nTARGET     RELEASE  ABOUT\nolm        v1.5.0\nrhoai\\x1b  v1       why not\n"
    )
    assert render_table("", ("a",), []) == "A\n"


ABOUT = "The upstream projects as they ship; the operator's OLM bundle comes from here"


def test_a_table_keeps_its_columns_on_a_narrow_terminal() -> None:
    rows = [["olm", "v1.5.0", ABOUT], ["rhoai", "v1.5.0", "Short"]]
    assert render_table("Targets", ("target", "release", "about"), rows, width=40) == (
        "Targets\n"
        "TARGET  RELEASE  ABOUT\n"
        "olm     v1.5.0   The upstream projects\n"
        "                 as they ship; the\n"
        "                 operator's OLM bundle\n"
        "                 comes from here\n"
        "rhoai   v1.5.0   Short\n"
    )


@rows("width", [40, 60, 80, 200])
def test_no_line_of_a_table_is_wider_than_the_terminal(width: int) -> None:
    rows = [["kueue-with-a-long-name", "v1.5.0", ABOUT, ABOUT], ["b", "v1", "x" * 90, ""]]
    shown = render_table("T", ("target", "release", "about", "more"), rows, width=width)
    assert max(map(len, shown.splitlines())) <= width
    flat = "".join(shown.split())
    assert all(word in flat or len(word) > 20 for word in ABOUT.split())


def test_a_table_is_coloured_when_asked() -> None:
    shown = render_table("Targets", ("target",), [["[red]v1"]], colour=True)
    assert "\x1b[1mTARGET" in shown
    assert "[red]v1" in shown
    assert "\x1b" not in render_table("Targets", ("target",), [["v1"]])
