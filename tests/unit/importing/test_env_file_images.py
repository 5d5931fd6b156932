"""What only env files of a tree name is declared, each image once, under a name of its own."""

from __future__ import annotations

from time import process_time

from kitgen.importing.env_file_images import add_unbuilt_images
from kitgen.importing.spec import Spec
from kitgen.kit.kustomizations import Generator
from kitgen.kit.shipped_trees import ShippedTree
from kitgen.text.yaml import Json


def declared(values: dict[str, str]) -> dict[str, Json]:
    made = Generator(name="env", keys=frozenset(values), file="kustomization.yaml", values=values)
    real = ShippedTree(name="tree", unbuilt=(made,))
    found: dict[str, Json] = add_unbuilt_images(Spec(data={}), [real], None).data.get("runtimeImages", {})
    return {name: each["image"] for name, each in found.items()}


def test_names_that_are_alike_get_numbers() -> None:
    keys = ["A_IMAGE", "a-image-2", "a.image", "A-IMAGE", "ÄÖ"]
    found = declared({key: f"quay.io/a/b:v{at}" for at, key in enumerate(keys)})
    assert [*found] == ["a-image", "a-image-2", "a-image-3", "a-image-4", "image"]


def test_each_image_once_and_nothing_else() -> None:
    assert declared({"A": "quay.io/a/b:v1", "B": "quay.io/a/b:v1", "C": "text", "D": "quay.io/a/b"}) == {
        "a": "quay.io/a/b:v1"
    }


def test_many_of_them_take_no_longer_each() -> None:
    start = process_time()
    assert len(
        declared({f"{'_' * (at % 99)}K{at % 9}{'.' * (at // 9)}": f"a.io/b:v{at}" for at in range(20_000)})
    )
    assert process_time() - start < 5
