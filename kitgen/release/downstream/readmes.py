"""READMEs: the compatibility matrix in them, between its markers or below a title where there are none.

Its versions are those of the release that it says it is of, and its links lead to known tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kitgen.findings import Finding, near, problem, rule
from kitgen.kit.manifests import ReadBudget
from kitgen.kit.model import ITSELF, Release
from kitgen.release.downstream.records import Downstream, DownstreamFile, NamedVersion, Readme, Record
from kitgen.release.downstream.terms import ReleaseTerms, check_version, held, is_release, plain, same
from kitgen.release.matrix.block import END, START, MatrixBlock, find_block, find_table
from kitgen.text.wording import choice, cut

README_VERSION = rule("readme-version")

TAGGED = re.compile(r"https?://github\.com/(?P<repository>[^/]+/[^/]+)/releases/tag/(?P<tag>[^/?#]+)")


def read_readme(file: DownstreamFile, _intake: ReadBudget) -> Iterator[Record]:
    """Yield the matrix of a text, or what is wrong with its markers; nothing if it has none."""
    marked = START in file.text or END in file.text
    found = find_block(file.text) if marked else find_table(file.text)
    if isinstance(found, MatrixBlock):
        yield Readme(
            origin=file.at(found.start + 1),
            entries=tuple(
                NamedVersion(
                    name=row.label,
                    value=row.version,
                    source=row.address,
                    origin=file.at(row.index + 1),
                )
                for row in found.rows
            ),
        )
    elif found is not None:
        yield found.at(file.at(found.line or 1))


def check_readmes(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield what is wrong with matrices, each held to the release that it says it is of."""
    if (readmes := found.of(Readme)) and terms.kit.matrix is None:
        yield "this kit has no compatibility matrix, so that of READMEs is held to nothing"
        return
    for readme in readmes:
        own = _own(terms, readme)
        release = terms.own(own.value) if own else terms.release
        if own and terms.release and not same(own.value, terms.release.name) and is_release(own.value):
            yield problem("readme-release", held(own.value, (terms.release.name,))).at(own.origin)
        if own and release is None and is_release(own.value):
            yield f"{readme.origin.file} is of {own.value}, which this kit has no release of"
        elif release is None:
            yield f"{readme.origin.file} does not say which release it is of"
        for row in readme.entries:
            yield from _row(terms, row, release)
        if release is not None:
            yield from _missing(terms, readme, release)
    yield from _others(terms, readmes)


def _own(terms: ReleaseTerms, readme: Readme) -> NamedVersion | None:
    """Return the row that says which release a matrix is of."""
    return next((each for each in readme.entries if (row := terms.row(each.name)) and row.of == ITSELF), None)


def _row(terms: ReleaseTerms, row: NamedVersion, release: Release | None) -> Iterator[Finding]:
    meant = terms.row(row.name)
    known = terms.shown(meant.of, release) if meant else ()
    if not (row.value.startswith("v") and is_release(row.value)):
        yield problem(
            "readme-semver",
            f"found {cut(row.value)} for {row.name}, expected a semantic version such as v1.5.0",
            hint=f"the release has {choice(known)}" if known and is_release(known[0]) else "",
        ).at(row.origin)
        return
    yield from _link(terms, row)
    if release is not None and not known:
        yield problem(
            "readme-rows",
            f"found the row {cut(row.name)}, which {release.name} does not have",
            hint=near(row.name, [each.label for each in terms.rows]) if meant is None else "",
        ).at(row.origin)
    yield from check_version(README_VERSION, row.value, known, row.name, row.origin)


def _link(terms: ReleaseTerms, row: NamedVersion) -> Iterator[Finding]:
    if (match := TAGGED.fullmatch(row.source)) is None:
        return
    repository, tag = match["repository"], match["tag"]
    if tag != row.value:
        yield problem(
            "readme-link", f"found a link to {cut(tag)}, expected {row.value}, which the row shows"
        ).at(row.origin)
    elif terms.tags.has(repository, tag) is False:
        name = f"/{repository.rpartition('/')[2]}"
        having = [each for each, tags in terms.tags.known.items() if each.endswith(name) and tag in tags]
        yield problem(
            "readme-tag",
            f"found a link to {tag}, which {repository} is not known to have",
            hint=f"{choice(having)} has it" if having else "",
        ).at(row.origin)


def _missing(terms: ReleaseTerms, readme: Readme, release: Release) -> Iterator[Finding]:
    labels = {plain(each.name) for each in readme.entries}
    for row in terms.rows:
        if (known := terms.shown(row.of, release)) and plain(row.label) not in labels:
            yield problem(
                "readme-rows", f"found no row {cut(row.label)}, which {release.name} has with {choice(known)}"
            ).at(readme.origin)


def _others(terms: ReleaseTerms, readmes: Sequence[Readme]) -> Iterator[Finding]:
    """Yield rows that another README of the same release has otherwise."""
    first: dict[tuple[str, str], NamedVersion] = {}
    rows = ((own.value, row) for each in readmes if (own := _own(terms, each)) for row in each.entries)
    for release, row in rows:
        other = first.setdefault((release, plain(row.name)), row)
        if not same(other.value, row.value):
            yield problem(
                "readme-others",
                f"found {cut(row.value)} for {row.name}, expected {cut(other.value)}",
                hint=f"{other.origin.file}:{other.origin.line} says so",
            ).at(row.origin)
