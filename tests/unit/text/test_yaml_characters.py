"""Characters that kustomize loses are found wherever they stand."""

from __future__ import annotations

from some import rows

from kitgen.findings import Path
from kitgen.text.yaml import Json, find_lost_character, find_lost_characters


@rows(
    ("value", "want"),
    [
        ("plain é\u2028\n", []),
        ("a\x85b\x7f", [((), "U+0085")]),
        (["a", "\uffff"], [((1,), "U+FFFF")]),
        ({"a": [{"b\x9f": "\x80"}]}, [(("a", 0, "b\x9f"), "U+009F"), (("a", 0, "b\x9f"), "U+0080")]),
        ([1, None, True, 1.5], []),
    ],
)
def test_where_they_are(value: Json, want: list[tuple[Path, str]]) -> None:
    assert list(find_lost_characters(value)) == want


def test_no_other_control_character_is_lost() -> None:
    lost = [code for code in range(0x300) if find_lost_character(chr(code))]
    assert lost == list(range(0x7F, 0xA0))
