"""Hold releases to what the kit says besides: what `kitgen check` and `kitgen release check` both find."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.findings import Finding
from kitgen.kit.model import Kit, Release
from kitgen.kit.releases import Tags, check_bundle_releases, check_release, load_tags
from kitgen.kit.succession import check_successor
from kitgen.workspace.kit import OpenedKit


def check_loaded_releases(kit: Kit, releases: Iterable[Release]) -> Iterator[Finding]:
    """Yield what loading a kit finds in some releases."""
    files = set()
    for release in releases:
        files.add(release.origin.file)
        yield from check_release(release)
        yield from check_successor(kit, release)
    yield from (each for each in check_bundle_releases(kit) if each.origin.file in files)


def check_kit_releases(opened: OpenedKit, release: Release | None) -> Iterator[Finding]:
    """Yield what is wrong with a release, or with all of a kit."""
    return check_releases(opened, [release] if release else opened.kit.releases.values())


def check_releases(
    opened: OpenedKit, releases: Iterable[Release], *, alone: bool = False
) -> Iterator[Finding]:
    """Yield what else is wrong with some releases; alone, what checking their objects would find, too."""
    from kitgen.release.rules import checks as rules
    from kitgen.release.rules.context import build_context

    tags, wrong = load_tags(opened.files) if opened.files else (Tags(), [])
    yield from wrong
    context = build_context(opened.kit, tags)
    for release in releases:
        yield from rules.check_release(context, release)
        yield from rules.check_specs(context, release) if alone else ()
