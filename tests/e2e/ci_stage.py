"""A checkout of a pull request whose files are hostile, and programs that stand for the server."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from kitgen.app.starter import render_starter_files

PROJECT = Path(__file__).resolve().parents[2]
MARK = "<!-- kitgen diff -->"
BOT = "github-actions[bot]"
KEEPER = 41
"""The id of the user to whom GitLab's token belongs."""
SHADOWS = ("json", "secrets", "pip", "venv", "encodings", "sitecustomize", "yaml", "kitgen")
"""Modules that a pull request brings along: Python would import them from the folder where it is started."""

SERVER = """
import json, os, sys
from pathlib import Path

args = sys.argv[1:]
state = Path(os.environ["STATE"])
data = json.loads(state.read_text())

def end(code=0):
    state.write_text(json.dumps(data))
    sys.exit(code)

def pages(comments, size=2):
    return [comments[at : at + size] for at in range(0, len(comments), size)]

def write(method, place, body, author):
    data["bodies"].append(body)
    if method == "POST":
        data["comments"].append({"id": 70 + len(data["comments"]), **author, "body": body})
        return
    (comment,) = [each for each in data["comments"] if each["id"] == int(place.rpartition("/")[2])]
    if {**comment, **author} != comment:
        end("HTTP 403: this comment is somebody else's")
    comment["body"] = body
"""

GH = """
method = args[args.index("--method") + 1] if "--method" in args else "GET"
place = args[args.index("--method") + 2] if "--method" in args else args[-1]
data["calls"].append([method, place])
if data["refuse"] == method:
    end("HTTP 403: Resource not accessible by integration")
if method == "GET":
    assert "--paginate" in args
    sys.stdout.write("".join(json.dumps(each) for each in pages(data["comments"])))  # as gh does
else:
    (body,) = [each for each in args if each.startswith("body=@")]
    text = Path(body.removeprefix("body=@")).read_text()
    write(method, place, text, {"user": {"login": "github-actions[bot]", "type": "Bot"}})
end()
"""

CURL = """
assert not any(data["token"] in each for each in args), "everybody sees what programs are called with"
assert args[:2] == ["--config", "-"] and f'"PRIVATE-TOKEN: {data["token"]}"' in sys.stdin.read()
method = args[args.index("--request") + 1] if "--request" in args else "GET"
data["calls"].append([method, args[-1]])
if data["refuse"] == method:
    end(22)
place, _, page = args[-1].partition("&page=")
if method == "GET" and place.endswith("/user"):
    print(json.dumps({"id": 41, "username": "project_3_bot"}))
elif method == "GET":
    print(json.dumps(dict(enumerate(pages(data["comments"]), 1)).get(int(page), [])))
else:
    (body,) = [each for each in args if each.startswith("body@")]
    write(method, place, Path(body.removeprefix("body@")).read_text(), {"author": {"id": 41}})
end()
"""

KITGEN = "from kitgen.__main__ import main\nmain()"


def action() -> dict[str, Any]:
    return dict(yaml.safe_load((PROJECT / "action.yml").read_text(encoding="utf-8")))


def steps() -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in action()["runs"]["steps"]}


def gitlab() -> dict[str, Any]:
    return dict(yaml.safe_load(render_starter_files("kit")[".gitlab-ci.yml"]))


