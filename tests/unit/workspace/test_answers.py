"""A command that is asked again gives the answer that it would compute, whatever has changed meanwhile."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from hashlib import blake2b
from pathlib import Path
from unittest.mock import patch

import kits
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import Run, run

from kitgen.render.placement import Placement
from kitgen.render.plan import TargetPlan
from kitgen.render.session import Session
from kitgen.workspace import answers, program
from kitgen.workspace.answers import Answer, AnswerRecording, AnswerSlot, open_slot

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
RENDERS = (("render",), ("render", "--check"))


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

    def keep(self: AnswerSlot, said: AnswerRecording) -> None:
        printed.extend(said.printed)
        before(self, said)

    with patch.object(AnswerSlot, "_keep", keep):
        done = recorded(slot.record, *args).code
    return known, Answer([[number, text] for number, text in printed], done)  # type: ignore[misc]


def recorded(record: Callable[[], AbstractContextManager[None]], *args: str) -> Run:
    from kitgen.app.main import main

    with patch("running.main", lambda: main(record)):
        return run(*args)


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
    assert open_slot([]) is None
    assert open_slot(["--help"]) is None
    ask("check")
    assert slot_of("check").find() is None


def test_the_program_is_known_by_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kits.write(tmp_path, {"kitgen/a.py": "", "kitgen/b/c.yaml": "", "kitgen/__pycache__/a.pyc": ""})
    monkeypatch.setattr(program, "PACKAGE", str(tmp_path / "kitgen"))
    monkeypatch.setattr(program, "SCHEMAS", str(tmp_path / "schemas"))
    found = {program.fingerprint_program.__wrapped__()}
    (tmp_path / "kitgen/__pycache__/a.pyc").write_text("compiled")
    assert program.fingerprint_program.__wrapped__() in found
    for change in (
        {"kitgen/a.py": "1"},
        {"kitgen/b/c.yaml": "{}"},
        {"kitgen/new.py": ""},
        {"schemas/a.json": "{}"},
    ):
        kits.write(tmp_path, change)
        found.add(program.fingerprint_program.__wrapped__())
    assert len(found) == 5


EDITS = (
    ("targets/odh.yaml", "about: For", "about: Edited for"),
    ("targets/odh.yaml", "namespace: opendatahub", "namespace: elsewhere"),
    ("targets/olm.yaml", "components:\n  hello:\n", "components:\n  hello:\n    replicas: 2\n"),
    ("targets/olm.yaml", "about: As", "about: As\nargocd: {repository: https://example.com/kit.git}\n#"),
    ("components/hello/v1.0.0/component.yaml", "hello:v1.0.0", "hello:v1.0.1"),
    ("components/hello/v1.0.0/crds/greetings.yaml", "kind: Greeting", "kind: Greeting, shortNames: [g]"),
    ("components/hello/v1.0.0/crds/greetings.yaml", "kind: Greeting", "kind: Greeting, plural: greets"),
    ("components/hello/v1.0.0/crds/greetings.yaml", "core/v1.Toleration", "core/v1.Container"),
    ("releases/v1.0.0.yaml", "release: v1.0.0", "release: v1.0.0\nabout: edited"),
    ("releases/v1.0.0.yaml", "release: v1.0.0", "release: v1.0.0\nkubernetes: '>=1.30 <=1.31'"),
    ("kit.yaml", "kit: small", "kit: edited"),
    ("kit.yaml", "about: A", "fleet: {}\nabout: A"),
    ("kit.yaml", "about: A", "rules: {pod-probes: off, container-resources: error}\nabout: A"),
)


def join_texts(answer: Answer, stream: int) -> str:
    return "".join(text for number, text in answer.printed if number == stream)


STEPS = st.tuples(st.sampled_from(EDITS), st.sampled_from((*COMMANDS, *RENDERS, ("check",))))


@given(steps=st.lists(STEPS, min_size=1, max_size=5))
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
            plain = run(*args, "--no-cache") if args != ("render",) else None
            slot = slot_of(*args)
            known, made = slot.find(), recorded(slot.record, *args)
            assert plain in (None, made)
            again = known or slot.find()
            if again and args != ("render",):
                texts = [join_texts(again, stream) for stream in (1, 2)]
                assert [again.code, *texts] == [made.code, made.out, made.err]
            if args == ("render",):
                assert run("render", "--check", "--no-cache").code == made.code
    shutil.rmtree(root.parent)


def answer(*args: str) -> list[tuple[int, str]] | None:
    slot = open_slot([*args])
    known = slot.find() if slot else None
    return known and known.printed


def render(*args: str) -> str:
    """Render as the program does, which keeps its next answer; return what it prints."""
    ask(*args)
    known = answer(*args)
    return "".join(text for _, text in known) if known else ""


@pytest.mark.parametrize("args", RENDERS, ids=" ".join)
def test_a_render_is_answered_until_something_changes(kit: Path, args: tuple[str, ...]) -> None:
    ask("render")
    said = "3 targets, 21 objects, 18 files: 0 changed\n"
    assert render(*args) == said
    assert run(*args).err == said
    (kit / "targets/odh.yaml").touch()
    (kit / "overlays/mine.txt").write_text("mine")
    assert answer(*args), "what files hold counts, not when they were written"
    for path in ("overlays/odh/kustomization.yaml", "overlays/.kitgen/files", "targets/odh.yaml", "kit.yaml"):
        before = (kit / path).read_text()
        (kit / path).write_text(f"{before}\n")
        assert answer(*args) is None
        (kit / path).unlink()
        assert answer(*args) is None
        (kit / path).write_text(before)
    assert answer(*args)
    (kit / "overlays").rename(kit.parent / "elsewhere")
    (kit / "overlays").symlink_to(kit.parent / "elsewhere")
    assert answer(*args) is None


@pytest.mark.parametrize(
    "args", [("render", "odh"), ("render", "--out", "other"), ("render", "--release", "v1.0.0")]
)
def test_a_part_of_a_render_is_not_answered(kit: Path, args: tuple[str, ...]) -> None:
    ask(*args)
    assert answer(*args) is None


def test_a_render_with_a_warning_repeats_it(kit: Path) -> None:
    (kit / "targets/other.yml").touch()
    said = render("render")
    assert "spec-ending" in said
    assert said.endswith(": 0 changed\n")


def test_a_spec_that_is_edited_during_a_render_counts_as_it_was_read(
    kit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = kit / "targets/odh.yaml"
    before = spec.read_text()
    compiled = Session.compile_plan

    def disturbed(self: Session, placement: Placement) -> TargetPlan:
        spec.write_text(before.replace("opendatahub", "elsewhere"))
        return compiled(self, placement)

    monkeypatch.setattr(Session, "compile_plan", disturbed)
    ask("render")
    assert answer("render") is None
    spec.write_text(before)
    assert answer("render"), "it is the spec that was rendered"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_file_that_is_edited_during_a_render_is_not_vouched_for(
    kit: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    ask("render")
    edited = kit / "overlays/odh/kustomization.yaml"
    rendered = edited.read_text()
    apply = sys.modules["kitgen.files.apply"]
    carry_out = apply.apply_changes

    def disturbed(*args: object) -> None:
        if when == "after":
            carry_out(*args)
        edited.write_text(f"{rendered}# edited\n")
        if when == "before":
            carry_out(*args)

    monkeypatch.setattr(apply, "apply_changes", disturbed)
    (kit / "overlays/olm/kustomization.yaml").unlink()
    ask("render")
    assert edited.read_text() != rendered
    assert answer("render") is None


def test_a_render_finishes_an_import_that_was_killed(kit: Path) -> None:
    ask("render")
    fresh = (kit / "targets/odh.yaml").read_text().replace("opendatahub", "elsewhere")
    seen = blake2b((kit / "targets/odh.yaml").read_bytes(), digest_size=32).hexdigest()
    journal = {"write": ["targets/odh.yaml"], "delete": [], "before": {"targets/odh.yaml": seen}}
    kits.write(kit / ".kitgen", {"journal": json.dumps(journal), "stage/0": fresh, "stage/folders": ""})
    assert answer("render", "--check") is None
    assert run("render", "--check").code == 1
    assert (kit / "targets/odh.yaml").read_text() == fresh


def test_specs_behind_a_link_are_looked_at_each_time(kit: Path) -> None:
    (kit / "components/hello").rename(kit / "elsewhere")
    (kit / "components/hello").symlink_to("../elsewhere")
    ask("render")
    assert answer("render") is None


def test_no_recording_is_left_behind(kit: Path) -> None:
    slot = slot_of("list")
    assert recorded(slot.record, "list").code == 0
    assert recorded(nullcontext, "list").code == 0
    assert "write" not in vars(sys.stdout)
