"""What the pages show is what the commands print."""

from __future__ import annotations

from pathlib import Path

import pytest
from kits import PROJECT

from docs.console import blocks, copy_kit, edit, matches, run, steps

PAGES = sorted(
    path.relative_to(PROJECT).as_posix()
    for pattern in ("README.md", "docs/*.md", "docs/examples/*.md")
    for path in PROJECT.glob(pattern)
    if next(blocks(path.read_text(encoding="utf-8")), None)
)


@pytest.mark.parametrize("page", PAGES)
def test_the_page_shows_what_happens(page: str, tmp_path: Path) -> None:
    copy_kit(tmp_path)
    for kind, content in blocks((PROJECT / page).read_text(encoding="utf-8")):
        if kind == "diff":
            edit(content, tmp_path)
            continue
        shown = steps(content)
        printed = run([step.command for step in shown], tmp_path)
        assert len(printed) == len(shown)
        for step, output in zip(shown, printed, strict=True):
            assert matches(step.expected, output), f"$ {step.command}\n{output}"


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("", "", True),
        ("", "more", False),
        ("a\nb", "a\nb", True),
        ("a\nb", "a\nb\nc", False),
        ("a\n…\nc", "a\nb\nb\nc", True),
        ("a\n…\nc", "a\nc", True),
        ("a\n…", "a", True),
        ("a … c.", "a bb c.", True),
        ("a … c.", "a bb c!", False),
    ],
)
def test_matches(expected: str, printed: str, same: bool) -> None:
    assert matches(expected, printed) is same
