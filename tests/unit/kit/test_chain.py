"""Chains of specs: bounded, read once, and never a traceback, whatever they hold."""

from __future__ import annotations

import time
from itertools import pairwise

import kits
import pytest
from hypothesis import given
from hypothesis import strategies as st
from some import rows

from kitgen.files.tree import Memory
from kitgen.findings.errors import FindingsError
from kitgen.kit import inheritance as chain_module
from kitgen.kit.inheritance import MAX_CHAIN, Chains
from kitgen.kit.inherited_files import CompanionFiles
from kitgen.kit.load import load_kit
from kitgen.kit.spec_files import SpecFiles
from kitgen.text.yaml import Json, dump_yaml, read_yaml

KIT = {
    path.relative_to(kits.CASES / "kit").as_posix(): path.read_text()
    for path in sorted((kits.CASES / "kit").rglob("*.yaml"))
}
NEXT = "components/hello/v1.0.1"
HEAD = "component: hello\nversion: v1.0.1\nfrom: v1.0.0\n"


def chains_of(**files: str) -> Chains:
    """Return the chains of the small kit with more files; names have underscores for slashes."""
    return chains({name.replace("__", "/"): text for name, text in files.items()})


def chains(files: dict[str, str]) -> Chains:
    specs = SpecFiles(Memory({path: text.encode() for path, text in {**KIT, **files}.items()}, {}))
    return Chains(specs, specs.list_specs()[0])


def findings(files: dict[str, str]) -> list[str]:
    """Return what is wrong with the small kit with more files."""
    try:
        load_kit(SpecFiles(Memory({path: text.encode() for path, text in {**KIT, **files}.items()}, {})))
    except FindingsError as error:
        return [f"{each.rule.id} {each.origin}" for each in error.findings]
    return []


def long_chain(size: int) -> dict[str, str]:
    names = ["olm", *(f"t{index:03}" for index in range(1, size))]
    return {f"targets/{name}.yaml": f"target: {name}\nfrom: {before}\n" for before, name in pairwise(names)}


def test_a_chain_may_be_long_but_not_too_long() -> None:
    assert findings(long_chain(MAX_CHAIN)) == []
    last = f"targets/t{MAX_CHAIN:03}.yaml"
    assert findings(long_chain(MAX_CHAIN + 1)) == [f"from-long {last} /from"]


def test_what_is_wrong_by_itself_is_not_told_again_of_what_builds_on_it() -> None:
    wrong = 'components: {hello: {releases: {">=9.0.0": {replicas: 2}}}}\n'
    files = {"targets/a.yaml": f"target: a\nrelease: v1.0.0\n{wrong}"}
    files["targets/b.yaml"] = "target: b\nfrom: a\nrelease: v1.0.0\n"
    assert findings(files) == ["setting-unused targets/a.yaml /components/hello/releases/>=9.0.0"]


