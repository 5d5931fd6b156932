"""Names that are longer than those of files may be."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import run

COMPONENT = "components/hello/v1.0.0/component.yaml"


@pytest.mark.parametrize("length", [200, 230, 240, 245])
def test_objects_with_long_names_are_rendered(kit: Path, length: int) -> None:
    spec = kit / COMPONENT
    names = [f"{'a' * length}-{end}" for end in ("x", "y")]
    texts = [f"- apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: {name}}}\n" for name in names]
    spec.write_text(f"{spec.read_text()}\nobjects:\n{''.join(texts)}")
    assert run("render").code == 0
    assert run("render", "--check", "--no-cache").code == 0
    assert run("export", "odh", kit / "out").code == 0
    base = kit / "overlays/base/hello/v1.0.0"
    files = [path for path in base.iterdir() if path.name.startswith("configmap-aaa")]
    assert len(files) == 2
    assert {name for name in names for path in files if f"name: {name}\n" in path.read_text()} == set(names)
