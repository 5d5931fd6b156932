"""The matrix in any README: found, read back, and replaced without touching anything else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.findings import Problem
from kitgen.release.matrix.block import END, START, MatrixBlock, TableRow, find_block
from kitgen.release.matrix.writing import render_block, replace_rows

ROWS = {"Boats": "v1.0.0", "Ships": "[v2.0.0](https://github.com/a/ships/releases/tag/v2.0.0)"}
RAGGED = f"""\
# Fleet
{START}
Our Matrix

| Component  | Version                                                   |
|------------|-----------------------------------------------------------|
| Boats | v1.0.0 |
| Ships      | [v2.0.0](https://github.com/a/ships/releases/tag/v2.0.0)      |
{END}
More, which stays.\t
"""
LABELS = st.text("abcXYZ -", min_size=1).map(str.strip).filter(bool)
VERSIONS = st.from_regex(r"v[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}", fullmatch=True)


def block(text: str) -> MatrixBlock:
    found = find_block(text)
    assert isinstance(found, MatrixBlock), found
    return found


def versions(text: str) -> dict[str, str]:
    return {each.label: each.version for each in block(text).rows}


def test_a_ragged_block_is_read_by_its_bars() -> None:
    assert versions(RAGGED) == {"Boats": "v1.0.0", "Ships": "v2.0.0"}


def test_what_is_the_same_keeps_every_byte() -> None:
    assert replace_rows(block(RAGGED), "Another title", ROWS) == RAGGED


def test_a_changed_row_is_as_wide_as_its_column_and_others_stay() -> None:
    made = replace_rows(block(RAGGED), "", {**ROWS, "Boats": "v1.0.1"})
    changed = "| Boats      | v1.0.1                                                    |"
    assert made == RAGGED.replace("| Boats | v1.0.0 |", changed)


def test_rows_come_and_go() -> None:
    made = replace_rows(block(RAGGED), "", {"Ships": ROWS["Ships"], "Rafts": "v0.1.0"})
    assert versions(made) == {"Ships": "v2.0.0", "Rafts": "v0.1.0"}
    assert made.startswith(RAGGED.partition("| Boats")[0]) and made.endswith(f"{END}\nMore, which stays.\t\n")


def test_line_ends_stay_what_they_are() -> None:
    text = RAGGED.replace("\n", "\r\n")
    assert replace_rows(block(text), "", ROWS) == text
    made = replace_rows(block(text), "", {**ROWS, "Boats": "v1.0.1"})
    assert made.count("\r\n") == made.count("\n")


def test_each_line_keeps_its_own_end() -> None:
    mixed = RAGGED.replace("| Boats | v1.0.0 |\n", "| Boats | v1.0.0 |\r\n")
    made = replace_rows(block(mixed), "", {**ROWS, "Boats": "v1.0.1"})
    assert made.count("\r\n") == 1
    old = RAGGED.replace("\n", "\r")
    assert "\n" not in replace_rows(block(old), "", {"Boats": "v1.0.1", "Rafts": "v0.1.0"})


def test_rows_stay_where_they_are() -> None:
    swapped = RAGGED.replace("| Boats | v1.0.0 |\n", "").replace(
        END, f"<!-- tested -->\n| Boats | v1.0.0 |\n{END}"
    )
    made = replace_rows(block(swapped), "", {"Boats": "v1.0.1", "Rafts": "v0.1.0", "Ships": ROWS["Ships"]})
    rest = made.splitlines()[6:10]
    assert [line[:8] for line in rest] == ["| Ships ", "<!-- tes", "| Boats ", "| Rafts "]
    assert replace_rows(block(swapped), "", ROWS) == swapped


def test_further_columns_indents_and_trailing_spaces_stay() -> None:
    text = f"{START}\n  | a | b | why |\n  |--|--|--|\n  | Boats | v1 | old \\| new | \n{END}\n"
    made = replace_rows(block(text), "", {"Boats": "v2"})
    assert made == text.replace("| v1 |", "| v2 |")


def test_a_table_needs_no_outer_bars() -> None:
    text = f"{START}\nComponent | Version\n--- | ---\nBoats | v1.0.0\n{END}\n"
    assert versions(text) == {"Boats": "v1.0.0"}
    assert replace_rows(block(text), "", {"Boats": "v1.0.0"}) == text
    assert "\n| Boats | v1.0.1 |\n" in replace_rows(block(text), "", {"Boats": "v1.0.1"})


def test_a_text_may_begin_with_the_mark_of_its_encoding() -> None:
    assert versions(f"\ufeff{render_block('Title', ROWS)}") == {"Boats": "v1.0.0", "Ships": "v2.0.0"}


def test_markers_without_a_table_get_one() -> None:
    text = f"a\n{START}\n{END}\nb\n"
    made = replace_rows(block(text), "Title", ROWS)
    assert made == f"a\n{render_block('Title', ROWS)}b\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Fleet\n", "found no compatibility matrix"),
        (f"{START}\n", "without"),
        (f"{END}\n", "without"),
        (f"{END}\n{START}\n", "before its start"),
        (f"{START}\n{END}\n{START}\n{END}\n", "second marker"),
        (f"{START}\n{START}\n{END}\n{END}\n", "second marker"),
        (RAGGED.replace("| Ships ", "| Boats "), "twice"),
        (f"{START}\n\nto be written\n{END}\n", "found no table between the markers"),
    ],
)
def test_what_is_no_matrix(text: str, said: str) -> None:
    found = find_block(text)
    assert isinstance(found, Problem)
    assert said in found.message


@given(st.dictionaries(LABELS, VERSIONS, min_size=1, max_size=8), st.booleans())
def test_a_block_gives_its_versions_back(said: dict[str, str], linked: bool) -> None:
    rows = {label: f"[{each}](https://x.y/{each})" if linked else each for label, each in said.items()}
    text = render_block("Title", rows)
    assert versions(text) == said
    assert replace_rows(block(text), "Title", rows) == text


@given(st.text("|-[]() \n\r" + START + END, max_size=200))
def test_any_text_has_a_matrix_or_none(text: str) -> None:
    assert isinstance(find_block(text), MatrixBlock | Problem)


def test_a_cell_may_be_anything() -> None:
    cells = ("", "v1", "[v1](x) and more", "[v1](x)", "[ v1 ](x)")
    assert [TableRow(label="a", cell=each, index=0).version for each in cells] == [
        "",
        "v1",
        "[v1](x) and more",
        "v1",
        "v1",
    ]
