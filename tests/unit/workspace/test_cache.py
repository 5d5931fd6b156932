"""What a render remembers holds only for what it saw."""

from __future__ import annotations

import json
import os
import shutil
import sys
from hashlib import blake2b
from pathlib import Path

import kits
import pytest
from msgspec.structs import replace
from running import run

from kitgen.files.generated_files import hash_folder
from kitgen.files.tree_changes import TreeChanges
from kitgen.text import schema_check as schemafiles
from kitgen.workspace import cache
from kitgen.workspace.cache import Cache
from kitgen.workspace.render_request import RenderResult


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KITGEN_CACHE_DIR", str(tmp_path / "cache"))
    return kits.make_kit(tmp_path / "kit")


def opened(root: Path) -> Cache:
    cache = Cache.open(root)
    assert cache is not None
    return cache


def done(root: Path) -> RenderResult:
    out = root / "overlays"
    return RenderResult(
        root=root,
        out=out,
        targets=("odh",),
        objects=3,
        files=4,
        changes=TreeChanges(out=out),
        findings=(),
        of_folder=(),
        digest=hash_folder(out),
    )


def test_what_was_stored_is_known_until_something_changes(root: Path) -> None:
    assert run("render", "--no-cache", "--root", root).code == 0
    opened(root).store(done(root))
    known = opened(root).lookup()
    assert known is not None
    assert known == done(root)
    (root / "targets/odh.yaml").touch()
    assert opened(root).lookup() is not None, "what a file says counts, not when it was written"
    (root / "overlays/odh/kustomization.yaml").write_text("resources: []\n")
    assert opened(root).lookup() is None


def test_a_spec_that_was_edited_during_a_render_is_not_remembered(root: Path) -> None:
    """The render saw the edit, and the memory would tell its result for the spec before it."""
    spec = root / "targets/odh.yaml"
    before = spec.read_text()
    memory = opened(root)
    spec.write_text(before.replace("opendatahub", "elsewhere"))
    assert run("render", "--no-cache", "--root", root).code == 0
    memory.store(done(root))
    spec.write_text(before)
    assert opened(root).lookup() is None
    assert run("render", "--root", root).code == 0
    assert "elsewhere" not in (root / "overlays/odh/hello/kustomization.yaml").read_text()


def test_two_renders_at_once_leave_one_whole_memory(root: Path) -> None:
    first, second = opened(root), opened(root)
    first.store(done(root))
    second.store(replace(done(root), objects=7))
    known = opened(root).lookup()
    assert known is not None
    assert known.objects == 7
    kept = {first.file, first.file.with_suffix(".specs")}
    assert {*first.file.parent.iterdir()} == kept


