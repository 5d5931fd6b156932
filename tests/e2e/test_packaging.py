"""What is installed: the packages hold all they need, and the locks say what the project says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from some import rows

PROJECT = Path(__file__).resolve().parents[2]
PINNED = re.compile(r"^([a-z0-9-]+)==(\S+)")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
    return out


def locked(name: str) -> dict[str, str]:
    lines = (PROJECT / name).read_text(encoding="utf-8").splitlines()
    return {match[1]: match[2] for line in lines if (match := PINNED.match(line))}


def hashes(name: str) -> set[str]:
    return set(re.findall(r"sha256:([0-9a-f]{64})", (PROJECT / name).read_text(encoding="utf-8")))


def said() -> dict[str, Any]:
    return tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))


def needed_to_build() -> set[str]:
    """Return the names of what builds the package."""
    return {each.split(">=")[0] for each in said()["build-system"]["requires"]}


def declared() -> dict[str, str]:
    """Return the lowest version that each dependency may have."""
    texts = said()["project"]["dependencies"]
    return {name.lower().replace(".", "-"): version for name, version in (each.split(">=") for each in texts)}


@pytest.mark.exhaustive
def test_the_wheel_works_by_itself(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)

    def kitgen(*args: str) -> str:
        command = [sys.executable, "-m", "kitgen", *args]
        env = {"PYTHONPATH": str(site), "KITGEN_CACHE_DIR": str(tmp_path / "cache")}
        return subprocess.run(
            command, cwd=tmp_path, env=env, check=True, capture_output=True, text=True
        ).stdout

    kitgen("init", "kit")
    kitgen("render", "--root", "kit")
    assert (tmp_path / "kit/overlays/odh/kustomization.yaml").is_file()
    assert "kitgen" in kitgen("completion", "bash")
    assert '"$schema"' in kitgen("schema", "component")
    assert "podMetricsEndpoints" in kitgen("crd", "outline", "PodMonitor")


@pytest.mark.exhaustive
def test_the_plugin_of_the_wheel_tests_a_new_kit(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        env = {"PYTHONPATH": str(site), "KITGEN_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, "-m", *args]
        return subprocess.run(command, cwd=tmp_path, env=env, check=False, capture_output=True, text=True)

    assert run("kitgen", "init", "kit").returncode == 0
    for path in (".github/workflows/kitgen.yml", ".gitlab-ci.yml", ".gitignore", "README.md", "pytest.ini"):
        assert (tmp_path / "kit" / path).is_file(), path
    first = run("pytest", "kit")  # nothing names the plugin but the wheel
    assert (first.returncode, "missing: snapshots/odh/images.txt" in first.stdout) == (1, True), first
    assert run("pytest", "kit", "--snapshot-update").returncode == 0
    assert run("pytest", "kit").returncode == 0
    assert (tmp_path / "kit/snapshots/odh/permissions.txt").is_file()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "test_it.py").write_text("def test_it():\n    pass\n")
    assert "1 passed" in run("pytest", "outside").stdout


@pytest.mark.exhaustive
def test_the_source_distribution_builds_the_same_wheel(built: Path, tmp_path: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "again")]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (wheel,), (again,) = built.glob("*.whl"), (tmp_path / "again").glob("*.whl")
    assert zipfile.ZipFile(wheel).namelist() == zipfile.ZipFile(again).namelist()


def test_every_lock_says_what_the_project_says() -> None:
    run, build, develop, lowest = (
        locked(f"requirements{part}.lock") for part in ("", "-build", "-dev", "-lowest")
    )
    assert run.items() | build.items() <= develop.items()
    assert needed_to_build() <= build.keys()
    assert declared().keys() <= run.keys()
    for name, version in declared().items():
        assert lowest[name].removesuffix(".0") == version.removesuffix(".0"), name


@rows("part", ["", "-build", "-dev", "-lowest"])
def test_every_locked_version_has_hashes_and_no_place_of_its_own(part: str) -> None:
    text = (PROJECT / f"requirements{part}.lock").read_text(encoding="utf-8")
    assert "://" not in text
    assert re.findall(r"^[a-z0-9-]+==\S+.*$(?!\n    --hash=sha256:)", text, re.MULTILINE) == []


def test_the_bill_of_materials_is_that_of_the_lock() -> None:
    bill = json.loads((PROJECT / "sbom.cdx.json").read_text(encoding="utf-8"))
    assert {each["name"]: each["version"] for each in bill["components"]} == locked("requirements.lock")
    found = {
        each["content"]
        for component in bill["components"]
        for place in component["externalReferences"]
        for each in place.get("hashes", ())
    }
    assert found == hashes("requirements.lock")
