"""Whatever anybody writes is read in linear time and bounded space, or refused with one line."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from some import rows

from kitgen.text.yaml import Dialect, YamlError, build_line_finder, read_yaml, read_yaml_documents
from kitgen.text.yaml.builder import MAX_NODES, MAX_PROBLEMS


def refused(text: str, dialect: Dialect = Dialect.KUBECTL) -> list[tuple[str, str]]:
    with pytest.raises(YamlError) as caught:
        read_yaml_documents(text, dialect=dialect)
    return [(each.rule.id, each.message) for each in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "dialect"),
    [("1,", Dialect.KUBECTL), *((text, Dialect.SPEC) for text in ("1,", "[],", "{},", "a: ,"))],
)
@pytest.mark.exhaustive
def test_a_text_holds_only_so_many_values(text: str, dialect: Dialect) -> None:
    most = MAX_NODES[dialect]
    (found,) = refused(f"[{text * (most + 1)}]", dialect)
    assert found == ("yaml-limit", f"found more than {most} values")


def test_empty_documents_count_too() -> None:
    (found,) = refused("---\n" * (MAX_NODES[Dialect.SPEC] + 1), Dialect.SPEC)
    assert found[0] == "yaml-limit"


@rows("text", ["!!b 1,", "<<: 1, a: 1, a: 2,"])
def test_after_many_problems_the_rest_is_not_read(text: str) -> None:
    found = refused(f"[{text * 100_000}]" if text.startswith("!") else f"{{{text * 100_000}}}")
    assert len(found) == MAX_PROBLEMS + 1
    assert found[-1] == ("yaml-limit", f"found {MAX_PROBLEMS} problems, and the rest was not read")


def test_aliases_of_long_text_count_by_its_length() -> None:
    (found,) = refused(f"a: &a {'x' * 1_000_000}\nb: [{'*a, ' * 100}]\n", Dialect.SPEC)
    assert found[0] == "yaml-limit"
    assert read_yaml(f"a: &a {'x' * 1000}\nb: [*a, *a]\n")["b"] == ["x" * 1000] * 2


def test_many_merges_take_linear_time() -> None:
    text = "".join(f"<<: {{k{number}: 1, k: {number}}}\n" for number in range(20_000))
    before = time.process_time()
    (found,) = read_yaml_documents(text, dialect=Dialect.KUBECTL)
    assert time.process_time() - before < 5
    assert (len(found), found["k"]) == (20_001, 0)


def test_directives_are_few() -> None:
    text = "".join(f"%TAG !a{number}! x\n" for number in range(50_000))
    before = time.process_time()
    assert refused(f"{text}---\na: 1\n") == [("yaml-limit", "found more than 1000 directives %TAG")]
    assert time.process_time() - before < 2


@pytest.mark.exhaustive
def test_only_the_lines_that_are_asked_for_are_kept() -> None:
    depth = 150
    text = "a:\n" + "".join(f"- {'[' * depth}{number}{']' * depth}\n" for number in range(300))
    tracemalloc.start()
    line_of = build_line_finder(text, [(0, ("a", 299, 0)), (0, ("a", 7, "no")), (3, ("a",))])
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert [line_of(0, ("a", 299, 0)), line_of(0, ("a", 7, "no")), line_of(3, ("a",))] == [301, 9, 1]
    assert held < 100_000


def test_where_a_large_text_breaks_is_told_without_taking_it_apart() -> None:
    text = "\n" * 5_000_000 + "a:\n\tb: 1\n"
    tracemalloc.start()
    (found,) = refused(text)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "tab" in found[1]
    assert most < 20_000_000
