"""What certification asks of a bundle, as far as its files tell, and which images it lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Path, Problem, get_rule, make_problem
from kitgen.kube.image_mentions import find_mentions, walk_mappings
from kitgen.kube.image_reference import parse_image_reference
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.fields import FEATURES
from kitgen.olm.rules.terms import DEPLOYMENTS, INSTALL, BundleFault, BundleTerms, CsvView, annotation_of
from kitgen.text.values import entries_at, text_at, value_at
from kitgen.text.wording import describe_value, quote_text

CSV_DISCONNECTED = get_rule("csv-disconnected")

INFRASTRUCTURE = "operators.openshift.io/infrastructure-features"
RELATED: Path = ("spec", "relatedImages")


def check_disconnected(csv: CsvView) -> Iterator[Problem]:
    """Yield what is wrong with a bundle that says, in either form, that it needs no network."""
    listed = annotation_of(csv.manifest, INFRASTRUCTURE)
    said = annotation_of(csv.manifest, f"{FEATURES}disconnected") == "true"
    if not said and not re.search(r"\bdisconnected\b", text_at(listed), re.IGNORECASE):
        return
    if not (images := entries_at(csv.body, *RELATED)):
        yield CSV_DISCONNECTED("found no relatedImages, expected every image", ("spec",))
    for at, each in images:
        if "@sha256:" not in str(each.get("image")):
            yield CSV_DISCONNECTED(
                f"found {describe_value(each.get('image'))}, expected a digest", (*RELATED, at)
            )
    variables = (each for pod in csv.pods for container in pod.containers for _, each in container.variables)
    if not any(str(each.get("name")).startswith("RELATED_IMAGE_") for each in variables):
        yield CSV_DISCONNECTED(
            "found no variable RELATED_IMAGE_NAME, expected the operator to get its images so", INSTALL
        )


def check_images(bundle: Bundle, terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield images that may change, and images that nobody would mirror."""
    for csv in bundle.csvs:
        found = find_mentions(walk_mappings({"deployments": value_at(csv.body, *DEPLOYMENTS)}))
        used = [((*INSTALL, *each.path), each.image) for each in found]
        related = [
            ((*RELATED, at, "image"), image)
            for at, each in entries_at(csv.body, *RELATED)
            if isinstance(image := each.get("image"), str)
        ]
        for image, path in {image: path for path, image in reversed((*used, *related))}.items():
            if (parts := parse_image_reference(image)) is not None and not parts.digest:
                message = f"found {quote_text(image)}, expected a digest"
                yield BundleFault(csv, make_problem("csv-image-unpinned", message, path))
        listed = {image for _, image in related}
        for path, image in used if related or terms.certified else ():
            if image not in listed:
                message = f"found {quote_text(image)}, which is not among the related images"
                yield BundleFault(csv, make_problem("csv-image-unlisted", message, path))
