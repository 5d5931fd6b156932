"""Plant mutants in functions that two checkouts share, and count how many the tests of each find.

A move of the code must not cost tests what they find. Run it with a checkout from before the move and one
from after it:

    python tests/code_mutants.py BEFORE AFTER --found mutants.json

Both need their `.venv`. The same functions are changed in the same way, which the seed decides. A test is
tried on a mutant if it runs the function; tests that fail while no mutant is active do not count.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

SEED, COUNT = 20261118, 60
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    **{
        ast.Eq: ast.NotEq,
        ast.NotEq: ast.Eq,
        ast.Is: ast.IsNot,
        ast.IsNot: ast.Is,
        ast.In: ast.NotIn,
        ast.NotIn: ast.In,
    },
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add},
}
SWITCH = '''"""Which mutant is active, and which tests reach which."""
import os
ACTIVE = os.environ.get("MUTANT")
REACHED = set()
def active(number):
    """Tell whether a mutant is active, and note the test that asks."""
    folder = os.environ.get("MUTANTS_REACHED")
    key = (number, os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0])
    if folder and key not in REACHED:
        REACHED.add(key)
        with open(os.path.join(folder, str(os.getpid())), "a") as file:
            file.write(f"{number}\\t{key[1]}\\n")
    return ACTIVE == str(number)
'''


class Function(NamedTuple):
    """A function of a checkout: its file, its first and last line, its code without the docstring."""

    file: str
    first: int
    last: int
    node: ast.FunctionDef


def functions(root: Path) -> dict[str, Function]:
    """Return the functions that occur once, by their code."""
    found: dict[str, list[Function]] = {}
    for file in sorted((root / "kitgen").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef):
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                name, last = file.relative_to(root).as_posix(), node.end_lineno or first
                found.setdefault(ast.dump(without_docstring(node)), []).append(
                    Function(name, first, last, node)
                )
    return {code: some[0] for code, some in found.items() if len(some) == 1}


def without_docstring(node: ast.FunctionDef) -> ast.FunctionDef:
    """Return a function without its docstring."""
    if ast.get_docstring(node) is not None:
        node.body = node.body[1:] or [ast.Pass()]
    return node


def changes(body: list[ast.stmt]) -> Iterator[tuple[ast.AST, str, ast.AST | bool | int]]:
    """Yield every change of a body: a node, its field and what it becomes."""
    for node in (each for statement in body for each in ast.walk(statement)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPPED:
            yield node, "ops", SWAPPED[type(node.ops[0])]()
        elif isinstance(node, ast.BoolOp | ast.BinOp) and type(node.op) in SWAPPED:
            yield node, "op", SWAPPED[type(node.op)]()
        elif isinstance(node, ast.If | ast.IfExp):
            yield node, "test", ast.UnaryOp(ast.Not(), node.test)
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int):
            yield node, "value", not node.value if isinstance(node.value, bool) else node.value + 1


def mutated(code: str, number: int) -> str:
    """Return a function that runs its mutant if that is active."""
    node = ast.parse(code).body[0]
    assert isinstance(node, ast.FunctionDef)
    other = ast.parse(ast.unparse(without_docstring(node))).body[0]
    assert isinstance(other, ast.FunctionDef)
    changed, field, value = random.Random(f"{SEED} {ast.dump(other)}").choice([*changes(other.body)])
    setattr(changed, field, [value] if field == "ops" else value)
    test = ast.parse(f"__import__('kitgen._switch')._switch.active({number})", mode="eval").body
    node.body = [ast.If(test, other.body, node.body)]
    return ast.unparse(ast.fix_missing_locations(node))


def plant(root: Path, chosen: list[str]) -> None:
    """Write the mutants into a copy of a checkout, the last of a file first."""
    known = functions(root)
    for number, each in sorted(enumerate(known[code] for code in chosen), key=lambda pair: -pair[1].first):
        lines = (root / each.file).read_text().split("\n")
        some = lines[each.first - 1 : each.last]
        indent = " " * (len(some[0]) - len(some[0].lstrip()))
        code = mutated("\n".join(line.removeprefix(indent) for line in some), number)
        lines[each.first - 1 : each.last] = [indent + line for line in code.split("\n")]
        (root / each.file).write_text("\n".join(lines))
    (root / "kitgen/_switch.py").write_text(SWITCH)


def tests(copy: Path, python: Path, *options: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run tests of a copy."""
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    variables = {**os.environ, "PYTHONPATH": str(copy), "CI": "true", **env}
    return subprocess.run(command, cwd=copy, env=variables, capture_output=True, text=True, check=False)


