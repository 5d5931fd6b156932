"""Files of others are read in each shape that they have had; nothing in them runs."""

from __future__ import annotations

from pathlib import Path

import downstream
import kits
import pytest

from kitgen.release.downstream.engine import read_downstream
from kitgen.release.downstream.records import (
    Csv,
    Downstream,
    DownstreamManifestSource,
    GoModules,
    Makefile,
    PackageCatalog,
    Readme,
    RelatedImages,
    Sources,
    Stream,
)
from kitgen.release.matrix.block import find_table


def read(folder: Path, name: str, text: str) -> Downstream:
    return read_downstream([str(kits.write(folder, {name: text}) / name)])


def said(source: DownstreamManifestSource) -> tuple[str, ...]:
    return source.platform, source.folder, source.repository, source.ref, source.commit, source.path


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (downstream.SCRIPT, ("", "dashboard", "fork/dashboard", "main", "", "manifests")),
        (downstream.FIRST_SCRIPT, ("", "hello", "red/hello", "rhoai-2.11", "", "config")),
        (downstream.LAST_SCRIPT, ("odh", "hello", "fork/hello", "v1.0.0", "0123456789abcdef", "config")),
        ("""COMPONENT_MANIFESTS=( ['a']='b:c:d:e' )""", ("", "a", "b/c", "d", "", "e")),
        ("""declare -A X_COMPONENT_MANIFESTS=([a/b]="c:d:e:f" # why\n)""", ("x", "a/b", "c/d", "e", "", "f")),
    ],
)
def test_manifest_sources_of_scripts(text: str, first: tuple[str, ...], tmp_path: Path) -> None:
    found = read(tmp_path, "get_all_manifests.sh", text)
    assert found.findings == ()
    (sources,) = found.of(Sources)
    assert said(sources.entries[0]) == first


def test_what_stands_behind_an_array_is_no_part_of_it(tmp_path: Path) -> None:
    (sources,) = read(tmp_path, "x.sh", downstream.SCRIPT).of(Sources)
    assert [each.origin.line for each in sources.entries] == [4, 5, 7]


def test_both_kinds_of_configuration(tmp_path: Path) -> None:
    found = read(tmp_path, "manifests-config.yaml", downstream.CONFIG)
    assert [said(each)[:4] for each in found.of(Sources)[0].entries][1] == (
        "rhoai",
        "hello",
        "red/hello",
        "rhoai-2.11",
    )
    (images,) = found.of(RelatedImages)
    assert {each.key for each in images.entries} == {"queue-image"}
    (mapped,) = read(tmp_path, "manifests-config.yaml", downstream.MAP).of(Sources)
    assert [(each.ref, bool(each.commit)) for each in mapped.entries] == [("", False), ("", True)]


def test_go_takes_what_replaces(tmp_path: Path) -> None:
    text = """require example.com/a v1.0.0
replace (
    example.com/b v1.0.0 => example.com/fork/b v1.5.0
    example.com/a => ../a
)
require (
    example.com/b v1.0.0 // indirect
)
"""
    (built,) = read(tmp_path, "go.mod", text).of(GoModules)
    assert {each.name: each.value for each in built.entries} == {
        "example.com/a": "v1.0.0",
        "example.com/b": "v1.5.0",
    }


def test_make_computes_some_versions_itself(tmp_path: Path) -> None:
    (built,) = read(tmp_path, "Makefile", downstream.MAKEFILE).of(Makefile)
    assert [each.name for each in built.entries] == ["QUEUE", "THE_TESTER", "KUSTOMIZE"]


def test_a_matrix_without_markers(tmp_path: Path) -> None:
    (readme,) = read(tmp_path, "README.md", downstream.UNMARKED).of(Readme)
    assert [(each.name, each.value, each.origin.line) for each in readme.entries][1:] == [
        ("The Tester", "v0.2.0", 7),
        ("Queue", "v0.5.0", 8),
    ]
    assert find_table("| Component | Version |\n|---|---|\n| a | v1 |\n") is None


def test_a_package_of_a_catalog(tmp_path: Path) -> None:
    kits.write(
        tmp_path, {name: text for name, text in downstream.RIGHT.items() if name.startswith("operators")}
    )
    kits.write(tmp_path, {"operators/hello/0.7.0/manifests/other.yaml": "a: 1\n"})
    (catalog,) = read_downstream([str(tmp_path)]).of(PackageCatalog)
    assert (catalog.package, [each.value for each in catalog.entries]) == (
        "hello",
        ["0.7.0", "0.9.0", "1.0.0"],
    )
    one = read_downstream([str(tmp_path / "operators/hello/1.0.0")])
    assert (one.of(PackageCatalog), [each.version for each in one.of(Csv)]) == ([], ["1.0.0"])


def test_a_catalog_without_bundles_that_are_known_is_one(tmp_path: Path) -> None:
    kits.write(tmp_path, {"operators/hello/0.7.0/manifests/notes.txt": "a\n"})
    found = read_downstream([str(tmp_path)])
    assert ([each.package for each in found.of(PackageCatalog)], found.findings) == (["hello"], ())


def test_streams_in_a_list(tmp_path: Path) -> None:
    text = "kind: List\napiVersion: v1\nitems:\n- " + downstream.STREAM.rstrip().replace("\n", "\n  ") + "\n"
    (stream,) = read(tmp_path, "any.yaml", text).of(Stream)
    assert (stream.name, stream.origin.path) == ("notebook", ("items", 0))
