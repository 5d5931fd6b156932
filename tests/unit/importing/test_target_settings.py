"""What an import writes into the file of a target looks as if a person had written it."""

from __future__ import annotations

from some import rows

from kitgen.importing.target_files import edit_target_settings
from kitgen.text.yaml import JsonObject

BEFORE = """\
target: olm
components:
  hello:
    labels:
    - pairs: {tier: front}
      selectors: true
    features: [cached-reads, fast]
    versions:
      ">=1.4.0 <1.16.0":
        features: [metrics]
"""
OTHERS = ["v1.3.0", "v1.4.0", "v1.5.0", "v1.15.0"]


def added(settings: JsonObject, **left: list[str] | None) -> str:
    """Return what comes behind the settings that are there."""
    text = edit_target_settings(BEFORE, "hello", "v1.5.1", settings, left, OTHERS)
    assert text.startswith(BEFORE)
    return text.removeprefix(BEFORE)


def test_what_goes_to_two_ranges_is_written_twice_and_the_ranges_are_short() -> None:
    text = edit_target_settings(BEFORE, "hello", "v1.5.1", {}, {"features": ["metrics", "fast"]}, OTHERS)
    assert text.partition("versions:\n")[2] == (
        '      "<1.5.1":\n        features: [fast]\n'
        '      ">=1.15.0":\n        features: [fast]\n'
        '      ">=1.4.0 <1.5.1":\n        features: [metrics]\n'
        '      ">=1.15.0 <1.16.0":\n        features: [metrics]\n'
    )


def test_what_a_target_says_already_stays_where_it_is() -> None:
    said: JsonObject = {"pairs": {"tier": "front"}, "selectors": True}
    more: JsonObject = {"pairs": {"tier": "back"}}
    assert (
        edit_target_settings(BEFORE, "hello", "v1.5.1", {"labels": [said]}, {"labels": None}, OTHERS)
        == BEFORE
    )
    assert added({"labels": [said, more]}, labels=None) == (
        '      ">=1.5.1 <1.15.0":\n        labels:\n        - pairs: {tier: back}\n'
    )


@rows("text", ["a: 1\nb: 2\n", "one\n  two", "long " * 40 + "\nend"])
def test_a_text_of_several_lines_is_a_block(text: str) -> None:
    patch: JsonObject = {"name": "texts", "why": "x", "merge": {"data": {"config": text}}}
    made = added({"patches": [patch]})
    assert "\\n" not in made
    assert "config: |" in made
