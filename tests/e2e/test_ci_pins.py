"""What CI runs is pinned, asks for little and leaves nothing behind: in files, new kits and pages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ci_stage import PROJECT, program
from some import first, rows

from kitgen import __version__
from kitgen.app.starter import render_starter_files

BLOCK = re.compile(r"^```ya?ml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
USES = re.compile(r"^\s*(?:- )?uses: *(\S+)(.*)$", re.MULTILINE)
PINNED = re.compile(r"([\w.-]+/[\w./-]+)@([0-9a-f]{40})")
VERSION = re.compile(r" +# v\d+\.\d+\.\d+\b.*")
GRANTED = {"contents": "read", "pull-requests": "write"}
UNKNOWN = "0" * 40
"""Stands for a commit that only a kit's owner knows; nothing can have it."""


def shown() -> Iterator[tuple[str, str]]:
    """Yield all that GitHub Actions may run, with where it stands."""
    yield "action.yml", (PROJECT / "action.yml").read_text(encoding="utf-8")
    for path, text in render_starter_files("kit").items():
        if path.startswith(".github/workflows/"):
            yield path, text
    for file in sorted((PROJECT / ".github").rglob("*.y*ml")):
        yield str(file.relative_to(PROJECT)), file.read_text(encoding="utf-8")
    pages = [
        PROJECT / "README.md",
        *(PROJECT / "docs").rglob("*.md"),
        *(PROJECT / "kitgen/starter").rglob("*.md"),
    ]
    for page in sorted(pages):
        for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
            if USES.search(match[1]):
                yield str(page.relative_to(PROJECT)), match[1]


def maps(value: Any) -> Iterator[dict[Any, Any]]:
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from maps(each)


def faults(text: str) -> Iterator[str]:
    """Yield what is unsafe in a workflow, an action or a part of one."""
    for used, rest in USES.findall(text):
        if not used.startswith("./") and not (PINNED.fullmatch(used) and VERSION.fullmatch(rest)):
            yield f"{used} is no commit with its version beside it"
    document = yaml.safe_load(text)
    for each in maps(document):
        if "${{" in str(each.get("run", "")):
            yield "a script is put together from what others say"
        checks_out = str(each.get("uses", "")).startswith("actions/checkout@")
        if checks_out and (each.get("with") or {}).get("persist-credentials") is not False:
            yield "a checkout leaves its credentials behind"
        granted = each.get("permissions", {})
        if not isinstance(granted, dict) or not granted.items() <= GRANTED.items():
            yield "more is permitted than to read, and to comment"
    if isinstance(document, dict) and "jobs" in document:
        if document.get("permissions") != {"contents": "read"}:
            yield "jobs may do more than read unless they say otherwise"
        if "pull_request_target" in str(document.get(True, document.get("on"))):  # YAML 1.1 takes on for true
            yield "what a fork wrote is run with the rights of the repository"


def test_what_ci_runs_is_safe_wherever_it_is_shown() -> None:
    found = list(shown())
    assert {"action.yml", ".github/workflows/kitgen.yml", "docs/snapshots.md"} <= {
        place for place, _ in found
    }
    assert [(place, fault) for place, text in found for fault in faults(text)] == []


def test_an_action_has_one_commit_everywhere() -> None:
    used = {match.groups() for _, text in shown() for match in PINNED.finditer(text)}
    assert len({name for name, _ in used}) == len(used)
    assert {name for name, commit in used if commit == UNKNOWN} == {"example/kitgen"}


SAFE = render_starter_files("kit")[".github/workflows/kitgen.yml"]


@rows(
    ("old", "new"),
    [
        (r"@[0-9a-f]{40} # v\S+", "@v6"),
        (r"(checkout@[0-9a-f]{40}) # v\S+", r"\1"),
        (r"@[0-9a-f]{40} # v\S+", "@0123abc # v6.0.2"),
        ("persist-credentials: false", "persist-credentials: true"),
        ("        persist-credentials: false\n", ""),
        ("permissions:\n  contents: read\n", ""),
        ("permissions:\n  contents: read\n", "permissions: write-all\n"),
        ("permissions:\n  contents: read\n", "permissions:\n  contents: read\n  pull-requests: write\n"),
        ("      pull-requests: write", "      pull-requests: write\n      contents: write"),
        ("      contents: read\n", "      id-token: write\n"),
        ("  pull_request:\n", "  pull_request_target:\n"),
        ("    steps:\n", "    steps:\n    - run: echo ${{ github.head_ref }}\n"),
    ],
)
def test_what_is_unsafe_is_found(old: str, new: str) -> None:
    text = re.sub(old, new, SAFE, count=1)
    assert text != SAFE
    assert list(faults(text))
    assert not list(faults(SAFE))


