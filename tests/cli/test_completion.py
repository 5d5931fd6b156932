"""What a shell offers, asked as the shell asks, and in a real bash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import kits
import pytest
from running import run
from some import first

DEPLOYMENT = "Deployment/hello-manager"


@pytest.fixture
def asks(kit: Path, small_overlays: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make commands answer a shell instead of running, in a rendered kit."""
    shutil.copytree(small_overlays, kit / "overlays")
    monkeypatch.setenv("_KITGEN_COMPLETE", "bash_complete")
    return kit


def offered(line: str) -> list[str]:
    """Return what is offered at the end of a line; a path is shown as <type>."""
    words = line.split(" ")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMP_WORDS", line)
        patch.setenv("COMP_CWORD", str(len(words) - 1))
        result = run()
    assert (result.code, result.err) == (0, ""), "a shell shows nothing but names"
    items = [line.split(",", 1) for line in result.out.splitlines() if line]
    return [value if kind == "plain" else f"<{kind}>" for kind, value in items]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("kitgen rend", ["render"]),
        ("kitgen crd val", ["validate"]),
        ("kitgen render ", ["odh", "olm", "rhoai"]),
        ("kitgen render o", ["odh", "olm"]),
        ("kitgen render --release ", ["v1.0.0"]),
        ("kitgen render --out ", ["<dir>"]),
        ("kitgen render --root ", ["<dir>"]),
        ("kitgen build olm ", ["hello"]),
        ("kitgen build olm --release=", ["v1.0.0"]),
        ("kitgen export odh ", ["<dir>"]),
        ("kitgen export odh out --release ", ["v1.0.0"]),
        ("kitgen check o", ["odh", "olm", "<file>"]),
        ("kitgen check odh ", ["odh", "olm", "rhoai", "<file>"]),
        ("kitgen check t", ["target:", "target:odh", "target:olm", "target:rhoai", "<file>"]),
        ("kitgen check target:o", ["target:odh", "target:olm", "<file>"]),
        ("kitgen check comp", ["component:", "component:hello@v1.0.0", "<file>"]),
        ("kitgen check release:", ["release:", "release:v1.0.0", "<file>"]),
        ("kitgen build g", ["git:"]),
        ("kitgen check --release ", ["v1.0.0"]),
        ("kitgen check -o ", ["text", "lines", "json", "sarif", "junit", "github"]),
        ("kitgen retire ", ["hello@v1.0.0", "release:v1.0.0"]),
        ("kitgen retire rel", ["release:v1.0.0"]),
        ("kitgen why o", ["odh", "olm"]),
        ("kitgen why olm Dep", [DEPLOYMENT]),
        ("kitgen why nobody Dep", []),
        ("kitgen show o", ["odh", "olm"]),
        ("kitgen show hello@", ["hello@v1.0.0"]),
        ("kitgen flatten release:v", ["release:v1.0.0"]),
        ("kitgen why olm Dep --release", ["--release"]),
        ("kitgen schema comp", ["component"]),
        ("kitgen crd outline gree", ["greetings", "greetings.example.com", "<file>"]),
        ("kitgen crd outline hel", ["hello", "hello@v1.0.0", "<file>"]),
        ("kitgen crd diff ", ["hello@v1.0.0", "<file>"]),
        ("kitgen crd diff hello@v1.0.0 hello@v", ["hello@v1.0.0", "<file>"]),
        ("kitgen crd diff a b --exceptions ", ["<file>"]),
        ("kitgen crd validate ", ["<file>"]),
        ("kitgen crd validate a --crds h", ["hello@v1.0.0", "<file>"]),
        ("kitgen crd import ", ["<file>"]),
        ("kitgen crd import a --component h", ["hello"]),
        ("kitgen crd import a --component hello --version ", ["v1.0.0"]),
        ("kitgen crd import a --version ", []),
        ("kitgen completion b", ["bash"]),
        ("kitgen images che", ["check"]),
        ("kitgen images check ", ["odh", "olm", "rhoai"]),
        ("kitgen images check --release ", ["v1.0.0"]),
        ("kitgen images list o", ["odh", "olm", "<file>"]),
        ("kitgen images list odh o", ["odh", "olm", "<file>"]),
        ("kitgen images list --rel", ["--release"]),
        ("kitgen images list --release ", ["v1.0.0"]),
    ],
)
def test_arguments_complete(asks: Path, line: str, names: list[str]) -> None:
    assert offered(line) == names


