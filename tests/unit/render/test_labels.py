"""Label rules of a component and of a target meet."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

from kitgen.text.yaml import JsonObject, dump_yaml, read_yaml
from kitgen.workspace.compilation import compile_source
from kitgen.workspace.kit import open_kit
from kitgen.workspace.sources import parse_source

PAIRS = {"app.kubernetes.io/name": "hello"}


@pytest.mark.parametrize(
    ("rules", "kept"),
    [
        ([{"pairs": PAIRS, "selectors": True}], 2),
        ([{"pairs": PAIRS, "selectors": True}, {"pairs": PAIRS}], 2),
        ([{"pairs": PAIRS, "templates": True}], 1),
        ([], 1),
    ],
)
def test_a_target_may_repeat_a_rule_of_the_component(
    tmp_path: Path, rules: list[JsonObject], kept: int
) -> None:
    spec = {"target": "olm", "release": "v1.0.0", "components": {"hello": {"labels": rules}}}
    root = kits.write(kits.make_kit(tmp_path), {"targets/olm.yaml": dump_yaml(spec)})
    objects = {
        each.id.kind: each.body
        for each in compile_source(open_kit(root), parse_source("target:olm/hello")).objects
    }
    assert objects["Service"]["metadata"]["labels"] == PAIRS
    assert objects["Service"]["spec"]["selector"] == PAIRS
    assert objects["Deployment"]["spec"]["selector"]["matchLabels"] == PAIRS
    assert run("render", "--root", root).code == 0
    written = read_yaml((root / "overlays/olm/hello/kustomization.yaml").read_text())["labels"]
    assert [each["pairs"] for each in written if each.get("includeSelectors")] == [PAIRS] * kept
