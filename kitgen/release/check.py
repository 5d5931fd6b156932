"""What `kitgen release check` does: look for the mistakes that releases come out with.

With `--against`, it holds files of others to the release, or without one to that which each says it is of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.findings import Finding, deduplicate_findings
from kitgen.findings.errors import UsageError
from kitgen.kit.model import Release
from kitgen.kit.releases import Tags, load_tags
from kitgen.release.blockers import check_buildable, check_rendered_targets
from kitgen.release.downstream.engine import check_downstream, read_downstream
from kitgen.release.downstream.records import Downstream
from kitgen.release.downstream.terms import ReleaseTerms
from kitgen.release.kit_releases import check_loaded_releases, check_releases
from kitgen.release.publishing import check_publishing
from kitgen.workspace.kit import OpenedKit, get_by_name, open_kit


class ReleaseChecked(Struct, frozen=True, kw_only=True):
    """What was looked at and found."""

    root: Path
    releases: tuple[str, ...]
    """The oldest first."""
    findings: tuple[Finding, ...]
    """Those that are accepted say why."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Files of others, for the lines of findings."""
    remarks: tuple[str, ...] = ()


def run_release_check(
    root: Path | None, version: str | None, *, every: bool, against: Sequence[str], target: str | None
) -> ReleaseChecked:
    """Look at a release, the newest one, or all of them.

    Files and folders of others are held to it, and to the versions that one target takes, or any.
    """
    opened = open_kit(root, releases=False)
    releases = _select_releases(opened, version, every=every)
    known = opened.apply_exceptions(
        [*check_loaded_releases(opened.kit, releases), *check_releases(opened, releases, alone=True)]
    )
    if not any(each.is_blocking for each in known):  # or nothing can be made of them
        known += [found for each in releases for found in _check_plan(opened, each)]
    release = None if every else releases[0]
    others = check_downstream_files(opened, against, release, target) if against else Downstream()
    return ReleaseChecked(
        root=opened.root,
        releases=tuple(each.name for each in releases),
        findings=tuple(deduplicate_findings([*known, *opened.apply_exceptions([*others.findings])])),
        texts=others.texts,
        remarks=others.remarks,
    )


def check_downstream_files(
    opened: OpenedKit, names: Iterable[str], release: Release | None, target: str | None
) -> Downstream:
    """Return what files hold, and what in them differs from a release, or from the one that each names."""
    found = read_downstream(names)
    terms = ReleaseTerms(
        kit=opened.kit,
        # What is wrong with them is reported where the release itself is checked.
        tags=load_tags(opened.files)[0] if opened.files else Tags(),
        release=release,
        target=opened.target(target) if target is not None else None,
    )
    said = [*check_downstream(terms, found)]
    return replace(
        found,
        findings=(*found.findings, *(each for each in said if isinstance(each, Finding))),
        remarks=(*dict.fromkeys(each for each in said if isinstance(each, str)), *found.remarks),
    )


def _check_plan(opened: OpenedKit, release: Release) -> Iterator[Finding]:
    """Yield what `kitgen release plan` refuses, or counts as errors."""
    wrong = opened.apply_exceptions(check_publishing(opened.kit, release))
    yield from wrong
    if not any(each.is_blocking for each in wrong):
        yield from check_buildable(opened, release)
        yield from check_rendered_targets(opened, release)[1]


def _select_releases(opened: OpenedKit, version: str | None, *, every: bool) -> list[Release]:
    if not (releases := opened.kit.releases):
        raise UsageError("this kit has no release", hint="kitgen release new makes one")
    return [*releases.values()] if every else [get_by_name(releases, "release", version or [*releases][-1])]