def test_gitlab_and_hooks_take_kitgen_at_a_commit() -> None:
    text = render_starter_files("kit")[".gitlab-ci.yml"]
    assert f'KITGEN_COMMIT: "{UNKNOWN}" # v{__version__}' in text
    assert "pip install" not in text
    blocks = BLOCK.findall((PROJECT / "README.md").read_text(encoding="utf-8"))
    (hooks,) = [each for each in blocks if "rev:" in each]
    assert f"rev: {UNKNOWN} # frozen: v{__version__}" in re.sub(" +", " ", hooks)


def test_hooks_are_scripts_that_are_there() -> None:
    for hook in yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")):
        assert hook["language"] == "script", "pre-commit installs other kinds without a lock"
        assert hook["entry"].split()[0] == "ci/kitgen"
    assert all(os.access(PROJECT / "ci" / each, os.X_OK) for each in ("kitgen", "guarded"))


PYTHON = """
import os, sys
from pathlib import Path

log = Path(os.environ["LOG"])
log.write_text((log.read_text() if log.exists() else "") + " ".join(sys.argv[1:]) + "\\n")
if "venv" in sys.argv:
    place = Path(sys.argv[-1]) / "bin"
    place.mkdir(parents=True)
    (place / "python").symlink_to(Path(sys.argv[0]).resolve())
elif os.environ.get("FAILS", "-") in sys.argv:
    sys.exit("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE")
else:
    kitgen = Path(sys.argv[0]).parent / "kitgen"
    kitgen.write_text("#!/bin/sh\\necho ran $*\\n")
    kitgen.chmod(0o755)
"""


class Installing:
    """A checkout of kitgen from which nothing was run yet, and a Python that writes down what it is to do."""

    def __init__(self, tmp_path: Path) -> None:
        self.source, self.log = tmp_path / "a folder/source", tmp_path / "log"
        shutil.copytree(PROJECT / "ci", self.source / "ci")
        program(tmp_path / "bin/python3", PYTHON)
        self.path = f"{tmp_path / 'bin'}:/usr/bin:/bin"

    def run(self, **settings: str) -> subprocess.CompletedProcess[str]:
        env = {"PATH": self.path, "LOG": str(self.log), **settings}
        command = [str(self.source / "ci/kitgen"), "check", "-q"]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False)

    @property
    def done(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def installing(tmp_path: Path) -> Installing:
    return Installing(tmp_path)


def test_kitgen_is_installed_once_and_from_the_locks(installing: Installing) -> None:
    for _ in range(2):
        done = installing.run()
        assert (done.returncode, done.stdout) == (0, "ran check -q\n"), done.stderr
    source = installing.source.resolve()
    pip = "-I -m pip install --quiet --disable-pip-version-check"
    locks = f"-r {source}/requirements.lock -r {source}/requirements-build.lock"
    assert installing.done == [
        f"-I -m venv {source}/.venv-locked",
        f"{pip} --require-hashes --only-binary=:all: {locks}",
        f"{pip} --no-deps --no-build-isolation {source}",
    ]
    assert all((PROJECT / each).is_file() for each in ("requirements.lock", "requirements-build.lock"))


@pytest.mark.parametrize("fails", first(["--require-hashes", "--no-deps"]))
def test_what_was_not_installed_wholly_is_installed_anew(installing: Installing, fails: str) -> None:
    done = installing.run(FAILS=fails)
    assert (done.returncode, done.stdout) == (1, "")
    before = len(installing.done)
    assert installing.run().stdout == "ran check -q\n"
    assert len(installing.done) - before == 3


def test_kitgen_is_installed_anew_where_its_python_is_gone(installing: Installing) -> None:
    installing.run()
    python = installing.source / ".venv-locked/bin/python"
    python.unlink()
    python.symlink_to("/nowhere/python3.11")
    assert installing.run().stdout == "ran check -q\n"
    assert len(installing.done) == 6
