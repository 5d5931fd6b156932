"""Findings that a kit accepts, with a reason."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import run

from kitgen.findings import Chapter, Severity, rules_by_id

CASE = kits.CASES / "valid" / "exceptions"


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """Return a kit with an image that has no tag, and an exception for it."""
    return kits.make_kit(tmp_path / "kit", CASE)


def test_an_accepted_finding_is_counted_and_told_with_its_reason(kit: Path) -> None:
    checked = run("check", "-o", "lines", "--root", kit)
    assert (checked.code, checked.out) == (0, "")
    assert checked.err == "1 accepted\n21 objects, no findings\n"
    (found,) = json.loads(run("check", "--root", kit, "-o", "json").out)["findings"]
    assert (found["rule"], found["accepted"]) == ("image-tag", "there is one image only")


def test_an_accepted_finding_blocks_no_write_and_is_no_news_to_who_renders(kit: Path) -> None:
    for _ in range(2):  # the second run only remembers
        rendered = run("render", "--root", kit)
        assert (rendered.code, "accepted" in rendered.err) == (0, False)
    assert run("build", "odh", "--root", kit).code == 0


def test_an_exception_that_meets_nothing_is_told_where_all_was_looked_at(kit: Path) -> None:
    file = kit / "components/hello/v1.0.0/component.yaml"
    file.write_text(file.read_text().replace("example/hello", "example/hello:v1.0.0"))
    checked = run("check", "-o", "lines", "--root", kit)
    assert checked.code == 1
    assert checked.out == (
        "kit.yaml:5 /exceptions/0: exception-stale: found an exception for 'image-tag "
        "components/hello/v1.0.0/component.yaml /images/manager', but there is no such finding "
        "(hint: remove it)\n"
    )
    for part in (["odh"], ["--release", "v1.0.0"], ["--kubernetes", ">=1.29 <=1.29"]):
        assert run("check", "-o", "lines", "--root", kit, *part).code == 0
    assert run("render", "--root", kit).code == 0


@pytest.mark.parametrize("key", ["rule", "file", "pointer"])
def test_an_exception_is_for_one_rule_at_one_place(kit: Path, key: str) -> None:
    other = {"rule": "container-image", "file": "kit.yaml", "pointer": "/images"}[key]
    lines = (kit / "kit.yaml").read_text().splitlines()
    changed = [f"{line.partition(':')[0]}: {other}" if f"{key}:" in line else line for line in lines]
    (kit / "kit.yaml").write_text("\n".join(changed))
    checked = run("check", "-o", "lines", "--root", kit)
    assert (checked.code, "image-tag" in checked.out) == (1, True)


def test_a_warning_about_the_specs_can_be_accepted_too(kit: Path) -> None:
    file = kit / "components/hello/v1.0.0/component.yaml"
    file.write_text(file.read_text().replace("core/configmaps: read", "core/configmaps: get frobnicate"))
    told = run("check", "-o", "lines", "--root", kit).out
    place = "/roles/manager-role/permissions/core~1configmaps"
    assert f" {place}: warning: verb-unknown: " in told
    with (kit / "kit.yaml").open("a") as stream:
        name = "components/hello/v1.0.0/component.yaml"
        stream.write(f"- {{rule: verb-unknown, file: {name}, pointer: {place}, reason: a new verb}}\n")
    checked = run("check", "-o", "lines", "--root", kit)
    assert (checked.code, checked.out, checked.err.splitlines()[0]) == (0, "", "2 accepted")


def test_what_guards_files_specs_and_names_has_no_exceptions() -> None:
    never = {Chapter.FILE, Chapter.YAML, Chapter.SPEC, Chapter.EXCEPTION}
    assert not [rule.id for rule in rules_by_id().values() if rule.chapter in never and rule.exceptable]
    errors = [each for each in rules_by_id().values() if each.exceptable and each.severity is Severity.ERROR]
    objects = [*Chapter][[*Chapter].index(Chapter.SCHEMA) :]
    assert [each.id for each in errors if each.chapter not in objects] == ["record-version"]


@pytest.mark.parametrize(
    ("rule", "hint"),
    [
        ("crd-leaves", "remove the exception"),
        ("crd-lost", "remove the exception"),
        ("kit-format", "fix it"),
    ],
)
def test_what_no_check_of_the_kit_finds_has_no_exceptions(kit: Path, rule: str, hint: str) -> None:
    """Such an exception would be stale in every check."""
    with (kit / "kit.yaml").open("a") as stream:
        stream.write(f"- {{rule: {rule}, file: targets/odh.yaml, pointer: /components/hello, reason: r}}\n")
    told = f"exception-shape: found the rule '{rule}', which has no exceptions (hint: {hint})\n"
    for command in (["check", "-o", "lines"], ["render"]):
        result = run(*command, "--root", kit)
        assert (result.code, told in result.out + result.err) == (1, True), result.err


def test_a_stale_exception_leads_to_where_its_rule_finds_something(tmp_path: Path) -> None:
    kit = kits.make_kit(tmp_path)
    spec = kit / "components/hello/v1.0.0/component.yaml"
    thing = "objects:\n- {apiVersion: example.org/v1, kind: Thing, metadata: {name: a}}\n"
    spec.write_text(spec.read_text() + thing)
    with (kit / "kit.yaml").open("a") as stream:
        stream.write("exceptions:\n- {rule: kind-unknown, file: '*', pointer: /objects/*, reason: known}\n")
    place = "components/hello/v1.0.0/component.yaml /objects/0/kind"
    told = run("check", "-o", "lines", "--root", kit).out
    assert f"(hint: remove it, or name the place that it is found at: {place})" in told
