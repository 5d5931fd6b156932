"""A target that is rendered by digests has no tag left, whichever way it comes to a cluster."""

from __future__ import annotations

import re
from pathlib import Path

import kits
import normal
import pytest
import routes

from kitgen.files import programs
from kitgen.render.outputs import render_output
from kitgen.text.yaml import dump_yaml_documents, read_yaml
from kitgen.workspace.kit import open_kit

TAGGED = re.compile(r"quay\.io/example/[a-z-]+:")
needs_kustomize = pytest.mark.skipif(
    programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH"
)


@pytest.fixture
def locked(tmp_path: Path) -> routes.Kit:
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid/digests")
    return routes.kit("case digests", open_kit(root))


@pytest.mark.kustomize
@needs_kustomize
@pytest.mark.parametrize("target", ["odh", "olm"])
def test_kustomize_builds_the_same_digests(locked: routes.Kit, tmp_path: Path, target: str) -> None:
    got = routes.built(locked.opened, target, None)
    want = routes.kustomized(routes.written(locked.tree, tmp_path / "overlays") / target)
    assert normal.differing(normal.by_key(got), normal.by_key(want)) == []
    assert TAGGED.findall(dump_yaml_documents(want)) == []
    assert TAGGED.findall(locked.tree.get(f"{target}/hello/params.env", "")) == []


def test_the_bundle_lists_digests(locked: routes.Kit) -> None:
    plan = locked.opened.plan(locked.opened.target("olm"))
    bundle = {name: text for name, text in render_output("olm", [plan]).items() if "/manifests/" in name}
    assert TAGGED.findall("".join(bundle.values())) == []
    (csv,) = (read_yaml(text) for name, text in bundle.items() if "clusterserviceversion" in name)
    related = {each["name"]: each["image"] for each in csv["spec"]["relatedImages"]}
    assert {"manager", "helper", "job"} <= related.keys()
    assert [image for image in related.values() if "@sha256:" not in image] == []