def test_an_edit_of_a_spec_that_was_taken_back_during_a_render_is_not_remembered(root: Path) -> None:
    spec = root / "targets/odh.yaml"
    before = spec.read_text()
    memory = opened(root)
    spec.write_text(before.replace("opendatahub", "elsewhere"))
    assert run("render", "--no-cache", "--root", root).code == 0
    spec.write_text(before)
    memory.store(done(root))
    assert opened(root).lookup() is None


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_file_that_was_edited_during_a_render_is_not_vouched_for(
    root: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    assert run("render", "--root", root).code == 0
    edited = root / "overlays/odh/kustomization.yaml"
    rendered = edited.read_text()

    apply = sys.modules["kitgen.files.apply"]  # in the package, the function has this name
    carry_out = apply.apply_changes

    def disturbed(*args: object) -> None:
        if when == "after":
            carry_out(*args)
        edited.write_text(f"{rendered}# edited\n")
        if when == "before":
            carry_out(*args)

    monkeypatch.setattr(apply, "apply_changes", disturbed)
    (root / "overlays/olm/kustomization.yaml").unlink()
    assert run("render", "--root", root).code == 0
    monkeypatch.setattr(apply, "apply_changes", carry_out)
    assert edited.read_text() != rendered
    checked = run("render", "--check", "--root", root)
    assert (checked.code, checked.out) == (1, "stale: overlays/odh/kustomization.yaml\n")
    assert run("render", "--root", root).code == 0
    assert edited.read_text() == rendered


def test_what_is_rendered_is_what_is_remembered(root: Path) -> None:
    assert run("render", "--root", root).code == 0
    known = opened(root).lookup()
    assert known is not None
    assert known.digest == hash_folder(root / "overlays")


@pytest.mark.parametrize("name", ["component.json", "kinds/argoproj.io/applications.yaml"])
def test_another_schema_in_a_checkout_is_another_kitgen(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    shutil.copytree(schemafiles.find_schema_folder(), tmp_path / "schemas")
    monkeypatch.setattr(schemafiles, "find_schema_folder", lambda: tmp_path / "schemas")
    cache._fingerprint_program.cache_clear()
    assert run("render", "--root", root).code == 0
    assert opened(root).lookup() is not None
    (tmp_path / "schemas" / name).write_text("{}")
    cache._fingerprint_program.cache_clear()
    assert opened(root).lookup() is None
    monkeypatch.undo()
    cache._fingerprint_program.cache_clear()


def test_a_folder_behind_a_link_is_looked_at_each_time(root: Path) -> None:
    (root / "components/hello").rename(root / "elsewhere")
    (root / "components/hello").symlink_to("../elsewhere")
    assert run("render", "--root", root).code == 0
    assert run("render", "--check", "--root", root).code == 0
    spec = root / "elsewhere/v1.0.0/component.yaml"
    spec.write_text(spec.read_text().replace("component: hello", "component: hallo"))
    assert run("render", "--check", "--root", root).code == 1


def test_overlays_behind_a_link_are_not_vouched_for(root: Path) -> None:
    assert run("render", "--root", root).code == 0
    for name in ("overlays/odh", "overlays"):
        (root / name).rename(root.parent / "elsewhere")
        (root / name).symlink_to(root.parent / "elsewhere")
        checked = run("render", "--check", "--root", root)
        assert (checked.code, "path-symlink" in checked.err) == (1, True)
        (root / name).unlink()
        (root.parent / "elsewhere").rename(root / name)
    assert run("render", "--check", "--root", root).code == 0


def test_deep_folders_and_odd_names_are_no_obstacle(root: Path) -> None:
    (root / "targets" / os.fsdecode(b"\xff.txt")).touch()
    deep = root / "components" / "/".join("a" * 1200)
    folders = [*reversed(deep.parents), deep][len(root.parts) + 1 :]
    for folder in folders:
        folder.mkdir()
    try:
        assert Cache.open(root) is not None
    finally:
        for folder in reversed(folders):
            folder.rmdir()


def test_no_link_is_followed_to_write_or_read_the_memory(root: Path, tmp_path: Path) -> None:
    outside = kits.write(tmp_path / "outside", {"file": "mine"})
    file = opened(root).file
    file.parent.mkdir(parents=True)
    for link in (file, file.with_suffix(".new"), file.with_suffix(f".{os.getpid()}")):
        link.symlink_to(outside / "file")
    assert run("render", "--root", root).code == 0
    assert (outside / "file").read_text() == "mine"
    assert not file.is_symlink()
    assert opened(root).lookup() is not None
    shutil.move(file.parent, outside / "kitgen")
    file.parent.symlink_to(outside / "kitgen")
    (outside / "kitgen" / file.name).write_text("mine")
    assert run("render", "--root", root).code == 0
    assert (outside / "kitgen" / file.name).read_text() == "mine"


def test_a_render_finishes_an_import_that_was_killed_before_it_asks_the_memory(root: Path) -> None:
    assert run("render", "--root", root).code == 0
    fresh = (root / "targets/odh.yaml").read_text().replace("opendatahub", "elsewhere")
    seen = blake2b((root / "targets/odh.yaml").read_bytes(), digest_size=32).hexdigest()
    journal = {"write": ["targets/odh.yaml"], "delete": [], "before": {"targets/odh.yaml": seen}}
    kits.write(root / ".kitgen", {"journal": json.dumps(journal), "stage/0": fresh, "stage/folders": ""})
    assert run("render", "--check", "--root", root).code == 1
    assert (root / "targets/odh.yaml").read_text() == fresh


FINDING = {
    "rule": "crd-leaves",
    "message": "a",
    "origin": {"file": "kit.yaml", "path": ["a", 1], "line": 0, "document": 0},
    "hint": "",
    "subject": "",
    "accepted": "",
    "graded": None,
}
FORGED = [
    {"targets": 5},
    {"targets": [1]},
    {"targets": None},
    {"objects": "many"},
    {"objects": [1]},
    {"objects": -1},
    {"files": None},
    {"files": 1.5},
    {"files": 10**40},
    {"inputs": 1},
    {"outputs": ["x"]},
    {"findings": 3},
    {"findings": {"a": 1}},
    {"findings": [None]},
    {"findings": [{**FINDING, "rule": "no-such-rule"}]},
    {"findings": [{**FINDING, "rule": ["crd-leaves"]}]},
    {"findings": [{**FINDING, "rule": "file-not-ours"}]},
    {"findings": [{**FINDING, "message": 5}]},
    {"findings": [{**FINDING, "hint": None}]},
    {"findings": [{**FINDING, "accepted": {}}]},
    {"findings": [{**FINDING, "graded": "fatal"}]},
    {"findings": [{**FINDING, "origin": "kit.yaml"}]},
    {"findings": [{**FINDING, "origin": {**FINDING["origin"], "path": [[]]}}]},
    {"findings": [{**FINDING, "origin": {**FINDING["origin"], "path": "ab"}}]},
    {"findings": [{**FINDING, "origin": {**FINDING["origin"], "line": "1"}}]},
    {"findings": [{**FINDING, "origin": {"file": 1}}]},
]


def test_a_memory_of_another_form_counts_for_nothing(root: Path) -> None:
    assert run("render", "--root", root).code == 0
    memory = opened(root)
    kept = json.loads(memory.file.read_bytes())
    memory.file.write_text(json.dumps({**kept, "findings": [FINDING]}))
    known = memory.lookup()
    assert known is not None, "or what follows would prove nothing"
    assert [each.message for each in known.findings] == ["a"]
    for forged in FORGED:
        memory.file.write_text(json.dumps({**kept, **forged}))
        assert memory.lookup() is None, forged
    assert run("render", "--root", root).err == "3 targets, 21 objects, 18 files: 0 changed\n"


@pytest.mark.parametrize("text", ["", "[]", "null", "1", "{", "[" * 100_000, '{"inputs": "\\ud800"}', "\xff"])
def test_a_memory_that_is_no_memory_counts_for_nothing(root: Path, text: str) -> None:
    memory = opened(root)
    memory.file.parent.mkdir(parents=True)
    memory.file.write_bytes(text.encode("latin-1"))
    assert memory.lookup() is None


@pytest.mark.parametrize("home", ["kit/.cache", "link", "repository/.cache"])
def test_a_memory_that_came_with_the_kit_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    (tmp_path / "repository/.git").mkdir(parents=True)
    root = kits.make_kit(tmp_path / ("repository/kit" if "repository" in home else "kit"))
    (tmp_path / "link").symlink_to("kit/.cache")
    monkeypatch.setenv("KITGEN_CACHE_DIR", str(tmp_path / home))
    assert Cache.open(root) is None
    assert run("render", "--root", root).code == 0
    assert not (tmp_path / home).exists()


def test_more_than_specs_is_not_read_for_the_memory(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kits.write(root / "components/hello", dict.fromkeys("abcde", ""))
    for name in "abcde":
        os.truncate(root / "components/hello" / name, 7 * 2**20)
    assert Cache.open(root) is None
    for name in "abcde":
        os.truncate(root / "components/hello" / name, 0)
    assert Cache.open(root) is not None
    monkeypatch.setattr(cache, "MAX_FILES", 5)
    assert Cache.open(root) is None
