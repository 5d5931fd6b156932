"""Findings and tables as people and programs see them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen import report
from kitgen.findings import Finding, Origin, Severity

SPEC = """\
name: kueue
webhooks:
- path: /a
- path: mutate-x
"""
FILES = {"components/kueue/component.yaml": SPEC, "broken.yaml": "a: 1\nb: [1\n"}
PATH = Finding(
    rule="webhook-path",
    message='found "mutate-x", expected it to start with "/"',
    origin=Origin("components/kueue/component.yaml", ("webhooks", 1, "path")),
    hint='write "/mutate-x"',
)
SYNTAX = Finding(
    rule="yaml-syntax", message="expected ',' or ']'", origin=Origin("broken.yaml", ("b", 0), line=3)
)
IMAGE = Finding(
    rule="image-tag",
    message="found no tag",
    origin=Origin("missing.yaml", ("images", "a/b")),
    severity=Severity.WARNING,
    subject="apps/v1 Deployment odh/kueue /spec",
)
WHOLE = Finding(rule="file-not-ours", message="found another file", origin=Origin("broken.yaml"))


def test_text_form() -> None:
    assert report.show([PATH, SYNTAX, IMAGE, WHOLE, PATH], read=FILES.get).splitlines() == [
        "broken.yaml:1: file-not-ours: found another file",
        "broken.yaml:3 /b/0: yaml-syntax: expected ',' or ']'",
        "components/kueue/component.yaml:4 /webhooks/1/path: webhook-path: "
        'found "mutate-x", expected it to start with "/" (hint: write "/mutate-x")',
        "missing.yaml /images/a~1b: warning: image-tag: found no tag [apps/v1 Deployment odh/kueue /spec]",
    ]


def test_finding_without_a_file() -> None:
    finding = Finding(rule="kit-empty", message="found no target", origin=Origin(""))
    assert report.show([finding], read=FILES.get) == "kit-empty: found no target\n"
    assert report.summary([finding]) == "1 error"


def test_json_form() -> None:
    entries = json.loads(report.show([PATH, IMAGE], read=FILES.get, output="json"))
    assert entries == [
        {
            "rule": "webhook-path",
            "severity": "error",
            "file": "components/kueue/component.yaml",
            "line": 4,
            "pointer": "/webhooks/1/path",
            "message": 'found "mutate-x", expected it to start with "/"',
            "hint": 'write "/mutate-x"',
            "subject": "",
        },
        {
            "rule": "image-tag",
            "severity": "warning",
            "file": "missing.yaml",
            "line": None,
            "pointer": "/images/a~1b",
            "message": "found no tag",
            "hint": "",
            "subject": "apps/v1 Deployment odh/kueue /spec",
        },
    ]
    assert json.loads(report.show([], read=FILES.get, output=report.Output.JSON)) == []


def test_files_are_read_late_and_once() -> None:
    asked: list[str] = []

    def read(file: str) -> str | None:
        asked.append(file)
        return FILES.get(file)

    other = Finding(rule="x", message="y", origin=Origin("components/kueue/component.yaml", ("name",)))
    assert report.show([], read=read) == ""
    report.show([SYNTAX], read=read)
    assert asked == []
    assert ":1 /name:" in report.show([PATH, other, SYNTAX], read=read)
    assert asked == ["components/kueue/component.yaml"]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_strangers_cannot_steer_the_terminal(text: str) -> None:
    finding = Finding(
        rule="x", message=text, origin=Origin(f"f{text}", (f"k{text}",)), hint=text, subject=text
    )
    shown = report.show([finding], read=lambda _: None)
    assert shown.endswith("\n")
    assert shown[:-1].isprintable()


def test_half_a_character_is_shown_too() -> None:
    finding = Finding(rule="x", message="found \ud800", origin=Origin("f"))
    assert report.show([finding], read=FILES.get) == "f: x: found \\ud800\n"


def test_colour_only_when_asked() -> None:
    assert "\x1b" not in report.show([PATH, IMAGE], read=FILES.get)
    shown = report.show([PATH, IMAGE], read=FILES.get, colour=True)
    assert "\x1b[31mwebhook-path\x1b[0m" in shown
    assert "\x1b[33mwarning: image-tag\x1b[0m" in shown
    assert "\x1b" not in report.show([PATH], read=FILES.get, output="json", colour=True)


@pytest.mark.parametrize(
    ("findings", "text"),
    [
        ([], "no findings"),
        ([PATH], "1 error in 1 file"),
        ([IMAGE], "1 warning in 1 file"),
        ([PATH, PATH, SYNTAX, IMAGE, WHOLE], "3 errors, 1 warning in 3 files"),
    ],
)
def test_summary(findings: list[Finding], text: str) -> None:
    assert report.summary(findings) == text


def test_plain_table() -> None:
    rows = [["olm", "v1.5.0", ""], ["rhoai\x1b", "v1", "why not"]]
    assert report.table("Targets", ("target", "release", "about"), rows) == (
        "Targets\nTARGET     RELEASE  ABOUT\nolm        v1.5.0\nrhoai\\x1b  v1       why not\n"
    )
    assert report.table("", ("a",), []) == "A\n"


ABOUT = "The upstream projects as they ship; the operator's OLM bundle comes from here"


def test_a_table_keeps_its_columns_on_a_narrow_terminal() -> None:
    rows = [["olm", "v1.5.0", ABOUT], ["rhoai", "v1.5.0", "Short"]]
    assert report.table("Targets", ("target", "release", "about"), rows, width=40) == (
        "Targets\n"
        "TARGET  RELEASE  ABOUT\n"
        "olm     v1.5.0   The upstream projects\n"
        "                 as they ship; the\n"
        "                 operator's OLM bundle\n"
        "                 comes from here\n"
        "rhoai   v1.5.0   Short\n"
    )


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_of_a_table_is_wider_than_the_terminal(width: int) -> None:
    rows = [["kueue-with-a-long-name", "v1.5.0", ABOUT, ABOUT], ["b", "v1", "x" * 90, ""]]
    shown = report.table("T", ("target", "release", "about", "more"), rows, width=width)
    assert max(map(len, shown.splitlines())) <= width
    flat = "".join(shown.split())
    assert all(word in flat or len(word) > 20 for word in ABOUT.split())


def test_a_table_is_coloured_when_asked() -> None:
    shown = report.table("Targets", ("target",), [["[red]v1"]], colour=True)
    assert "\x1b[1mTARGET" in shown
    assert "[red]v1" in shown
    assert "\x1b" not in report.table("Targets", ("target",), [["v1"]])
