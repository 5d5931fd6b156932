"""Write findings as JUnit XML, which CI systems show as tests."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from kitgen.findings import Finding, Severity, format_pointer
from kitgen.report.text import Read, Where, format_message, locate_in_repository
from kitgen.text.patterns import compile_late
from kitgen.text.wording import escape_unprintable

ILLEGAL = compile_late("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML has no way to say."""
LONGEST = 1_000


def as_junit(findings: Iterable[Finding], read: Read, where: Where) -> str:
    """Write a suite for each file and a test for each finding; errors fail, and what is accepted is skipped.

    A warning is a test that passes and says what it found. Where nothing is found, one test says so.
    """
    items = sorted(
        (item for item, _ in locate_in_repository(findings, read, where)), key=lambda item: item.origin.file
    )
    suites = [
        _render_suite(file, list(map(_render_case, some)))
        for file, some in groupby(items, key=lambda item: item.origin.file)
    ]
    if not suites:
        suites = [
            _render_suite(
                "", [f"    <testcase {_format_attributes(classname='kitgen', name='no findings')}/>\n"]
            )
        ]
    failures = sum(item.is_blocking for item in items)
    head = _format_attributes(name="kitgen check", tests=max(len(items), 1), failures=failures)
    body = "".join(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites {head}>\n{body}</testsuites>\n'


def _render_suite(file: str, cases: list[str]) -> str:
    head = _format_attributes(
        name=file or "kitgen",
        tests=len(cases),
        failures=sum("<failure" in case for case in cases),
        skipped=sum("<skipped" in case for case in cases),
        errors=0,
    )
    return f"  <testsuite {head}>\n{''.join(cases)}  </testsuite>\n"


def _render_case(item: Finding) -> str:
    line = f":{item.origin.line}" if item.origin.line else ""
    place = f"{item.origin.file}{line} {format_pointer(item.origin.path)}".strip()
    name = " ".join(filter(None, (place, item.subject)))
    at = {"file": item.origin.file} if item.origin.file else {}
    head = _format_attributes(classname=item.rule.id, name=name, **at)
    told = format_message(item)
    if item.accepted:
        inside = f"<skipped {_format_attributes(message=f'accepted: {item.accepted}')}/>"
    elif item.severity is Severity.ERROR:
        inside = (
            "<failure "
            f"{_format_attributes(type=item.rule.id, message=told)}>{escape(_to_xml_text(place))}</failure>"
        )
    else:
        inside = f"<system-out>{escape(_to_xml_text(f'{item.severity}: {told}'))}</system-out>"
    return f"    <testcase {head}>{inside}</testcase>\n"


def _format_attributes(**given: str | int) -> str:
    return " ".join(f"{name}={quoteattr(_to_xml_text(str(value)))}" for name, value in given.items())


def _to_xml_text(text: str) -> str:
    return ILLEGAL.sub("?", escape_unprintable(text[:LONGEST]))
