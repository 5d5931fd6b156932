"""What Argo CD syncs is what the overlays hold, but for annotations and what its layer is for."""

from __future__ import annotations

from pathlib import Path

import kits
import normal
import project
import pytest
import routes
from msgspec.structs import replace
from some import first

from kitgen.argocd.annotations import CHECKSUM
from kitgen.argocd.layers import SyncedTarget, find_synced_target
from kitgen.files import programs
from kitgen.kube.object_size import needs_server_side_apply
from kitgen.render.outputs import render_outputs
from kitgen.text.yaml import JsonObject
from kitgen.workspace.kit import OpenedKit, open_kit

PAIRS = sorted(map("/".join, project.pairs()), key=lambda pair: "codeflare" not in pair)
"""The one with few CRDs first: others take kustomize seconds."""
CASE = kits.CASES / "valid" / "argocd"
PLACES = kits.CASES / "valid" / "crd-places"

needs_kustomize = pytest.mark.skipif(
    programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH"
)


def overlays_of(opened: OpenedKit, folder: Path) -> Path:
    plans = [opened.plan(target) for target in opened.kit.targets.values()]
    return routes.written(render_outputs(plans), folder)


def synced(opened: OpenedKit, target: str) -> SyncedTarget:
    found = find_synced_target(opened.plan(opened.target(target)))
    assert found is not None
    return found


