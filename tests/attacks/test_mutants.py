"""Commands that compare answer whatever they are given: mutants of manifests, CRDs and kits, by seed.

Another command is attacked by another row of COMMANDS.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import kits
import mutants
import pytest
import yaml
from running import Run, run
from some import first

OBJECTS, CRDS, KIT = "objects", "crds", "kit"
FORMS = ("text", "json", "markdown")
OLD, NEW = "old.yaml", "new.yaml"
COMMANDS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "diff": (OBJECTS, ("diff", OLD, NEW, "--all"), (*FORMS, "unified")),
    "diff of CRDs": (CRDS, ("diff", OLD, NEW, "--all"), (*FORMS, "unified")),
    "diff of releases": (KIT, ("diff", "release:v1.0.0", "release:v1.1.0", "--all"), (*FORMS, "unified")),
    "crd diff": (CRDS, ("crd", "diff", OLD, NEW), FORMS),
    "compare": (OBJECTS, ("compare", OLD, NEW), FORMS),
    "compare with a target": (OBJECTS, ("compare", "olm/hello", NEW), FORMS),
    "drift": (OBJECTS, ("drift", OLD, NEW, "--declared", "odh"), FORMS),
    "drift of targets": (KIT, ("drift", "odh", "rhoai", "--today", "2030-01-31"), FORMS),
    "conflicts": (OBJECTS, ("conflicts", OLD, NEW), FORMS),
    "notes": (KIT, ("notes", "v1.1.0"), ("markdown", "json")),
}
"""What each is given, its arguments, and the forms of its output."""
CASES = 80
"""Mutants for each command."""
LONGEST = 10
"""Seconds of the processor that one may take."""
SPECS = (
    *("kit.yaml", "releases/v1.1.0.yaml", "targets/odh.yaml", "targets/olm.yaml"),
    *("components/hello/v1.1.0/component.yaml", "components/hello/v1.1.0/crds/greetings.yaml"),
)


@cache
def manifests(kind: str) -> list[list[Any]]:
    """Return the documents of each file of the cases; of CRDs only those that are some."""
    files = sorted(kits.CASES.glob("check/*/*.yaml"))
    read = [[*yaml.load_all(file.read_bytes(), Loader=yaml.CSafeLoader)] for file in files]
    if kind == OBJECTS:
        return read
    definition = "CustomResourceDefinition"
    some = [[each for each in found if each and each["kind"] == definition] for found in read]
    return [found for found in some if found]


def make_kit(root: Path) -> None:
    """Write a kit with two releases."""
    kits.make_kit(root)
    home = root / "components/hello"
    shutil.copytree(home / "v1.0.0", home / "v1.1.0")
    for name in ("components/hello/v1.1.0/component.yaml", "releases/v1.0.0.yaml"):
        changed = (root / name).read_text().replace("v1.0.0", "v1.1.0")
        (root / name.replace("v1.0.0", "v1.1.0")).write_text(changed)


def make_case(root: Path, command: str, number: int) -> list[str]:
    """Write the files of a case, and return its arguments."""
    given, args, forms = COMMANDS[command]
    random = Random(f"{command} {number}")
    make_kit(root)
    if given == KIT:
        mutate_kit(random, root)
    else:
        documents = random.choice(manifests(given))
        for name in (OLD, NEW):
            found = mutants.mutate(random, documents) if name == NEW or random.random() < 0.5 else documents
            found = mutants.live(found) if random.random() < 0.25 else found
            (root / name).write_bytes(mutants.written(random, found))
    return [*args, "-o", random.choice(forms)]


def mutate_kit(random: Random, root: Path) -> None:
    """Change a spec, or give a component objects that are mutants."""
    file = root / random.choice(SPECS)
    documents = [yaml.safe_load(file.read_text())]
    if file.name == "component.yaml" and random.random() < 0.7:
        documents[0]["objects"] = mutants.mutate(random, random.choice(manifests(OBJECTS)))
    else:
        documents = mutants.mutate(random, documents)
    file.write_bytes(mutants.written(random, documents))


def answer(root: Path, command: str, number: int) -> Run:
    return run(*make_case(root, command, number))


@pytest.mark.parametrize(
    ("command", "number"),
    first(((command, number) for number in range(CASES) for command in COMMANDS), len(COMMANDS)),
)
def test_a_command_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, number: int
) -> None:
    monkeypatch.chdir(tmp_path)
    args = make_case(tmp_path, command, number)
    before = time.process_time()
    done = run(*args)
    assert time.process_time() - before < LONGEST
    assert done.code in (0, 1, 2, 3)
    for fault in ("kitgen failed", "nested too deeply", "more memory than there is"):
        assert fault not in done.err


SOME = f"""
import os, sys
sys.path[:0] = {[str(kits.TESTS), str(Path(__file__).parent)]!r}
import test_mutants
for number, command in enumerate(test_mutants.COMMANDS):
    os.makedirs(f"{{sys.argv[1]}}/{{number}}")
    os.chdir(f"{{sys.argv[1]}}/{{number}}")
    done = test_mutants.answer(test_mutants.Path(), command, number)
    print(done.code, done.out, done.err)
"""


@pytest.mark.exhaustive
def test_the_answer_is_the_same_whatever_the_order_of_sets(tmp_path: Path) -> None:
    found, room = set(), tmp_path / "room"
    for seed in ("1", "2"):
        shutil.rmtree(room, ignore_errors=True)
        env = {**os.environ, "PYTHONHASHSEED": seed, "KITGEN_CACHE_DIR": str(room / "cache")}
        done = subprocess.run(
            [sys.executable, "-c", SOME, str(room)],
            check=True,
            capture_output=True,
            env=env,
            cwd=kits.PROJECT,
        )
        found.add(hashlib.sha256(done.stdout).hexdigest())
    assert len(found) == 1
