"""Bundles that targets render are held to the rules of bundles; with an error, none is written."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

COMPONENT = "components/hello/v1.0.0/component.yaml"


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a kit with a bundle the current folder."""
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "olm-bundle")
    monkeypatch.chdir(root)
    return root


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_an_error_of_a_bundle_leads_to_the_spec_and_blocks_the_write(kit: Path) -> None:
    support = "  support: The team\n"
    change(kit / COMPONENT, support, f"{support}  annotations: {{olm.skiprange: <1.0.0}}\n")
    result = run("render")
    assert result.code == 1
    assert f"{COMPONENT}:" in result.err
    assert 'csv-annotation-case: found "olm.skiprange", expected olm.skipRange' in result.err
    assert not (kit / "overlays/olm").exists()
    checked = run("check", "olm", "-o", "lines")
    assert checked.code == 1
    assert "/listing/annotations/olm.skiprange: csv-annotation-case: " in checked.out


def test_warnings_of_a_bundle_are_for_check_alone(kit: Path) -> None:
    change(kit / "targets/olm.yaml", "channels: [fast, stable]", "channels: [alpha, stable]")
    assert "bundle-channel-name" not in run("render").err
    checked = run("check", "olm", "-o", "lines")
    assert checked.code == 0
    assert "targets/olm.yaml:7 /bundle/channels: warning: bundle-channel-name: " in checked.out


def test_what_is_rendered_is_a_good_bundle(kit: Path) -> None:
    assert run("render", "--quiet").code == 0
    result = run("bundle", "check", "overlays/olm/bundle", "--profile", "operatorhub", "-o", "lines")
    assert (result.code, result.out) == (0, "")


def test_versions_of_clusters_are_left_out_if_the_target_says_so(kit: Path) -> None:
    csv = kit / "overlays/olm/bundle/manifests/hello-operator.clusterserviceversion.yaml"
    notes = [
        kit / "overlays/olm/bundle" / each for each in ("metadata/annotations.yaml", "bundle.Dockerfile")
    ]

    def said() -> list[bool]:
        assert run("render", "--quiet").code == 0
        found = [key in csv.read_text() for key in ("minKubeVersion",)]
        return found + ["com.redhat.openshift.versions" in each.read_text() for each in notes]

    assert said() == [True, True, True]
    change(kit / "targets/olm.yaml", "bundle:\n", "bundle:\n  minKubeVersion: false\n  openshift: false\n")
    assert said() == [False, False, False]
    assert "csv-kube-version-missing" not in run("check", "olm", "-o", "lines").out
    # Of a bundle that others wrote, nobody knows whether it was meant.
    checked = run("bundle", "check", "overlays/olm/bundle", "-o", "lines").out
    assert "csv-kube-version-missing" in checked and "bundle-kube-range" not in checked


def test_an_example_that_its_crd_refuses_is_an_error(kit: Path) -> None:
    example = "components/hello/v1.0.0/examples/greeting.yaml"
    change(kit / example, "{text: Good morning}", "{text: 1}")
    for command in (["render"], ["bundle", "write", "catalog"]):
        result = run(*command)
        assert result.code == 1
        assert f"{example}:4 /spec/text: csv-example-invalid: found 1, expected a string" in result.err
    assert not (kit / "overlays/olm").exists()
    assert not (kit / "catalog").exists()


def test_what_settings_of_the_bundle_make_wrong_is_found(kit: Path) -> None:
    merge = "{spec: {minReadySeconds: soon}}"
    patch = f"{{name: slow, why: for a test, object: Deployment/hello-manager, merge: {merge}}}"
    change(kit / "targets/olm.yaml", "settings: {", f"settings: {{patches: [{patch}], ")
    result = run("render")
    assert result.code == 1
    assert "/bundle/settings/patches/0/merge/spec/minReadySeconds: field-type: " in result.err
    assert not (kit / "overlays/olm").exists()


def test_crds_that_the_target_has_elsewhere_are_in_the_bundle(kit: Path) -> None:
    named = "namespace: {name: hello-system, create: true}"
    change(kit / "targets/olm.yaml", named, f"{named}\n    crds: bundle")
    assert run("render", "--quiet").code == 0
    assert (kit / "overlays/olm/bundle/manifests/example.com_greetings.yaml").is_file()


def test_a_webhook_that_olm_cannot_narrow_is_told(kit: Path) -> None:
    hook = "{kind: example.com/v1/Greeting, skipNamespaces: [kube-system]}"
    change(kit / COMPONENT, "kinds: [example.com/v1/Greeting]", f"kinds: [{hook}]")
    checked = run("check", "olm", "-o", "lines")
    assert checked.code == 0
    assert "bundle-webhook-scope: found namespaceSelector of the webhook mgreeting.kb.io" in checked.out
    change(kit / "targets/olm.yaml", "  component: hello\n", "  component: hello\n  webhooks: operator\n")
    assert "bundle-webhook-scope" not in run("check", "olm", "-o", "lines").out


def test_namespaces_to_watch_are_those_of_the_group(kit: Path) -> None:
    modes = "  installModes: [MultiNamespace]\n"
    change(kit / "targets/olm.yaml", "  component: hello\n", f"  component: hello\n{modes}")
    change(kit / "targets/olm.yaml", "install:\n", "install:\n  watches: [one, two]\n")
    assert run("render", "--quiet").code == 0
    group = (kit / "overlays/olm/install/operatorgroup-hello-operator.yaml").read_text()
    assert group.endswith("spec:\n  targetNamespaces:\n  - one\n  - two\n")


@pytest.mark.parametrize("text", ["<html><svg></svg>", "<!-- <svg></svg>", "words"])
def test_an_icon_of_another_root_is_no_picture(kit: Path, text: str) -> None:
    (kit / "components/hello/v1.0.0/icon.svg").write_text(text)
    assert "/listing/icon: listing-icon: found something else" in run("render").err


@pytest.mark.parametrize(
    "text",
    [
        "<svg/>",
        '<?xml version="1.0"?>\n<!-- x --><!DOCTYPE svg [<!ENTITY a "b">]>\n<s:svg></s:svg><!-- y -->',
    ],
)
def test_an_icon_may_start_as_any_xml_does(kit: Path, text: str) -> None:
    (kit / "components/hello/v1.0.0/icon.svg").write_text(text)
    assert run("render", "--quiet").code == 0


def test_a_kind_that_is_required_is_served_in_that_version(kit: Path) -> None:
    requires = "  requires: [example.com/v7/Greeting]\n"
    change(kit / "targets/olm.yaml", "  component: hello\n", f"  component: hello\n{requires}")
    assert "/bundle/requires/0: reference-missing: " in run("render").err


def test_a_target_is_held_against_the_target_of_a_release_alone(kit: Path) -> None:
    result = run("diff", "release:v1.0.0", "target:olm")
    assert (result.code, result.out) == (0, "")
