"""Releases: whether what one says is what it builds, and what others will find of it.

In: a kit, one of its releases, and the tags that repositories are known to have. Out: findings in the file of
the release, or in the spec that the release takes. Each module looks at one side.
"""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.releases.succeeding import check_replaced
from kitgen.findings import Finding
from kitgen.load.tags import Tags
from kitgen.model import Kit, Release


def check(kit: Kit, release: Release, tags: Tags) -> Iterator[Finding]:
    """Yield what is wrong with a release."""
    yield from check_replaced(kit, release)
