"""A role that a tree has no more leaves nothing behind in features that are off."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

SPEC = "components/hello/v1.0.0/component.yaml"
FEATURE = """  bound:
    about: Somebody else may read too
    roles:
      reader: {bind: somebody}
    serviceAccounts:
      somebody: {}
"""


def test_what_a_feature_said_of_it_goes_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = kits.make_kit(tmp_path / "kit")
    text = (root / SPEC).read_text()
    assert run("build", "component:hello@v1.0.0", "--root", root).code == 0
    (tmp_path / "real.yaml").write_text(run("build", "component:hello@v1.0.0", "--root", root).out)
    text = text.replace("features:\n", f"features:\n{FEATURE}")
    text = text.replace("\nroles:\n", "\nroles:\n  reader: {bind: none, permissions: {core/pods: read}}\n")
    (root / SPEC).write_text(text)
    monkeypatch.chdir(root)
    made = run("import", tmp_path / "real.yaml", "--as", "hello@v1.1.0")
    assert (made.code, "no differences" in made.out) == (0, True), made.err
    spec = Path("components/hello/v1.1.0/component.yaml").read_text()
    assert "/roles/reader" in spec
    assert "/features/bound/roles/reader" in spec
