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
    Readme,
    Sources,
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
    (sources,) = found.records_of(Sources)
    assert said(sources.entries[0]) == first


def test_what_stands_behind_an_array_is_no_part_of_it(tmp_path: Path) -> None:
    (sources,) = read(tmp_path, "x.sh", downstream.SCRIPT).records_of(Sources)
    assert [each.origin.line for each in sources.entries] == [4, 5, 7]


def test_both_kinds_of_configuration(tmp_path: Path) -> None:
    found = read(tmp_path, "manifests-config.yaml", downstream.CONFIG)
    assert [said(each)[:4] for each in found.records_of(Sources)[0].entries][1] == (
        "rhoai",
        "hello",
        "red/hello",
        "rhoai-2.11",
    )
    (mapped,) = read(tmp_path, "manifests-config.yaml", downstream.MAP).records_of(Sources)
    assert [(each.ref, bool(each.commit)) for each in mapped.entries] == [("", False), ("", True)]


def test_a_matrix_without_markers(tmp_path: Path) -> None:
    (readme,) = read(tmp_path, "README.md", downstream.UNMARKED).records_of(Readme)
    assert [(each.name, each.value, each.origin.line) for each in readme.entries][1:] == [
        ("The Tester", "v0.2.0", 7),
        ("Queue", "v0.5.0", 8),
    ]
    assert find_table("| Component | Version |\n|---|---|\n| a | v1 |\n") is None


def test_bundles_in_a_list(tmp_path: Path) -> None:
    body = downstream.CSV.format(version="1.0.0", replaces="0.9.0").rstrip().replace("\n", "\n  ")
    (csv,) = read(tmp_path, "any.yaml", f"kind: List\napiVersion: v1\nitems:\n- {body}\n").records_of(Csv)
    assert (csv.package, csv.version, csv.origin.path) == ("hello", "1.0.0", ("items", 0))
    assert [each.value for each in csv.entries] == ["quay.io/example/hello:v1.0.0"] * 2
