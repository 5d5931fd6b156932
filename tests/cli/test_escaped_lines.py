"""Whatever names and values hold, no line of kitgen's steers a terminal or commands a CI system."""

from __future__ import annotations

import json
import re
from pathlib import Path

import kits
import pytest
from running import run

EVIL = "::error title=x::y\x1b[31m\x9b1m\u202e\u2066##[group]##vso[task.x]\r\n::stop-commands::z\x7f"
NAMES = (EVIL, f" {EVIL}", "plain\n::add-mask::x", "\x1b]0;x\x07", "a ::b::c")
COMMAND = re.compile(r"\s*::|.*##\w*\[")
CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.a.com, labels: {"%(evil)s": "%(evil)s"}}
spec:
  group: a.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          "%(evil)s": {type: string, default: "%(evil)s", enum: ["%(evil)s", b], pattern: "%(evil)s"}
          "::warning::f": {type: object, properties: {"::error::g": {type: string}}}
        x-kubernetes-validations:
        - {rule: "self == '%(evil)s'", message: "%(evil)s"}
"""


def quoted(text: str) -> str:
    """Write a text between double quotes of YAML."""
    return json.dumps(text)[1:-1].replace("\x7f", "\\u007f")


def tame(*args: object, stdin: str = "") -> str:
    """Run a command, check every line of it, and return them."""
    result = run(*args, stdin=stdin)
    told = result.out + result.err
    assert "fault of kitgen" not in told
    for line in told.split("\n"):
        assert line.expandtabs().isprintable(), (args, line)
        assert not COMMAND.match(line), (args, line)
    return told


@pytest.mark.parametrize("name", NAMES[:2])
def test_names_of_files_and_folders(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    root = kits.make_kit(tmp_path / name)
    monkeypatch.chdir(root)
    out = tmp_path / f"{name}out"
    crd = tmp_path / f"{name}.yaml"
    crd.write_text(CRD % {"evil": "a"})
    for args in (
        ("list",),
        ("check",),
        ("render", "--out", out, "--check"),
        ("render", "--out", out),
        ("render", "--out", out),
        ("export", "odh", tmp_path / f"{name}export"),
        ("init", tmp_path / f"{name}new"),
        ("check", crd),
        ("check", tmp_path / name / "missing"),
        ("crd", "outline", crd),
        ("crd", "diff", crd, tmp_path / name / "missing"),
        ("crd", "validate", crd, "--crds", crd),
        ("crd", "import", crd, "--component", "new", "--version", "v1.0.0"),
        ("crd", "outline"),
    ):
        assert tame(*args)
    for place in ("components", "components/hello", "components/hello/v1.0.0/crds", "targets", "releases"):
        folder = root / place / name.replace("/", "")
        if place.endswith(("targets", "releases", "crds")):
            folder = folder.with_name(f"{folder.name}.yaml")
            folder.write_text("{}")
        else:
            folder.mkdir()
        assert tame("check", "-o", "json")
    for args in (("check",), ("list",), ("render",), ("crd", "outline")):
        assert tame(*args)


@pytest.mark.parametrize("name", NAMES)
def test_words_of_the_command_line(kit: Path, name: str) -> None:
    for args in (
        (name,),
        (f"--{name}",),
        ("build", name),
        ("build", "odh", name),
        ("build", "odh", "--release", name),
        ("build", f"git:{name}:target:odh"),
        ("check", f"--{name}"),
        ("check", "--kubernetes", name),
        ("check", f"git:{name}"),
        ("check", "-o", name),
        ("why", name, name, name),
        ("why", "odh", name),
        ("why", "odh", "Deployment/hello", name),
        ("crd", name),
        ("crd", "outline", name),
        ("crd", "diff", name, name),
        ("crd", "import", name, "--component", name, "--version", name),
        ("schema", name),
        ("completion", name),
        ("list", "--root", name),
        ("export", "odh", "kit.yaml/" + name),
    ):
        assert tame(*args)


def test_keys_and_values(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evil = quoted(EVIL.replace("\x7f", "").replace("\x9b", ""))
    real = kit.parent / "real.yaml"
    real.write_text(CRD % {"evil": evil})
    other = kit.parent / "other.yaml"
    other.write_text(CRD % {"evil": f"{evil}2"})
    metadata = f'apiVersion: a.com/v1, kind: Widget, metadata: {{name: "{evil}"}}'
    widget = f'{{{metadata}, "{evil}": "{evil}", "c{evil}": 1}}'
    target = kit / "targets/odh.yaml"
    kept = [line for line in target.read_text().splitlines() if not line.startswith("about:")]
    target.write_text("\n".join([*kept, f'about: "{evil} {evil}"', ""]))
    for width in ("", "30", "60"):
        monkeypatch.setenv("COLUMNS", width)
        assert tame("list")
    for form in ("text", "json", "markdown"):
        assert tame("crd", "diff", real, other, "-o", form)
    markup = kit.parent / "markup.yaml"
    markup.write_text(CRD % {"evil": "`|<img src=x> ![a](http://b) @someone"})
    told = tame("crd", "diff", real, markup, "-o", "markdown")
    assert "field-added" in told
    for row in told.splitlines():
        prose = re.sub(r"`[^`]*`", "", row)
        assert not re.search(r"[`<@]|\]\(", prose), row
        assert not row.startswith("|") or row.replace("\\|", "").count("|") == 5
    for form in ("text", "json"):
        assert tame("crd", "validate", "-", "--crds", real, "-o", form, stdin=widget)
        assert tame("check", "-", "-o", form, stdin=widget)
    assert tame("crd", "outline", real)
    assert tame("crd", "import", real, "--component", "new", "--version", "v1.0.0")
    assert tame("crd", "outline", "widgets")
    assert tame("list", "-o", "json")


def test_printed_manifests(kit: Path) -> None:
    from kitgen.text.yaml import dump_yaml, read_yaml

    texts = ["a\n ::error::x\nb\n", "::error::x\n", "a##[error]", '"##vso[x] b', "b\n##[group]\n", "##[x]: #"]
    body = {key: value for text in texts for key, value in ((text, [text]), ("x" + text, {text: text}))}
    text = dump_yaml(body)
    assert read_yaml(text) == body
    assert not [line for line in text.split("\n") if COMMAND.match(line)]


def test_what_is_being_worked_on(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kitgen.report.finish import show_progress

    shown: list[str] = []
    monkeypatch.setattr("rich.status.Status.update", lambda _, text: shown.append(text.plain))
    monkeypatch.setattr("kitgen.report.finish.can_move_cursor", lambda _: True)
    with show_progress(quiet=False) as tell:
        tell(f"[bold]{EVIL}")
    assert shown[0].startswith("[bold]")
    assert shown[0].isprintable()
