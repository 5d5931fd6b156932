"""The writer's look: what people read."""

from typing import Any

import pytest
from some import rows

from kitgen.text import yaml


@rows(
    ("data", "text"),
    [
        ({"a": {"b": [1, {"c": None, "d": True}]}}, "a:\n  b:\n  - 1\n  - c: null\n    d: true\n"),
        ({"a": {}, "b": [], "c": ""}, 'a: {}\nb: []\nc: ""\n'),
        ([["a", ["b"]], "c"], "- - a\n  - - b\n- c\n"),
        ({"a": "x\ny\n"}, "a: |\n  x\n  y\n"),
        ({"a": ["x\ny"]}, "a:\n- |-\n  x\n  y\n"),
        ({"a": "  x\ny\n\n"}, "a: |2+\n    x\n  y\n\n"),
        (
            {"image": "quay.io/a/b:v1@sha256:0f", "q": "500m", "v": "1.28"},
            'image: quay.io/a/b:v1@sha256:0f\nq: 500m\nv: "1.28"\n',
        ),
        ({"a": 'say "hi"', "b": "it's", "c": "on"}, 'a: say "hi"\nb: it\'s\nc: "on"\n'),
        ({"a": '{"b": 1}'}, "a: '{\"b\": 1}'\n"),
        ({"a": "é\u00a0\x07😀"}, 'a: "é\\xa0\\x07😀"\n'),
        ({"a": 1e16, "b": 0.5, "c": 3}, "a: 1.0e+16\nb: 0.5\nc: 3\n"),
        ("a\nb", '"a\\nb"\n'),
        (None, "null\n"),
    ],
)
def test_form(data: Any, text: str) -> None:
    assert yaml.dump_yaml(data) == text


def test_documents_start_with_a_marker() -> None:
    assert yaml.dump_yaml_documents([{"a": 1}, ["b"]]) == "---\na: 1\n---\n- b\n"
    assert yaml.dump_yaml_documents([]) == ""


@rows("value", [float("nan"), float("inf"), "\ud800"])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"JSON|half a character"):
        yaml.dump_yaml({"a": value})


def test_shared_text_is_kept_per_indent() -> None:
    shared = yaml.SharedMapping({"a": "b"}, "thing")
    yaml.dump_yaml({"x": shared, "y": [shared], "z": {"w": shared}})
    assert sorted(shared.texts) == [2, 4]
    assert shared.name == "thing"
