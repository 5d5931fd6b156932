"""Write where manifests and images come from: as tables for people, or for programs."""

from __future__ import annotations

from collections.abc import Sequence

from kitgen.release.manifest_sources import ManifestSource, TargetSources
from kitgen.report.documents import DocumentSchema, document
from kitgen.report.table import table
from kitgen.text.yaml import JsonObject

NONE = "-"
MANIFESTS = ("key", "component", "version", "repository", "ref", "path")
IMAGES = ("key", "params key", "variable", "image")
TESTED = ("tested with", "version", "images")


def as_table(targets: Sequence[TargetSources], *, width: int, colour: bool) -> str:
    """Write for each target where manifests come from, then images, then what the release was tested with."""
    made = []
    for each in targets:
        title = f"{each.target} {each.release}"
        manifests = [_row(one) for one in each.sources]
        images = [
            (one.folder, image.key, image.variable or NONE, image.image)
            for one in each.sources
            for image in one.images
        ]
        tested = [(one.name, one.version, ", ".join(one.images) or NONE) for one in each.tested]
        parts = ((title, MANIFESTS, manifests), ("", IMAGES, images), ("", TESTED, tested))
        made += [table(said, head, rows, width=width, colour=colour) for said, head, rows in parts if rows]
    return "\n".join(made)


def _row(one: ManifestSource) -> tuple[str, ...]:
    source = one.source
    return one.folder, one.component, one.version, source.repository, source.ref, source.path


def as_json(targets: Sequence[TargetSources]) -> str:
    """Write the same for a program."""
    return document(
        DocumentSchema.SOURCES,
        targets=[
            {
                "target": each.target,
                "platform": each.platform,
                "release": each.release,
                "sources": [_source(one) for one in each.sources],
                "leftOut": list(each.left_out),
                "testedWith": [
                    {"name": one.name, "version": one.version, "images": list(one.images)}
                    for one in each.tested
                ],
            }
            for each in targets
        ],
    )


def _source(one: ManifestSource) -> JsonObject:
    return {
        "key": one.folder,
        "component": one.component,
        "version": one.version,
        "repository": one.source.repository,
        "ref": one.source.ref,
        "path": one.source.path,
        "folder": one.folder,
        "images": [
            {"paramsKey": each.key, "variable": each.variable or None, "image": each.image}
            for each in one.images
        ],
    }
