"""What `kitgen check` says of findings, in each form; grades, days and explanations."""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import kits
import pytest
from running import run

from kitgen.findings import rules_by_id

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: apps}
spec:
  containers:
  - name: web
    image: quay.io/apps/web:v1.2.3
    stdin: very
    tty: "much, so: 100%"
"""
SECRETS = """\
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: apps}
spec:
  containers:
  - name: web
    image: quay.io/apps/web:v1.2.3
    env:
    - name: PASSWORD
      value: [swordfish]
    - {name: A, value: [swordfish]}
    args: "--token=swordfish"
    command: {curl: "https://bob:swordfish@%s"}
""" % ("x" * 300)


@pytest.fixture
def pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "pod.yaml"
    path.write_text(POD)
    return path


def test_text_is_by_file_with_the_lines(pod: Path) -> None:
    result = run("check", "pod.yaml")
    assert result.out == (
        "pod.yaml\n"
        '    8 error field-type: found "very", expected true or false\n'
        "      |     stdin: very\n"
        "      Pod/web /spec/containers/0/stdin\n"
        '    9 error field-type: found "much, so: 100%", expected true or false\n'
        '      |     tty: "much, so: 100%"\n'
        "      Pod/web /spec/containers/0/tty\n"
    )
    assert result.code == 1


@pytest.mark.parametrize("form", ["text", "lines", "json", "sarif", "junit", "github"])
@pytest.mark.parametrize(
    "text",
    [
        SECRETS,
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: [swordfish]\n",
        "a: [swordfish\n",
    ],
)
def test_no_form_shows_a_secret(pod: Path, form: str, text: str) -> None:
    pod.write_text(text)
    result = run("check", "pod.yaml", "-o", form)
    assert result.code == 1
    assert "swordfish" not in result.out + result.err


def test_a_secret_hides_its_own_document_alone(pod: Path) -> None:
    one, other = "stringData:\n  a: [swordfish]\n", "daat: {}\n"
    heads = [f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: a}}\n" for kind in ("Secret", "ConfigMap")]
    pod.write_text(f"---\n{heads[0]}{one}--- # next\n{heads[1]}{other}")
    found = run("check", "pod.yaml").out
    assert "      | daat: {}\n" in found
    assert (found.count("      | "), "swordfish" in found) == (1, False)


def test_github_gets_annotations(pod: Path) -> None:
    lines = run("check", "pod.yaml", "-o", "github").out.splitlines()
    assert lines[1] == (
        '::error file=pod.yaml,line=9,title=field-type::found "much, so: 100%25", expected true or false '
        "[Pod/web /spec/containers/0/tty]"
    )


def test_sarif_has_rules_results_and_what_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = kits.make_kit(tmp_path)
    monkeypatch.chdir(root)
    spec = root / "components/hello/v1.0.0/component.yaml"
    thing = "objects:\n- {apiVersion: example.org/v1, kind: Thing, metadata: {name: a}}\n"
    spec.write_text(spec.read_text() + thing)
    found = json.loads(run("check", "--root", root, "-o", "sarif").out)
    assert found["version"] == "2.1.0"
    (made,) = found["runs"]
    (result,) = made["results"]
    assert made["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "kind-unknown"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "components/hello/v1.0.0/component.yaml"
    line = spec.read_text().splitlines()[place["region"]["startLine"] - 1]
    assert "Thing" in line
    assert (result["level"], "suppressions" in result) == ("warning", False)
    pointer = result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]
    with (root / "kit.yaml").open("a") as stream:
        stream.write(
            "exceptions:\n- {rule: kind-unknown, file: components/hello/v1.0.0/component.yaml, "
            f"pointer: {pointer}, reason: known}}\n"
        )
    (made,) = json.loads(run("check", "--root", root, "-o", "sarif").out)["runs"]
    assert made["results"][0]["suppressions"] == [{"kind": "external", "justification": "known"}]


def test_ci_systems_get_paths_from_here(odd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(odd.parent)
    assert (
        f"::warning file={odd.name}/components/hello/" in run("check", "--root", odd.name, "-o", "github").out
    )
    assert f'"uri": "{odd.name}/components/hello/' in run("check", "--root", odd.name, "-o", "sarif").out
    assert f'name="{odd.name}/components/hello/' in run("check", "--root", odd.name, "-o", "junit").out


def test_junit_fails_for_errors_alone(pod: Path) -> None:
    pod.write_text(POD + "---\n{apiVersion: example.org/v1, kind: Thing, metadata: {name: a\\u0007}}\n")
    suites = ET.fromstring(run("check", "pod.yaml", "-o", "junit").out)
    cases = suites.findall("testsuite/testcase")
    failed = [each for each in cases if each.find("failure") is not None]
    assert (suites.get("failures"), len(failed), len(cases) > len(failed)) == (
        str(len(failed)),
        len(failed),
        True,
    )
    pod.write_text(POD.replace("very", "true").replace('"much, so: 100%"', "true"))
    suites = ET.fromstring(run("check", "pod.yaml", "-o", "junit").out)
    assert [each.get("name") for each in suites.findall("testsuite/testcase")] == ["no findings"]


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a kit with one warning."""
    root = kits.make_kit(tmp_path)
    monkeypatch.chdir(root)
    spec = root / "components/hello/v1.0.0/component.yaml"
    thing = "objects:\n- {apiVersion: example.org/v1, kind: Thing, metadata: {name: a}}\n"
    spec.write_text(spec.read_text() + thing)
    return root