def failures(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the lines about tests that failed."""
    return [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]


def copy_of(checkout: Path, chosen: list[str], folder: Path) -> Path:
    """Return a copy of what git tracks of a checkout, with mutants planted."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=checkout, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(checkout / name, folder / name, follow_symlinks=False)
    for command in (["git", "init", "-q"], ["git", "add", "-A"]):
        subprocess.run(command, cwd=folder, check=True)
    plant(folder, chosen)
    return folder


def reaching(copy: Path, python: Path, reached: Path) -> dict[int, list[str]]:
    """Return the tests that run each function and pass while no mutant is active."""
    reached.mkdir()
    done = tests(copy, python, "-n", "auto", MUTANTS_REACHED=str(reached))
    sys.stderr.write(f"{done.stdout.splitlines()[-1]}\n")
    wrong = {each.partition(" ")[2].split(" - ")[0] for each in failures(done)}
    lines = {line for file in reached.iterdir() for line in file.read_text().splitlines()}
    found: dict[int, list[str]] = {}
    for number, test in sorted(line.split("\t", 1) for line in lines):
        if test.startswith("tests/") and test not in wrong:
            found.setdefault(int(number), []).append(test)
    return found


def finder(copy: Path, python: Path, number: int, reaching: list[str]) -> str:
    """Return a test that finds a mutant, or nothing; a few tests are tried before all of them."""
    some = random.Random(number).sample(reaching, len(reaching))
    for part in filter(None, (some[:40], some[40:400], some[400:])):
        (listed := copy / f"tests-{number}").write_text("\n".join(part))
        done = tests(copy, python, "-x", "-n", "0", f"@{listed}", MUTANT=str(number))
        if failures(done):
            return failures(done)[0]
        if done.returncode:
            raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return ""


def found_in(checkout: Path, chosen: list[str], folder: Path) -> dict[int, str]:
    """Return which mutants the tests of a checkout find, each with a test that does."""
    python = checkout / ".venv/bin/python"
    copy = copy_of(checkout, chosen, folder / "copy")
    reached = reaching(copy, python, folder / "reached")
    with ThreadPoolExecutor(2) as pool:
        some = pool.map(lambda number: (number, finder(copy, python, number, reached[number])), reached)
        return {number: test for number, test in some if test}


def main() -> None:
    """Compare what the tests of two checkouts find."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkouts", nargs=2, type=Path)
    parser.add_argument("--found", type=Path, help="Write which test finds which mutant to this file.")
    given = parser.parse_args()
    before, after = (functions(each.resolve()) for each in given.checkouts)
    shared = sorted(code for code in before if code in after and [*changes(before[code].node.body)])
    chosen = sorted(shared, key=lambda code: random.Random(f"{SEED} {code}").random())[:COUNT]
    results = []
    for checkout in given.checkouts:
        with tempfile.TemporaryDirectory() as folder:
            results.append(found_in(checkout.resolve(), chosen, Path(folder)))
        sys.stdout.write(f"{checkout}: {len(results[-1])} of {COUNT} mutants are found\n")
    rows = [
        {
            "function": f"{after[code].file} {after[code].node.name}",
            "found": [each.get(number, "") for each in results],
        }
        for number, code in enumerate(chosen)
    ]
    if given.found:
        given.found.write_text(json.dumps(rows, indent=2))
    sys.exit(len(results[1]) < len(results[0]))


if __name__ == "__main__":
    main()
