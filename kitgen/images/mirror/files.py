"""The files of a mirror: what tools read that copy images, and what sends a cluster to the copies.

In: the images of a target with their places. Out: path → text. Nothing here depends on the day, a login or
a network.
"""

from __future__ import annotations

from kitgen.images.mirror.contents import MirrorContents
from kitgen.images.mirror.image_set import (
    build_catalog_source,
    build_image_set,
    build_mirror_sets,
    build_operator_hub,
    build_skopeo_sync,
    render_image_list,
    render_mapping,
)
from kitgen.images.mirror.readme import render_readme
from kitgen.render.file_tree import FileTree
from kitgen.render.overlays.files import format_comment, format_header, render_document
from kitgen.text.yaml import dump_yaml_documents

KEEP = "for oc image mirror -f mapping.txt --keep-manifest-list=true"


def render_mirror_files(carried: MirrorContents) -> FileTree:
    """Return every file of a mirror but those of a target that is rendered for it."""
    offered, origins = carried.offered, carried.origins
    mark = format_header(origins)
    files = {"images.txt": mark + render_image_list(carried.places)}
    if places := carried.copied:
        config, note = build_image_set(places, offered, carried.mirror), "for oc-mirror v2"
        sync = render_document(build_skopeo_sync(places), *origins, note="for skopeo sync --src yaml")
        files["imageset-config.yaml"] = render_document(config, *origins, note=note)
        files["mapping.txt"] = mark + format_comment(KEEP) + render_mapping(places)
        files["skopeo-sync.yaml"] = sync
    name, redirected = f"kitgen-{carried.target}", carried.redirected_places
    if not carried.rewritten and redirected:
        sets = build_mirror_sets(name, redirected, never_source=carried.never_source)
        files["mirror-sets.yaml"] = mark + dump_yaml_documents(sets)
    if offered is not None:
        files["catalog-source.yaml"] = render_document(build_catalog_source(offered), *origins)
        files["operator-hub.yaml"] = render_document(build_operator_hub(), *origins)
    return {**files, "README.md": f"<!--\n{mark}-->\n\n{render_readme(carried, frozenset(files))}"}
