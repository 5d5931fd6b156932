"""Every folder in tests/cases is a kit that is right, or one that is wrong in one way."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import kits
import pytest
from running import run

from kitgen.findings import Chapter, parse_pointer, rules_by_id
from kitgen.kube.manifest import existing_value
from kitgen.text.yaml import read_yaml
from kitgen.workspace.compilation import compile_source
from kitgen.workspace.kit import open_kit
from kitgen.workspace.sources import parse_source

FOR_REVIEW = {Chapter.PERMISSION}
"""Chapters that warn of what may well be meant."""
VALID, INVALID = kits.cases("valid"), kits.cases("invalid")


@pytest.fixture
def invalid(request: pytest.FixtureRequest, tmp_path: Path, small_overlays: Path) -> Path:
    """Make a wrong kit, beside overlays that an earlier render wrote."""
    root = tmp_path / "kit"
    shutil.copytree(small_overlays, root / "overlays")
    return kits.make_kit(root, kits.CASES / "invalid" / request.param)


@pytest.mark.parametrize(("name", "invalid"), [(name, name) for name in INVALID], indirect=["invalid"])
def test_wrong_input_is_told_and_nothing_is_written(name: str, invalid: Path) -> None:
    before = kits.contents(invalid)
    want = (kits.CASES / "invalid" / name / "expect.txt").read_text()
    checked = run("check", "-o", "lines", "--root", invalid)
    assert (checked.code, checked.out + checked.err.rpartition("\n")[0]) == (1, want)
    rendered = run("render", "--root", invalid)
    assert (rendered.code, rendered.out) == (1, "")
    assert kits.contents(invalid) == before


def test_the_minimal_kit_is_right(tmp_path: Path) -> None:
    checked = run("check", "-o", "lines", "--root", kits.make_kit(tmp_path))
    assert (checked.code, checked.out) == (0, "")


@pytest.mark.parametrize("name", VALID)
def test_a_right_kit_gives_what_it_says(name: str, tmp_path: Path) -> None:
    case = kits.CASES / "valid" / name
    root = kits.make_kit(tmp_path, case)
    checked, rendered = run("check", "--root", root, "-o", "json"), run("render", "--root", root)
    found = {each["rule"] for each in json.loads(checked.out)["findings"] if not each["accepted"]}
    warnings = sorted(rule for rule in found if rules_by_id()[rule].chapter not in FOR_REVIEW)
    want = read_yaml((case / "expect.yaml").read_text())
    assert (checked.code, rendered.code) == (0, 0), checked.out + rendered.err
    assert warnings == want.pop("warnings", []), checked.out
    overlays, opened = root / "overlays", open_kit(root)
    assert [path for path in want.pop("files", []) if not (overlays / path).is_file()] == []
    assert [path for path in want.pop("no-files", []) if (overlays / path).exists()] == []
    for path, text in want.pop("text", {}).items():
        assert text in (overlays / path).read_text()
    objects = {
        f"{target} {manifest.id}": manifest.body
        for target in opened.kit.targets
        for manifest in compile_source(opened, parse_source(f"target:{target}")).objects
    }
    for identity, fields in want.pop("objects", {}).items():
        assert {field: existing_value(objects[identity], parse_pointer(field)) for field in fields} == fields
    assert [identity for identity in want.pop("no-objects", []) if identity in objects] == []
    assert want == {}, "a word that no test knows"
