"""A kit gets snapshot tests from pytest's plugin, by one line of configuration."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import kits
import pytest
from some import first

INI = "[pytest]\nkitgen_snapshots = true\nfilterwarnings = error\n"
COMPONENT = "components/hello/v1.0.0/component.yaml"
DEPLOYMENT = "snapshots/odh/hello/Deployment.apps__hello-manager.yaml"


def run_pytest(folder: Path, *args: str) -> tuple[int, str]:
    """Run pytest with the plugins that it takes, and not with all that are installed here."""
    plugins = [
        part
        for name in ("syrupy", "xdist.plugin", "kitgen.testing", "no:cacheprovider")
        for part in ("-p", name)
    ]
    command = [sys.executable, "-m", "pytest", *plugins, *args]
    settings = {**os.environ, "PYTHONPATH": str(kits.PROJECT), "COLUMNS": "200"}
    settings["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    settings.pop("PYTEST_ADDOPTS", None)
    result = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kit with its snapshots, for copies."""
    root = kits.make_kit(tmp_path_factory.mktemp("recorded") / "kit")
    (root / "pytest.ini").write_text(INI)
    assert run_pytest(root, "--snapshot-update")[0] == 0
    return root


@pytest.fixture
def kit(tmp_path: Path, recorded: Path) -> Path:
    return shutil.copytree(recorded, tmp_path / "kit", symlinks=True)


def test_snapshots_are_written_held_and_updated(kit: Path) -> None:
    assert run_pytest(kit)[0] == 0
    assert (kit / DEPLOYMENT).is_file()
    spec = kit / COMPONENT
    spec.write_text(spec.read_text().replace("hello:v1.0.0", "hello:v1.0.9"))
    (kit / "snapshots/odh/gone/Old.core__x.yaml").parent.mkdir()
    (kit / "snapshots/odh/gone/Old.core__x.yaml").write_text("kind: Old\n")
    (kit / "snapshots/README.md").write_text("ours\n")
    (kit / "snapshots/olm/images.txt").unlink()
    before = kits.contents(kit / "snapshots")

    code, out = run_pytest(kit)
    assert code == 1
    assert "unused: snapshots/odh/gone/Old.core__x.yaml" in out
    assert "missing: snapshots/olm/images.txt" in out
    assert f"--- {DEPLOYMENT}" in out
    assert re.search(r"^-.*hello:v1\.0\.0$", out, re.MULTILINE)
    assert re.search(r"^\+.*hello:v1\.0\.9$", out, re.MULTILINE)
    assert "if this is meant, run: pytest kit.yaml::snapshots --snapshot-update" in out
    assert "Traceback" not in out
    assert kits.contents(kit / "snapshots") == before

    assert run_pytest(kit, "kit.yaml::snapshots", "--snapshot-update")[0] == 0
    assert not (kit / "snapshots/odh/gone").exists()
    assert (kit / "snapshots/README.md").read_text() == "ours\n"
    assert "hello:v1.0.9" in (kit / DEPLOYMENT).read_text()
    assert run_pytest(kit)[0] == 0


@pytest.mark.exhaustive
def test_secrets_are_in_no_message(kit: Path) -> None:
    spec = kit / COMPONENT
    secret = "{apiVersion: v1, kind: Secret, metadata: {name: keys}, stringData: {token: hunter2}}"
    spec.write_text(spec.read_text() + f"objects:\n- {secret}\n")
    code, out = run_pytest(kit)
    assert code == 1
    assert "hunter2" not in out
    assert run_pytest(kit, "--snapshot-update")[0] == 0
    assert all("hunter2" not in path.read_text() for path in kit.glob("snapshots/**/*.*"))


def test_a_kit_that_is_wrong_is_told_in_findings(kit: Path) -> None:
    spec = kit / COMPONENT
    spec.write_text(spec.read_text() + "nonsense: true\n")
    code, out = run_pytest(kit, "--snapshot-update")
    assert code == 1
    assert "the kit does not render" in out
    assert f"{COMPONENT}:" in out
    assert "Traceback" not in out
    assert "another exception" not in out
    assert (kit / DEPLOYMENT).is_file(), "nothing is removed"


@pytest.mark.exhaustive
def test_tests_elsewhere_and_several_kits(tmp_path: Path) -> None:
    for name in ("one", "two"):
        kits.make_kit(tmp_path / "kits" / name)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_a.py").write_text("def test_a():\n    pass\n")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\ntestpaths = ["tests"]\nkitgen_snapshots = true\n'
        'kitgen_kits = ["kits/one", "kits/two"]\n'
    )
    code, out = run_pytest(tmp_path, "--snapshot-update", "-n", "2")
    assert (code, "3 passed" in out) == (0, True), out
    assert "1 passed" in run_pytest(tmp_path, "tests")[1]
    assert "1 passed" in run_pytest(tmp_path, "kits/two")[1]


