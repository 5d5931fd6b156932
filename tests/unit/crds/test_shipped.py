"""The CRDs of the kit: a change of what they expand to cannot slip by."""

from __future__ import annotations

import hashlib
import json
import re

import pytest
from declared import plain
from kits import PROJECT

from kitgen.crds import expand
from kitgen.crds.declare.format import HEAD, write
from kitgen.crds.importer.importer import import_crds
from kitgen.findings import Origin
from kitgen.schema.shape import violations
from kitgen.yamlio import JsonObject, read

DIGESTS = {
    "appwrapper/v0.20.2/appwrappers": "50a779f51656e9a9",
    "codeflare-operator/v1.0.0/appwrappers": "b0dc65c620bda3cc",
    "codeflare-operator/v1.0.0/quotasubtrees": "3f0ef08e72f9c260",
    "codeflare-operator/v1.0.0/schedulingspecs": "c1aa6a1f4951fea2",
    "kuberay/v1.1.0/rayclusters": "25823220b8494895",
    "kuberay/v1.1.0/rayjobs": "ef9ac684d8e5fdc4",
    "kuberay/v1.1.0/rayservices": "3453668650f98a15",
    "kueue/v0.7.0/admissionchecks": "75a22cdc2196b14d",
    "kueue/v0.7.0/clusterqueues": "716837a57fe98f79",
    "kueue/v0.7.0/localqueues": "75b4435b4b88d041",
    "kueue/v0.7.0/multikueueclusters": "bd0f2e5508fd227c",
    "kueue/v0.7.0/multikueueconfigs": "87892f0a201af83c",
    "kueue/v0.7.0/provisioningrequestconfigs": "1f80eb3031f4f64e",
    "kueue/v0.7.0/resourceflavors": "30ff667091382a8d",
    "kueue/v0.7.0/workloadpriorityclasses": "8a8c326021608e80",
    "kueue/v0.7.0/workloads": "394c55cf5254e96f",
}
COMPONENTS = sorted({name.rpartition("/")[0] for name in DIGESTS})
LIMITS = {"rayclusters": 350, "rayjobs": 450, "rayservices": 450}


def files(component: str) -> list[tuple[Origin, JsonObject]]:
    folder = PROJECT / "components" / component / "crds"
    return [
        (Origin(path.stem), read(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("*.yaml"))
    ]


def minor(component: str) -> int:
    spec = read((PROJECT / "components" / component / "component.yaml").read_text(encoding="utf-8"))
    return int(spec["kubernetes"].removeprefix("1."))


def bodies(component: str) -> dict[str, JsonObject]:
    expansion = expand(files(component), minor=minor(component))
    assert expansion.findings == ()
    return {origin.file: body for (origin, _), body in zip(files(component), expansion.bodies, strict=True)}


def digest(body: JsonObject) -> str:
    """Return a digest that the order of keys and the wording of descriptions do not change."""
    text = json.dumps(plain(body), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def test_every_declaration_is_recorded() -> None:
    found = {
        f"{path.parents[2].name}/{path.parents[1].name}/{path.stem}"
        for path in (PROJECT / "components").glob("*/*/crds/*.yaml")
    }
    assert found == set(DIGESTS)


@pytest.mark.parametrize("component", COMPONENTS)
def test_declarations_expand_to_what_was_recorded(component: str) -> None:
    got = {f"{component}/{name}": digest(body) for name, body in bodies(component).items()}
    assert got == {name: value for name, value in DIGESTS.items() if name.startswith(component + "/")}


@pytest.mark.parametrize("component", COMPONENTS)
def test_declarations_are_small_and_name_their_schema(component: str) -> None:
    for path in (PROJECT / "components" / component / "crds").glob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        assert text.startswith(HEAD)
        assert text.count("\n") < LIMITS.get(path.stem, 250)
        assert max(map(len, text.splitlines())) <= 110
        assert not violations("crd", read(text), Origin(path.name))


@pytest.mark.parametrize("component", COMPONENTS)
def test_an_import_of_the_expansion_gives_the_declarations_back(component: str) -> None:
    wanted = bodies(component)
    made = import_crds(list(wanted.values()), prefer=minor(component))
    assert made.minor == minor(component)
    for file in made.files:
        assert read(file.text) == dict(files_by_name(component))[file.name]


def files_by_name(component: str) -> list[tuple[str, JsonObject]]:
    return [(origin.file, data) for origin, data in files(component)]


def test_the_cluster_spec_is_said_once() -> None:
    for name, field in (("rayjobs", "rayClusterSpec"), ("rayservices", "rayClusterConfig")):
        data = dict(files_by_name("kuberay/v1.1.0"))[name]
        spec = data["versions"]["v1"]["schema"]["properties"]["spec"]["properties"]
        assert spec[field] == {"$use": "rayclusters/v1/spec"}


def test_writing_a_declaration_gives_the_same_text() -> None:
    for path in (PROJECT / "components").glob("*/*/crds/*.yaml"):
        text = path.read_text(encoding="utf-8")
        assert write(read(text)) == text


def test_the_examples_of_the_documentation_expand() -> None:
    text = (PROJECT / "docs" / "crds.md").read_text(encoding="utf-8")
    whole, exceptions, types = (read(part) for part in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL))
    assert expand([(Origin("farms.yaml"), whole)], minor=30).findings == ()
    whole["versions"]["v1"]["schema"]["properties"]["spec"]["properties"] |= exceptions
    assert not violations("crd", {**whole, **types}, Origin("farms.yaml"))
    assert expand([(Origin("farms.yaml"), {**whole, **types})], minor=30).findings == ()
