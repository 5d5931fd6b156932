"""Commands need what kitgen depends on, and nothing that only its tests, or some of its users, have."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import click
import pytest

from kitgen.app.main import cli

PROJECT = Path(__file__).parents[2]
START = """\
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

missing = {*sys.argv.pop(1).split(",")}
sys.meta_path.insert(0, Missing())
"""
HELP = """
from click.testing import CliRunner
from kitgen.app.main import cli
for line in sys.stdin.read().splitlines():
    done = CliRunner().invoke(cli, [*line.split(), "--help"])
    print(line, done.exit_code, done.output.partition(":")[0])
"""
RUN = """
from kitgen.__main__ import main
main()
"""


def normal(requirement: str) -> str:
    """Return the name of what is required."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement)[0]).lower()


@cache
def missing() -> str:
    """Return the modules of this environment that kitgen does not bring along by itself."""
    todo = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["dependencies"]
    needed = {"kitgen"}
    while todo:
        name = normal(todo.pop())
        if name not in needed:
            needed.add(name)
            try:
                todo += [each for each in requires(name) or () if "extra ==" not in each]
            except PackageNotFoundError:  # for another version of Python
                continue
    owners = packages_distributions()
    return ",".join(name for name, of in owners.items() if not needed.intersection(map(normal, of)))


def start(script: str, *args: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", START + script, missing(), *map(str, args)]
    return subprocess.run(argv, input=stdin, check=False, capture_output=True, text=True, timeout=60)


def commands(group: click.Group, before: tuple[str, ...] = ()) -> list[str]:
    """Return all commands, as people write them."""
    found = []
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        found.append(" ".join((*before, name)))
        if isinstance(command, click.Group):
            found += commands(command, (*before, name))
    return found


def test_what_is_missing_is_missing() -> None:
    assert {"pytest", "_pytest", "syrupy", "hypothesis", "lupa", "mypy"} <= {*missing().split(",")}
    assert not {"click", "yaml", "msgspec", "jinja2", "kitgen"} & {*missing().split(",")}
    assert "No module named 'pytest'" in start("\nimport pytest").stderr


def test_every_command_has_its_help() -> None:
    lines = commands(cli)
    assert {"check", "crd import", "release plan"} <= {*lines}
    done = start(HELP, stdin="\n".join(lines))
    assert done.stdout.splitlines() == [f"{line} 0 Usage" for line in lines], done.stderr


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("check --explain pod-probes", 0, "pod-probes"),
        ("check --explain pod-prones", 2, "did you mean 'pod-probes'?"),
        ("check", 1, "did you mean 'pod-probes'?"),
        ("check -o lines", 1, "exception-shape: found the rule 'image-tags', which is none"),
        ("render", 0, "objects"),
        ("build odh", 0, "kind: Deployment"),
        ("diff odh rhoai", 1, "cosmetic"),
        ("import ../own.yaml --as hello@v1.1.0", 0, "hello@v1.1.0"),
        ("crd outline ../own.yaml", 0, "crd greetings.example.com"),
        ("argocd health", 0, "resource.customizations"),
        ("bundle check overlays --ignore pod-prones", 2, "did you mean 'pod-probes'?"),
    ],
)
def test_commands_run(kit: Path, small_trees: dict[str, str], line: str, code: int, told: str) -> None:
    (kit.parent / "own.yaml").write_text(small_trees["own"])
    if line.startswith("check") and "--explain" not in line:
        with (kit / "kit.yaml").open("a") as file:
            file.write("rules: {pod-prones: ignore}\n")
            file.write("exceptions: [{rule: image-tags, file: kit.yaml, pointer: /kit, reason: none}]\n")
    done = start(RUN, *line.split())
    assert (done.returncode, told in done.stdout + done.stderr) == (code, True), done
