"""Every rule of objects on manifests: one that is right, and one with each finding marked in its line.

A folder of tests/cases/check has the name of a rule. In ok*.yaml is no error, and nothing that a rule of
its chapter finds. In bad*.yaml a comment `# <- rule` ends every line that has such a finding, with the ids of
the rules; those of other chapters may be marked too. With NAME.before.yaml beside it, NAME.yaml is held
against that as what was there before, and a finding of what is no longer there is marked in that file. A file
is for the minors that are supported, unless `# Kubernetes 1.N` is its first line.
"""

from __future__ import annotations

import re
from pathlib import Path

import kits
import pytest

from kitgen.check.context import CheckContext
from kitgen.check.engine import run_checks
from kitgen.findings import rules_by_id
from kitgen.findings.rule_table import Chapter
from kitgen.kit.foreign_objects import parse_foreign_objects
from kitgen.kube.definitions import list_supported_minors
from kitgen.kube.manifest import Manifest
from kitgen.report.text import locate_findings

FOLDER = kits.CASES / "check"
FILES = sorted(path for path in FOLDER.glob("*/*.yaml") if not path.name.endswith(".before.yaml"))
MARK = re.compile(r"# <- ([a-z-]+(?:, [a-z-]+)*)$")
MINOR = re.compile(r"# Kubernetes 1\.([0-9]+)\n")
HERE = frozenset(
    {Chapter.SERVER, Chapter.BETWEEN, Chapter.PERMISSION, Chapter.POD, Chapter.UPGRADE, Chapter.LIMIT}
)
ELSEWHERE = frozenset({"size-directory", "upgrade-migration"})
"""Rules that are not of objects, though their chapter is: the commands that find them have the tests."""


def objects(path: Path) -> list[Manifest]:
    found = parse_foreign_objects({path.name: path.read_text()}).objects if path.exists() else ()
    assert [each.problems for each in found if each.problems] == []
    return [each.manifest for each in found]


def marked(text: str) -> list[tuple[int, str]]:
    return sorted(
        (number, rule)
        for number, line in enumerate(text.splitlines(), 1)
        if (match := MARK.search(line))
        for rule in match[1].split(", ")
    )


@pytest.mark.usefixtures("how_pods_run")
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_marked_is_found_and_nothing_else(path: Path) -> None:
    before = path.with_suffix(".before.yaml")
    text = path.read_text()
    minor = MINOR.match(text)
    context = CheckContext(
        targets={"": objects(path)},
        minors=(int(minor[1]),) if minor else list_supported_minors(),
        before={"": objects(before)} if before.exists() else {},
    )
    texts = {each.name: each.read_text() for each in (path, before) if each.exists()}
    marks = {(name, *mark) for name, text in texts.items() for mark in marked(text)}
    own, meant = rules_by_id()[path.parent.name].chapter, {rule for *_, rule in marks}
    every = (
        each
        for each in run_checks(context)
        if each.rule.chapter is own or each.rule.id in meant or (each.is_blocking and not marks)
    )
    found = locate_findings(every, texts.get)
    assert sorted((each.origin.file, each.origin.line, each.rule.id) for each in found) == sorted(
        (name, *mark) for name, text in texts.items() for mark in marked(text)
    )


@pytest.mark.parametrize("folder", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_a_rule_is_kept_and_broken(folder: Path) -> None:
    assert folder.name in rules_by_id()
    names = {path.name for path in folder.iterdir()}
    assert any(name.startswith("ok") for name in names)
    bad = [path.read_text() for path in folder.glob("bad*.yaml")]  # those of before with them
    assert any(rule == folder.name for text in bad for _, rule in marked(text))


def test_every_rule_of_objects_has_a_folder() -> None:
    wanted = {rule.id for rule in rules_by_id().values() if rule.chapter in HERE}
    assert wanted - ELSEWHERE <= {path.name for path in FOLDER.iterdir()}