def test_a_root_that_is_named_counts(asks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    assert offered("kitgen render ") == []
    assert offered("kitgen check ") == ["<file>"]
    assert offered(f"kitgen render --root {asks} ") == ["odh", "olm", "rhoai"]


LINES = (
    *("kitgen render ", "kitgen build olm ", "kitgen check ", "kitgen why olm ", "kitgen crd outline "),
    *("kitgen crd diff ", "kitgen crd import a --component hello --version "),
    *("kitgen why ", "kitgen schema ", "kitgen build olm --release "),
)


@pytest.mark.parametrize(
    "broken",
    [
        {"kit.yaml": "kit: ["},
        {"kit.yaml": ""},
        {"targets/olm.yaml": "target: olm\nrelease: v9.9.9\n"},
        {"targets/olm.yaml": "- \x00"},
        {"components/hello/v1.0.0/component.yaml": "component: 3\n"},
        {"components/hello/v1.0.0/crds/greetings.yaml": "names: []\n"},
        {"releases/v1.0.0.yaml": "release: v1.0.0\ncomponents: {nobody: v1.0.0}\n"},
    ],
    ids=lambda broken: next(iter(broken)),
)
def test_a_broken_kit_offers_less_and_says_nothing(asks: Path, broken: dict[str, str]) -> None:
    kits.write(asks, broken)
    before = kits.contents(asks)
    for line in LINES:
        offered(line)
    assert offered("kitgen render ") == ["odh", "olm", "rhoai"]
    assert kits.contents(asks) == before


def test_the_list_of_tags_is_no_release(asks: Path) -> None:
    kits.write(asks, {"releases/tags.yaml": "tags: {}\n"})
    assert offered("kitgen render --release ") == ["v1.0.0"]


def test_folders_that_are_none(asks: Path) -> None:
    for name in ("targets", "releases", "components"):
        shutil.rmtree(asks / name)
        (asks / name).write_text("")
    assert {line: offered(line) for line in LINES}["kitgen render "] == []


def test_completing_does_not_finish_a_write(asks: Path) -> None:
    """What a killed run left behind is for a command that the user really starts."""
    kits.write(asks / "overlays/.kitgen", {"stage/0": "x"})
    assert offered("kitgen why olm Dep") == [DEPLOYMENT]
    assert (asks / "overlays/.kitgen/stage/0").is_file()


def test_names_that_a_shell_would_take_apart_are_left_out(asks: Path) -> None:
    for name in ("a b", "$(id)", "a\nb", "x;y"):
        (asks / f"targets/{name}.yaml").write_text("")
    assert offered("kitgen render ") == ["odh", "olm", "rhoai"]


@pytest.mark.parametrize(
    ("shell", "word", "answer"),
    [("zsh", "2", "plain\n--release=v1.0.0\n_\n"), ("fish", "--release=v", "plain,--release=v1.0.0\n")],
)
def test_an_option_stays_before_its_value(
    kit: Path, monkeypatch: pytest.MonkeyPatch, shell: str, word: str, answer: str
) -> None:
    monkeypatch.setenv("_KITGEN_COMPLETE", f"{shell}_complete")
    monkeypatch.setenv("COMP_WORDS", "kitgen check --release=v")
    monkeypatch.setenv("COMP_CWORD", word)
    assert run().out == answer


ASK_ZSH = """
compdef() { }
eval "$(kitgen completion zsh)"
compadd() { print -rl -- "${completions[@]}"; }
_path_files() { print -r -- "paths $1"; }
words=(kitgen check "") CURRENT=3
_kitgen_completion
"""


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh on PATH")
def test_a_real_zsh_offers_names_and_paths(kit: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["zsh", "-f", "-c", ASK_ZSH],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.splitlines(), done.stderr) == (["paths -f", "odh", "olm", "rhoai"], "")


ASK = """
eval "$(kitgen completion bash)"
compopt() { echo "option $2"; }
ask() {
    COMP_LINE="$1" COMP_POINT=${#1} COMPREPLY=()
    _kitgen_completion kitgen "$2" ""
    printf '%s\\n' "${COMPREPLY[@]}" end
}
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on PATH")
@pytest.mark.parametrize(
    ("line", "word", "answer"),
    first(
        [
            ("kitgen build olm --release=v", "v", ["v1.0.0"]),
            ("kitgen crd diff hello@v1", "@v1", ["@v1.0.0"]),
            ("kitgen check o", "o", ["option filenames", "odh", "olm", "overlays"]),
            ("kitgen build o", "o", ["odh", "olm"]),
            ("kitgen crd diff he", "he", ["hello@v1.0.0"]),
            ("kitgen check ov", "ov", ["option default"]),
            ("kitgen export odh o", "o", ["option dirnames"]),
        ],
        3,
    ),
)
def test_a_real_bash(kit: Path, line: str, word: str, answer: list[str]) -> None:
    (kit / "overlays").mkdir()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = f"{ASK}\nask '{line}' '{word}'"
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.splitlines(), done.stderr) == ([*answer, "end"], "")
