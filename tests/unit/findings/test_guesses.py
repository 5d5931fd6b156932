"""Hints are a courtesy: a run compares only so many words for them."""

from __future__ import annotations

from kitgen.findings import limit_guesses, suggest_or_list, suggest_word


def test_the_first_misspellings_have_a_hint_and_the_rest_have_none() -> None:
    known = [f"name-{number}" for number in range(50)]
    with limit_guesses(120):
        hints = [suggest_word("nam-7", known) for _ in range(4)]
    assert [bool(hint) for hint in hints] == [True, True, True, False]


def test_every_run_begins_anew() -> None:
    with limit_guesses(1):
        assert [suggest_word("nmae", ["name"]), suggest_word("nmae", ["name"])] == [
            "did you mean 'name'?",
            "",
        ]
    assert suggest_word("nmae", ["name"]) == "did you mean 'name'?"


def test_a_hint_names_few_of_many_known_words() -> None:
    known = [f"name-{number}" for number in range(20_000)]
    assert suggest_or_list("other", known[:2]) == "known are name-0, name-1"
    assert suggest_or_list("other", [], none="it has none") == "it has none"
    hint = suggest_or_list("other", known, "it has")
    assert hint.startswith("it has name-0, name-1, ")
    assert hint.endswith("name-49 and 19950 more")
    assert len(suggest_or_list("other", ["x" * 100_000] * 100)) < 20_000
