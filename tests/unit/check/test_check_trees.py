"""The CRDs of a rendered tree are known by what they say, not by where they stand."""

from __future__ import annotations

from kitgen.check.rendered_trees import RenderedCrd, find_built_crds
from kitgen.text.yaml import JsonObject, dump_yaml

FOLDER = "base/hello/v1.0.0/crds"


def crd(name: str, **metadata: object) -> JsonObject:
    kind = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    return {**kind, "metadata": {**metadata, "name": name}, "spec": {"group": "example.com"}}


def built(files: dict[str, JsonObject]) -> dict[str, RenderedCrd]:
    texts = {f"{FOLDER}/{name}": dump_yaml(body) for name, body in files.items()}
    texts[f"{FOLDER}/kustomization.yaml"] = dump_yaml({"resources": list(files)})

    def text(path: str, limit: int) -> str | None:
        return texts[path][:limit] if path in texts else None

    return find_built_crds(FOLDER, text)


def test_a_file_may_be_called_anything() -> None:
    assert built({"crd-1.yaml": crd("greetings.example.com")}) == {
        "greetings.example.com": RenderedCrd("hello", bundled=False)
    }


def test_metadata_may_be_long() -> None:
    long = crd("greetings.example.com", annotations={"about": "x " * 4000})
    assert list(built({"a.yaml": long})) == ["greetings.example.com"]


def test_what_has_no_name_is_no_crd() -> None:
    assert built({"a.yaml": {**crd("x"), "metadata": None}}) == {}