@pytest.mark.exhaustive
def test_kits_outside_of_the_root_are_not_left_out(tmp_path: Path) -> None:
    for name in ("root/kits/one", "elsewhere/two"):
        kits.make_kit(tmp_path / name)
    (tmp_path / "root/pytest.ini").write_text(f"{INI}kitgen_kits = kits/one ../elsewhere/two\n")
    code, out = run_pytest(tmp_path / "root", "--snapshot-update")
    assert (code, "2 passed" in out) == (0, True), out
    (tmp_path / "elsewhere/two/snapshots/olm/images.txt").unlink()
    code, out = run_pytest(tmp_path / "root")
    assert code == 1
    assert "run: pytest ../elsewhere/two/kit.yaml::snapshots --snapshot-update" in out


def test_advice_fits_where_pytest_was_called(kit: Path) -> None:
    moved = kit.rename(kit.with_name("a kit"))
    (moved / DEPLOYMENT).unlink()
    code, out = run_pytest(moved.parent, "a kit")
    assert code == 1
    assert "run: pytest 'a kit/kit.yaml::snapshots' --snapshot-update" in out


@pytest.mark.parametrize(
    ("place", "target", "found"),
    first(
        [
            ("snapshots/odh", "../../outside", "a symlink, expected a folder"),
            ("snapshots/odh/images.txt", "../../../outside/file", "a symlink, expected a file"),
            ("snapshots", "../outside", "a symlink, expected a folder"),
            ("snapshots/odh/images.txt", "", "a folder, expected a file"),
            ("snapshots/odh/images.txt", "pipe", "a device or socket, expected a file"),
        ],
        2,
    ),
)
def test_what_stands_in_the_way_is_named_and_left_alone(
    kit: Path, place: str, target: str, found: str
) -> None:
    outside = kit.parent / "outside"
    outside.mkdir()
    (outside / "file").write_text("theirs")
    (kit / place).rename(kit.parent / "before")
    if target == "pipe":
        os.mkfifo(kit / place)
    elif target:
        (kit / place).symlink_to(target)
    else:
        (kit / place).mkdir()
    before = kits.contents(outside)
    code, out = run_pytest(kit, "kit.yaml", "--snapshot-update")
    assert code == 1
    assert f"{place} is {found} (hint: remove it)" in out
    assert kits.contents(outside) == before


@pytest.mark.exhaustive
def test_a_damaged_snapshot_is_shown_and_written_anew(kit: Path) -> None:
    damaged = kit / DEPLOYMENT
    before = damaged.read_bytes()
    damaged.write_bytes(b"\xff\xfe" + before)
    code, out = run_pytest(kit)
    assert code == 1
    assert r"-\xff\xfeapiVersion" in out
    assert run_pytest(kit, "--snapshot-update")[0] == 0
    assert damaged.read_bytes() == before
    damaged.write_bytes(before.replace(b"\n", b"\r\n"))
    assert run_pytest(kit)[0] == 0, "git may have changed the ends of lines"


@pytest.mark.exhaustive
def test_hidden_files_stay_and_odd_names_are_escaped(kit: Path) -> None:
    hidden = kit / "snapshots/.lint.yaml"
    hidden.write_text("theirs: true\n")
    assert run_pytest(kit)[0] == 0
    (kit / "snapshots/odh/a\nb.txt").touch()
    code, out = run_pytest(kit)
    assert (code, r"unused: snapshots/odh/a\nb.txt" in out) == (1, True), out
    assert run_pytest(kit, "--snapshot-update")[0] == 0
    assert [path.name for path in kit.glob("snapshots/**/*") if path.name.startswith((".", "a\n"))] == [
        hidden.name
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("stale", [DEPLOYMENT, "snapshots/odh/old.yaml"])
def test_snapshots_that_cannot_be_written_are_named(kit: Path, stale: str) -> None:
    (kit / stale).write_text("old\n")
    (kit / stale).chmod(0o444)
    (kit / stale).parent.chmod(0o555)
    try:
        code, out = run_pytest(kit, "--snapshot-update")
    finally:
        (kit / stale).parent.chmod(0o755)
    assert code == 1
    assert "cannot write snapshots: " in out
    assert "permission denied (hint: check the folder and who may write it)" in out
    assert "Traceback" not in out


@pytest.mark.parametrize(
    ("ini", "args", "told"),
    [
        (INI, [], "has no kit.yaml, name the folders of kits in kitgen_kits"),
        (INI, ["-p", "no:syrupy"], "kitgen_snapshots needs syrupy: install kitgen[pytest]"),
    ],
)
def test_what_cannot_be_is_said(tmp_path: Path, ini: str, args: list[str], told: str) -> None:
    (tmp_path / "pytest.ini").write_text(ini)
    code, out = run_pytest(tmp_path, *args)
    assert code == pytest.ExitCode.USAGE_ERROR
    assert told in out
    assert "Traceback" not in out


def test_without_the_line_nothing_is_imported_or_collected(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path / "kit")
    (root / "pytest.ini").write_text("[pytest]\n")
    (root / "test_it.py").write_text(
        "import sys\n\ndef test_it():\n"
        "    names = {name for name in sys.modules if name.startswith('kitgen')}\n"
        "    assert names <= {'kitgen', 'kitgen.testing'}\n"
    )
    code, out = run_pytest(root, "-p", "no:syrupy")
    assert (code, "1 passed" in out) == (0, True), out
