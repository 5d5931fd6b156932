"""What Argo CD makes of any text for the name of an object."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.kube.names import NameForm, normalize_name


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("edge-1", "edge-1"),
        ("Edge_1", "edge-1"),
        ("https://edge.example.com:6443/", "https---edge.example.com-6443"),
        ("-.edge.-", "edge"),
        ("EDGE eu/1 é", "edge-eu-1"),
        ("\u0130stanbul \u212a", "istanbul-k"),
        ("a" * 300, "a" * 253),
        ("a" * 252 + "--b", "a" * 252),
        ("...", ""),
        ("日本", ""),
        ("", ""),
    ],
)
def test_a_name_is_made_as_argo_cd_makes_it(name: str, made: str) -> None:
    assert normalize_name(name) == made


@given(st.text())
def test_what_is_made_is_a_name_but_for_dots_in_a_row(name: str) -> None:
    made = normalize_name(name)
    assert normalize_name(made) == made
    assert made == "" or ".." in made or ".-" in made or "-." in made or NameForm.SUBDOMAIN.matches(made)
