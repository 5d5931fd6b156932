"""The rules in YAML, those that kitgen reads and those that its code names are the same."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from kits import PROJECT
from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError
from some import rows

from docs.rule_data import COMPILED, compiled
from kitgen.argocd.fleet.plan import MAX_APPLICATIONS
from kitgen.check.limits import MAX_DIRECTORY
from kitgen.compare.change import load_change_rules
from kitgen.compare.crds.place import READERS, STATUS, STORED
from kitgen.crd.validate.rules import STEPS
from kitgen.findings import MAX_ERRORS, MAX_FINDINGS, MAX_PLACES, rules_by_id
from kitgen.kit.shipped_trees import MAX_IMPORTED, MAX_OBJECTS
from kitgen.kube.names import LONGEST_NAME
from kitgen.kube.object_size import MAX_ANNOTATIONS
from kitgen.kube.selectors import MAX_SELECTORS
from kitgen.render.size import MAX_RENDERED, PER_OBJECT, PER_SOURCE, PER_TARGET

NUMBERS = {
    "effort-limit": [STEPS],
    "findings-limit": [MAX_ERRORS, MAX_PLACES, MAX_FINDINGS],
    "fleet-applications": [MAX_APPLICATIONS],
    "fleet-name": [LONGEST_NAME],
    "fleet-size": [MAX_SELECTORS],
    "kit-size": [MAX_RENDERED, PER_TARGET, PER_OBJECT, PER_SOURCE],
    "size-apply": [MAX_ANNOTATIONS],
    "size-directory": [MAX_DIRECTORY],
    "tree-size": [MAX_OBJECTS, MAX_IMPORTED],
}
"""Rules that say numbers of the code."""
NO_RULES = {
    *("controller-uid", "default-scheduler", "int-or-string", "job-name", "maybe-field", "short-name"),
    "x-expected",
}
"""What comparisons name that looks like the id of a rule and is none."""


def test_what_is_compiled_is_what_is_written() -> None:
    assert (PROJECT / COMPILED).read_text(encoding="utf-8") == compiled(), "run make docs"


def test_a_package_describes_rules_that_its_code_names_and_code_names_no_other() -> None:
    call = re.compile(r'(?<!\w)(?:get_rule|make_problem)\(\s*"([^"]+)"')
    described, everywhere = {}, set()
    for package in sorted(path for path in (PROJECT / "kitgen").iterdir() if path.is_dir()):
        groups = YAML(typ="safe").load(path) if (path := package / "rules.yaml").exists() else {}
        texts = (path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
        named = {name for text in texts for name in call.findall(text)}
        described[package.name] = {name for group in groups.values() for name in group} - named
        everywhere |= named
    assert {package: left for package, left in described.items() if left} == {}
    assert everywhere <= rules_by_id().keys()


def test_every_change_is_named_by_code_and_code_names_no_other() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (PROJECT / "kitgen/compare").rglob("*.py")]
    named = {name for text in texts for name in re.findall(r'"([a-z]+(?:-[a-z]+)+)"', text)}
    assert load_change_rules().keys() - named == set()
    others = named - load_change_rules().keys() - rules_by_id().keys()
    assert {name for name in others if not name.startswith("x-kubernetes-")} == NO_RULES


def test_chapters_and_rules_are_in_order() -> None:
    order = list(rules_by_id())
    for path in (PROJECT / "kitgen").glob("*/rules.yaml"):
        listed = [name for chapter in YAML(typ="safe").load(path).values() for name in chapter]
        assert listed == sorted(listed, key=order.index), path


@pytest.mark.parametrize("other", ["b/rules.yaml", "a/changes.yaml"])
def test_no_id_is_given_twice_not_even_to_a_finding_and_a_change(tmp_path: Path, other: str) -> None:
    for name in ("a/rules.yaml", other):
        path = tmp_path / "kitgen" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("heading:\n  one: {}\n")
    with pytest.raises(ValueError, match="two rules of one id: one"):
        compiled(tmp_path)


def test_no_id_is_given_twice_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "kitgen/a/rules.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("heading:\n  one: {}\n  one: {}\n")
    with pytest.raises(DuplicateKeyError):
        compiled(tmp_path)


@rows("name", NUMBERS)
def test_a_rule_says_the_numbers_of_the_code(name: str) -> None:
    said = re.findall(r"\d[\d,]*", rules_by_id()[name].checks)
    assert said == [f"{number:,}" for number in NUMBERS[name]]


def test_who_feels_a_change_is_called_alike_in_data_and_code() -> None:
    assert {*STATUS, READERS, STORED} <= {each.felt_by for each in load_change_rules().values()}


def test_explaining_a_rule_imports_nothing_that_finds_one() -> None:
    code = (
        "import atexit, sys; from kitgen.app.main import main; sys.modules['pytest'] = None\n"
        "atexit.register(lambda: print(*sys.modules)); main()"
    )
    command = [sys.executable, "-c", code, "check", "--explain", "pod-probes"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    imported = {name.replace(".", "/") for name in done.stdout.splitlines()[-1].split()}
    finding = {
        path.relative_to(PROJECT).with_suffix("").as_posix()
        for path in PROJECT.glob("kitgen/**/*.py")
        if 'rule("' in path.read_text(encoding="utf-8")
    }
    assert done.stdout.startswith("pod-probes: ")
    # Whatever is printed may name a line of YAML, and an exception.
    allowed = {"kitgen/findings/exceptions", "kitgen/findings/finding", "kitgen/text/yaml/rules"}
    assert imported & finding == allowed
