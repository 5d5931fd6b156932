"""What kitgen does not do when it is imported, since every command would pay for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import kits
from pytest import TempPathFactory
from some import rows

IMPORT_ALL = """
import pkgutil, re, sys
from importlib import import_module

compile_pattern = re.compile

def note(*args, **kwargs):
    above = sys._getframe(1)
    if above.f_globals["__name__"].startswith("kitgen"):
        print(above.f_globals["__name__"], args[0])
    return compile_pattern(*args, **kwargs)

re.compile = note
import kitgen
for found in pkgutil.walk_packages(kitgen.__path__, "kitgen."):
    if not found.name.startswith(("kitgen.testing", "kitgen.__main__")):
        import_module(found.name)
print(sum(name.startswith("kitgen.") for name in sys.modules), "modules")
"""


def test_no_module_compiles_a_pattern_when_it_is_imported() -> None:
    command = [sys.executable, "-c", IMPORT_ALL]
    done = subprocess.run(command, cwd=kits.PROJECT, capture_output=True, text=True, check=True)
    *compiled, count = done.stdout.splitlines()
    assert compiled == []
    assert int(count.split()[0]) > 500


LIST_IMPORTED = """
import os, sys
from kitgen.__main__ import main

os._exit = lambda code: print(*sys.modules, file=sys.stderr)
sys.argv[0] = "kitgen"
main()
"""
LIBRARIES = ("yaml", "jinja2", "rich", "ruamel.yaml", "jsonschema", "lupa", "pygments")
"""Each takes as long to import as a small command takes to run."""


def list_imported(folder: Path, *args: str) -> set[str]:
    """Return the modules that a command imports, in the small kit."""
    root = kits.make_kit(folder)
    command = [sys.executable, "-c", LIST_IMPORTED, *args, "--root", str(root), "--no-cache"]
    done = subprocess.run(command, cwd=kits.PROJECT, capture_output=True, text=True, check=True)
    return {*done.stderr.split()}


@rows(("args", "others"), [
        (["list"], ["kitgen.check", "kitgen.compare", "kitgen.render.unit", "kitgen.kit.migrations"]),
        (["build", "olm", "hello"], ["kitgen.compare.upgrade.objects", "kitgen.kit.migrations"]),
        (["why", "olm", "Deployment/hello-manager"], ["kitgen.check.server", "kitgen.compare", "kitgen.cel"]),
        (["render"], ["kitgen.text.yaml.edits", "kitgen.app.check"]),
        (["check"], ["kitgen.text.yaml.edits", "kitgen.importing"]),
    ])  # fmt: skip
def test_a_command_imports_what_it_needs(
    tmp_path_factory: TempPathFactory, args: list[str], others: list[str]
) -> None:
    found = list_imported(tmp_path_factory.mktemp("kit"), *args)
    assert "kitgen.app.main" in found
    lines = {"yaml"} if args[0] in ("check", "why") else set()  # PyYAML finds lines
    assert not found.intersection(LIBRARIES) - lines
    assert not found.intersection(others)


def test_help_imports_nothing_but_click() -> None:
    command = [sys.executable, "-c", LIST_IMPORTED, "--help"]
    done = subprocess.run(command, cwd=kits.PROJECT, capture_output=True, text=True, check=True)
    assert not {*done.stderr.split()} & {"msgspec", "orjson", "kitgen.findings", *LIBRARIES}
