"""Field paths lead where kustomize's replacements go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.findings import Path
from kitgen.render.kustomize.field_paths import resolve_field_path, split_field_path

BODY = {
    "metadata": {"annotations": {"a.b/c": "x", "0": "zero"}},
    "users": ["first", "second"],
    "containers": [{"name": "manager"}, {"name": "manager-2"}, {"name": "proxy", "args": ["a.b"]}, "odd"],
}


@pytest.mark.parametrize(
    ("field", "want"),
    [
        ("users.1", ("users", 1)),
        ("users.01", ("users", 1)),
        ("users.[=second]", ("users", 1)),
        (r"metadata.annotations.a\.b/c", ("metadata", "annotations", "a.b/c")),
        ("metadata.annotations.[a.b/c]", ("metadata", "annotations", "a.b/c")),
        ("metadata.annotations.0", ("metadata", "annotations", "0")),
        ("containers.[name=proxy].name", ("containers", 2, "name")),
        ("containers.[name=^manager$].name", ("containers", 0, "name")),
        ("containers.[name=proxy].args.[=a.b]", ("containers", 2, "args", 0)),
    ],
)
def test_a_path_is_found(field: str, want: Path) -> None:
    assert resolve_field_path(BODY, field) == want


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ("users.2", "nothing at '2'"),
        ("users.-1", "nothing at '-1'"),
        ("users.-", "nothing at '-'"),
        ("users." + "9" * 5000, "nothing at"),
        ("users.first", "nothing at 'first'"),
        ("metadata.annotations.a.b/c", "nothing at 'a'"),
        ("containers.*.name", "nothing at"),
        ("containers.[name=nobody].name", "0 elements"),
        ("containers.[name=manager].name", "2 elements"),
        ("containers.[name=(a+)+].name", "a pattern"),
        ("users.0.x", "nothing at 'x'"),
        ("", "nothing at"),
    ],
)
def test_why_a_path_is_not_found(field: str, why: str) -> None:
    with pytest.raises(LookupError, match=why.replace("*", r"\*")):
        resolve_field_path(BODY, field)


@given(st.lists(st.text(alphabet="ab./[]=", min_size=1), min_size=1))
def test_escaped_steps_come_back(steps: list[str]) -> None:
    steps = [step.lstrip("[") or "a" for step in steps]
    assert split_field_path(".".join(step.replace(".", r"\.") for step in steps)) == steps
