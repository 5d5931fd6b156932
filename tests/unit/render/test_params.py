"""params.env holds what kustomize reads back, and the ConfigMap's name is the one that kustomize makes."""

from __future__ import annotations

import pytest

from kitgen.kube.names import content_hash
from kitgen.render.families.params import LONGEST_LINE, check_param_value


@pytest.mark.parametrize(
    ("value", "suffix"),
    [("a\u2028b", "2cg7d79b42"), ("a\u2029b", "9b5f85tm6h"), ("<&>", "8gm4tgm94f")],
)
def test_the_hash_of_what_the_encoder_of_go_escapes(value: str, suffix: str) -> None:
    assert content_hash({"k": value}) == suffix


@pytest.mark.parametrize("value", ["", " a ", "a=b", "#a", "a\rb", "é" * ((LONGEST_LINE - 2) // 2)])
def test_what_a_line_can_hold(value: str) -> None:
    assert not list(check_param_value("k", value))


@pytest.mark.parametrize("value", ["a\nb", "a\r", "é" * (LONGEST_LINE // 2), "x" * (LONGEST_LINE - 1)])
def test_what_a_line_cannot_hold(value: str) -> None:
    assert ["params.env" in problem.message for problem in check_param_value("k", value)] == [True]