@pytest.fixture(scope="session")
def overlays(opened: OpenedKit, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return overlays_of(opened, tmp_path_factory.mktemp("argocd"))


def bare(body: JsonObject) -> JsonObject:
    """Return an object without annotations, and without those of its pods."""
    meta = {key: value for key, value in body["metadata"].items() if key != "annotations"}
    spec, found = body.get("spec"), {**body, "metadata": meta}
    template = spec.get("template") if isinstance(spec, dict) else None
    if isinstance(template, dict) and CHECKSUM in template.get("metadata", {}).get("annotations", {}):
        notes = {key: value for key, value in template["metadata"]["annotations"].items() if key != CHECKSUM}
        inner = {key: value for key, value in template["metadata"].items() if key != "annotations"}
        inner |= {"annotations": notes} if notes else {}
        found["spec"] = {**spec, "template": {**template, "metadata": inner}}
    return found


def assert_a_layer_over(overlays: Path, target: str, name: str, made: SyncedTarget) -> None:
    (layer,) = (each for each in made.layers if each.part.name == name)
    got = normal.by_key(routes.kustomized(overlays / "argocd" / target / name))
    want = normal.by_key(each.annotated_manifest.body for each in layer.noted)
    assert normal.differing(got, want) == []
    below = normal.by_key(routes.kustomized(overlays / target / name))
    left = normal.by_key(each.body for each in layer.dropped)
    more = normal.by_key([layer.namespace.body] if layer.namespace else [])
    kept = {key: bare(body) for key, body in below.items() if key not in left}
    assert normal.differing({key: bare(body) for key, body in got.items()}, kept | more) == []
    assert not any(needs_server_side_apply(body) for body in got.values())
    for key, body in below.items():
        had = body["metadata"].get("annotations", {})
        assert key in left or had.keys() <= got[key]["metadata"]["annotations"].keys()


@pytest.mark.kustomize
@needs_kustomize
@pytest.mark.parametrize("pair", first(PAIRS))
def test_the_kit_is_synced_as_it_is(opened: OpenedKit, overlays: Path, pair: str) -> None:
    target, name = pair.split("/")
    assert_a_layer_over(overlays, target, name, synced(opened, target))


@pytest.mark.kustomize
@needs_kustomize
@pytest.mark.parametrize("target", ["olm", "odh"])
def test_a_case_is_synced_as_it_is(target: str, tmp_path: Path) -> None:
    opened = open_kit(kits.make_kit(tmp_path / "kit", CASE))
    assert_a_layer_over(overlays_of(opened, tmp_path / "out"), target, "hello", synced(opened, target))


@pytest.mark.kustomize
@needs_kustomize
def test_crds_that_a_target_keeps_apart_come_first(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path / "kit", PLACES)
    text = (root / "targets/odh.yaml").read_text()
    (root / "targets/odh.yaml").write_text(f"{text}argocd: {{repository: https://example.com/kit.git}}\n")
    opened = open_kit(root)
    made = synced(opened, "odh")
    names = [each.part.name for each in made.layers]
    assert (names[0], len(made.applications)) == ("crds", 1 + len(names))
    out = overlays_of(opened, tmp_path / "out")
    for name in names:
        assert_a_layer_over(out, "odh", name, made)


@pytest.mark.kustomize
@needs_kustomize
def test_one_application_holds_all_layers(tmp_path: Path) -> None:
    opened = open_kit(kits.make_kit(tmp_path / "kit", CASE))
    out = overlays_of(opened, tmp_path / "out")
    made = synced(opened, "olm")
    want = [each.annotated_manifest.body for layer in made.layers for each in layer.noted]
    got = routes.kustomized(out / "argocd/olm")
    assert normal.differing(normal.by_key(got), normal.by_key(want)) == []
    assert [each.id.kind for each in made.applications] == ["AppProject", "Application"]


@pytest.mark.kustomize
@needs_kustomize
@pytest.mark.parametrize("target", first(project.targets()))
def test_kustomize_builds_the_applications(opened: OpenedKit, overlays: Path, target: str) -> None:
    got = routes.kustomized(overlays / "argocd" / target / "apps")
    want = [each.body for each in synced(opened, target).applications]
    assert normal.differing(normal.by_key(got), normal.by_key(want)) == []
    assert [each["metadata"]["name"] for each in got] == [each["metadata"]["name"] for each in want]


@pytest.mark.parametrize("target", project.targets())
def test_applications_lead_to_what_is_rendered(opened: OpenedKit, overlays: Path, target: str) -> None:
    _, *apps = synced(opened, target).applications
    order = [unit.context.component.name for unit in opened.plan(opened.target(target)).units]
    paths = [each.body["spec"]["source"]["path"] for each in apps]
    assert paths == [f"overlays/argocd/{target}/{name}" for name in order]
    assert all((overlays / path.removeprefix("overlays/")).is_dir() for path in paths)


def test_what_argo_cd_writes_itself_is_not_rendered(overlays: Path) -> None:
    texts = [path.read_text() for path in (overlays / "argocd").rglob("*.yaml")]
    assert texts
    assert not any("tracking-id" in text or "app.kubernetes.io/instance" in text for text in texts)


def test_no_overlay_changes_for_argo_cd(tmp_path: Path) -> None:
    opened = open_kit(kits.make_kit(tmp_path, CASE))
    targets = opened.kit.targets.values()
    whole = render_outputs([opened.plan(each) for each in targets])
    without = render_outputs([opened.plan(replace(each, argocd=None)) for each in targets])
    assert {path: text for path, text in whole.items() if not path.startswith("argocd/")} == without


@pytest.mark.kustomize
@needs_kustomize
@pytest.mark.parametrize("case", ["", "fleet"])
def test_a_fleet_is_built_as_it_is(case: str, opened: OpenedKit, overlays: Path, tmp_path: Path) -> None:
    if case:
        opened = open_kit(kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / case))
        overlays = overlays_of(opened, tmp_path / "out")
    plans = [opened.plan(target) for target in opened.kit.targets.values()]
    parts = [each.fleet for plan in plans if (each := find_synced_target(plan)) and each.fleet]
    for folder, want in (
        ("fleet", parts[0].root),
        ("fleet/sets", [each for part in parts for each in part.sets]),
    ):
        got = normal.by_key(routes.kustomized(overlays / "argocd" / folder))
        assert normal.differing(got, normal.by_key(each.body for each in want)) == []
