"""The rules in YAML are those of the code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kits import PROJECT
from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError

from docs.rule_data import COMPILED, compiled
from kitgen.compare.change import ChangeRule
from kitgen.findings import registered, rules


def test_what_is_compiled_is_what_is_written() -> None:
    assert (PROJECT / COMPILED).read_text(encoding="utf-8") == compiled(), "run make docs"


def test_chapters_and_rules_are_in_order() -> None:
    order = list(rules())
    for path in (PROJECT / "kitgen").glob("*/rules.yaml"):
        listed = [name for chapter in YAML(typ="safe").load(path).values() for name in chapter]
        assert listed == sorted(listed, key=order.index), path


def test_what_is_written_is_what_the_code_says() -> None:
    known = json.loads(compiled())
    written = {each["id"]: each for each in (*known["rules"], *known["changes"])}
    said = {each.id: each for each in (*rules().values(), *registered(ChangeRule).values())}
    assert written.keys() == said.keys()
    for name, fields in written.items():
        assert {key: getattr(said[name], key) for key in fields} == fields


@pytest.mark.parametrize("other", ["b/rules.yaml", "a/changes.yaml"])
def test_no_id_is_given_twice_not_even_to_a_finding_and_a_change(tmp_path: Path, other: str) -> None:
    for name in ("a/rules.yaml", other):
        path = tmp_path / "kitgen" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("heading:\n  one: {}\n")
    with pytest.raises(ValueError, match="two rules of one id: one"):
        compiled(tmp_path)


def test_no_id_is_given_twice_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "kitgen/a/rules.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("heading:\n  one: {}\n  one: {}\n")
    with pytest.raises(DuplicateKeyError):
        compiled(tmp_path)
