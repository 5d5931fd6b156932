"""A small kit that says how its releases are published, and programs that stand in for real ones."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from copy import copy
from pathlib import Path

import kits
from running import run

from kitgen.release.matrix.block import END, START

PUBLISHING = """
project: hello
matrix:
  rows:
  - {label: Hello, of: release, repository: example/hello}
  - {label: Tester, of: tester, repository: example/tester}
publishing:
  images:
  - {image: quay.io/example/hello-bundled, of: release, moving: [stable, dev]}
  - {image: quay.io/example/hello, of: release}
  - {image: quay.io/example/tester, of: tester, tag: "release-{{ version }}", moving: [stable]}
  catalog:
    repository: catalogs/operators
    fork: example/operators
    branch: hello-{{ number }}
    title: Hello {{ number }}, it's new
    body: "New release\\nof $(hello)"
    commit: add hello {{ version }}
  announce: [the team's channel]
  readmes: [{repository: others/stack}]
  forks: [{repository: others/hello, source: example/hello, branch: dev}]
  updates:
  - {repository: others/notebooks, of: tester}
  - {repository: others/old, of: tester, releases: <1.0.0}
"""
TAGS = "tags:\n  example/tester: [v0.2.0]\n"
README = f"# Hello\n{START}\n| Component | Version |\n|---|---|\n| Hello | v0.9.0 |\n{END}\n"
FAKES = {
    "gh": """\
case "$1 $2" in
"release view") [ -e "$STATE/release-$3" ] ;;
"release create")
    shift 2
    name=$1
    while [ "$1" != --notes-file ]; do shift; done
    cp "$2" "$STATE/release-$name"
    ;;
"pr list") [ ! -e "$STATE/pull" ] || cat "$STATE/pull" ;;
"pr create") echo OPEN >"$STATE/pull" ;;
*) exit 9 ;;
esac
""",
    "skopeo": """\
name() { printf '%s' "$1" | tr -c 'a-zA-Z0-9.' _; }
case $1 in
inspect) cat "$STATE/image-$(name "$3")" ;;
copy) cp "$STATE/image-$(name "$3")" "$STATE/image-$(name "$4")" ;;
esac
""",
    "podman": """\
name() { printf 'docker://%s' "$1" | tr -c 'a-zA-Z0-9.' _; }
case $1 in
build) ;;
push) echo "$2" >"$STATE/image-$(name "$2")" ;;
esac
""",
    "kitgen": """\
case $1 in
release) [ ! -e "$STATE/really" ] || exec PYTHON -m kitgen "$@" ;;
*) exec PYTHON -m kitgen "$@" ;;
esac
""",
}


def make(folder: Path) -> Path:
    """Put the kit into a folder, rendered, and with a README that shows another release."""
    root = kits.make_kit(folder / "kit", kits.CASES / "valid" / "olm-bundle")
    with (root / "kit.yaml").open("a") as file:
        file.write(PUBLISHING)
    with (root / "releases/v1.0.0.yaml").open("a") as file:
        file.write("records: {tester: v0.2.0}\n")
    kits.write(root, {"releases/tags.yaml": TAGS, "README.md": README})
    assert run("render", "--root", root, "-q").code == 0
    return root


class World:
    """Everything around a release: git repositories, a registry, GitHub."""

    def __init__(self, folder: Path) -> None:
        """Make a committed kit with a bare remote, and a catalog with its fork."""
        make(folder)
        programs = folder / "bin"
        for each in (folder / "state", programs):
            each.mkdir()
        for name, text in FAKES.items():
            log = f'echo "$(printf %s "{name} $*" | tr "\\n" " ")" >>"$STATE/calls"\n'
            own = "" if name == "kitgen" else log
            program = programs / name
            program.write_text(f"#!/bin/sh\n{own}{text.replace('PYTHON', sys.executable)}")
            program.chmod(0o755)
        self._settle(folder)
        self.repository(self.kit, "example/hello")
        kits.write(self.catalog, {"README.md": "Operators\n"})
        self.repository(self.catalog, "catalogs/operators")
        shutil.copytree(self.github / "catalogs/operators.git", self.github / "example/operators.git")

    def _settle(self, folder: Path) -> None:
        """Say where all of it is, to git too."""
        self.kit, self.catalog, self.state, self.github, programs = (
            folder / name for name in ("kit", "catalog", "state", "github", "bin")
        )
        settings = folder / "gitconfig"
        settings.write_text(
            "[user]\nname = Ann\nemail = ann@example.com\n[init]\ndefaultBranch = main\n"
            f'[url "{self.github}/"]\ninsteadOf = https://github.com/\n'
        )
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        self.env = {"PATH": path, "STATE": str(self.state), "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        self.env |= {"GIT_CONFIG_GLOBAL": str(settings), "GIT_CONFIG_NOSYSTEM": "1"}

    def copied(self, folder: Path) -> World:
        """Return the same in another folder: git knows all places by what its settings say."""
        shutil.copytree(self.kit.parent, folder, dirs_exist_ok=True, symlinks=True)
        made = copy(self)
        made._settle(folder)
        return made

    def repository(self, folder: Path, name: str) -> None:
        """Commit a folder, and push it to a bare repository."""
        bare = self.github / f"{name}.git"
        self.git(folder, "init", "-q", "--template=")
        self.git(folder, "init", "-q", "--template=", "--bare", str(bare))
        self.commit(folder)
        self.git(folder, "remote", "add", "origin", f"https://github.com/{name}.git")
        self.git(folder, "push", "-q", "origin", "HEAD")

    def commit(self, folder: Path) -> None:
        self.git(folder, "add", "--all")
        self.git(folder, "commit", "-q", "-m", "all of it")

    def git(self, folder: Path, *args: str) -> str:
        done = subprocess.run(
            ["git", *args], cwd=folder, env=self.env, check=True, capture_output=True, text=True
        )
        return done.stdout

    def script(self, *args: str) -> Path:
        """Write the script of the release."""
        file = self.state / "release.sh"
        made = run("release", "plan", "v1.0.0", "--root", self.kit, "--script", file, *args)
        assert made.code == 0, made.err
        return file

    def run(self, script: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", str(script)], cwd=self.kit, env=self.env, check=False, capture_output=True, text=True
        )

    def has(self, image: str) -> None:
        """Let an image be in the registry."""
        (self.state / f"image-{re.sub('[^a-zA-Z0-9.]', '_', f'docker://{image}')}").write_text(f"{image}\n")

    def calls(self) -> list[str]:
        """Return what was called since the last time that somebody asked, looking aside."""
        log = self.state / "calls"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        looking = ("gh release view", "gh pr list", "skopeo inspect")
        return [line for line in lines if not line.startswith(looking)]
