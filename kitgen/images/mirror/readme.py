"""The README of a mirror, for the person who carries the disk."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from kitgen.images.mirror.contents import MirrorContents
from kitgen.render.image_places import ImageNaming
from kitgen.text.wording import escape_markdown, format_count

APPLIED = ("mirror-sets.yaml", "operator-hub.yaml", "catalog-source.yaml")


def render_readme(carried: MirrorContents, files: frozenset[str]) -> str:
    """Return what to do with the files of a mirror, in order."""
    layout = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    layout.filters |= {"prose": escape_markdown, "sh": quote}
    names = {name: each.mirror_reference for each in carried.places for name in each.names}
    text = layout.get_template("readme.md.j2").render(
        carried=carried,
        offered=carried.offered,
        counted=format_count,
        title=format_readme_title(carried.target),
        registry=carried.mirror.registry,
        registry_host=carried.mirror.registry.partition("/")[0],
        red_hat="registry.redhat.io",
        hosts=sorted({each.source.host for each in carried.places}),
        copied_hosts=sorted({each.source.host for each in carried.copied}),
        there=[each.source for each in carried.places if each.there],
        tags=[each.source for each in carried.redirected_places if not each.by_digest],
        unnamed={each.image: each.place for each in carried.uses if each.use is ImageNaming.RUNTIME},
        renamed=names if carried.rewritten else {},
        applied=[each for each in APPLIED if each in files],
        sync="skopeo sync --all --preserve-digests --scoped",
        # Folders that people carry; each tool has its own, since neither knows what the other wrote.
        disk="disk-oc-mirror",
        skopeo_disk="disk-skopeo",
    )
    return f"{text.rstrip()}\n"


def format_readme_title(target: str) -> str:
    """Return how the heading of a README begins, which tells whose files a folder has."""
    return f"# Images of {target} "
