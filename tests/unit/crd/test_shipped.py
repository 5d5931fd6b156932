"""The CRDs of the kit: a change of what they expand to cannot slip by."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path, PurePath

import project
import recorded
from declared import plain
from kits import PROJECT
from some import rows

from kitgen.crd.declaration import expand_crds
from kitgen.crd.format import render_declaration
from kitgen.crd.importer.importer import import_crds
from kitgen.findings import Origin
from kitgen.kit.model import Component
from kitgen.text.schema_check import check_against_schema
from kitgen.text.yaml import JsonObject, dump_yaml, read_yaml

VERSIONS = {f"{each.name}/{each.version}": each for each in project.versions() if each.crds}
ALONE = [name for name, each in VERSIONS.items() if not each.parent]
"""Those that do not build on another one, so that their files hold whole declarations."""
FILES = sorted(path for name in ALONE for path in (PROJECT / "components" / name / "crds").glob("*.yaml"))
RECORD = "compare with upstream first; then run pytest -n 0 tests/unit/crd --record-reference"


def bodies(component: Component) -> dict[str, JsonObject]:
    """Return the CRDs of a version by their plurals."""
    expansion = expand_crds(component.crds, minor=component.minor)
    assert expansion.findings == ()
    return {body["spec"]["names"]["plural"]: body for body in expansion.bodies}


def digest(body: JsonObject) -> str:
    """Return a digest that the order of keys and the wording of descriptions do not change."""
    text = json.dumps(plain(body), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def test_declarations_expand_to_what_was_recorded(record: bool, record_reference: bool) -> None:
    """What is recorded is only changed on purpose; what is new or gone, with the other recordings."""
    got = {
        f"{name}/{plural}": digest(body)
        for name, each in VERSIONS.items()
        for plural, body in bodies(each).items()
    }
    if record or record_reference:
        old = {} if record_reference else recorded.crd_digests()
        recorded.store_crd_digests({name: old.get(name, value) for name, value in got.items()})
    kept = recorded.crd_digests()
    assert sorted(got.keys() ^ kept.keys()) == [], f"new, or gone; {recorded.RECORD}"
    assert [name for name in got if got[name] != kept[name]] == [], RECORD


@rows("path", FILES)
def test_a_declaration_is_shorter_than_its_crd(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    body = bodies(VERSIONS["/".join(path.parts[-4:-2])])[path.stem]
    assert text.count("\n") < dump_yaml(body).count("\n")


@rows("name", ALONE)
def test_an_import_of_the_expansion_gives_the_declarations_back(name: str) -> None:
    component = VERSIONS[name]
    made = import_crds(list(bodies(component).values()), prefer=component.minor)
    assert component.minor in (None, made.minor)
    declared = {PurePath(origin.file).stem: data for origin, data in component.crds}
    assert {file.name: read_yaml(file.text) for file in made.files} == declared


@rows("path", FILES)
def test_writing_a_declaration_gives_the_same_text(path: Path) -> None:
    """But for the comments of people."""
    text = path.read_text(encoding="utf-8")
    assert said(render_declaration(read_yaml(text))) == said(text)


def said(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.lstrip().startswith("#")]


def test_the_examples_of_the_documentation_expand() -> None:
    text = (PROJECT / "docs" / "crds.md").read_text(encoding="utf-8")
    whole, exceptions, types = (read_yaml(part) for part in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL))
    assert expand_crds([(Origin("farms.yaml"), whole)], minor=30).findings == ()
    whole["versions"]["v1"]["schema"]["properties"]["spec"]["properties"] |= exceptions
    assert not check_against_schema("crd", {**whole, **types}, Origin("farms.yaml"))
    assert expand_crds([(Origin("farms.yaml"), {**whole, **types})], minor=30).findings == ()
