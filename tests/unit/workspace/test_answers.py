"""A command that is asked again gives the answer that it would compute, whatever has changed meanwhile."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from unittest.mock import patch

import kits
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import run

from kitgen.workspace import answers, program
from kitgen.workspace.answers import Answer, AnswerSlot, open_slot

COMMANDS = (
    ("build", "odh"),
    ("build", "olm", "hello"),
    ("list",),
    ("list", "-o", "json"),
    ("why", "odh", "Deployment/hello-manager", "spec.replicas"),
    ("show", "hello@v1.0.0"),
    ("rbac", "odh"),
    ("diff", "olm", "odh"),
    ("drift", "odh", "olm"),
)


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KITGEN_CACHE_DIR", str(tmp_path / "cache"))
    root = kits.make_kit(tmp_path / "kit")
    monkeypatch.chdir(root)
    return root


def slot_of(*args: str) -> AnswerSlot:
    slot = open_slot([*args])
    assert slot is not None
    return slot


def ask(*args: str) -> tuple[Answer | None, Answer]:
    """Return the answer that is known, and what the command says; that is kept."""
    slot = slot_of(*args)
    known = slot.find()
    printed: list[tuple[int, str]] = []
    before = AnswerSlot._keep

    def keep(self: AnswerSlot, log: answers.ReadLog, texts: list[tuple[int, str]], code: object) -> None:
        printed.extend(texts)
        before(self, log, texts, code)

    with patch.object(AnswerSlot, "_keep", keep):
        done = recorded(slot.record, *args)
    return known, Answer([[number, text] for number, text in printed], done)  # type: ignore[misc]


def recorded(record: Callable[[], AbstractContextManager[None]], *args: str) -> int:
    from kitgen.app.main import main

    with patch("running.main", lambda: main(record)):
        return run(*args).code


@pytest.mark.parametrize("args", COMMANDS, ids=" ".join)
def test_the_same_again_is_the_same(kit: Path, args: tuple[str, ...]) -> None:
    first, said = ask(*args)
    assert first is None
    assert said.printed
    again, _ = ask(*args)
    assert again == said


def test_a_program_gives_it_without_the_code_that_computes_it(kit: Path) -> None:
    argv = [sys.executable, "-X", "importtime", "-m", "kitgen", "build", "odh"]
    runs = [subprocess.run(argv, capture_output=True, text=True, check=True) for _ in range(2)]
    assert runs[0].stdout == runs[1].stdout
    assert ["kitgen.kit.load" in each.stderr for each in runs] == [True, False]


def test_what_was_not_read_does_not_matter(kit: Path) -> None:
    _, said = ask("show", "hello@v1.0.0")
    (kit / "overlays").mkdir()
    (kit / "notes.txt").write_text("mine")
    assert slot_of("show", "hello@v1.0.0").find() == said


CHANGES: dict[str, Callable[[Path], object]] = {
    "an edit": lambda kit: edit(kit / "targets/odh.yaml", "target: odh", "about: other\ntarget: odh"),
    "a new target": lambda kit: (kit / "targets/new.yaml").write_text("target: new\n"),
    "a file that is gone": lambda kit: (kit / "targets/rhoai.yaml").unlink(),
    "a link in place of a file": lambda kit: turn_into_link(kit / "targets/odh.yaml"),
    "a link in place of a folder": lambda kit: turn_into_link(kit / "targets"),
    "a folder in place of a file": lambda kit: turn_into_folder(kit / "targets/odh.yaml"),
    "a write that was cut short": lambda kit: kits.write(kit, {"overlays/.kitgen/journal": "{}"}),
}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def turn_into_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def turn_into_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_was_read_matters(kit: Path, change: Callable[[Path], object]) -> None:
    ask("list")
    assert slot_of("list").find() is not None
    change(kit)
    assert slot_of("list").find() is None


@pytest.mark.parametrize(
    "other",
    [
        lambda: patch.dict(os.environ, {"COLUMNS": "40"}),
        lambda: patch.dict(os.environ, {"NO_COLOR": "1"}),
        lambda: patch.dict(os.environ, {"KITGEN_DEBUG": "1"}),
        lambda: patch.object(answers, "fingerprint_program", lambda: "another"),
        lambda: patch.object(answers.time, "strftime", lambda _: "2030-01-31"),
    ],
)
def test_an_answer_is_for_one_program_terminal_and_day(
    kit: Path, other: Callable[[], AbstractContextManager[object]]
) -> None:
    ask("list")
    with other():
        assert slot_of("list").find() is None
    assert slot_of("list", "-q").find() is None
    assert slot_of("list").find() is not None


def test_what_cannot_be_compared_later_is_never_answered(kit: Path) -> None:
    built = run("build", "odh").out
    kits.write(kit, {"other.yaml": built})
    ask("diff", "odh", "path:other.yaml")
    assert slot_of("diff", "odh", "path:other.yaml").find() is None
    ask("diff", "git:HEAD:target:odh", "odh")
    assert slot_of("diff", "git:HEAD:target:odh", "odh").find() is None


def test_wrong_usage_is_not_answered_but_findings_are(kit: Path) -> None:
    ask("build", "none")
    assert slot_of("build", "none").find() is None
    edit(kit / "targets/odh.yaml", "target: odh", "target: odh\nnone: 1")
    _, said = ask("build", "odh")
    assert said.code == 1
    assert slot_of("build", "odh").find() == said


def test_who_wants_none_gets_none(kit: Path) -> None:
    assert open_slot(["list", "--no-cache"]) is None
    assert run("list", "--no-cache").out == run("list").out
    for args in ([], ["render"], ["check"], ["--help"], ["unknown"]):
        assert open_slot(args) is None


def test_the_program_is_known_by_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kits.write(tmp_path, {"kitgen/a.py": "", "kitgen/b/c.yaml": "", "kitgen/__pycache__/a.pyc": ""})
    monkeypatch.setattr(program, "PACKAGE", str(tmp_path / "kitgen"))
    found = {program.fingerprint_program.__wrapped__()}
    (tmp_path / "kitgen/__pycache__/a.pyc").write_text("compiled")
    assert program.fingerprint_program.__wrapped__() in found
    for change in ({"kitgen/a.py": "1"}, {"kitgen/b/c.yaml": "{}"}, {"kitgen/new.py": ""}):
        kits.write(tmp_path, change)
        found.add(program.fingerprint_program.__wrapped__())
    assert len(found) == 4


EDITS = (
    ("targets/odh.yaml", "target: odh", "target: odh\nabout: edited"),
    ("targets/olm.yaml", "target: olm", "target: olm\nabout: edited"),
    ("components/hello/v1.0.0/component.yaml", "hello:v1.0.0", "hello:v1.0.1"),
    ("components/hello/v1.0.0/crds/greetings.yaml", "kind: Greeting", "kind: Greeting, shortNames: [g]"),
    ("releases/v1.0.0.yaml", "release: v1.0.0", "release: v1.0.0\nabout: edited"),
    ("kit.yaml", "kit: small", "kit: edited"),
)


@settings(max_examples=6)
@given(steps=st.lists(st.tuples(st.sampled_from(EDITS), st.sampled_from(COMMANDS)), min_size=1, max_size=5))
def test_any_edits_give_the_same_with_and_without_it(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[tuple[str, str, str], tuple[str, ...]]]
) -> None:
    root = kits.make_kit(tmp_path_factory.mktemp("edited") / "kit")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("KITGEN_CACHE_DIR", str(root.parent / "cache"))
        patched.chdir(root)
        for (file, old, new), args in steps:
            text = (root / file).read_text()
            (root / file).write_text(text.replace(new, old) if new in text else text.replace(old, new))
            known, said = ask(*args)
            assert known in (None, said)
    shutil.rmtree(root.parent)


def test_no_recording_is_left_behind(kit: Path) -> None:
    slot = slot_of("list")
    assert recorded(slot.record, "list") == 0
    assert recorded(nullcontext, "list") == 0
    assert "write" not in vars(sys.stdout)
