"""READMEs: the compatibility matrix in them, between its markers or below a title where there are none.

Its versions are those of the release that it says it is of, and its links lead to known tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.findings import Finding, get_rule, make_problem, suggest_word
from kitgen.kit.manifests import ReadBudget
from kitgen.kit.model import ITSELF, Release
from kitgen.release.downstream.records import Downstream, DownstreamFile, NamedVersion, Readme, Record
from kitgen.release.downstream.terms import (
    ReleaseTerms,
    check_version,
    describe_mismatch,
    is_release_version,
    is_same_version,
    normalize_label,
)
from kitgen.release.matrix.block import END, START, MatrixBlock, find_block, find_table
from kitgen.text.patterns import compile_late
from kitgen.text.wording import join_words, quote_text

README_VERSION = get_rule("readme-version")

TAGGED = compile_late(r"https?://github\.com/(?P<repository>[^/]+/[^/]+)/releases/tag/(?P<tag>[^/?#]+)")


def read_readme(file: DownstreamFile, _intake: ReadBudget) -> Iterator[Record]:
    """Yield the matrix of a text, or what is wrong with its markers; nothing if it has none."""
    marked = START in file.text or END in file.text
    found = find_block(file.text) if marked else find_table(file.text)
    if isinstance(found, MatrixBlock):
        yield Readme(
            origin=file.origin_at(found.start + 1),
            entries=tuple(
                NamedVersion(
                    name=row.label,
                    value=row.version,
                    source=row.link_url,
                    origin=file.origin_at(row.index + 1),
                )
                for row in found.rows
            ),
        )
    elif found is not None:
        yield found.to_finding(file.origin_at(found.line or 1))


def check_readmes(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield what is wrong with matrices, each held to the release that it says it is of."""
    if (readmes := found.records_of(Readme)) and terms.kit.matrix is None:
        yield "this kit has no compatibility matrix, so that of READMEs is held to nothing"
        return
    for readme in readmes:
        own = _find_release_row(terms, readme)
        release = terms.find_release(own.value) if own else terms.release
        if (
            own
            and terms.release
            and not is_same_version(own.value, terms.release.name)
            and is_release_version(own.value)
        ):
            yield make_problem(
                "readme-release", describe_mismatch(own.value, (terms.release.name,))
            ).to_finding(own.origin)
        if own and release is None and is_release_version(own.value):
            yield f"{readme.origin.file} is of {own.value}, which this kit has no release of"
        elif release is None:
            yield f"{readme.origin.file} does not say which release it is of"
        for row in readme.entries:
            yield from _check_row(terms, row, release)
        if release is not None:
            yield from _check_missing_rows(terms, readme, release)
    yield from _check_conflicting_rows(terms, readmes)


def _find_release_row(terms: ReleaseTerms, readme: Readme) -> NamedVersion | None:
    """Return the row that says which release a matrix is of."""
    return next(
        (each for each in readme.entries if (row := terms.find_row(each.name)) and row.of == ITSELF), None
    )


def _check_row(terms: ReleaseTerms, row: NamedVersion, release: Release | None) -> Iterator[Finding]:
    meant = terms.find_row(row.name)
    known = terms.list_matrix_versions(meant.of, release) if meant else ()
    if not (row.value.startswith("v") and is_release_version(row.value)):
        yield make_problem(
            "readme-semver",
            f"found {quote_text(row.value)} for {row.name}, expected a semantic version such as v1.5.0",
            hint=f"the release has {join_words(known)}" if known and is_release_version(known[0]) else "",
        ).to_finding(row.origin)
        return
    yield from _check_link(terms, row)
    if release is not None and not known:
        yield make_problem(
            "readme-rows",
            f"found the row {quote_text(row.name)}, which {release.name} does not have",
            hint=suggest_word(row.name, [each.label for each in terms.matrix_rows]) if meant is None else "",
        ).to_finding(row.origin)
    yield from check_version(README_VERSION, row.value, known, row.name, row.origin)


def _check_link(terms: ReleaseTerms, row: NamedVersion) -> Iterator[Finding]:
    if (match := TAGGED.fullmatch(row.source)) is None:
        return
    repository, tag = match["repository"], match["tag"]
    if tag != row.value:
        yield make_problem(
            "readme-link", f"found a link to {quote_text(tag)}, expected {row.value}, which the row shows"
        ).to_finding(row.origin)
    elif terms.tags.has_tag(repository, tag) is False:
        name = f"/{repository.rpartition('/')[2]}"
        having = [each for each, tags in terms.tags.known.items() if each.endswith(name) and tag in tags]
        yield make_problem(
            "readme-tag",
            f"found a link to {tag}, which {repository} is not known to have",
            hint=f"{join_words(having)} has it" if having else "",
        ).to_finding(row.origin)


def _check_missing_rows(terms: ReleaseTerms, readme: Readme, release: Release) -> Iterator[Finding]:
    labels = {normalize_label(each.name) for each in readme.entries}
    for row in terms.matrix_rows:
        if (known := terms.list_matrix_versions(row.of, release)) and normalize_label(
            row.label
        ) not in labels:
            yield make_problem(
                "readme-rows",
                f"found no row {quote_text(row.label)}, which {release.name} has with {join_words(known)}",
            ).to_finding(readme.origin)


def _check_conflicting_rows(terms: ReleaseTerms, readmes: Sequence[Readme]) -> Iterator[Finding]:
    """Yield rows that another README of the same release has otherwise."""
    first: dict[tuple[str, str], NamedVersion] = {}
    rows = (
        (own.value, row)
        for each in readmes
        if (own := _find_release_row(terms, each))
        for row in each.entries
    )
    for release, row in rows:
        other = first.setdefault((release, normalize_label(row.name)), row)
        if not is_same_version(other.value, row.value):
            yield make_problem(
                "readme-others",
                f"found {quote_text(row.value)} for {row.name}, expected {quote_text(other.value)}",
                hint=f"{other.origin.file}:{other.origin.line} says so",
            ).to_finding(row.origin)
