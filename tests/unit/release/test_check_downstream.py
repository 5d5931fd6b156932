"""Files of others that are right break no rule; each mistake that real releases came out with is found.

A case plants one mistake in the files of tests/downstream.py: a text that takes the place of another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import downstream
import kits
import pytest

from kitgen.findings import Finding
from kitgen.release.check import check_downstream_files
from kitgen.text.yaml import build_line_finder
from kitgen.workspace.kit import OpenedKit, open_kit

CATALOG = downstream.BUNDLE
FIRST, LAST = (f"platform/{each}/get_all_manifests.sh" for each in ("first", "last"))
PARAMS = "queue/operator/config/openshift/params.env"
CONFIG = "platform/manifests-config.yaml"


class Case(NamedTuple):
    """A mistake, and the rule that finds it."""

    rule: str
    file: str
    old: str
    new: str
    says: str
    line: int = 0


CASES = {
    "a placeholder": Case("readme-semver", "README.md", "v0.5.0", "v0.0.0-dev", '"v0.0.0-dev" for Queue', 9),
    "not semver": Case("readme-semver", "README.md", "v0.2.0", "v.0.0.7", '"v.0.0.7" for The-Tester', 8),
    "twice the v": Case("readme-semver", "README.md", "v0.2.0", "vv0.2.0", '"vv0.2.0" for The-Tester', 8),
    "another version": Case(
        "readme-version", "README.md", "v0.5.0", "v0.4.0", '"v0.4.0", which is behind', 9
    ),
    "a row that went": Case(
        "readme-rows", "README.md", "| Queue ", "| Dispatcher ", '"Dispatcher", which', 9
    ),
    "no such row": Case("readme-rows", "README.md", "| Queue ", "| Dispatcher ", 'no row "Queue"', 2),
    "another release": Case("readme-release", "another/README.md", "v1.0.0", "v0.9.0", "behind v1.0.0", 6),
    "two matrices": Case("readme-others", "another/README.md", "v0.5.0", "v0.6.0", 'expected "v0.5.0"', 8),
    "a link elsewhere": Case("readme-link", "README.md", "tag/v0.5.0", "tag/v0.4.0", 'link to "v0.4.0"', 9),
    "no such tag": Case(
        "readme-tag", "README.md", "com/sigs/queue", "com/fork/queue", "fork/queue is not", 9
    ),
    "metadata behind": Case(
        "metadata-version", "hello/config/component_metadata.yaml", "v1.0.0", "0.9.0", "behind v1.0.0", 3
    ),
    "metadata and image": Case("metadata-image", PARAMS, "v0.5.0", "v0.5.1", "behind v0.5.1"),
    "image behind": Case("params-version", PARAMS, "v0.5.0", "v0.4.0", "behind", 2),
    "a digest cut off": Case(
        "params-broken", PARAMS, ":v0.5.0", "@sha256:v0.5.0", 'the digest "sha256:v0.5.0"', 2
    ),
    "a port cut off": Case(
        "params-broken",
        "hello/config/manager/params.env",
        "namespace=platform",
        "proxy-image=registry.example.com:v1.0.0",
        "a path behind the registry",
        2,
    ),
    "no image at all": Case(
        "params-broken", "hello/config/manager/params.env", "quay.io/fork/hello:", "", '"v1.0.0"', 1
    ),
    "a branch behind": Case("manifest-ref", FIRST, "queue:rhoai-2.11", "queue:rhoai-2.10", "behind", 3),
    "a tag for a branch": Case("manifest-ref", FIRST, "hello:rhoai-2.11", "hello:v1.0.0", "rhoai-2.11", 2),
    "a ref behind": Case("manifest-ref", CONFIG, "v1.0.0@", "v0.9.0@", "behind v1.0.0"),
    "another repository": Case(
        "manifest-place", "platform/get_all_manifests.sh", "fork:hello", "other:hello", '"other/hello"', 5
    ),
    "another path": Case(
        "manifest-place", "platform/build/manifests-config.yaml", "operator/config", "config", 'path "config"'
    ),
    "no line": Case(
        "manifest-missing", "platform/get_all_manifests.sh", '["queue"]', '["quay"]', "source of queue"
    ),
    "no line for one": Case("manifest-missing", LAST, '["queue"]="red', '["quay"]="red', "for rhoai"),
    "no tag of the fork": Case(
        "manifest-tag", "platform/get_all_manifests.sh", "v0.5.0-odh", "v0.5.0", "fork/queue is not known", 7
    ),
    "a bundle of another version": Case(
        "catalog-csv", CATALOG.format("1.0.0"), "hello:v1.0.0", "hello:v0.9.0", "behind v1.0.0"
    ),
    "what a bundle replaces": Case(
        "catalog-csv", CATALOG.format("1.0.0"), "hello.v0.9.0", "hello.v0.8.0", "expected hello.v0.9.0", 8
    ),
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> OpenedKit:
    return open_kit(downstream.make(tmp_path_factory.mktemp("kit")))


def held(
    opened: OpenedKit,
    folder: Path,
    files: dict[str, str],
    release: str | None = "v1.0.0",
    target: str | None = None,
) -> list[Finding]:
    kits.write(folder, files)
    wanted = opened.kit.releases[release] if release else None
    return [*check_downstream_files(opened, [str(folder)], wanted, target).findings]


def named(findings: Iterable[Finding]) -> list[str]:
    return [f"{each.rule.id}: {each.message}" for each in findings]


def test_what_is_right_breaks_no_rule(opened: OpenedKit, tmp_path: Path) -> None:
    assert named(held(opened, tmp_path, downstream.RIGHT)) == []


def test_all_of_it_is_read(opened: OpenedKit, tmp_path: Path) -> None:
    kits.write(tmp_path, downstream.RIGHT)
    found = check_downstream_files(opened, [str(tmp_path)], opened.kit.releases["v1.0.0"], None)
    assert {*found.texts} == {str(tmp_path / each) for each in downstream.RIGHT}
    assert found.remarks == ()


@pytest.mark.parametrize("name", CASES)
def test_a_mistake_is_found(name: str, opened: OpenedKit, tmp_path: Path) -> None:
    case = CASES[name]
    assert case.old in downstream.RIGHT[case.file]
    files = {**downstream.RIGHT, case.file: downstream.RIGHT[case.file].replace(case.old, case.new)}
    found = [each for each in held(opened, tmp_path, files) if each.rule.id == case.rule]
    assert [each for each in found if case.says in each.message], named(found)
    if case.line:
        assert case.line in [each.origin.line or line_of(each, files, tmp_path) for each in found]


def line_of(finding: Finding, files: dict[str, str], folder: Path) -> int:
    text = files[Path(finding.origin.file).relative_to(folder).as_posix()]
    place = finding.origin.document, finding.origin.path
    return build_line_finder(text, [place])(*place)


def test_every_rule_has_a_mistake() -> None:
    folder = kits.PROJECT / "kitgen/release/downstream"
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.py")]
    own = {name for text in texts for name in re.findall(r'(?:rule|problem)\(\s*"([^"]+)"', text)}
    elsewhere = {"metadata-place", "metadata-missing"}
    of_reading = {"against-nothing", "against-shape", "file-encoding"}
    assert own - {each.rule for each in CASES.values()} == elsewhere | of_reading


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("queue/operator/config", False),
        ("manifests/queue", False),
        ("queue/operator/config/openshift", True),
        ("queue/operator", True),
        ("queue", False),
        ("manifests/queue/base", True),
        (".", False),
    ],
)
def test_metadata_stands_where_the_platform_looks(
    path: str, wrong: bool, opened: OpenedKit, tmp_path: Path
) -> None:
    text = downstream.RIGHT["queue/operator/config/component_metadata.yaml"]
    found = held(opened, tmp_path, {f"{path}/component_metadata.yaml": text})
    assert named(found) == (
        [f"metadata-place: found it in {path.rpartition('/')[2]}, expected it in operator/config"]
        if wrong
        else []
    )


def test_metadata_beside_what_is_taken_is_in_the_wrong_place(opened: OpenedKit, tmp_path: Path) -> None:
    files = {name: text for name, text in downstream.RIGHT.items() if name.startswith("queue/")}
    files["queue/component_metadata.yaml"] = files.pop("queue/operator/config/component_metadata.yaml")
    assert [each.rule.id for each in held(opened, tmp_path, files)] == ["metadata-place"]
    assert [each.rule.id for each in held(opened, tmp_path / "queue", {})] == ["metadata-place"]


def test_metadata_that_every_platform_has_is_missing(opened: OpenedKit, tmp_path: Path) -> None:
    name = "queue/operator/config/openshift/params.env"
    files = {name: downstream.RIGHT[name]}
    assert held(opened, tmp_path, files) == []  # one of the targets has no metadata
    assert [each.rule.id for each in held(opened, tmp_path, files, target="odh")] == ["metadata-missing"]


def test_any_target_may_take_a_version_unless_one_is_named(opened: OpenedKit, tmp_path: Path) -> None:
    name = "queue/operator/config/openshift/params.env"
    files = {name: "queue-image=quay.io/sigs/queue:v0.5.1\n"}
    assert held(opened, tmp_path, files) == []
    assert "params-version" not in [each.rule.id for each in held(opened, tmp_path, files, target="rhoai")]
    assert "params-version" in [each.rule.id for each in held(opened, tmp_path, files, target="odh")]


def test_what_other_platforms_take_is_no_matter_of_a_target(opened: OpenedKit, tmp_path: Path) -> None:
    files = {name: downstream.RIGHT[name] for name in (LAST, CONFIG)}
    assert held(opened, tmp_path, files, target="odh") == []
    wrong = {name: text.replace("rhoai-2.11", "rhoai-2.10") for name, text in files.items()}
    assert held(opened, tmp_path, wrong, target="odh") == []
    found = held(opened, tmp_path, wrong, target="rhoai")
    assert [each.rule.id for each in found] == ["manifest-ref"] * 4
    one = {LAST: files[LAST].partition("declare -A RHOAI")[0]}
    kits.write(tmp_path / "one", one)
    release = opened.kit.releases["v1.0.0"]
    alone = check_downstream_files(opened, [str(tmp_path / "one")], release, "rhoai")
    assert (alone.findings, len(alone.remarks)) == ((), 1)
    assert alone.remarks[0].endswith("get_all_manifests.sh has no manifest sources for rhoai")


def test_without_a_version_files_are_held_to_the_one_that_they_name(
    opened: OpenedKit, tmp_path: Path
) -> None:
    old = {
        "README.md": downstream.readme("v0.9.0", "v0.1.0", "v0.4.0"),
        CATALOG.format("0.8.0"): downstream.CSV.format(version="0.8.0", replaces="0.7.0"),
        CATALOG.format("0.9.0"): downstream.CSV.format(version="0.9.0", replaces="0.8.1"),
    }
    assert named(held(opened, tmp_path, old, release=None)) == [
        'catalog-csv: found "hello.v0.8.1", expected hello.v0.8.0',
    ]
