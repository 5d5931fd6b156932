"""What certification asks of a bundle, as far as its files tell, and which images it lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Path, Problem, problem, rule
from kitgen.kube.image_mentions import ImageMention, mappings, mentions
from kitgen.kube.image_reference import reference
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.fields import FEATURES
from kitgen.olm.rules.terms import (
    INSTALL,
    BundleFault,
    BundleTerms,
    annotation,
)
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import cut, shown

CSV_DISCONNECTED = rule("csv-disconnected")

INFRASTRUCTURE = "operators.openshift.io/infrastructure-features"
RELATED: Path = ("spec", "relatedImages")


def check(bundle: Bundle, _terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield what keeps a bundle from being certified."""
    for csv in bundle.csvs:
        if says_disconnected(csv):
            yield from (BundleFault(csv, each) for each in _disconnected(csv))


def says_disconnected(csv: Manifest) -> bool:
    """Tell whether a bundle says that it is for clusters without a network, in either form."""
    listed = annotation(csv, INFRASTRUCTURE)
    old = isinstance(listed, str) and re.search(r"\bdisconnected\b", listed, re.IGNORECASE) is not None
    return annotation(csv, f"{FEATURES}disconnected") == "true" or old


def _disconnected(csv: Manifest) -> Iterator[Problem]:
    if not (images := entries_at(csv.body, *RELATED)):
        yield CSV_DISCONNECTED("found no relatedImages, expected every image", ("spec",))
    for at, each in images:
        if "@sha256:" not in str(each.get("image")):
            yield CSV_DISCONNECTED(f"found {shown(each.get('image'))}, expected a digest", (*RELATED, at))
    names = {
        str(variable.get("name"))
        for _, deployment in entries_at(csv.body, *INSTALL, "deployments")
        for key in ("containers", "initContainers")
        for _, container in entries_at(deployment, "spec", "template", "spec", key)
        for _, variable in entries_at(container, "env")
    }
    if not any(name.startswith("RELATED_IMAGE_") for name in names):
        yield CSV_DISCONNECTED(
            "found no variable RELATED_IMAGE_NAME, expected the operator to get its images so", INSTALL
        )


def check_images(bundle: Bundle, terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield images that may change, and images that nobody would mirror."""
    for csv in bundle.csvs:
        found = mentions(mappings({"deployments": value_at(csv.body, *INSTALL, "deployments")}))
        used = [each._replace(path=(*INSTALL, *each.path)) for each in found]
        related = [
            ImageMention((*RELATED, at, "image"), each["image"], "", runs=False)
            for at, each in entries_at(csv.body, *RELATED)
            if isinstance(each.get("image"), str)
        ]
        listed = {each.image for each in related}
        for each in {each.image: each for each in reversed((*used, *related))}.values():
            if (parts := reference(each.image)) is not None and not parts.digest:
                yield BundleFault(
                    csv,
                    problem("csv-image-unpinned", f"found {cut(each.image)}, expected a digest", each.path),
                )
        for each in used if related or terms.certified else ():
            if each.image not in listed:
                message = f"found {cut(each.image)}, which is not among the related images"
                yield BundleFault(csv, problem("csv-image-unlisted", message, each.path))
