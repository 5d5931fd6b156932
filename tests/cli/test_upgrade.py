"""Specs of an older form: refused with a hint, and rewritten with their comments kept."""

from __future__ import annotations

import subprocess
from pathlib import Path

import kits
import pytest
from running import run

from kitgen.kit.spec_formats import CURRENT, STEPS, upgrade_texts
from kitgen.text import schema_check as schemafiles
from kitgen.text.yaml import read_yaml
from kitgen.text.yaml.edits import set_value

KIT = '# The kit\nkit: old   # its name\n\n# Minors\nkubernetes: ">=1.29 <=1.30"\n'


def old_kit(folder: Path) -> Path:
    """Return a kit as it was written before specs had a form, with types of no minor."""
    root = kits.make_kit(folder, kits.CASES / "invalid" / "crd-minor")
    return kits.write(root, {"kit.yaml": KIT})


def test_an_older_kit_is_rewritten_and_taken_back(tmp_path: Path) -> None:
    root = old_kit(tmp_path / "kit")
    before = {name: content for name, (content, _) in kits.contents(root).items()}
    shown = run("upgrade", "--check", "--root", root)
    assert shown.code == 1
    assert {name: content for name, (content, _) in kits.contents(root).items()} == before
    done = run("upgrade", "--root", root)
    assert (done.code, done.out) == (0, shown.out)
    assert done.err.startswith("format 0 to 2: 2 files changed; ")
    assert (root / "kit.yaml").read_text() == KIT.replace("its name\n", "its name\nformat: 2\n")
    assert run("check", "-o", "lines", "--root", root).code == 0
    again = run("upgrade", "--check", "--root", root)
    assert (again.code, again.out, again.err) == (0, "", "the specs are of format 2 already\n")
    subprocess.run(["patch", "-s", "-R", "-p1"], cwd=root, input=done.out.encode(), check=True)
    assert {name: content for name, (content, _) in kits.contents(root).items()} == before


def test_no_line_of_the_patch_is_a_command(tmp_path: Path) -> None:
    text = 'about: "x\n  ::error::y"\nkit: old # \u202e\n\nkubernetes: ">=1.29 <=1.30"\n'
    root = kits.write(old_kit(tmp_path), {"kit.yaml": text})
    done = run("upgrade", "--root", root)
    assert done.code == 0
    assert not [line for line in done.out.split("\n") if line.lstrip().startswith("::")]
    subprocess.run(["patch", "-s", "-R", "-p1"], cwd=root, input=done.out.encode(), check=True)
    assert (root / "kit.yaml").read_text() == text
    (root / "kit.yaml").write_text(text.replace("kit: old", "kit: old\u009b"))
    shown = run("upgrade", "--check", "--root", root, terminal=True).out
    assert all(line.isprintable() for line in shown.split("\n"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("kit: a # b\nformat: 1  # c\n", "kit: a # b\nformat: 2  # c\n"),
        ("kit: a\r\nformat: 1\r\nabout: b\r\n", "kit: a\r\nformat: 2\r\nabout: b\r\n"),
        ("{kit: a, format: 1}\n", "{kit: a, format: 2}\n"),
    ],
)
def test_specs_that_may_build_on_others_only_get_another_number(old: str, new: str) -> None:
    others = {"components/a/v1.0.0/component.yaml": "component: a\nversion: v1.0.0\n"}
    assert upgrade_texts({"kit.yaml": old, **others}, 1) == {"kit.yaml": new}


def test_a_kit_from_before_specs_built_on_others_is_refused_and_upgraded(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    mark = root / "kit.yaml"
    now = mark.read_text()
    mark.write_text(now.replace("format: 2\n", "format: 1\n"))
    told = run("render", "--root", root)
    assert told.code == 1
    assert told.err.startswith(
        "kit.yaml:2 /format: kit-format: found specs of format 1, expected 2 (hint: kitgen upgrade"
    )
    assert not (root / "overlays").exists()
    done = run("upgrade", "--root", root)
    assert (done.code, done.err.startswith("format 1 to 2: 1 file changed; ")) == (0, True)
    assert mark.read_text() == now
    assert run("render", "--root", root).code == 0


def test_a_minor_that_was_taken_for_granted_is_written_down(tmp_path: Path) -> None:
    root = old_kit(tmp_path)
    component = root / "components/hello/v1.0.0/component.yaml"
    was = read_yaml(component.read_text())
    run("upgrade", "--root", root)
    assert read_yaml(component.read_text()) == {**was, "kubernetes": "1.30"}


def test_what_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    root = old_kit(tmp_path)
    component = root / "components/hello/v1.0.0/component.yaml"
    component.rename(component.with_name("real.yaml"))
    component.symlink_to("real.yaml")
    before = {name: content for name, (content, _) in kits.contents(root).items()}
    result = run("upgrade", "--root", root)
    assert (result.code, result.out) == (1, "")
    assert "path-symlink: found a symlink on the way to" in result.err
    assert {name: content for name, (content, _) in kits.contents(root).items()} == before


@pytest.mark.parametrize(
    ("kit", "code", "told"),
    [
        (f"kit: a\nformat: {CURRENT + 1}\nnews: 1\n", 1, "kit-format: found specs of format 3, expected 2"),
        ("kit: a\nformat: one\n", 1, "spec-type"),
        ("kit: a\nformat: -1\n", 1, "spec-value"),
        ("kit: [", 1, "yaml-syntax"),
    ],
)
def test_what_cannot_be_upgraded_is_told(tmp_path: Path, kit: str, code: int, told: str) -> None:
    root = kits.write(tmp_path, {"kit.yaml": kit})
    result = run("upgrade", "--root", root)
    assert (result.code, result.out, told in result.err) == (code, "", True), result.err
    assert (root / "kit.yaml").read_text() == kit


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("kit: a", "kit: a\nformat: 1\n"),
        ("kit: a\r\nabout: b\r\n", "kit: a\r\nformat: 1\r\nabout: b\r\n"),
        ("{kit: a, about: b}  # flow\n", "{kit: a, format: 1, about: b}  # flow\n"),
        ("---\n  kit: 'a'\n  # b\n  about: b\n", "---\n  kit: 'a'\n  format: 1\n  # b\n  about: b\n"),
        ("kit: >-\n  a\nabout: b\n", "kit: >-\n  a\nformat: 1\nabout: b\n"),
    ],
)
def test_a_key_is_added_and_nothing_else_changes(text: str, want: str) -> None:
    assert set_value(text, "format", 1, below="kit") == want


def test_the_schema_takes_the_current_form_alone() -> None:
    assert schemafiles.read_schema("kit")["properties"]["format"]["enum"] == [CURRENT] == [len(STEPS)]
    assert upgrade_texts({"kit.yaml": f"kit: a\nformat: {CURRENT}\n"}, CURRENT) == {}