def graded(root: Path, text: str) -> None:
    with (root / "kit.yaml").open("a") as stream:
        stream.write(text)


def test_a_kit_switches_and_grades_rules(odd: Path) -> None:
    assert "    warning kind-unknown" not in run("check").out
    assert " warning kind-unknown: " in run("check").out
    graded(odd, "rules: {kind-unknown: error}\n")
    assert (run("check").code, run("render").code) == (1, 1)
    assert " error kind-unknown: " in run("check").out
    kit = odd / "kit.yaml"
    kit.write_text(kit.read_text().replace("kind-unknown: error", "kind-unknown: ignore"))
    assert (run("check").code, run("check").out, run("render").code) == (0, "", 0)


def test_who_checks_foreign_manifests_in_a_kit_is_told_which_rules_are_off(odd: Path, pod: Path) -> None:
    assert " off: " not in run("check", str(pod)).err
    graded(odd, "rules: {pod-probes: ignore, kind-unknown: warning, image-moves: ignore}\n")
    assert "2 rules are off: image-moves and pod-probes (kit.yaml)\n" in run("check", str(pod)).err
    assert " off: " not in run("check").err + run("check", str(pod), "-q").err


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "kind-unknwn: ignore",
            "rule-grade: found the rule 'kind-unknwn', which is none (hint: did you mean 'kind-unknown'?)",
        ),
        ("yaml-syntax: warning", "found 'warning' for the rule 'yaml-syntax', which is always an error"),
        ("kind-unknown: fatal", 'found "fatal", expected one of "ignore", "warning" or "error"'),
    ],
)
def test_grades_that_cannot_be(odd: Path, said: str, told: str) -> None:
    graded(odd, f"rules: {{{said}}}\n")
    result = run("check", "-o", "lines")
    assert result.code == 1
    assert told in result.out


def test_warnings_fail_if_they_are_to(odd: Path) -> None:
    assert run("check").code == 0
    failed = run("check", "--fail-on", "warning", "-q")
    assert failed.code == 1
    assert " warning kind-unknown: " in failed.out


def test_an_exception_ends_on_its_day(odd: Path) -> None:
    (finding,) = json.loads(run("check", "-o", "json").out)["findings"]
    graded(
        odd,
        f"exceptions:\n- {{rule: kind-unknown, file: {finding['file']}, pointer: {finding['pointer']}, "
        'reason: r, expires: "2030-01-31"}\n',
    )
    assert run("check", "--today", "2030-01-31").code == 0
    over = run("check", "--today", "2030-02-01", "-o", "lines")
    assert over.code == 1
    assert ": exception-expired: found an exception for 'kind-unknown " in over.out
    assert " that was to end on 2030-01-31 (hint: " in over.out
    assert run("render").code == 0  # which looks at no clock
    assert run("check", "--today", "tomorrow").code == 2


