"""What all commands have in common: help, names, exit codes, quiet, colour, never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import Run, run
from small_crd import crd, obj, version
from some import rows

from kitgen import __version__
from kitgen.app.main import BUNDLE_COMMANDS, COMMANDS, CRD_COMMANDS

CRD = json.dumps(crd(version(spec=obj()), group="a.com"))

ALL = [
    *([name] for name in COMMANDS),
    *(["crd", name] for name in CRD_COMMANDS),
    *(["bundle", name] for name in BUNDLE_COMMANDS),
]
ON_KIT = (
    ["render"],
    ["build", "olm"],
    ["check"],
    ["list"],
    ["why", "olm", "Deployment/hello-manager"],
    ["export", "odh", "exported"],
)


@rows("flag", ["-h", "--help"])
@rows("command", ALL)
def test_every_command_has_help(command: list[str], flag: str) -> None:
    result = run(*command, flag)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"Usage: kitgen {' '.join(command)} ")
    assert "Show this message and exit." in result.out


def test_summaries_are_short_sentences() -> None:
    for _, summary in (*COMMANDS.values(), *CRD_COMMANDS.values(), *BUNDLE_COMMANDS.values()):
        assert len(summary) < 60
        assert summary.endswith(".")


def test_version() -> None:
    assert run("--version") == Run(code=0, out=f"kitgen {__version__}\n", err="")


@rows(
    ("args", "told"),
    [
        (["rendr"], "no command 'rendr', did you mean 'render'?"),
        (["crd", "outlin"], "no command 'outlin', did you mean 'outline'?"),
        (["zzz"], "no command 'zzz'"),
        (["build"], "Missing argument 'SOURCE'."),
        (["render", "--chekc"], "--chekc"),
        (["completion", "tcsh"], "'tcsh' is not one of 'bash', 'zsh', 'fish'."),
        (["list", "-o", "xml"], "'xml' is not one of 'table', 'json'."),
        (["render", "--release", "v1.0.0"], "--release needs --out"),
    ],
)
def test_wrong_usage_exits_2(args: list[str], told: str) -> None:
    result = run(*args)
    assert (result.code, result.out) == (2, "")
    assert told in result.err


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["render", "olmm"], "error: no target 'olmm' in this kit (hint: did you mean 'olm'?)\n"),
        (["build", "zzz"], "error: no target 'zzz' in this kit (hint: known are odh, olm, rhoai)\n"),
        (["build", "olm", "helo"], "error: no component 'helo' in this kit (hint: did you mean 'hello'?)\n"),
        (
            ["build", "olm", "--release", "v1.0.1"],
            "error: no release 'v1.0.1' in this kit (hint: did you mean 'v1.0.0'?)\n",
        ),
        (["export", "odhh", "x"], "error: no target 'odhh' in this kit (hint: did you mean 'odh'?)\n"),
        (
            ["export", "olm", "x"],
            "error: target olm exports nothing (hint: give its components an export setting)\n",
        ),
        (
            ["why", "olm", "Deployment/hello-manger"],
            "error: target olm has no object 'Deployment/hello-manger' "
            "(hint: did you mean 'Deployment/hello-manager'?)\n",
        ),
        (
            ["why", "olm", "Deployment/hello-manager", "spec.replica"],
            "error: Deployment/hello-manager of olm has no field 'spec.replica' "
            "(hint: did you mean 'replicas'?)\n",
        ),
        (["schema", "compnent"], "error: no schema 'compnent' (hint: did you mean 'component'?)\n"),
        (
            ["check", "nowhere.yaml"],
            "error: no target and no file 'nowhere.yaml' (hint: kitgen list shows the targets)\n",
        ),
    ],
)
def test_unknown_names_exit_2(kit: Path, args: list[str], told: str) -> None:
    assert run(*args) == Run(code=2, out="", err=told)


def test_a_component_of_another_release_is_told_apart(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    spec = (root / "components/hello/v1.0.0/component.yaml").read_text()
    kits.write(root, {"components/other/v1.0.0/component.yaml": spec.replace("hello", "other")})
    told = "error: no component 'other' in release v1.0.0 (hint: known are hello)\n"
    assert run("build", "olm", "other", "--root", root) == Run(code=2, out="", err=told)


def test_nothing_is_known_of_an_empty_kit(tmp_path: Path) -> None:
    root = kits.write(tmp_path, {"kit.yaml": 'kit: empty\nformat: 2\nkubernetes: ">=1.30 <=1.32"\n'})
    told = "error: no target 'odh' in this kit\n"
    assert run("build", "odh", "--root", root) == Run(code=2, out="", err=told)


@pytest.mark.parametrize("command", ON_KIT, ids=" ".join)
def test_no_kit_exits_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    hint = "(hint: kitgen init DIR starts one)\n"
    here = run(*command)
    assert here == Run(
        code=3, out="", err=f"error: no kit here: no kit.yaml in this folder or above it {hint}"
    )
    there = run(*command, "--root", tmp_path)
    assert there == Run(code=3, out="", err=f"error: no kit in {tmp_path}: it has no kit.yaml {hint}")
    gone = run(*command, "--root", tmp_path / "gone")
    assert (gone.code, gone.out) == (3, "")


@pytest.mark.parametrize("command", ON_KIT, ids=" ".join)
def test_a_folder_that_is_none_exits_3(kit: Path, command: list[str]) -> None:
    (kit / "releases").rename(kit / "elsewhere")
    (kit / "releases").write_text("")
    assert run(*command) == Run(
        code=3, out="", err="error: cannot read the folder releases: Not a directory\n"
    )


@pytest.mark.parametrize("command", ON_KIT, ids=" ".join)
def test_the_kit_is_found_upwards_and_by_root(
    kit: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: list[str]
) -> None:
    (kit / "deep" / "down").mkdir(parents=True)
    monkeypatch.chdir(kit / "deep" / "down")
    below = run(*command)
    monkeypatch.chdir(tmp_path)
    elsewhere = run(*command, "--root", kit)
    assert (below.code, elsewhere.code) == (0, 0)
    if command[0] not in ("render", "export"):  # those tell of what they changed
        assert below.out == elsewhere.out


@pytest.mark.parametrize("command", [*ON_KIT, ["init", "new"]], ids=" ".join)
def test_quiet_leaves_only_the_product(kit: Path, command: list[str]) -> None:
    result = run(*command, "--quiet")
    assert (result.code, result.err) == (0, "")


def test_quiet_silences_warnings_but_not_errors(kit: Path) -> None:
    spec = kit / "components/hello/v1.0.0/component.yaml"
    thing = "objects:\n- {apiVersion: example.org/v1, kind: Thing, metadata: {name: a}}\n"
    spec.write_text(spec.read_text() + thing)
    for command in (["check", "-o", "lines"], ["render"], ["render"]):  # the second render only remembers
        loud = run(*command)
        assert (loud.code, "warning: kind-unknown" in loud.out + loud.err) == (0, True)
        assert run(*command, "-q") == Run(code=0, out="", err="")
    spec.write_text(spec.read_text().replace("Thing, metadata: {name: a}", "Thing"))
    assert run("check", "-o", "lines", "-q").code == 1


def test_colour_is_for_terminals_that_want_it(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (kit / "targets/olm.yaml").write_text("target: olm\nrelase: v1.0.0\n")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in run("check", "-o", "lines", terminal=True).out
    assert "\x1b[" in run("build", "zzz", "--root", kit / "nowhere", terminal=True).err
    assert "\x1b[" not in run("check", "-o", "lines").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run("check", "-o", "lines", terminal=True).out
    assert "\x1b[" not in run("build", "zzz", "--root", kit / "nowhere", terminal=True).err


@pytest.mark.parametrize(
    ("variables", "terminal", "coloured"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": ""}, False, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
    ],
)
def test_every_command_takes_the_same_word_on_colour(
    kit: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], terminal: bool, coloured: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    (kit / "accepted.yaml").write_text("- rule: x\n")
    (kit / "crd.yaml").write_text(CRD)
    (kit / "other.yaml").write_text("{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n")
    (kit / "widget.yaml").write_text("{apiVersion: a.com/v1, kind: Widget, metadata: {name: a}, spec: 3}\n")
    commands = [
        ["list"],
        ["build", "zzz"],
        ["crd", "diff", "crd.yaml", "crd.yaml", "--exceptions", "accepted.yaml"],
        ["crd", "validate", "--crds", "crd.yaml", "widget.yaml"],
        ["diff", "crd.yaml", "other.yaml"],
    ]
    for command in commands:
        result = run(*command, terminal=terminal)
        assert ("\x1b[" in result.out + result.err) is coloured, command


def test_a_list_fits_a_narrow_terminal(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = kit / "targets/olm.yaml"
    kept = [line for line in target.read_text().splitlines() if not line.startswith("about:")]
    target.write_text("\n".join([*kept, f"about: {'many words ' * 20}", ""]))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    for terminal in (True, False):
        lines = run("list", terminal=terminal).out.splitlines()
        assert max(map(len, lines)) <= 60
        start = next(line for line in lines if line.startswith("TARGET")).index("ABOUT")
        assert sum(line[start:].startswith(("many", "words")) for line in lines) > 4
    monkeypatch.delenv("COLUMNS")
    assert max(map(len, run("list").out.splitlines())) > 200


def test_a_dumb_terminal_gets_no_cursor_control(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in run("render", "--no-cache", terminal=True).err
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[?25l" not in run("render", "--no-cache").err


def test_progress_shows_on_a_terminal_only(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    shown = run("render", "--no-cache", terminal=True)
    assert shown.code == 0
    assert "objects" in shown.err
    assert run("render", "--no-cache", "--quiet", terminal=True).err == ""


def test_a_reader_that_goes_away_is_no_error(kit: Path) -> None:
    import subprocess
    import sys

    command = f"{sys.executable} -m kitgen build olm | head -n 1"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "---\n", "")


@rows("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    result = run("completion", shell, "--quiet", "--root", ".")
    assert (result.code, result.err) == (0, "")
    assert "_KITGEN_COMPLETE" in result.out
