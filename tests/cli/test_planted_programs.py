"""Nothing that a repository names is run, whatever kitgen is asked."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import planted
import publishing
import pytest
from running import run, trees
from some import first

import kitgen
from kitgen.files import git

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="needs git")

ASKING = {
    "release plan": "release plan v1.0.0 --catalog .",
    "release script": "release plan v1.0.0 --script ../release.sh",
    "check": "check git:main",
    "upgrade": "check --baseline git:main",
    "diff": "diff git:main",
    "unified diff": "diff git:main:target:odh target:odh -o unified",
    "crd diff": "crd diff git:main:target:odh target:odh",
    "build": "build git:main:target:odh/hello",
    "images": "images list git:main:target:odh",
    "show": "show git:main:component:hello@v1.0.0",
}
OTHERS = {
    "import": "import ../own.yaml --as hello@v1.1.0 --target odh=../odh.yaml --dry-run",
    "render": "render --check --diff",
    "overlay": "check overlays/odh",
    "tree": "check .",
    "compare": "compare target:odh overlays/odh",
}
STARTING = re.compile(
    r"^\s*(import|from) (subprocess|pty|multiprocessing|asyncio)\b"
    r"|\bos\.(system|popen|exec[lv]\w*|spawn\w+|posix_spawn\w*|fork\w*)\b",
    re.MULTILINE,
)
RUNNING = re.compile(
    r"^\s*(from kitgen\.files\.programs import (\([^)]*|.*)\b(run_program|start_program)\b"
    r"|(import|from) kitgen\.files\.programs\b(?! import)"
    r"|from kitgen\.files import .*\bprograms\b)",
    re.MULTILINE,
)
GIT = re.compile("""["']git["']""")
CAREFREE = {
    "status": {"clean-tree", "process-info", "fsmonitor"},
    "diff": {"diff-tree"},
    "log -1 -p --textconv --no-ext-diff": {"textconv-tree", "textconv-info"},
    "commit --allow-empty -m more": {"hook-pre-commit", "hook-commit-msg", "hook-reference-transaction"},
    "fetch": {"fetch"},
}
"""What people may ask git, and what runs then."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = publishing.make(tmp_path)
    for name, text in trees(made).items():
        (tmp_path / f"{name}.yaml").write_text(text.replace("hello:v1.0.0", "hello:v1.1.0"))
    odh = tmp_path / "odh.yaml"  # such that an import changes a file of the kit
    odh.write_text(odh.read_text().replace("  - list\n", "  - list\n  - deletecollection\n"))
    monkeypatch.chdir(made)
    return made


QUICK = ("release plan", "import", "diff")


@pytest.mark.parametrize(
    ("place", "names"),
    first([("config", QUICK), *((place, (*ASKING, *OTHERS)) for place in planted.PLACES)]),
)
def test_no_command_runs_what_a_repository_names(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, names: tuple[str, ...]
) -> None:
    traps = planted.plant(root, tmp_path / "planted", place)
    traps.found()
    asked = []
    real = git.run_program
    monkeypatch.setattr(git, "run_program", lambda argv, **more: asked.append(argv) or real(argv, **more))
    for name in names:
        asked.clear()
        done = run(*(ASKING | OTHERS)[name].split())
        assert traps.found() == set(), name
        assert bool(asked) == (name in ASKING), (name, done)
        assert place == "partial" or done.code in (0, 1), (name, done.err)
        assert "kitgen failed" not in done.err


@pytest.mark.kustomize
@pytest.mark.parametrize("place", first(["config", "hooks"]))
def test_kustomize_asks_no_git(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """A tree that is built may be a repository, too."""
    tree = tmp_path / "tree"
    tree.mkdir()
    shutil.copy(tmp_path / "own.yaml", tree)
    (tree / "kustomization.yaml").write_text("resources: [own.yaml]\n")
    traps = planted.plant(tree, tmp_path / "planted", place)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text(f'#!/bin/sh\nexec "{traps.program}" git\n')
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    traps.found()
    for line in ("check ../tree", "compare component:hello@v1.0.0 ../tree", "check overlays/odh"):
        done = run(*line.split())
        assert (done.code in (0, 1), traps.found()) == (True, set()), line
    assert "14 objects" in run("compare", "target:odh", "overlays/odh").err
    assert run("check", "git:main").code == 3
    assert traps.found() == {"git"}


@pytest.mark.parametrize("place", first(planted.PLACES))
def test_what_is_planted_would_run(root: Path, tmp_path: Path, place: str) -> None:
    """Traps that never snap would prove nothing."""
    traps = planted.plant(root, tmp_path / "planted", place)
    only = {"hooks": {f"hook-{name}" for name in planted.HOOKS}, "submodule": {"process-info"}}.get(place)
    for line, programs in CAREFREE.items():
        traps.found()
        argv = ["git", "--no-pager", *planted.WHO, *line.split()]
        subprocess.run(argv, check=False, capture_output=True, timeout=20)
        found = traps.found()
        assert (programs if only is None else programs & only) <= found, line


def test_git_is_asked_in_one_place_and_programs_run_in_one() -> None:
    """No other module starts programs, and of those that have some run, one names git."""
    folder = Path(kitgen.__file__).parent
    texts = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.py")}
    starting = {name for name, text in texts.items() if STARTING.search(text)}
    assert starting == {"files/programs.py", "files/workers.py"}
    assert "exec" not in texts["files/workers.py"], "a copy of the process runs no other program"
    running = {name for name, text in texts.items() if RUNNING.search(text)}
    assert running == {"files/git.py", "kit/shipped_trees.py"}
    assert [name for name in running if GIT.search(texts[name])] == ["files/git.py"]
