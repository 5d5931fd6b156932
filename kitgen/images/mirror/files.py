"""The files of a mirror: what tools read that copy images, and what sends a cluster to the copies.

In: the images of a target with their places. Out: path → text. Nothing here depends on the day, a login or
a network.
"""

from __future__ import annotations

from kitgen.images.mirror.contents import MirrorContents
from kitgen.images.mirror.image_set import (
    catalog_source,
    image_lines,
    image_set,
    mapping,
    mirror_sets,
    operator_hub,
    skopeo_sync,
)
from kitgen.images.mirror.readme import readme
from kitgen.render.file_tree import FileTree
from kitgen.render.overlays.files import comment, document, generated
from kitgen.text.yaml import dump_all

KEEP = "for oc image mirror -f mapping.txt --keep-manifest-list=true"


def mirror_files(carried: MirrorContents) -> FileTree:
    """Return every file of a mirror but those of a target that is rendered for it."""
    offered, origins = carried.offered, carried.origins
    mark = generated(origins)
    files = {"images.txt": mark + image_lines(carried.places)}
    if places := carried.copied:
        config, note = image_set(places, offered, carried.mirror), "for oc-mirror v2"
        sync = document(skopeo_sync(places), *origins, note="for skopeo sync --src yaml")
        files["imageset-config.yaml"] = document(config, *origins, note=note)
        files["mapping.txt"] = mark + comment(KEEP) + mapping(places)
        files["skopeo-sync.yaml"] = sync
    name, redirected = f"kitgen-{carried.target}", carried.redirected
    if not carried.rewritten and redirected:
        sets = mirror_sets(name, redirected, never_source=carried.never_source)
        files["mirror-sets.yaml"] = mark + dump_all(sets)
    if offered is not None:
        files["catalog-source.yaml"] = document(catalog_source(offered), *origins)
        files["operator-hub.yaml"] = document(operator_hub(), *origins)
    return {**files, "README.md": f"<!--\n{mark}-->\n\n{readme(carried, frozenset(files))}"}
