"""A spec with nothing in it, or with something else than a mapping, is told in one line by every command."""

from __future__ import annotations

from pathlib import Path

import pytest
from kits import make_kit
from running import run
from small_crd import crd, version
from some import first

from kitgen.text.yaml import dump_yaml

SPECS = (
    "kit.yaml",
    "targets/odh.yaml",
    "releases/v1.0.0.yaml",
    "components/hello/v1.0.0/component.yaml",
    "components/hello/v1.0.0/config.yaml",
    "components/hello/v1.0.0/crds/greetings.yaml",
)
COMMANDS = (
    ("check",),
    ("build", "odh"),
    ("render",),
    ("list",),
    ("upgrade",),
    ("why", "odh", "Deployment/hello-manager"),
    ("show", "odh"),
    ("flatten", "odh"),
    ("crd", "outline", "release:v1.0.0"),
    ("crd", "import", "crd.yaml", "--component", "hello", "--version", "v1.1.0"),
)


@pytest.mark.parametrize("text", first(["", "0\n", "---\n", "[]\n"], 2))
@pytest.mark.parametrize("name", SPECS)
def test_it_is_told(name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(make_kit(tmp_path))
    Path("crd.yaml").write_text(dump_yaml(crd(version())))
    Path(name).write_text(text)
    for command in COMMANDS:
        found = run(*command)
        if found.code:
            assert name in found.out + found.err


@pytest.mark.parametrize("value", first(["0", "{}", "[null]", "5", "x", "[0]", "true", "[{name: 3}]"], 3))
@pytest.mark.parametrize("key", ["additionalPrinterColumns", "subresources", "selectableFields"])
def test_a_crd_with_parts_of_the_wrong_type(
    key: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(make_kit(tmp_path))
    whole = dump_yaml(crd(version()))
    Path("good.yaml").write_text(whole)
    Path("bad.yaml").write_text(whole.replace("    served: true", f"    {key}: {value}\n    served: true"))
    assert key in Path("bad.yaml").read_text()
    for command in (
        ("check", "bad.yaml"),
        ("crd", "outline", "bad.yaml"),
        ("crd", "diff", "bad.yaml", "good.yaml"),
        ("crd", "diff", "good.yaml", "bad.yaml"),
        ("crd", "validate", "good.yaml", "--crds", "bad.yaml"),
        ("crd", "import", "bad.yaml", "--component", "new", "--version", "v1.0.0"),
    ):
        assert run(*command).code in (0, 1)
