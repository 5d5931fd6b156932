"""kitgen bundle check as the shell sees it: whoever's bundle, in whichever state."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import bundles
import pytest
from running import processes, run

from kitgen.olm.commands.check import PROFILES
from kitgen.olm.rules.profiles import Profile

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n"


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a bundle in the current folder that breaks no rule."""
    monkeypatch.chdir(tmp_path)
    return bundles.make_bundle(tmp_path / "bundle").relative_to(tmp_path)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a package of three versions in the current folder."""
    monkeypatch.chdir(tmp_path)
    made = bundles.make_case(tmp_path, bundles.FOLDER / "graph-stranded" / "ok")
    return made.relative_to(tmp_path)


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_a_good_bundle_has_no_findings(bundle: Path) -> None:
    result = run("bundle", "check", bundle, "--profile", "certified")
    assert (result.code, result.out, result.err) == (0, "", "1 bundle, no findings\n")


def test_a_finding_has_file_line_and_hint(bundle: Path) -> None:
    (bundle / "manifests/job.yaml").write_text(
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a}\n"
    )
    result = run("bundle", "check", bundle, "-o", "lines", "--select", "bundle-kind")
    assert result.code == 1
    assert result.out == (
        'bundle/manifests/job.yaml:2 /kind: bundle-kind: found the kind "StatefulSet", which OLM installs '
        "from no bundle [StatefulSet/a] (hint: deployments stand in the ClusterServiceVersion)\n"
    )


@pytest.mark.parametrize("name", ["bundle", "bundle/manifests", ".", "operators", "operators/web-operator"])
def test_whichever_folder_is_named_is_found(
    name: str, bundle: Path, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(name)
    if name == ".":
        monkeypatch.chdir(bundle)
    result = run("bundle", "check", folder, "--profile", "olm")
    assert (result.code, result.out) == (0, "")
    assert result.err.endswith(f"{'3 bundles' if 'operators' in name else '1 bundle'}, no findings\n")


def test_manifests_alone_are_found_whatever_their_files_are_called(bundle: Path) -> None:
    (bundle / bundles.CSV).rename(bundle / "manifests/csv.yaml")
    result = run("bundle", "check", bundle / "manifests", "--profile", "olm")
    assert (result.code, result.out) == (0, "")


def test_a_link_to_a_folder_among_the_manifests_is_a_folder(bundle: Path) -> None:
    (bundle / "manifests/again").symlink_to("../metadata")
    result = run("bundle", "check", bundle, "-o", "lines")
    assert result.code == 1
    assert "bundle/manifests/again: bundle-nested: found a folder" in result.out


def test_a_bundle_that_is_replaced_and_missing_is_a_note(bundle: Path) -> None:
    change(
        bundle / bundles.CSV, "  maturity: stable\n", "  maturity: stable\n  replaces: web-operator.v0.9.0\n"
    )
    result = run("bundle", "check", bundle)
    assert result.code == 0
    assert result.err.startswith("web-operator.v0.9.0 is not here, so the upgrade from it is not checked\n")


@pytest.mark.parametrize("named", ["1.1.0", "1.1.0/manifests"])
def test_a_replaced_bundle_in_the_folder_beside_it_is_read(tmp_path: Path, named: str) -> None:
    for version in ("1.0.0", "1.1.0"):
        bundles.make_bundle(tmp_path / "web" / version, version=version)
    new = tmp_path / "web" / "1.1.0"
    change(new / bundles.CSV, "  maturity: stable\n", "  maturity: stable\n  replaces: web-operator.v1.0.0\n")
    old = tmp_path / "web" / "1.0.0" / bundles.CRD
    old.write_text(old.read_text().replace("name: v1\n", "name: v1beta1\n"))
    result = run("bundle", "check", tmp_path / "web" / named)
    assert "is not here" not in result.err
    assert "bundle-upgrade-stored: upgrade from web-operator.v1.0.0: " in result.out


def test_profiles_ask_for_more_and_more(bundle: Path) -> None:
    (bundle / bundles.CSV).write_text(
        (bundle / bundles.CSV)
        .read_text()
        .replace('    features.operators.openshift.io/proxy-aware: "false"\n', "")
        .replace("    capabilities: Basic Install\n", "    capabilities: Basic\n")
        .replace("  description: Serves pages from a cluster, as many as there are.\n", "  description: a\n")
    )
    found = {
        profile: {
            each["rule"]
            for each in json.loads(run("bundle", "check", bundle, "--profile", profile, "-o", "json").out)[
                "findings"
            ]
        }
        for profile in ("olm", "operatorhub", "community", "certified")
    }
    assert found == {
        "olm": set(),
        "operatorhub": {"csv-capability"},
        "community": {"csv-capability", "csv-community"},
        "certified": {"csv-capability", "csv-community", "csv-features"},
    }


def test_rules_can_be_selected_and_ignored(bundle: Path) -> None:
    (bundle / "manifests/README.md").write_text("Read me.\n")
    change(bundle / bundles.CSV, "    capabilities: Basic Install\n", "    capabilities: Basic\n")
    every = run("bundle", "check", bundle, "-o", "lines")
    assert (every.code, every.out.count("\n")) == (1, 2)
    ignored = run("bundle", "check", bundle, "-o", "lines", "--ignore", "csv-capability, csv-icon")
    assert (ignored.code, ignored.out.count("\n")) == (0, 1)
    selected = run("bundle", "check", bundle, "--select", "csv-icon", "--select", "bundle-stray")
    assert (selected.code, "bundle-stray" in selected.out) == (0, True)
    assert run("bundle", "check", bundle, "--select", "bundle-stray", "--fail-on", "warning").code == 1
    unknown = run("bundle", "check", bundle, "--ignore", "bundle-kinds")
    assert unknown.code == 2
    assert "found no rule 'bundle-kinds' (hint: did you mean 'bundle-kind'?)" in unknown.err


@pytest.mark.parametrize("form", ["text", "lines", "json", "sarif", "junit", "github"])
def test_all_forms_tell_the_same(bundle: Path, form: str) -> None:
    change(bundle / bundles.CSV, "    capabilities: Basic Install\n", "    capabilities: Basic\n")
    result = run("bundle", "check", bundle, "-o", form)
    assert result.code == 1
    assert "csv-capability" in result.out
    assert "web-operator.clusterserviceversion.yaml" in result.out


def test_it_is_a_validator_for_operator_sdk(bundle: Path) -> None:
    change(bundle / bundles.CSV, "    capabilities: Basic Install\n", "    capabilities: Basic\n")
    (bundle / "manifests/README.md").write_text("Read me.\n")
    result = run("bundle", "check", bundle, "-o", "operator-sdk")
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    assert data.keys() == {"Name", "Errors", "Warnings"}
    (error,) = data["Errors"]
    assert error == {
        "Type": "CSVFileNotValid",
        "Level": "Error",
        "Field": "metadata.annotations.capabilities",
        "BadValue": f"bundle/{bundles.CSV}:8",
        "Detail": error["Detail"],
    }
    assert error["Detail"].startswith('csv-capability: found "Basic", expected Basic Install')
    assert [each["Level"] for each in data["Warnings"]] == ["Warning"]


def test_channels_may_come_from_a_catalog(bundle: Path) -> None:
    path = bundle / bundles.ANNOTATIONS
    lines = [line for line in path.read_text().splitlines() if ".channels.v1" not in line]
    path.write_text("\n".join(lines) + "\n")
    plain = run("bundle", "check", bundle, "-o", "lines", "--ignore", "bundle-labels")
    assert plain.code == 1
    assert "bundle-annotation: found nothing for" in plain.out
    assert "(hint: a catalog may say them: --from-catalog)" in plain.out
    said = run("bundle", "check", bundle, "--from-catalog", "--ignore", "bundle-labels")
    assert (said.code, said.out) == (0, "")


@pytest.mark.parametrize(
    ("name", "data", "rule"),
    [
        ("broken.yaml", b"a: [", "yaml-syntax"),
        ("binary.yaml", b"\x00\x01\xff", "file-encoding"),
        ("text.yaml", b"only words\n", "manifest-invalid"),
        ("list.yaml", b"- 1\n", "manifest-invalid"),
    ],
)
def test_files_that_cannot_be_read_are_findings(bundle: Path, name: str, data: bytes, rule: str) -> None:
    (bundle / "manifests" / name).write_bytes(data)
    result = run("bundle", "check", bundle, "-o", "json")
    assert result.code == 1
    assert [each["rule"] for each in json.loads(result.out)["findings"] if each["severity"] == "error"] == [
        rule
    ]


def test_keys_that_come_twice_are_told_and_the_last_counts(bundle: Path) -> None:
    path = bundle / "manifests/config.yaml"
    path.write_text("apiVersion: v1\nkind: Job\nkind: ConfigMap\nmetadata: {name: a}\n")
    result = run("bundle", "check", bundle, "-o", "lines")
    assert result.code == 0
    assert result.out.startswith("bundle/manifests/config.yaml:3 /kind: warning: yaml-duplicate: ")
    assert result.out.count("\n") == 1


def test_a_folder_that_is_no_bundle_is_a_finding(tmp_path: Path) -> None:
    result = run("bundle", "check", tmp_path, "-o", "lines")
    assert result.code == 1
    assert "bundle-folders: found no bundle, expected the folders manifests and metadata" in result.out
    assert run("bundle", "check", tmp_path / "none").code == 2
    (tmp_path / "file").write_text("")
    assert run("bundle", "check", tmp_path / "file").code == 2


def test_no_link_is_followed_out_of_the_folder(bundle: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.yaml").write_text("apiVersion: v1\nkind: SecretThing\nmetadata: {name: a}\n")
    (bundle / "manifests/secret.yaml").symlink_to(outside / "secret.yaml")
    (bundle / "release-config.yaml").symlink_to(outside / "secret.yaml")
    (bundle / "manifests/folder").symlink_to(outside)
    result = run("bundle", "check", bundle, "-o", "lines")
    assert result.code == 1
    assert result.out.count("path-symlink") == 2
    assert "SecretThing" not in result.out
    other = tmp_path / "other"
    other.mkdir()
    (other / "manifests").symlink_to(outside)
    (other / "metadata").mkdir()
    linked = run("bundle", "check", other, "-o", "lines")
    assert "path-symlink" in linked.out
    assert "SecretThing" not in linked.out


@pytest.mark.exhaustive
def test_many_files_are_a_matter_of_seconds(bundle: Path) -> None:
    for number in range(5_000):
        (bundle / f"manifests/config-{number}.yaml").write_text(CONFIG.format(name=f"config-{number}"))
    result = run("bundle", "check", bundle, "--ignore", "bundle-size-near")
    assert (result.code, result.out) == (0, "")


def test_a_package_is_found_from_within(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (package / "ci.yaml").write_text("updateGraph: semver-mode\n")
    monkeypatch.chdir(package)
    assert "ci.yaml:1: warning: ci-no-catalog" in run("bundle", "check", ".", "-o", "lines").out
    monkeypatch.chdir("1.1.0")
    result = run("bundle", "check", ".", "-o", "lines")
    assert result.code == 0
    (Path("release-config.yaml")).write_text("catalog_templates: []\n")
    assert "release-config" in run("bundle", "check", ".", "-o", "lines").out


def test_the_command_names_every_profile() -> None:
    assert list(PROFILES) == [each.value for each in Profile]


@pytest.fixture
def catalog(package: Path) -> Path:
    """Return a folder of packages with a warning in each bundle."""
    for number in range(9):
        copy = shutil.copytree(package, package.parent / f"other-{number}")
        for each in copy.glob("*/manifests/*.clusterserviceversion.yaml"):
            change(each, "name: The web project", f"name: The web project {number}  ")
    return package.parent


@pytest.mark.parametrize("most", [20, 1000])
def test_two_processes_find_what_one_finds(most: int, catalog: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kitgen.olm.check.MAX_FINDINGS", most)
    told = []
    for count in (1, 2):
        with processes(count):
            told.append(run("bundle", "check", catalog, "-o", "json"))
    assert told[0] == told[1]
    assert ("findings-limit" in told[0].out) == (most == 20)


def test_only_what_is_asked_for_counts_for_the_limit(catalog: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kitgen.olm.check.MAX_FINDINGS", 1)
    assert run("bundle", "check", catalog, "--select", "csv-icon").err == "30 bundles, no findings\n"