def git(folder: Path, *args: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *args], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def program(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!{sys.executable}\n{text}")
    place.chmod(0o755)


def commands(log: str) -> Iterator[str]:
    """Yield the lines that GitHub takes for commands: such that begin with ::, or have ##[ anywhere."""
    stopped = ""
    for line in log.splitlines():
        text = line.strip()
        if stopped:
            stopped = "" if text == f"::{stopped}::" else stopped
        elif match := re.fullmatch(r"::stop-commands::(\S+)", text):
            stopped = match[1]
        elif text.startswith("::") or "##[" in text:
            yield text


def comment(number: int, author: object, body: str) -> dict[str, Any]:
    """Return a comment as GitHub tells it, or as GitLab does if the author is known by a number."""
    by = {"author": {"id": author}} if isinstance(author, int) else {"user": author and {"login": author}}
    return {"id": number, **by, "body": body}


class Stage:
    """A checkout of a pull request, and programs that stand for the server."""

    def __init__(self, tmp_path: Path) -> None:
        self.temp = tmp_path / "temp"
        self.temp.mkdir()
        self.state = tmp_path / "state.json"
        self.summary, self.output = tmp_path / "summary.md", tmp_path / "output"
        self.cache = tmp_path / "cache"
        programs = tmp_path / "bin"
        program(programs / "gh", SERVER + GH)
        program(programs / "curl", SERVER + CURL)
        for name in ("python", "python3"):
            (programs / name).symlink_to(sys.executable)
        self.path = f"{programs}:{os.environ['PATH']}"
        self.source = tmp_path / "source"
        self.installed(KITGEN)
        self.play()
        self.origin = tmp_path / "origin"
        self._publish()
        self.checkout = tmp_path / "checkout"
        url = self.origin.as_uri()
        git(tmp_path, "clone", "-q", "--depth=1", "-b", "change", url, str(self.checkout))

    def installed(self, kitgen: str) -> None:
        """Let this be what was installed from the locks, in the action's own checkout."""
        shutil.copytree(PROJECT / "ci", self.source / "ci", dirs_exist_ok=True)
        venv = self.source / ".venv-locked"
        program(venv / "bin/kitgen", kitgen)
        (venv / "bin/python").unlink(missing_ok=True)
        (venv / "bin/python").symlink_to(sys.executable)
        (venv / ".ready").touch()

    def _publish(self) -> None:
        kit = self.origin / "kits/one"
        for path, text in render_starter_files("one").items():
            (kit / path).parent.mkdir(parents=True, exist_ok=True)
            (kit / path).write_text(text)
        git(self.origin, "init", "-q", "-b", "main")
        (self.origin / "first").touch()
        git(self.origin, "add", "first")
        git(self.origin, "commit", "-q", "-m", "Start without a kit")
        self.empty = git(self.origin, "rev-parse", "HEAD")
        git(self.origin, "add", "-A")
        git(self.origin, "commit", "-q", "-m", "Start a kit")
        self.base = git(self.origin, "rev-parse", "HEAD")
        git(self.origin, "switch", "-q", "-c", "change")
        spec = kit / "components/hello/v0.1.0/component.yaml"
        spec.write_text(spec.read_text().replace("hello:v0.1.0", "hello-ubi:v0.1.0"))
        for folder in (self.origin, kit):
            for name in SHADOWS:
                (folder / f"{name}.py").write_text(
                    f"raise SystemExit('{name}.py of the pull request was run')\n"
                )
        git(self.origin, "add", "-A")
        git(self.origin, "commit", "-q", "-m", "Change")
        git(self.origin, "config", "uploadpack.allowAnySHA1InWant", "true")

    def play(self, *comments: dict[str, Any], refuse: str = "") -> None:
        told = {"calls": [], "bodies": [], "comments": comments, "refuse": refuse, "token": "glpat-1"}
        self.state.write_text(json.dumps(told))

    @property
    def told(self) -> dict[str, Any]:
        return dict(json.loads(self.state.read_text()))

    def sh(self, script: str, cwd: Path, **settings: str) -> subprocess.CompletedProcess[str]:
        env = {
            "PATH": self.path,
            "PYTHONPATH": str(PROJECT),
            "KITGEN_CACHE_DIR": str(self.cache),
            "RUNNER_TEMP": str(self.temp),
            "TMPDIR": str(self.temp),
            "GITHUB_ACTION_PATH": str(self.source),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_REPOSITORY": "example/kits",
            "GITHUB_REF": "refs/heads/change",
            "GITHUB_SHA": "",
            "GITHUB_SERVER_URL": "https://github.example.com",
            "STATE": str(self.state),
            **settings,
        }
        bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        return subprocess.run(bash, cwd=cwd, env=env, capture_output=True, text=True, check=False)

    def run(self, step: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run a step of the action, as the runner does: what it puts out is there for the next ones."""
        self.output.unlink(missing_ok=True)
        given = {"ROOT": "kits/one", "BASE": "", "BRANCH": "main", "FAIL_ON": "", "TOKEN": "ghs-1"}
        return self.sh(steps()[step]["run"], self.checkout, **{**given, **settings})

    def outputs(self) -> dict[str, str]:
        lines = self.output.read_text().splitlines() if self.output.exists() else []
        return dict(line.split("=", 1) for line in lines)

    def diff(self, *, fail_on: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
        """Find the base, and compare with it if there is one."""
        self.summary.unlink(missing_ok=True)
        done = self.run("Find the base", **settings)
        commit = self.outputs().get("commit", "")
        return self.run("kitgen diff", BASE=commit, FAIL_ON=fail_on) if commit else done

    def comment(self) -> subprocess.CompletedProcess[str]:
        return self.run("Keep the comment up to date", NUMBER="7")
