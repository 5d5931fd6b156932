"""READMEs: whether a compatibility matrix is that of its release, and whether its links lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kitgen.findings import Finding, near, rule
from kitgen.kit.model import ITSELF, Release
from kitgen.release.downstream.reading import Downstream
from kitgen.release.downstream.records import Readme, ReadmeRow
from kitgen.release.downstream_rules.terms import ReleaseTerms, held, is_release, plain, same
from kitgen.text.wording import choice, cut

README_RELEASE = rule("readme-release")
README_VERSION = rule("readme-version")
README_ROWS = rule("readme-rows")
README_SEMVER = rule("readme-semver")
README_LINK = rule("readme-link")
README_TAG = rule("readme-tag")
README_OTHERS = rule("readme-others")

TAGGED = re.compile(r"https?://github\.com/(?P<repository>[^/]+/[^/]+)/releases/tag/(?P<tag>[^/?#]+)")


def check_readmes(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield what is wrong with matrices, each held to the release that it says it is of."""
    readmes = found.of(Readme)
    if readmes and terms.kit.matrix is None:
        yield "this kit has no compatibility matrix, so that of READMEs is held to nothing"
        return
    for readme in readmes:
        own = _own(terms, readme)
        release = terms.own(own.version) if own else terms.release
        if own and terms.release and not same(own.version, terms.release.name) and is_release(own.version):
            yield README_RELEASE(held(own.version, (terms.release.name,))).at(own.origin)
        if own and release is None and is_release(own.version):
            yield f"{readme.origin.file} is of {own.version}, which this kit has no release of"
        elif release is None:
            yield f"{readme.origin.file} does not say which release it is of"
        for row in readme.rows:
            yield from _row(terms, row, release)
        if release is not None:
            yield from _missing(terms, readme, release)
    yield from _others(terms, readmes)


def _own(terms: ReleaseTerms, readme: Readme) -> ReadmeRow | None:
    """Return the row that says which release a matrix is of."""
    rows = (each for each in readme.rows if (row := terms.row(each.label)) and row.of == ITSELF)
    return next(rows, None)


def _row(terms: ReleaseTerms, row: ReadmeRow, release: Release | None) -> Iterator[Finding]:
    meant = terms.row(row.label)
    known = terms.shown(meant.of, release) if meant else ()
    if not (row.version.startswith("v") and is_release(row.version)):
        hint = f"the release has {choice(known)}" if known and is_release(known[0]) else ""
        message = f"found {cut(row.version)} for {row.label}, expected a semantic version such as v1.5.0"
        yield README_SEMVER(message, hint=hint).at(row.origin)
        return
    yield from _link(terms, row)
    if release is None:
        return
    if meant is None or not known:
        labels = [each.label for each in terms.kit.matrix.rows] if terms.kit.matrix else []
        message = f"found the row {cut(row.label)}, which {release.name} does not have"
        yield README_ROWS(message, hint=near(row.label, labels) if meant is None else "").at(row.origin)
    elif not any(same(row.version, each) for each in known):
        yield README_VERSION(f"{held(row.version, known)} for {row.label}").at(row.origin)


def _link(terms: ReleaseTerms, row: ReadmeRow) -> Iterator[Finding]:
    match = TAGGED.fullmatch(row.address)
    if match is None:
        return
    if match["tag"] != row.version:
        message = f"found a link to {cut(match['tag'])}, expected {row.version}, which the row shows"
        yield README_LINK(message).at(row.origin)
    elif terms.tags.has(match["repository"], match["tag"]) is False:
        message = f"found a link to {match['tag']}, which {match['repository']} is not known to have"
        yield README_TAG(message, hint=_elsewhere(terms, match["tag"], match["repository"])).at(row.origin)


def _elsewhere(terms: ReleaseTerms, tag: str, repository: str) -> str:
    """Return a hint with the repositories of that name that have a tag."""
    name = repository.rpartition("/")[2]
    having = [each for each, tags in terms.tags.known.items() if each.endswith(f"/{name}") and tag in tags]
    return f"{choice(having)} has it" if having else ""


def _missing(terms: ReleaseTerms, readme: Readme, release: Release) -> Iterator[Finding]:
    labels = {plain(each.label) for each in readme.rows}
    for row in terms.kit.matrix.rows if terms.kit.matrix else ():
        known = terms.shown(row.of, release)
        if known and plain(row.label) not in labels:
            message = f"found no row {cut(row.label)}, which {release.name} has with {choice(known)}"
            yield README_ROWS(message).at(readme.origin)


def _others(terms: ReleaseTerms, readmes: Sequence[Readme]) -> Iterator[Finding]:
    first: dict[tuple[str, str], ReadmeRow] = {}
    for readme in readmes:
        own = _own(terms, readme)
        for row in readme.rows if own else ():
            other = first.setdefault((own.version if own else "", plain(row.label)), row)
            if other is not row and not same(other.version, row.version):
                message = f"found {cut(row.version)} for {row.label}, expected {cut(other.version)}"
                hint = f"{other.origin.file}:{other.origin.line} says so"
                yield README_OTHERS(message, hint=hint).at(row.origin)
