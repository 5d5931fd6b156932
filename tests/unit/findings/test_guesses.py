"""Hints are a courtesy: a run compares only so many words for them."""

from __future__ import annotations

from kitgen.findings import limited_guesses, near


def test_the_first_misspellings_have_a_hint_and_the_rest_have_none() -> None:
    known = [f"name-{number}" for number in range(50)]
    with limited_guesses(120):
        hints = [near("nam-7", known) for _ in range(4)]
    assert [bool(hint) for hint in hints] == [True, True, True, False]


def test_every_run_begins_anew() -> None:
    with limited_guesses(1):
        assert [near("nmae", ["name"]), near("nmae", ["name"])] == ["did you mean 'name'?", ""]
    assert near("nmae", ["name"]) == "did you mean 'name'?"
