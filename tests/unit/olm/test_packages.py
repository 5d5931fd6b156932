"""Bundles on disk: where they are found, what is read of them, and the labels of their images."""

from __future__ import annotations

from pathlib import Path

import bundles
import pytest

from kitgen.findings.errors import UsageError
from kitgen.kit.bundle_settings import OPENSHIFT
from kitgen.olm.packages.contents import Recent, TextContent, parse_image_labels
from kitgen.olm.packages.folders import BundleFolder, find_packages
from kitgen.olm.packages.reading import Reader
from kitgen.olm.packages.records import UnknownManifest


@pytest.fixture
def place(tmp_path: Path) -> BundleFolder:
    return BundleFolder(folder=str(bundles.make_bundle(tmp_path / "bundle")))


def test_every_part_of_a_bundle_knows_its_file(place: BundleFolder) -> None:
    bundle = Reader(place.folder, Recent(0)).read_bundle(place)
    assert (bundle.lacks, bundle.strange, bundle.findings) == ((), (), ())
    assert [each.id.kind for each in bundle.objects] == ["CustomResourceDefinition", "ClusterServiceVersion"]
    assert bundle.csv is not None
    assert bundle.csv.find_origin(("spec", "icon")).file == f"{place.folder}/{bundles.CSV}"
    assert bundle.channels == ("stable",)
    assert bundle.get_annotation(OPENSHIFT) == "v4.12"
    assert [each.documents for each in bundle.files] == [1, 1]
    assert all(100 < each.size < 2_000 for each in bundle.files)


def test_what_is_no_manifest_is_named(place: BundleFolder) -> None:
    folder = Path(place.folder, "manifests")
    (folder / "more").mkdir()
    (folder / ".git").write_text("")
    (folder / "README.md").write_text("")
    (folder / "loop").symlink_to("loop")
    assert Reader(place.folder, Recent(0)).read_bundle(place).strange == (
        (str(folder / ".git"), UnknownManifest.HIDDEN),
        (str(folder / "README.md"), UnknownManifest.OTHER),
        (str(folder / "loop"), UnknownManifest.OTHER),
        (str(folder / "more"), UnknownManifest.FOLDER),
    )


def test_a_text_that_comes_again_is_read_once(place: BundleFolder) -> None:
    contents: Recent[TextContent] = Recent(1_000_000)
    first, second = (Reader(place.folder, contents).read_bundle(place) for _ in range(2))
    assert all(one.body is other.body for one, other in zip(first.objects, second.objects, strict=True))


def test_versions_of_a_package_are_in_order(tmp_path: Path) -> None:
    for version in ("1.10.0", "1.9.0", "1.9.0-rc.1"):
        bundles.make_bundle(tmp_path / "operators" / "web" / version, version=version)
    (package,) = find_packages(str(tmp_path))
    assert (package.name, package.ci) == ("web", "")
    assert [each.version for each in package.bundles] == ["1.9.0-rc.1", "1.9.0", "1.10.0"]
    (single,) = find_packages(str(tmp_path / "operators/web/1.9.0"))
    assert [(each.version, each.package) for each in single.bundles] == [("1.9.0", "web")]


def test_a_folder_elsewhere_is_of_no_package(tmp_path: Path) -> None:
    (found,) = find_packages(str(bundles.make_bundle(tmp_path / "1.0.0")))
    assert [(each.version, each.package) for each in found.bundles] == [("", "")]


def test_nothing_like_a_bundle_is_an_empty_package(tmp_path: Path) -> None:
    assert [each.bundles for each in find_packages(str(tmp_path))] == [()]
    with pytest.raises(UsageError):
        find_packages(str(tmp_path / "none"))


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("FROM scratch\nLABEL a=b\n", {"a": ("b", 2)}),
        ("LABEL a=b c='d e' \\\n  f=\"g\"\n", {"a": ("b", 1), "c": ("d e", 1), "f": ("g", 1)}),
        ("# LABEL a=b\nlabel a b c\n", {"a": ("b c", 2)}),
        ("LABEL a=b\nLABEL a=c\n", {"a": ("c", 2)}),
        ("LABEL a=b \\\n# words\n\n  c=d", {"a": ("b", 1), "c": ("d", 1)}),
        ("LABEL a='b\n", {}),
        ("COPY a b\n", {}),
        ("", {}),
    ],
)
def test_labels_have_their_lines(text: str, labels: dict[str, tuple[str, int]]) -> None:
    found = parse_image_labels("bundle.Dockerfile", text)
    lines = {
        key: (value, found.find_origin(("labels", key)).line) for key, value in found.body["labels"].items()
    }
    assert lines == labels
