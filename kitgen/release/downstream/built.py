"""Makefile and go.mod: what is built and tested is what the matrix of the release says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Finding, problem, rule
from kitgen.kit.manifests import Intake
from kitgen.kit.model import ITSELF
from kitgen.release.downstream.records import (
    Downstream,
    DownstreamFile,
    GoModules,
    Makefile,
    NamedVersion,
    Record,
    VersionList,
    lines_of,
)
from kitgen.release.downstream.terms import ReleaseTerms, check_version, is_release
from kitgen.text.wording import choice, cut

MAKEFILE_VERSION = rule("makefile-version")
MODULE_VERSION = rule("module-version")

VARIABLE = re.compile(r"(?P<name>[A-Z][A-Z0-9_]*)_VERSION[ \t]*[?:]{0,2}=[ \t]*(?P<value>[^#\n]*)")
MODULES = {
    "require": re.compile(r"(?P<module>[\w.~-]+\.[\w./~-]+)\s+(?P<version>v\S+)"),
    "replace": re.compile(r"(?P<module>\S+)(?:\s+v\S+)?\s*=>\s*\S+(?:\s+(?P<version>v\S+))?"),
}
"""Block of a go.mod → how its lines name a module."""
VANITY = {"sigs.k8s.io": "kubernetes-sigs"}
"""Hosts of modules that stand for an owner on GitHub."""


def read_makefile(file: DownstreamFile, _intake: Intake) -> Iterator[Record]:
    """Yield the versions that variables such as KUEUE_VERSION hold; what make computes is left out."""
    found = []
    for number, line in lines_of(file):
        match = VARIABLE.match(line.removeprefix("export "))
        value = match["value"].strip() if match else ""
        if match and value and "$" not in value:
            found.append(NamedVersion(name=match["name"], value=value, origin=file.at(number)))
    if found:
        yield Makefile(origin=file.at(1), place=file.place, entries=tuple(found))


def read_go_mod(file: DownstreamFile, _intake: Intake) -> Iterator[Record]:
    """Yield the modules that go.mod requires, in the versions that it takes in the end."""
    found: dict[str, NamedVersion] = {}
    block = ""
    for number, raw in lines_of(file):
        line = raw.partition("//")[0].strip()
        word, _, rest = line.partition(" ")
        if word in MODULES:
            block = word
            line = rest.strip().removeprefix("(").strip()
        match = MODULES[block].match(line) if block else None
        # What is replaced is built from elsewhere, wherever in the file that is said.
        if match and match["version"] and (block == "replace" or match["module"] not in found):
            name = match["module"]
            found[name] = NamedVersion(name=name, value=match["version"], origin=file.at(number))
        if (word in MODULES and not rest.strip().startswith("(")) or line == ")":
            block = ""
    if found:
        yield GoModules(origin=file.at(1), place=file.place, entries=tuple(found.values()))


def check_built(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield versions that are built with and are not those of the release."""
    rows = [each for each in terms.kit.matrix.rows if each.of != ITSELF] if terms.kit.matrix else []
    names = {*terms.kit.versions, *(name for each in terms.kit.releases.values() for name in each.records)}
    variables = {_variable(row.label): row.of for row in rows}
    variables |= {_variable(each): each for each in sorted(names)}
    # Of several rows with a repository, the first counts.
    repositories = {each.casefold(): row.of for row in reversed(rows) for each in row.repositories.values()}
    trees: dict[tuple[str, ...], list[tuple[VersionList, str, NamedVersion]]] = {}
    remarks = []
    for file in found.of(Makefile, GoModules):
        is_make = isinstance(file, Makefile)
        known = False
        for each in file.entries:
            name = variables.get(each.name) if is_make else repositories.get(_repository(each.name))
            if name:
                known = True
                trees.setdefault(file.place.folder, []).append((file, name, each))
                yield from _version(terms, each, name, is_make=is_make)
        if not known:
            remarks.append(f"{file.origin.file} names nothing of this kit")
    for tree in trees.values():
        yield from _nothing(terms, tree)
    yield from remarks


def _variable(name: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", name.upper())


def _repository(module: str) -> str:
    """Return the repository that a module is in."""
    host, _, rest = module.partition("/")
    owned = f"{VANITY[host]}/{rest}" if host in VANITY else rest
    return "/".join(owned.split("/")[:2]).casefold()


def _version(terms: ReleaseTerms, built: NamedVersion, name: str, *, is_make: bool) -> Iterator[Finding]:
    if is_make and not is_release(built.value):
        message = f"found {cut(built.value)} for {name}, expected a semantic version such as v1.5.0"
        yield MAKEFILE_VERSION(message).at(built.origin)
    else:
        rule, known = MAKEFILE_VERSION if is_make else MODULE_VERSION, terms.shown(name, terms.release)
        yield from check_version(rule, built.value, known, name, built.origin)


def _nothing(terms: ReleaseTerms, tree: list[tuple[VersionList, str, NamedVersion]]) -> Iterator[Finding]:
    """Yield what a release has, and neither the Makefile nor go.mod of one folder names.

    That is what it builds beside the project, or what it records, if it builds nothing.
    """
    release, named = terms.release, {terms.kit.project, *(name for _, name, _ in tree)}
    if release is None or len({type(file) for file, _, _ in tree}) == 1:
        return
    if gone := [each for each in release.components or release.records if each not in named]:
        message = f"found nothing of {choice(gone)}, which {release.name} has"
        yield problem("built-nothing", message, line=1).at(tree[0][2].origin)
