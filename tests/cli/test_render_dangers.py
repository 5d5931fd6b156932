"""What a render says about the folder: CRDs that leave it, and files that nobody knows."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import kits
import pytest
from running import Run, run

GREETINGS = "greetings.example.com"
EFFECT = "a sync that prunes deletes it, and with it every object of its kind"
SUMMARY = "3 targets, 21 objects, 18 files: 0 changed\n"


@pytest.fixture
def rendered(kit: Path) -> Path:
    """Render the minimal kit, whose one component brings a CRD."""
    assert run("render").err == "3 targets, 21 objects, 18 files: 18 changed\n"
    return kit


def set_in(target: Path, line: str) -> None:
    target.write_text(target.read_text().replace("  hello:\n", f"  hello:\n    {line}\n"))


def test_a_crd_that_leaves_is_named(rendered: Path) -> None:
    set_in(rendered / "targets/odh.yaml", "managementState: Removed")
    told = (
        f"targets/odh.yaml:9 /components/hello: warning: crd-leaves: overlays/odh loses the CRD {GREETINGS}; "
        f"{EFFECT} (hint: to keep it, first: kubectl annotate crd NAME "
        "argocd.argoproj.io/sync-options=Prune=false)\n1 warning in 1 file\n"
    )
    before = kits.contents(rendered)
    checked = run("render", "--check")
    assert (checked.code, checked.err.startswith(told)) == (1, True)
    assert kits.contents(rendered) == before
    assert run("render", "-q") == Run(code=0, out="", err="")
    shutil.rmtree(rendered / "overlays")
    kits.write(rendered, {name: content.decode() for name, (content, _) in before.items()})
    done = run("render")
    assert done.code == 0
    assert done.err.startswith(f"{told}3 targets, 14 objects, 16 files: 4 changed\n")
    for args in ([], ["--no-cache"], ["--check"]):
        again = run("render", *args)
        assert (again.code, "warning" in again.err) == (0, False), "it has left already"


def test_crds_that_go_to_the_bundle_are_named_with_their_place(rendered: Path) -> None:
    set_in(rendered / "targets/odh.yaml", "crds: bundle")
    done = run("render", "odh")
    place = "it is in overlays/odh/crds, which it does not build"
    assert f"overlays/odh loses the CRD {GREETINGS}; {place}; {EFFECT}" in done.err
    note = (
        "# the CRDs of hello are not here but in overlays/odh/crds (crds: bundle); "
        "whoever installs the ODH operator applies them first\n"
    )
    assert note in (rendered / "overlays/odh/kustomization.yaml").read_text()
    assert note in (rendered / "overlays/odh/hello/kustomization.yaml").read_text()
    assert note not in (rendered / "overlays/olm/kustomization.yaml").read_text()
    exported = run("export", "odh", "exported")
    assert exported.err.endswith(f" changed\n{note.removeprefix('# ')}")
    assert note in (rendered / "exported/hello/default/kustomization.yaml").read_text()
    assert run("export", "odh", "exported", "-q").err == ""
    set_in(rendered / "targets/odh.yaml", "crds: none")
    text = (rendered / "targets/odh.yaml").read_text().replace("    crds: bundle\n", "")
    (rendered / "targets/odh.yaml").write_text(text)
    assert f"loses the CRD {GREETINGS}; {EFFECT}" in run("render").err, "it leaves the bundle too"


def test_a_crd_that_moves_within_a_target_does_not_leave(tmp_path: Path) -> None:
    """The carrier is taken away, and the carried component stands by itself."""
    root = kits.make_kit(tmp_path, kits.CASES / "valid" / "crd-places")
    run("render", "--root", root)
    target = root / "targets/olm.yaml"
    target.write_text(
        target.read_text().replace("hello: {crds: beside}", "hello: {managementState: Removed}")
    )
    done = run("render", "--root", root)
    assert f"overlays/olm loses the CRD {GREETINGS};" in done.err
    assert "greeters.example.com" not in done.err
    assert (root / "overlays/olm/greeter/kustomization.yaml").is_file()


def test_a_target_that_is_gone_takes_its_crds_along(rendered: Path) -> None:
    (rendered / "targets/rhoai.yaml").unlink()
    assert "crd-leaves" not in run("render", "olm").err
    done = run("render")
    assert f"overlays/rhoai:1: warning: crd-leaves: overlays/rhoai loses the CRD {GREETINGS}; " in done.err


def test_a_render_of_one_target_tells_what_the_shared_bases_take_from_others(rendered: Path) -> None:
    (rendered / "components/hello/v1.0.0/crds/greetings.yaml").unlink()
    for args in (["--check"], []):
        done = run("render", "olm", *args)
        for target in ("odh", "olm", "rhoai"):
            assert f"overlays/{target} loses the CRD {GREETINGS};" in done.err
    assert "crd-leaves" not in run("render").err, "it has left already"


def test_a_carried_crd_that_leaves_leads_to_its_own_component(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path, kits.CASES / "valid" / "crd-places")
    run("render", "--root", root)
    target = root / "targets/olm.yaml"
    text = target.read_text().replace("greeter: {crds: beside}", "greeter: {managementState: Removed}")
    target.write_text(text)
    err = run("render", "--root", root).err
    assert "/components/greeter: warning: crd-leaves: overlays/olm loses the CRD greeters.example.com;" in err


def test_a_crd_that_a_component_brings_as_an_object(rendered: Path) -> None:
    spec = rendered / "components/hello/v1.0.0/component.yaml"
    plain = spec.read_text()
    crd = (
        "- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n"
        "  metadata: {name: things.example.com}\n  spec:\n    group: example.com\n    scope: Namespaced\n"
        "    names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}\n    versions:\n"
        "    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n"
    )
    feature = "  things:\n    about: Brings things\n    default: true\n    objects:\n"
    spec.write_text(plain + feature + "".join(f"    {line}\n" for line in crd.splitlines()))
    assert "crd-leaves" not in run("render").err
    target = rendered / "targets/olm.yaml"
    set_in(target, "features: {things: false}")
    done = run("render")
    assert done.err.count("crd-leaves") == 1
    assert "overlays/olm loses the CRD things.example.com;" in done.err


@pytest.mark.parametrize(
    "content",
    ["resources: {a: b}\n", "resources: [../../../..]\n", "- [\n", "resources: [.]\npatches: 3\n", "\x00"],
)
def test_a_tree_that_is_anybodys_is_no_obstacle(rendered: Path, content: str) -> None:
    top = rendered / "overlays/odh/kustomization.yaml"
    top.write_text(f"# Generated by kitgen\n{content}")
    done = run("render")
    assert (done.code, "crd-leaves" in done.err) == (0, False)


def test_no_link_is_followed(rendered: Path, tmp_path: Path) -> None:
    shutil.move(rendered / "overlays/base", tmp_path / "base")
    (rendered / "overlays/base").symlink_to(tmp_path / "base")
    set_in(rendered / "targets/odh.yaml", "managementState: Removed")
    result = run("render", "--check")
    assert (result.code, "crd-leaves" in result.err, "path-symlink" in result.err) == (1, False, True)


def leave_behind(kit: Path) -> None:
    """Render a fourth target, then go back to the specs and the list of before."""
    spec, listing = kit / "targets/test.yaml", kit / "overlays/.kitgen/files"
    old = listing.read_text()
    spec.write_text((kit / "targets/odh.yaml").read_text().replace("target: odh", "target: test"))
    assert run("render").code == 0
    spec.unlink()
    listing.write_text(old)


def test_files_that_the_list_does_not_name_stay(rendered: Path) -> None:
    leave_behind(rendered)
    before = kits.contents(rendered / "overlays/test")
    for args in (["render"], ["render", "--no-cache"], ["render", "--check"]):
        assert run(*args) == Run(code=0, out="", err=SUMMARY)
    assert kits.contents(rendered / "overlays/test") == before


def test_other_files_are_nobodys_business(rendered: Path, tmp_path: Path) -> None:
    mark = "# Generated by kitgen from x. Do not edit.\n"
    kits.write(tmp_path / "elsewhere", {"a.yaml": mark})
    kits.write(
        rendered / "overlays",
        {
            "notes.md": f"Do not touch what opens with:\n{mark}",
            "own/params.env": "a=b\n",
            "own/empty.yaml": "",
            ".hidden/a.yaml": mark,
        },
    )
    (rendered / "overlays/linked").symlink_to(tmp_path / "elsewhere")
    (rendered / "overlays/own/linked.yaml").symlink_to(tmp_path / "elsewhere/a.yaml")
    os.mkfifo(rendered / "overlays/own/pipe")
    assert run("render").err == SUMMARY
    assert run("render", "--check").err == SUMMARY


def test_a_list_that_went_back_alone_is_not_up_to_date(rendered: Path) -> None:
    listing = rendered / "overlays/.kitgen/files"
    full = listing.read_text()
    listing.write_text("".join(line for line in full.splitlines(True) if not line.startswith("odh/")))
    checked = run("render", "--check")
    assert (checked.code, checked.out) == (1, "stale: overlays/.kitgen/files\n")
    assert run("render").err == SUMMARY.replace(": 0", ": 1")
    assert listing.read_text() == full
    assert run("render", "--check") == Run(code=0, out="", err=SUMMARY)


def test_a_generated_file_that_is_not_on_the_list_is_called_that(rendered: Path) -> None:
    leave_behind(rendered)
    spec = (rendered / "targets/odh.yaml").read_text().replace("target: odh", "target: test")
    (rendered / "targets/test.yaml").write_text(spec.replace("  hello:\n", "  hello:\n    replicas: 7\n"))
    told = "found a generated file that .kitgen/files does not name, with other content (hint: move it away"
    assert told in run("render").err
    (rendered / "overlays/test/hello/kustomization.yaml").write_text("mine\n")
    assert "found a file that kitgen did not write, with other content" in run("render").err


def test_a_check_of_another_folder_repairs_it_first(kit: Path) -> None:
    assert run("render", "--out", "out").code == 0
    fresh = (kit / "out/odh/kustomization.yaml").read_text()
    (kit / "out/odh/kustomization.yaml").unlink()
    journal = '{"write": ["odh/kustomization.yaml"], "delete": []}'
    kits.write(kit / "out/.kitgen", {"journal": journal, "stage/0": fresh, "stage/folders": ""})
    assert run("render", "--out", "out", "--check") == Run(code=0, out="", err=SUMMARY)
    assert sorted(path.name for path in (kit / "out/.kitgen").iterdir()) == [".gitignore", "files", "lock"]


def test_a_link_of_the_kit_leads_no_write_elsewhere(rendered: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (rendered / "build").symlink_to(tmp_path / "elsewhere")
    for args in (["render", "--out"], ["export", "odh"]):
        done = run(*args, "build/out")
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("build:1: path-symlink: found a symlink on the way to build/out (hint: ")
    assert not list((tmp_path / "elsewhere").iterdir())
