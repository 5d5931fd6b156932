"""Every command is attacked: a new one needs a row in the tables."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from commands import COMMANDS, attacked_kit, leaf_commands
from jsonschema import Draft202012Validator
from running import run
from writers import WRITERS

from docs.output_schemas import DOCUMENTS
from kitgen.text import schema_check

WRITING = {each.command or each.args[0] for each in WRITERS.values() if each.args}


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return attacked_kit(tmp_path_factory.mktemp("rows") / "kit")


def test_every_row_is_for_a_command() -> None:
    assert set(leaf_commands()) >= WRITING


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_writes_is_interrupted(
    kit: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What changes the disk in its row, or could by an option, has a row among the writers."""
    monkeypatch.chdir(kit)
    before = listing(kit)
    run(*name.split(), *COMMANDS[name].args)
    options = {each.name for each in leaf_commands()[name].params}
    writes = listing(kit) != before or COMMANDS[name].writes or "dry_run" in options
    assert not writes or name in WRITING


def listing(folder: Path) -> dict[Path, int]:
    return {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}


def prints_json(name: str) -> bool:
    kinds = (each.type for each in leaf_commands()[name].params if each.name == "output")
    return any(isinstance(kind, click.Choice) and "json" in kind.choices for kind in kinds)


def test_json_has_the_form_that_it_names(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(kit)
    for name in filter(prints_json, COMMANDS):
        if out := run(*name.split(), *COMMANDS[name].args, "-o", "json").out:  # or it is written to a file
            data = json.loads(out)
            if data.get("kind") == "List":  # the objects themselves
                continue
            assert "schema" in data, name
            form = data["schema"].removeprefix("kitgen/").removesuffix("/v1")
            assert form in DOCUMENTS
            schema = schema_check.read_schema(f"output/{form}")
            assert [error.message for error in Draft202012Validator(schema).iter_errors(data)] == [], name