@pytest.mark.parametrize("order", [1, -1])
def test_each_spec_of_a_chain_is_laid_over_once(order: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    real = chain_module.merge_specs
    monkeypatch.setattr(chain_module, "merge_specs", lambda *args: seen.append(args) or real(*args))
    found = chains(long_chain(20))
    for file in sorted(found.listed)[::order]:
        if found.listed[file] == "target":
            assert found.spec(file) is not None
    assert len(seen) == 19


def test_what_many_build_on_counts_for_each_of_them() -> None:
    about = "x" * 4_000_000
    files = {"targets/a.yaml": f"target: a\nfrom: olm\nabout: {about}\n"}
    files |= {f"targets/b{index}.yaml": f"target: b{index}\nfrom: a\n" for index in range(20)}
    files |= {f"targets/c{index}.yaml": f"target: c{index}\nfrom: b1\n" for index in range(20)}
    assert any(each.startswith("file-size targets/") for each in findings(files))


def test_names_of_a_kit_are_its_own() -> None:
    found = chains_of(targets__staging="target: staging\n")
    assert found.parent("targets/odh.yaml") is None
    found = chains({f"{NEXT}/component.yaml": HEAD.replace("v1.0.0", "../../hello/v1.0.0")})
    assert found.parent(f"{NEXT}/component.yaml") is None


def test_keys_keep_the_order_that_they_have_in_the_first_spec() -> None:
    found = chains({f"{NEXT}/component.yaml": "version: v1.0.1\nfrom: v1.0.0\nabout: new\n"})
    said = found.spec(f"{NEXT}/component.yaml")
    assert said is not None
    assert [*said.data][:3] == ["component", "version", "about"]


def test_much_that_is_removed_takes_no_longer_than_it_is_long() -> None:
    keys = 20_000
    images = "".join(f"  i{index}: quay.io/x/y:v{index}\n" for index in range(keys))
    removed = "".join(f"- /images/i{index}\n" for index in range(1000))
    old = f"component: hello\nversion: v1.0.0\nimages:\n{images}"
    permissions = "".join(f"      core/a{index},b{index}: get\n" for index in range(keys // 4))
    old += f"roles:\n  r:\n    permissions:\n{permissions}"
    removed = removed.replace("- /images/i99", "- /roles/r/permissions/core/a99")
    empty = "editors: [], viewers: []"
    sets = "".join(f"    s{index}: {{{empty}, resources: [x/r{index}]}}\n" for index in range(2000))
    old += f"accessRoles:\n  sets:\n{sets}"
    removed = removed.replace("- /images/i8", "- /accessRoles/sets/x/r8")
    found = chains(
        {"components/hello/v1.0.0/component.yaml": old, f"{NEXT}/component.yaml": f"{HEAD}remove:\n{removed}"}
    )
    start = time.process_time()
    said = found.spec(f"{NEXT}/component.yaml")
    assert time.process_time() - start < 20
    assert said is not None
    assert len(said.data["images"]) == keys - removed.count("/images/")
    assert len(said.data["accessRoles"]["sets"]) == 2000 - removed.count("/sets/") < 1900


def test_much_that_is_changed_takes_no_longer_than_it_is_long() -> None:
    fields = "".join(f"        f{index}: {{type: string}}\n" for index in range(10_000))
    changes = "".join(f"  v1/f{index}#maxLength: 9\n" for index in range(1000))
    crd = "components/hello/v1.0.0/crds/greetings.yaml"
    head = KIT[crd].partition("        spec:")[0]
    found = chains(
        {
            crd: f"{head}{fields}",
            f"{NEXT}/component.yaml": HEAD,
            f"{NEXT}/crds/greetings.yaml": f"$add:\n{changes}",
        }
    )
    start = time.process_time()
    (said,) = CompanionFiles(found).crds(f"{NEXT}/component.yaml")
    assert time.process_time() - start < 20
    way = ("versions", "v1", "schema", "properties", "f3")
    assert said.origin.at(*way, "maxLength").file == f"{NEXT}/crds/greetings.yaml"
    assert said.origin.at(*way, "type").file == crd


@rows(
    ("name", "text"),
    [
        ("config.yaml", "$set: {'#fields': 3, greeting: {}}"),
        ("config.yaml", "$remove: ['#fields', greeting]"),
        ("config.yaml", "$add: {greeting.x: {}}"),
        ("config.yaml", "$set: [greeting]"),
        ("config.yaml", "$remove: {greeting: 1}"),
        ("config.yaml", "$remove: [3]"),
        ("config.yaml", "{$remove: ['#configMap'], key: x}"),
        ("crds/greetings.yaml", "$set: {'#versions': 3, v1: 3}"),
        ("crds/greetings.yaml", "$remove: ['#versions', v1]"),
        ("crds/greetings.yaml", "$set: {'v1/spec.tolerations[]#$type': 3, 'v1/spec.tolerations[].key': {}}"),
        ("crds/greetings.yaml", "$add: {'v1/spec.tolerations[]#$set': 3, 'v1/spec.tolerations[].key': {}}"),
        (
            "crds/greetings.yaml",
            "$add: {'v1/spec.tolerations[]#$remove': [{}, 3], 'v1/spec.tolerations[].b': 1}",
        ),
        (
            "crds/greetings.yaml",
            "$add: {'v1/spec.tolerations[]#properties': 3, 'v1/spec.tolerations[].b': 1}",
        ),
        ("crds/greetings.yaml", "$set: {v1/: [1]}"),
        ("crds/greetings.yaml", "$add: {'#': 1}"),
        ("crds/greetings.yaml", "$add: {/: 1}"),
    ],
)
def test_changes_of_a_wrong_type_are_findings(name: str, text: str) -> None:
    wrong = findings({f"{NEXT}/component.yaml": HEAD, f"{NEXT}/{name}": text})
    assert wrong
    assert all(f"{NEXT}/{name}" in each for each in wrong), wrong


def test_changes_do_not_make_a_file_deeper_than_files_may_be() -> None:
    deep = "{type: object, properties: {a: " * 40 + "{type: string}" + "}}" * 40
    files = {f"{NEXT}/component.yaml": HEAD, f"{NEXT}/config.yaml": f"$add: {{a: {deep}}}"}
    path = ".".join("a" * 41)
    for index in range(2, 8):
        folder = f"components/hello/v1.0.{index}"
        files[f"{folder}/component.yaml"] = f"version: v1.0.{index}\nfrom: v1.0.{index - 1}\n"
        files[f"{folder}/config.yaml"] = f"$set: {{{path}: {deep}}}"
        path += ".a" * 40
    wrong = findings(files)
    assert {each.split()[0] for each in wrong} == {"change-misfit"}


@rows(
    ("steps", "want"),
    [
        (
            ["$add: {'v1/spec.tolerations[].new': {type: string}}", "$remove: ['v1/spec.tolerations[].new']"],
            {},
        ),
        (
            [
                "$add: {'v1/spec.tolerations[].new': {type: object}}",
                "$add: {'v1/spec.tolerations[].new.x': {type: string}}",
            ],
            {"$add": {"new": {"type": "object", "properties": {"x": {"type": "string"}}}}},
        ),
        (
            [
                "$remove: ['v1/spec.tolerations[].key']",
                "$add: {'v1/spec.tolerations[].key': {type: integer}}",
            ],
            {"$set": {"key": {"type": "integer"}}},
        ),
        (
            [
                "$set: {'v1/spec.tolerations[].key': {type: integer}}",
                "$remove: ['v1/spec.tolerations[].key']",
            ],
            {"$remove": ["key"]},
        ),
    ],
)
def test_a_change_of_an_exception_becomes_one_exception(steps: list[str], want: Json) -> None:
    files = {}
    for index, text in enumerate(steps, 1):
        folder = f"components/hello/v1.0.{index}"
        files[f"{folder}/component.yaml"] = f"version: v1.0.{index}\nfrom: v1.0.{index - 1}\n"
        files[f"{folder}/crds/greetings.yaml"] = text
    found = chains(files)
    (crd,) = CompanionFiles(found).crds(f"components/hello/v1.0.{len(steps)}/component.yaml")
    items = crd.data["versions"]["v1"]["schema"]["properties"]["spec"]["properties"]["tolerations"]["items"]
    assert items == {"$type": "core/v1.Toleration", **want}
    assert findings(files) == []


WORDS = st.sampled_from([*read_yaml(KIT["components/hello/v1.0.0/component.yaml"]), "from", "remove", "x"])
ANY = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(0, 9), st.text("ab/[], ", max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(WORDS, ANY, max_size=5), st.lists(st.text("/abmnager~01[],", max_size=12), max_size=3))
def test_whatever_a_spec_says_it_is_taken_or_refused(own: dict[str, Json], removed: list[str]) -> None:
    spec = {"version": "v1.0.1", "from": "v1.0.0", **({"remove": removed} if removed else {}), **own}
    findings({f"{NEXT}/component.yaml": dump_yaml(spec)})
    target = {"target": "staging", "from": "odh", "components": {"hello": own}}
    findings({"targets/staging.yaml": dump_yaml(target)})
