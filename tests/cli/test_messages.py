"""Messages are for people: none shows a value as Python has it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from running import OBJECT, run
from some import rows

from kitgen.findings import suggest_word


class Colour(StrEnum):
    RED = "red"


@rows("word", ["rad", "Red", "reed"])
def test_a_hint_names_a_member_of_an_enumeration_by_its_value(word: str) -> None:
    assert suggest_word(word, list(Colour)) == "did you mean 'red'?"


@rows("shown", [Colour.RED, [Colour.RED], object(), Colour])
def test_every_run_of_a_command_in_a_test_looks_for_it(shown: object) -> None:
    assert OBJECT.search(f"found {shown!r}, expected another")


def test_a_label_that_a_role_is_to_lose_but_has_everywhere(kit: Path) -> None:
    with (kit / "targets/odh.yaml").open("a") as file:
        file.write("    roles: {manager-role: {labels: {app.kubernetes.io/name: null}}}\n")
    done = run("check", "-o", "lines")
    assert done.code == 1
    assert "label-values: found nothing for the label 'app.kubernetes.io/name', which has 'hello'" in done.out
