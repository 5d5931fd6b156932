"""What kitgen does not do when it is imported, since every command would pay for it."""

from __future__ import annotations

import subprocess
import sys

import kits

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
