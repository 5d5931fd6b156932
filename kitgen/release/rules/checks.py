"""Releases: whether what one says is what it builds, and what others will find of it.

In: a kit, one of its releases, and the tags that repositories are known to have. Out: findings in the file of
the release, or in the spec that it takes. To render a release needs none of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.images.related_images import check_release_variables
from kitgen.check.images.tags import check_mutable_tag
from kitgen.findings import Finding
from kitgen.kit.model import Kit, Release
from kitgen.release.rules.context import ReleaseContext
from kitgen.release.rules.images import check_images, list_used_images
from kitgen.release.rules.matrix_rows import check_links, check_rows
from kitgen.release.rules.succession import check_apis, check_release_name, check_replaced_release


def check_release(context: ReleaseContext, release: Release) -> Iterator[Finding]:
    """Yield what is wrong with a release."""
    yield from check_file(context.kit, release)
    yield from check_links(context, release)
    yield from check_images(context.kit, list_used_images(context, release))


def check_specs(context: ReleaseContext, release: Release) -> Iterator[Finding]:
    """Yield what a check of the rendered objects finds too, without rendering any."""
    yield from check_release_variables(release, context.placements_of(release))
    for each in list_used_images(context, release):
        if problem := check_mutable_tag(each.parts):
            yield problem.to_finding(each.origin)


def check_file(kit: Kit, release: Release) -> Iterator[Finding]:
    """Yield what is wrong with the file of a release, whatever targets make of it."""
    yield from check_release_name(kit, release)
    yield from check_replaced_release(kit, release)
    yield from check_rows(kit, release)
    yield from check_apis(kit, release)
