"""One pattern is in another one: decided for all texts, and compared with short texts one by one."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from some import rows

from kitgen.text.regex_inclusion import compute_inclusion
from kitgen.text.regex_match import compile_pattern

LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
WIDER = [
    ("^http(s)?://", "^https?://"),
    ("^https?://", "^http(s)?://"),
    ("^(a|b)$", "^(?:a|b|c)$"),
    ("^(ab|ac)$", "^a[bc]$"),
    ("^[a-z]+$", "^[a-zA-Z]+$"),
    ("^a$", "a"),
    ("^a{2,3}$", "^a+$"),
    ("^a{2,3}?$", "^a{1,4}$"),
    (f"^{LABEL}$", f"(?i)^{LABEL}$"),
    (f"^{LABEL}$", rf"^{LABEL}(\.{LABEL})*$"),
    ("^(?i)k$", "^[kK\u212a]$"),
    (r"^\d+$", "^[0-9]+$"),
    (r"^[\w.-]*$", "(?s)^.*$"),
    (r"\Aa\z", "^a$"),
    ("(?P<x>a)", "(?:a|b)"),
    ("^[]a]$", r"^[a\]]$"),
    ("^[^a]$", "(?s)^.$"),
    ("a^", "b"),  # which nothing matches
    ("^{a}$", r"^\{a\}$"),
]
NARROWER = [
    ("^https?://", "^https://", "http://"),
    ("^(a|b|c)$", "^(a|b)$", "c"),
    ("a", "^a", "0a"),
    ("", "^.*$", "\n"),
    ("^(?i)a$", "^a$", "A"),
    ("^[^a]$", "^.$", "\n"),
    ("^a{1,3}$", "^a{1,2}$", "aaa"),
    ("^[a-z]*$", "^[a-z]+$", ""),
    ("^", "$^", "a"),  # which only the empty text matches
]
UNKNOWN = [
    r"\bfoo",
    "(?m)^a$",
    r"\pL",
    "a**",
    "(?=a)",
    "(",
    "[a",
    "a{2000}",
    r"\1",
    "((a{500}){500})",
    "[b-a]",
    "{1}",
    "^[[:digit:]]$",
    r"^\x41$",
    "^é$",
    "^[a-\u212a]$",
    "a\\",
]


@rows(("old", "new"), WIDER)
def test_what_matched_matches(old: str, new: str) -> None:
    assert compute_inclusion(new, old).held is True


@rows(("old", "new", "example"), NARROWER)
def test_what_no_longer_matches_is_named(old: str, new: str, example: str) -> None:
    assert (compute_inclusion(new, old).held, compute_inclusion(new, old).example) == (False, example)


@rows("pattern", UNKNOWN)
def test_what_is_not_read_is_not_decided(pattern: str) -> None:
    assert compute_inclusion(pattern, "^a$").held is None
    assert compute_inclusion("^a$", pattern).held is None


def test_all_that_held_before_counts() -> None:
    assert compute_inclusion("^a{1,3}$", "^a*$").held is False
    assert compute_inclusion("^a{1,3}$", "^a*$", "(?s)^.{1,}$", "(?s)^.{0,3}$").held is True


def test_a_hard_comparison_ends() -> None:
    found = compute_inclusion("^(a|b)*a(a|b){30}$", "^(a|b)*b(a|b){29}$")
    assert found.held is not True
    assert compute_inclusion("^(.*a){40}$", "^(a|b|c){400}$").held is not True


ATOMS = st.sampled_from(
    ["a", "b", "A", "-", ".", "[ab]", "[^a]", "[a-b-]", r"\d", r"\W", "(?i:a)", "(?s:.)", "^", "$"]
)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,1}", "{1,}", "*?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=6,
)
TEXTS = ["".join(each) for size in range(4) for each in product("abA1-\n", repeat=size)]


@settings(max_examples=200, deadline=None)
@given(old=PATTERNS, new=PATTERNS)
def test_short_texts_agree(old: str, new: str) -> None:
    before, after = compile_pattern(old), compile_pattern(new)
    assert before is not None
    assert after is not None
    found = compute_inclusion(new, old)
    if found.held is False:
        assert before(found.example)
        assert not after(found.example)
    elif found.held:
        assert [text for text in TEXTS if before(text) and not after(text)] == []
    assert compute_inclusion(old, old).held is not False
    assert compute_inclusion(f"(?:{new})|(?:{old})", old).held is not False
