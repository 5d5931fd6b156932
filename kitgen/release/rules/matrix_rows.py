"""Rows of the matrix: each stands for what the release builds, and links to a tag that there is."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, Origin, Rule, get_rule
from kitgen.kit.model import ITSELF, Kit, Matrix, Release
from kitgen.kit.releases import PLACEHOLDER, RECORDED, Tags
from kitgen.kit.succession import get_release_origin
from kitgen.release.matrix.block import GITHUB
from kitgen.release.matrix.writing import is_unlinked
from kitgen.release.rules.context import ReleaseContext
from kitgen.text.patterns import compile_late
from kitgen.text.wording import join_words, quote_text

RELEASE_ROW = get_rule("release-row")
RELEASE_LINK = get_rule("release-link")
RELEASE_SOURCE = get_rule("release-source")

TAG = compile_late(r"[vV.]*\d")
"""How refs begin that are tags; branches begin with a word."""


def check_rows(kit: Kit, release: Release) -> Iterator[Finding]:
    """Yield components without a row, and rows without a spec."""
    if kit.matrix is None or not release.components:
        return
    shown = {kit.project if row.of == ITSELF else row.of for row in kit.matrix.rows}
    for name in (name for name in release.components if name not in shown):
        yield RELEASE_ROW(
            f"found {name}, which no row of the matrix shows", hint="add it to matrix in kit.yaml"
        ).to_finding(get_release_origin(release, "components", name))
    for name, version in release.records.items():
        if name in kit.versions and name in shown and name not in release.components:
            known = version in kit.versions[name]
            yield RELEASE_ROW(
                f"found {name} {version} in a row of the matrix, which the release does not build",
                hint="build it: move it to components" if known else f"kitgen import makes {name}@{version}",
            ).to_finding(get_release_origin(release, "records", name))


def check_links(context: ReleaseContext, release: Release) -> Iterator[Finding]:
    """Yield links of the matrix, and sources of targets, that lead to no known tag."""
    if context.kit.matrix is not None:
        yield from _check_matrix_links(context, context.kit.matrix, release)
    for placement in context.placements_of(release):
        for component in placement.managed_components:
            if (source := placement.computed_settings_for(component).source) is None:
                continue
            tag, origin = source.value.ref.partition("@")[0], source.origin.at("ref")
            own = component.name == context.kit.project and tag.startswith(component.version)
            if TAG.match(tag) and (not own or _can_be_tagged(context, release)):
                yield from _check_tag(RELEASE_SOURCE, context.tags, source.value.repository, tag, origin)


def _can_be_tagged(context: ReleaseContext, release: Release) -> bool:
    """Return whether a release can have been tagged: one without a date, or the newest, may not be yet."""
    return bool(release.date) and release.name != [*context.kit.releases][-1]


def _check_matrix_links(context: ReleaseContext, matrix: Matrix, release: Release) -> Iterator[Finding]:
    if is_unlinked(matrix, release):
        return
    for row in matrix.rows:
        key = "components" if row.of in release.components else "records"
        version = getattr(release, key).get(row.of, "")
        origin = release.origin.at(key, row.of)
        if row.of == ITSELF:
            version, origin = (
                release.name if _can_be_tagged(context, release) else "",
                release.origin.at("release"),
            )
        if RECORDED.fullmatch(version) and not PLACEHOLDER.fullmatch(version):  # else that is told already
            repository = row.repository(release.name).removeprefix(f"{GITHUB}/").rstrip("/")
            yield from _check_tag(RELEASE_LINK, context.tags, repository, version, origin)


def _check_tag(rule: Rule, tags: Tags, repository: str, tag: str, origin: Origin) -> Iterator[Finding]:
    if tags.has_tag(repository, tag) is False:
        yield rule(
            f"found {quote_text(tag)}, which is none of the known tags of {repository}",
            hint=_suggest_tag(tags, repository, tag),
        ).to_finding(origin)


def _suggest_tag(tags: Tags, repository: str, tag: str) -> str:
    """Return what may be meant: another tag of the version, or another repository."""
    name = repository.rpartition("/")[2]
    alike = [each for each in tags.known[repository] if each.startswith(f"{tag}-")]
    others = [each for each in tags.known if each.rpartition("/")[2] == name and tags.has_tag(each, tag)]
    told = [f"it has {join_words(alike, last='and', most=3)}"] if alike else []
    told += [f"{each} has it" for each in others[:1]]
    return "; ".join(told) or f"add it to {tags.origin.file}, if it is there"
