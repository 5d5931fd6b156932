"""What the pages show is what the commands print."""

from __future__ import annotations

from pathlib import Path

import pytest
from forks import write_program
from kits import PROJECT
from some import first, rows

from docs.console import PROGRAMS, PageError, blocks, copy_kit, edit, pages, run, steps
from docs.elision import matches, shown

SMALL = "docs/examples/upgrade.md"
"""It edits and runs, and takes little time."""
COLD = (SMALL, "README.md")
"""They run the real program, since a fork has imported what a command may have forgotten."""
PAGES = sorted((path.relative_to(PROJECT).as_posix() for path in pages()), key=lambda page: page != SMALL)


@pytest.fixture(scope="module")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a `kitgen` that need not import anything."""
    folder = tmp_path_factory.mktemp("programs")
    write_program(folder)
    return folder


@pytest.mark.parametrize("page", first(PAGES))
def test_the_page_shows_what_happens(page: str, tmp_path: Path, forked: Path) -> None:
    programs = PROGRAMS if page in COLD else forked
    copy_kit(tmp_path)
    for kind, content in blocks((PROJECT / page).read_text(encoding="utf-8")):
        if kind == "diff":
            edit(content, tmp_path)
            continue
        shown = steps(content)
        printed = run([step.command for step in shown], tmp_path, programs)
        assert len(printed) == len(shown)
        for step, output in zip(shown, printed, strict=True):
            assert matches(step.expected, output), f"run make update; $ {step.command}\n{output}"


@pytest.mark.parametrize("page", PAGES)
def test_an_edit_that_a_page_shows_changes_something(page: str) -> None:
    edited = False
    for kind, content in blocks((PROJECT / page).read_text(encoding="utf-8")):
        edited |= kind == "diff"
        for step in steps(content) if kind == "console" else ():
            if step.command.startswith("kitgen render") and edited:
                assert ": 0 changed" not in step.expected, "the kit has it by now: show another change"
                edited = False


@rows(
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


@rows(
    ("expected", "printed", "want"),
    [
        ("a", "a", "a"),
        ("a", "b\nc", "b\nc"),
        ("one\n…\nlast", "two\nb\nc\nend", "two\n…\nend"),
        ("…\nlast", "two\nb\nend", "…\nend"),
        ("one\n…", "two\nb\nend", "two\n…"),
        ("one 1\n…\nthree 3\n…", "one 2\na\nb\nthree 4\nc", "one 2\n…\nthree 4\n…"),
        ("one 1\n…\nthree 3\n…\nlast", "one 2\na\nb\nc\nlast", "one 2\n…\nlast"),
        ("a … c.\n…\nlast 1", "a bb c.\nb\nlast 2", "a … c.\n…\nlast 2"),
        ("a\n…\nb", "", ""),
        (
            "Head\n…\nTargets\nolm v1.5\nrhoai v1.5\n…\n\nParts\nkueue v1",
            "Head\na\nTargets\nacme v1.5\nolm v1.6\nrhoai v1.6\nb\n\nParts\nkueue v1\nkueue v2",
            "Head\n…\nTargets\nacme v1.5\nolm v1.6\nrhoai v1.6\n…\n\nParts\nkueue v1\nkueue v2",
        ),
    ],
)
def test_what_was_left_out_is_left_out_again(expected: str, printed: str, want: str) -> None:
    assert shown(expected, printed) == want
    assert matches(want, printed)
    assert shown(want, printed) == want


def test_an_edit_need_not_say_all_of_a_line(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text("a: 1\nb: 2\nc: 3\n")
    edit("--- x.yaml\n a: …\n-b: …\n+b: 5\n+d: 6\n c: 3\n", tmp_path)
    assert file.read_text() == "a: 1\nb: 5\nd: 6\nc: 3\n"
    with pytest.raises(PageError, match=r"x\.yaml does not hold these lines once"):
        edit("--- x.yaml\n-…\n", tmp_path)


def test_what_kitgen_says_in_a_pipe_comes_before_its_product(tmp_path: Path) -> None:
    slow = "{ echo product; sleep 0.2; kitgen no-such-command; } | cat"
    first, then = run([slow, "echo one; echo two >&2; echo three"], tmp_path)
    assert first.startswith("Usage: ")
    assert first.endswith("\nproduct")
    assert then == "one\ntwo\nthree"
