"""Releases: whether what one says is what it builds, and what others will find of it.

In: a kit, one of its releases, and the tags that repositories are known to have. Out: findings in the file of
the release, or in the spec that it takes. To render a release needs none of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.images.related_images import check_related
from kitgen.check.images.tags import moving
from kitgen.findings import Finding
from kitgen.kit.model import Kit, Release
from kitgen.release.rules.context import ReleaseContext
from kitgen.release.rules.images import check_images, used_images
from kitgen.release.rules.matrix_rows import check_links, check_rows
from kitgen.release.rules.succession import check_apis, check_name, check_replaced


def check_release(context: ReleaseContext, release: Release) -> Iterator[Finding]:
    """Yield what is wrong with a release."""
    yield from check_file(context.kit, release)
    yield from check_links(context, release)
    yield from check_images(context.kit, used_images(context, release))


def check_specs(context: ReleaseContext, release: Release) -> Iterator[Finding]:
    """Yield what a check of the rendered objects finds too, without rendering any."""
    yield from check_related(release, context.placed(release))
    for each in used_images(context, release):
        if problem := moving(each.parts):
            yield problem.at(each.origin)


def check_file(kit: Kit, release: Release) -> Iterator[Finding]:
    """Yield what is wrong with the file of a release, whatever targets make of it."""
    yield from check_name(kit, release)
    yield from check_replaced(kit, release)
    yield from check_rows(kit, release)
    yield from check_apis(kit, release)
