"""What files are held to: a release as some or one of the targets take it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from kitgen.findings import Finding, Origin, Rule
from kitgen.kit.model import ITSELF, Export, Kit, MatrixRow, PlatformSource, Release, Target
from kitgen.kit.releases import PLACEHOLDER, RECORDED, Tags
from kitgen.kube.image_reference import ImageReference, parse_image_reference
from kitgen.render.placement import Placement, build_placement
from kitgen.text.patterns import compile_late
from kitgen.text.semver import is_version, version_key
from kitgen.text.wording import join_words, quote_text

NUMBERS = compile_late(r"\d+")
ORDERED = {-1: ", which is behind", 1: ", which is ahead of"}
"""How what was found compares to what was expected."""


class PlatformSources(Struct, frozen=True, kw_only=True):
    """Where a target's platform takes a component from, and where it puts it."""

    target: Target
    component: str
    source: PlatformSource | None
    """As the release has it: nothing in it is left to compute."""
    export: Export


class ReleaseTerms(Struct, frozen=True, kw_only=True):
    """What to hold files to."""

    kit: Kit
    tags: Tags = Tags()
    release: Release | None = None
    """None for that which a file says of itself."""
    target: Target | None = None
    """None for all of them."""

    @property
    def targets(self) -> tuple[Target, ...]:
        """Return the targets that count."""
        return (self.target,) if self.target else tuple(self.kit.targets.values())

    def find_release(self, version: str) -> Release | None:
        """Return the release that a file says it is of, if the kit has it."""
        return self.kit.releases.get(f"v{version.removeprefix('v')}")

    def list_versions(self, name: str, release: Release | None) -> tuple[str, ...]:
        """Return the versions of something that belong to a release: its own first, then those of targets."""
        if release is None:
            return ()
        if name == ITSELF:
            return (release.name,)
        taken = [each.component_versions(release).get(name) for each in self.targets]
        own = release.name if name == self.kit.project else release.records.get(name)
        known = [own, *([] if self.target else [release.components.get(name)]), *taken]
        return tuple(dict.fromkeys(each for each in known if each))

    def list_matrix_versions(self, name: str, release: Release | None) -> tuple[str, ...]:
        """Return the versions that a matrix may show: a fork may keep the row that the release has."""
        own = release.components.get(name, "") if release else ""
        return tuple(dict.fromkeys((*filter(None, (own,)), *self.list_versions(name, release))))

    @property
    def matrix_rows(self) -> tuple[MatrixRow, ...]:
        """Return the rows of the matrix, if the kit has one."""
        return self.kit.matrix.rows if self.kit.matrix else ()

    def find_row(self, label: str) -> MatrixRow | None:
        """Return the row of the matrix that a label means, however it is spaced."""
        return next(
            (each for each in self.matrix_rows if normalize_label(each.label) == normalize_label(label)), None
        )

    def list_platform_sources(self, release: Release | None) -> list[PlatformSources]:
        """Return what the platforms of the targets take in a release."""
        if release is None:
            return []
        return [
            each
            for target in self.targets
            for each in _sources_of_placement(build_placement(self.kit, target, release))
        ]


def _sources_of_placement(placement: Placement) -> Iterator[PlatformSources]:
    for component in placement.managed_components:
        settings = placement.computed_settings_for(component)
        if settings.export is not None:
            yield PlatformSources(
                target=placement.target,
                component=component.name,
                source=settings.source.value if settings.source else None,
                export=settings.export,
            )


@lru_cache(maxsize=4096)
def parse_image(text: str) -> ImageReference:
    """Take an image apart; of what is none, nothing is known."""
    return parse_image_reference(text) or ImageReference("", "", "", "")


@lru_cache(maxsize=4096)
def normalize_label(text: str) -> str:
    """Return a label or name without what people write in different ways."""
    return re.sub(r"[^a-z0-9]+", "", text.casefold())


def is_same_version(first: str, second: str) -> bool:
    """Return whether two texts are the same version, with or without a leading v."""
    return first == second or (
        is_version(first) and is_version(second) and version_key(first) == version_key(second)
    )


def is_release_version(version: str) -> bool:
    """Return whether a text is a semantic version, and no placeholder; the leading v may be missing."""
    whole = version if version.startswith("v") else f"v{version}"
    return RECORDED.fullmatch(whole) is not None and not PLACEHOLDER.fullmatch(whole)


def describe_mismatch(found: str, known: tuple[str, ...]) -> str:
    """Return what was found and what was expected, or of what can be ordered, which is ahead."""
    signs = {_compare_versions(found, each) for each in known}
    how = next((word for sign, word in ORDERED.items() if signs == {sign}), ", expected")
    return f"found {quote_text(found)}{how} {join_words(known)}"


def check_version(rule: Rule, found: str, known: tuple[str, ...], name: str, at: Origin) -> Iterator[Finding]:
    """Yield that a version of something is none of those that belong to the release, if any is known."""
    if known and not any(is_same_version(found, each) for each in known):
        yield rule(f"{describe_mismatch(found, known)} for {name}").to_finding(at)


def _compare_versions(found: str, known: str) -> int:
    """Compare two versions, or two names that differ in their numbers alone; 0 if nobody can."""
    if is_version(found) and is_version(known):
        first, second = version_key(found), version_key(known)
        return (first > second) - (first < second)
    if NUMBERS.sub("0", found) != NUMBERS.sub("0", known):
        return 0
    mine, other = ([int(each[:9]) for each in NUMBERS.findall(text)] for text in (found, known))
    return (mine > other) - (mine < other)
