"""Reasons may be written later, and until then they are told."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

COMPONENT = "components/hello/v1.0.0/component.yaml"
PATCH = """
patches:
- {name: later, why: "", object: Deployment/hello-manager, merge: {spec: {paused: false}}}
"""
SETTINGS = """\
target: olm
about: As upstream ships it
release: v1.0.0
components:
  hello:
    patches:
    - {name: now, why: "", object: Deployment/hello-manager, merge: {spec: {minReadySeconds: 9}}}
    withhold:
    - {permissions: {core/configmaps: list}, why: ""}
    overrides:
    - {version: v1.1.0, releases: "<=1.0.0", why: ""}
"""


ACCEPTED = [
    (COMPONENT, "/features/params/about"),
    (COMPONENT, "/patches/0/why"),
    ("targets/olm.yaml", "/components/hello/patches/0/why"),
    ("targets/olm.yaml", "/components/hello/withhold/0/why"),
    ("targets/olm.yaml", "/components/hello/overrides/0/why"),
]


@pytest.fixture
def without_reasons(kit: Path) -> Path:
    text = (kit / COMPONENT).read_text()
    about = "about: The ODH operator rewrites this on the cluster before it builds"
    (kit / COMPONENT).write_text(text.replace(about, 'about: ""') + PATCH)
    newer = "version: v1.1.0\nfrom: v1.0.0\nimages: {manager: quay.io/example/hello:v1.1.0}\n"
    kits.write(kit, {"targets/olm.yaml": SETTINGS, "components/hello/v1.1.0/component.yaml": newer})
    return kit


def test_an_empty_reason_is_a_warning(without_reasons: Path) -> None:
    result = run("check", "-o", "lines", "--root", without_reasons)
    told = {
        line.partition(": warning: reason-missing: ")[0].partition(":")[0::2]
        for line in result.out.splitlines()
    }
    assert result.code == 0
    places = {(file, place.partition(" ")[2]) for file, place in told}
    assert places == set(ACCEPTED)
    assert (
        f"{COMPONENT}:38 /features/params/about: warning: reason-missing: the feature 'params' says"
        in result.out
    )
    assert "what is withheld says no reason" in result.out
    assert "the version v1.1.0 says no reason" in result.out


def test_what_has_no_reason_is_rendered_with_its_place(without_reasons: Path) -> None:
    assert run("render", "--root", without_reasons).code == 0
    patch = without_reasons / "overlays/olm/hello/patches/deployment-manager.yaml"
    text = patch.read_text() if patch.exists() else ""
    assert "# : " not in text
    assert run("why", "olm", "Deployment/hello-manager", "/spec/paused", "--root", without_reasons).code == 0


def test_a_missing_reason_can_be_accepted(without_reasons: Path) -> None:
    with (without_reasons / "kit.yaml").open("a") as stream:
        stream.write("exceptions:\n")
        for file, pointer in ACCEPTED:
            told = "reason: Asked upstream, expires: '2030-01-31'"
            stream.write(f"- {{rule: reason-missing, file: {file}, pointer: {pointer}, {told}}}\n")
    result = run("check", "-o", "lines", "--root", without_reasons)
    assert (result.code, result.out) == (0, "")


@pytest.mark.parametrize("why", ['"ab"', "null"])
def test_a_reason_is_text_of_some_length(kit: Path, why: str) -> None:
    with (kit / COMPONENT).open("a") as stream:
        stream.write(PATCH.replace('""', why))
    assert run("check", "-o", "lines", "--root", kit).code == 1


def test_an_exception_needs_its_reason(kit: Path) -> None:
    with (kit / "kit.yaml").open("a") as stream:
        place = f"file: {COMPONENT}, pointer: /about"
        stream.write(f"exceptions:\n- {{rule: image-tag, {place}, expires: '2030-01-31', reason: ''}}\n")
    assert run("check", "-o", "lines", "--root", kit).code == 1
