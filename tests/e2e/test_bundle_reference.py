"""The bundles of the kit still are what upstream ships, in everything that OLM acts on.

`tests/data/bundles.json` holds digests of their parts from when they were held against the real bundles.
"""

from __future__ import annotations

import json
from pathlib import Path

import normal
import project
import pytest
import recorded
from some import first

from kitgen.olm.bundle import Package, package_of
from kitgen.olm.bundle_files import build_annotations
from kitgen.render.placement import list_shipped_releases
from kitgen.text.yaml import Json, JsonObject
from kitgen.workspace.kit import OpenedKit

BUNDLES = recorded.DATA / "bundles.json"
ACTING = ("package.v1", "channels.v1", "mediatype.v1")
"""How annotations of a bundle end that OLM acts on."""


def cases() -> list[tuple[str, str]]:
    """Return every target that has a bundle with each release that it ships."""
    kit = project.project().kit
    having = [each for each in kit.targets.values() if each.bundle]
    return [(each.name, release.name) for each in having for release in list_shipped_releases(kit, each)]


def permissions(listed: Json) -> dict[str, list[str]]:
    return {each["serviceAccountName"]: normal.granted(each["rules"]) for each in listed or ()}


def ordered(value: Json) -> Json:
    """Return a value whose ports, and what else has no order, are in one."""
    if isinstance(value, dict):
        return {
            key: sorted(map(ordered, item), key=json.dumps) if key == "ports" else ordered(item)
            for key, item in sorted(value.items())
        }
    return [ordered(each) for each in value] if isinstance(value, list) else value


def parts(package: Package) -> dict[str, Json]:
    """Return what OLM acts on, part by part."""
    body = package.csv.body
    spec: JsonObject = body["spec"]
    install: JsonObject = spec["install"]["spec"]
    notes = build_annotations(package)
    objects = normal.by_key(each.body for each in package.objects)
    return {
        "annotations": {key: value for key, value in notes.items() if key.endswith(ACTING)},
        "clusterPermissions": permissions(install.get("clusterPermissions")),
        "containerImage": body["metadata"]["annotations"]["containerImage"],
        "deployments": ordered(install["deployments"]),
        "installModes": sorted(each["type"] for each in spec["installModes"] if each["supported"]),
        "name": package.name,
        "owned": sorted(
            f"{each['name']} {each['version']}" for each in spec["customresourcedefinitions"]["owned"]
        ),
        "permissions": permissions(install.get("permissions")),
        "replaces": spec["replaces"],
        "suggestedNamespace": body["metadata"]["annotations"]["operatorframework.io/suggested-namespace"],
        "version": spec["version"],
        "webhookdefinitions": ordered(spec.get("webhookdefinitions", [])),
        **{f"object {key}": each for key, each in objects.items()},
    }


def kept(file: Path = BUNDLES) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(file.read_text()) if file.exists() else {}
    return found


@pytest.mark.parametrize(("target", "release"), first(cases()))
def test_a_bundle_is_the_reference(
    opened: OpenedKit, target: str, release: str, record_reference: bool
) -> None:
    package = package_of(opened.plan(opened.target(target), release))
    assert package is not None
    digests = {name: recorded.digest(each) for name, each in parts(package).items()}
    name = f"{target} {release}"
    if record_reference:
        BUNDLES.write_text(json.dumps(dict(sorted({**kept(), name: digests}.items())), indent=1) + "\n")
    assert name in kept(), "compare with upstream's bundle, then run pytest tests/e2e --record-reference"
    drift = [part for part in {**digests, **kept()[name]} if digests.get(part) != kept()[name].get(part)]
    assert drift == [], (
        "compare with upstream's bundle; if it changed, run pytest tests/e2e --record-reference"
    )
