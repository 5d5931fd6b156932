"""Results are found again by what went into them, in one entry if they are small."""

from __future__ import annotations

from pathlib import Path

import pytest

from kitgen.files import results
from kitgen.files.cache_store import CacheStore
from kitgen.files.results import ResultCache, add_results, encode_value, remember, take_results, use_cache


@pytest.fixture
def store(tmp_path: Path) -> CacheStore:
    return CacheStore(str(tmp_path / "cache"))


def ask(store: CacheStore, *texts: str, program: str = "", place: str = "") -> list[str]:
    """Return the texts that had to be made."""
    made: list[str] = []

    def ask_once(text: str) -> str:
        def make() -> str:
            made.append(text)
            return text.upper()

        return remember("upper", lambda: [text.encode()], make, str.encode, bytes.decode)

    with use_cache(ResultCache(store, program, place)):
        assert [ask_once(text) for text in texts] == [text.upper() for text in texts]
    return made


def test_what_is_known_is_not_made_again(store: CacheStore) -> None:
    assert ask(store, "a", "b", "a") == ["a", "b"]
    assert ask(store, "b", "c") == ["c"]
    assert ask(store, "a", "b", "c") == []
    assert ask(store, "a", program="another") == ["a"]
    assert ask(store, "a", place="elsewhere") == ["a"]


def test_small_results_share_an_entry(store: CacheStore) -> None:
    ask(store, *"abc")
    assert store.measure().entries == 1
    long = "x" * (results.SMALL + 1)
    assert ask(store, long) == [long]
    assert store.measure().entries == 2
    assert ask(store, long, "a") == []
    store.clear()
    assert ask(store, long, "a") == [long, "a"]


def test_what_nobody_asks_for_goes_first(store: CacheStore, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(store, "a", "b")
    monkeypatch.setattr(results, "MOST_SHARED", 0)
    assert ask(store, "a", "c") == ["c"]
    assert ask(store, "a", "b", "c") == ["b"]


@pytest.mark.parametrize("content", [b"", b"x", b"\x91\x01", b"\xc0"])
def test_what_is_no_such_entry_counts_for_nothing(store: CacheStore, content: bytes) -> None:
    ask(store, "a")
    store.write(ResultCache(store, "").shared, content)
    assert ask(store, "a") == ["a"]


def test_an_input_or_result_without_a_form_is_not_kept(store: CacheStore) -> None:
    with use_cache(ResultCache(store, "")):
        for _ in range(2):
            remember("none", lambda: [encode_value(2**70)], lambda: 1, lambda _: b"", lambda _: 2)
            assert remember("none", lambda: [b""], lambda: 1, lambda _: None, lambda _: 2) == 1
    assert store.measure().entries == 0


def test_another_process_hands_over_what_it_added(store: CacheStore) -> None:
    with use_cache(ResultCache(store, "")):
        remember("some", lambda: [b"a"], lambda: "A", str.encode, bytes.decode)
        taken = take_results()
        assert take_results() == {}
        add_results(taken)
    with use_cache(ResultCache(store, "")):
        assert remember("some", lambda: [b"a"], lambda: "made", str.encode, bytes.decode) == "A"
    add_results(taken)  # without a cache there is nowhere to keep it
    assert take_results() == {}
