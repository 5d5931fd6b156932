"""Write findings as JUnit XML, which CI systems show as tests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from kitgen.findings import Finding, Severity, pointer
from kitgen.report.text import Read, Where, message_of, placed
from kitgen.text.wording import printable

ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML has no way to say."""
LONGEST = 1_000


def as_junit(findings: Iterable[Finding], read: Read, where: Where) -> str:
    """Write a suite for each file and a test for each finding; errors fail, and what is accepted is skipped.

    A warning is a test that passes and says what it found. Where nothing is found, one test says so.
    """
    items = sorted((item for item, _ in placed(findings, read, where)), key=lambda item: item.origin.file)
    suites = [
        _suite(file, list(map(_case, some)))
        for file, some in groupby(items, key=lambda item: item.origin.file)
    ]
    if not suites:
        suites = [_suite("", [f"    <testcase {_attributes(classname='kitgen', name='no findings')}/>\n"])]
    failures = sum(item.blocks for item in items)
    head = _attributes(name="kitgen check", tests=max(len(items), 1), failures=failures)
    body = "".join(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites {head}>\n{body}</testsuites>\n'


def _suite(file: str, cases: list[str]) -> str:
    head = _attributes(
        name=file or "kitgen",
        tests=len(cases),
        failures=sum("<failure" in case for case in cases),
        skipped=sum("<skipped" in case for case in cases),
        errors=0,
    )
    return f"  <testsuite {head}>\n{''.join(cases)}  </testsuite>\n"


def _case(item: Finding) -> str:
    line = f":{item.origin.line}" if item.origin.line else ""
    place = f"{item.origin.file}{line} {pointer(item.origin.path)}".strip()
    name = " ".join(filter(None, (place, item.subject)))
    at = {"file": item.origin.file} if item.origin.file else {}
    head = _attributes(classname=item.rule.id, name=name, **at)
    told = message_of(item)
    if item.accepted:
        inside = f"<skipped {_attributes(message=f'accepted: {item.accepted}')}/>"
    elif item.severity is Severity.ERROR:
        inside = f"<failure {_attributes(type=item.rule.id, message=told)}>{escape(_safe(place))}</failure>"
    else:
        inside = f"<system-out>{escape(_safe(f'{item.severity}: {told}'))}</system-out>"
    return f"    <testcase {head}>{inside}</testcase>\n"


def _attributes(**given: str | int) -> str:
    return " ".join(f"{name}={quoteattr(_safe(str(value)))}" for name, value in given.items())


def _safe(text: str) -> str:
    return ILLEGAL.sub("?", printable(text[:LONGEST]))