def test_every_rule_is_explained() -> None:
    for rule in rules_by_id():
        told = run("check", "--explain", rule)
        assert (told.code, told.out.startswith(f"{rule}: ")) == (0, True), rule
        assert max(map(len, told.out.splitlines())) <= 100, rule


def test_a_rule_that_is_none_is_not_explained() -> None:
    told = run("check", "--explain", "image-tga")
    assert (told.code, "did you mean 'image-tag'?" in told.err) == (2, True)


def _commit(folder: Path) -> None:
    git = ("git", "-C", str(folder), "-c", "user.name=me", "-c", "user.email=me@example.org")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Start"]):
        subprocess.run([*git, *command], check=True)


@pytest.mark.parametrize("source", [(), ("git:HEAD",), ("git:HEAD:target:odh",), ("--baseline", "git:HEAD")])
def test_ci_systems_get_paths_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: tuple[str, ...]
) -> None:
    root = kits.make_kit(tmp_path / "work/some folder")
    spec = root / "components/hello/v1.0.0/component.yaml"
    spec.write_text(spec.read_text() + "objects:\n- {apiVersion: a.b/v1, kind: Thing, metadata: {name: a}}\n")
    _commit(tmp_path)
    monkeypatch.chdir(root / "targets")
    (made,) = json.loads(run("check", *source, "-o", "sarif").out)["runs"]
    (result,) = [each for each in made["results"] if each["ruleId"] == "kind-unknown"]
    place = result["locations"][0]["physicalLocation"]
    path = spec.relative_to(tmp_path).as_posix()
    assert place["artifactLocation"] == {"uri": path.replace(" ", "%20"), "uriBaseId": "%SRCROOT%"}
    assert path in result["partialFingerprints"]["kitgen/v1"]
    assert result.get("properties") == ({"revision": "HEAD"} if "git:" in "".join(source[:1]) else None)
    assert f"::warning file={path},line=" in run("check", *source, "-o", "github").out
    assert f' file="{path}">' in run("check", *source, "-o", "junit").out


def test_wrong_specs_of_a_revision_have_their_paths_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = kits.make_kit(tmp_path / "kit")
    (root / "targets/odh.yaml").write_text("a: [")
    _commit(tmp_path)
    monkeypatch.chdir(root)
    assert "::error file=kit/targets/odh.yaml,line=" in run("check", "git:HEAD", "-o", "github").out
    assert "HEAD:targets/odh.yaml:" in run("check", "git:HEAD", "-o", "lines").out


def test_sarif_names_a_file_and_a_line_always(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outside = tmp_path / "ü.yaml"
    outside.write_text("{apiVersion: v1, kind: Pod}")
    for source in (outside, "ü.yaml", "-"):
        (made,) = json.loads(run("check", source, "-o", "sarif", stdin="{a: 1}").out)["runs"]
        for result in made["results"]:
            place = result["locations"][0]["physicalLocation"]
            assert place["region"]["startLine"] == 1
            assert place["artifactLocation"]["uri"].endswith(("%C3%BC.yaml", "-"))
            assert ("file:///" in place["artifactLocation"]["uri"]) == (source is outside)


def test_what_is_no_object_is_not_shown(pod: Path) -> None:
    pod.write_text("swordfish\n")
    result = run("check", "pod.yaml")
    assert result.out == "pod.yaml\n    1 error manifest-invalid: found a string, expected an object\n"


def test_a_template_is_told_as_one(pod: Path) -> None:
    pod.write_text("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Values.name }}\n")
    assert "(hint: fill in the template first)" in run("check", "pod.yaml", "-o", "lines").out
