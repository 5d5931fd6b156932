"""What a review says in a comment fits into it, and no line of it is more than it should be."""

from __future__ import annotations

import msgspec
import pytest

from kitgen.compare.report.review_markdown import LIMIT, MARK, as_markdown
from kitgen.compare.report.review_view import View
from kitgen.compare.review.change import ReviewedChange, join_changes
from kitgen.compare.review.review import review_scope
from kitgen.compare.review.scope import ReviewScope
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import JsonObject

LINES = ("| ", "|---", "### ", "<details>", "<summary>", "</details>", "and ", "**", MARK)
"""How lines begin: one that begins with / would be a command to GitLab."""


def changed(name: str) -> tuple[ReviewedChange, ...]:
    def side(value: str) -> list[Manifest]:
        data: JsonObject = {name: value}
        return [
            Manifest(
                body={"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data},
                sources=(),
            )
        ]

    return tuple(join_changes(review_scope(ReviewScope(before=side("a"), after=side(name), minor=29))))


def accepted(found: ReviewedChange, reason: str) -> ReviewedChange:
    return msgspec.structs.replace(found, change=msgspec.structs.replace(found.change, accepted=reason))


def told(changes: list[ReviewedChange]) -> str:
    return as_markdown(View(changes, (), lambda _: None), ("git:a", "here"))


@pytest.mark.parametrize(
    ("count", "length"), [(1, 10), (3, 100_000), (40, 1_900), (2_000, 30), (700, 90), (5_000, 1)]
)
def test_reasons_fit_however_many_and_long_they_are(count: int, length: int) -> None:
    (one,) = changed("a b")
    text = told([one, *(accepted(one, f"{number} {'<' * length}") for number in range(count))])
    assert len(text) <= LIMIT
    assert "### Behaviour (1)" in text or "<summary>Behaviour (1)</summary>" in text
    shown = text.count("<summary>Accepted, ")
    assert shown == count or f"and {count - shown} more: " in text


@pytest.mark.parametrize(
    "name",
    [
        "/close",
        "a\n/approve",
        "a\r/merge",
        "a\u2028/merge",
        "- [ ] a",
        f"{MARK}",
        "-->",
        "</details>",
        "@all",
    ],
)
def test_no_line_is_a_command(name: str) -> None:
    found = changed(name)
    lines = told([*found, *(accepted(each, name) for each in found)]).splitlines()
    assert lines[0] == MARK
    assert all(line.startswith(LINES) for line in lines if line)
    assert not any(MARK in line for line in lines[1:] if not line.startswith("| `"))
    assert sum(line == "</details>" for line in lines) == sum(line == "<details>" for line in lines)
