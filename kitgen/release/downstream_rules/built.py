"""Makefile and go.mod: whether what is built and tested is what the matrix of the release says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Finding, rule
from kitgen.kit.model import ITSELF, MatrixRow, Release
from kitgen.release.downstream.reading import Downstream
from kitgen.release.downstream.records import BuiltBy, BuiltVersion
from kitgen.release.downstream_rules.terms import ReleaseTerms, held, is_release, same
from kitgen.text.wording import choice, cut

MAKEFILE_VERSION = rule("makefile-version")
MODULE_VERSION = rule("module-version")
BUILT_NOTHING = rule("built-nothing")

VANITY = {"sigs.k8s.io": "kubernetes-sigs"}
"""Hosts of modules that stand for an owner on GitHub."""


def check_built(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield versions that are built with and are not those of the release."""
    trees: dict[tuple[str, ...], dict[str, list[BuiltVersion]]] = {}
    files: dict[str, bool] = {}
    variables, repositories = _variables(terms), _repositories(terms)
    for each in found.of(BuiltVersion):
        by_make = each.by is BuiltBy.MAKE
        name = variables.get(each.name, "") if by_make else repositories.get(_repository(each.name), "")
        files[each.origin.file] = files.get(each.origin.file, False) or bool(name)
        if name:
            trees.setdefault(each.place.folder, {}).setdefault(name, []).append(each)
            yield from _version(terms, each, name)
    for tree in trees.values():
        yield from _nothing(terms, tree)
    yield from (f"{file} names nothing of this kit" for file, known in files.items() if not known)


def _variables(terms: ReleaseTerms) -> dict[str, str]:
    """Return the component or record that each variable is of."""
    known = {_variable(row.label): row.of for row in _rows(terms)}
    return known | {_variable(each): each for each in sorted(_names(terms))}


def _rows(terms: ReleaseTerms) -> list[MatrixRow]:
    rows = terms.kit.matrix.rows if terms.kit.matrix else ()
    return [each for each in rows if each.of != ITSELF]


def _names(terms: ReleaseTerms) -> set[str]:
    return {*terms.kit.versions, *(name for each in terms.kit.releases.values() for name in each.records)}


def _variable(name: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", name.upper())


def _repositories(terms: ReleaseTerms) -> dict[str, str]:
    """Return the component or record that each repository is of; of several rows, the first counts."""
    return {each.casefold(): row.of for row in reversed(_rows(terms)) for each in row.repositories.values()}


def _repository(module: str) -> str:
    """Return the repository that a module is in."""
    host, _, rest = module.partition("/")
    owned = f"{VANITY[host]}/{rest}" if host in VANITY else rest
    return "/".join(owned.split("/")[:2]).casefold()


def _version(terms: ReleaseTerms, built: BuiltVersion, name: str) -> Iterator[Finding]:
    rule = MAKEFILE_VERSION if built.by is BuiltBy.MAKE else MODULE_VERSION
    known = terms.shown(name, terms.release)
    if not is_release(built.version) and built.by is BuiltBy.MAKE:
        message = f"found {cut(built.version)} for {name}, expected a semantic version such as v1.5.0"
        yield rule(message).at(built.origin)
    elif known and not any(same(built.version, each) for each in known):
        yield rule(f"{held(built.version, known)} for {name}").at(built.origin)


def _nothing(terms: ReleaseTerms, tree: dict[str, list[BuiltVersion]]) -> Iterator[Finding]:
    """Yield what a release has, and neither the Makefile nor go.mod of one folder names."""
    said = [each for some in tree.values() for each in some]
    if terms.release is None or {each.by for each in said} != set(BuiltBy):
        return
    gone = [each for each in _belonging(terms, terms.release) if each not in tree]
    if gone:
        message = f"found nothing of {choice(gone)}, which {terms.release.name} has"
        yield BUILT_NOTHING(message, line=1).at(said[0].origin)


def _belonging(terms: ReleaseTerms, release: Release) -> list[str]:
    """Return what a release builds beside the project; what it records, if it builds nothing."""
    names = release.components or release.records
    return [each for each in names if each != terms.kit.project]
