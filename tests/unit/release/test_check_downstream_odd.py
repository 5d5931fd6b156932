"""Whatever files of others say, it is held to a release, and no more than a finding comes of it."""

from __future__ import annotations

import re
from pathlib import Path

import downstream
import kits
import pytest
from hypothesis import given
from hypothesis import strategies as st
from project import project

from kitgen.release.check import check_downstream_files
from kitgen.release.matrix.writing import render_block, render_rows
from kitgen.workspace.kit import OpenedKit, open_kit

ODD = [
    "",
    "v",
    "v" + "1" * 300,
    "1.0.0",
    "v1.0.0-rc.1",
    "${X}",
    "@",
    "a/b",
    "null",
    "[]",
    "{}",
    "v99.0.0",
    "é²",
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> OpenedKit:
    return open_kit(downstream.make(tmp_path_factory.mktemp("kit")))


@given(name=st.sampled_from(sorted(downstream.RIGHT)), odd=st.sampled_from(ODD), data=st.data())
def test_whatever_a_file_says_is_held_to_a_release(
    opened: OpenedKit, tmp_path_factory: pytest.TempPathFactory, name: str, odd: str, data: st.DataObject
) -> None:
    words = list(re.finditer(r"[^\s:,|]+", downstream.RIGHT[name]))
    word = data.draw(st.sampled_from(words))
    text = downstream.RIGHT[name]
    release = data.draw(st.sampled_from(["v0.9.0", "v1.0.0", None]))
    files = {**downstream.RIGHT, name: text[: word.start()] + odd + text[word.end() :]}
    folder = kits.write(tmp_path_factory.mktemp("odd"), files)
    wanted = opened.kit.releases[release] if release else None
    for each in check_downstream_files(opened, [str(folder)], wanted, None).findings:
        assert "\n" not in each.message and each.origin.file


def test_the_matrix_that_is_written_for_a_release_is_right_for_it(tmp_path: Path) -> None:
    kit = project().kit
    assert kit.matrix is not None
    for release in kit.releases.values():
        block = render_block(kit.matrix.title, render_rows(kit.matrix, release))
        folder = kits.write(tmp_path / release.name, {"README.md": block})
        for asked in (release, None):
            found = check_downstream_files(project(), [str(folder)], asked, None).findings
            # What came out wrong is accepted in the release, and stays wrong in the README.
            assert {each.rule.id for each in found} <= {"readme-semver", "readme-tag"}
