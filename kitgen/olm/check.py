"""What `kitgen bundle check` does: read bundles one by one, check each, then the package that they make."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct, field

from kitgen.findings import (
    MAX_ERRORS,
    MAX_FINDINGS,
    Finding,
    Origin,
    near,
    problem,
    rules,
    too_many_findings,
    unique,
)
from kitgen.findings.errors import UsageError
from kitgen.kit.manifests import Intake, manifest_texts
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.contents import Contents
from kitgen.olm.packages.folders import BundleFolder, FoundPackage, beside, find
from kitgen.olm.packages.reading import Reader
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.engine import check_bundle, check_files, check_package, check_upgrade
from kitgen.olm.rules.graph import CATALOG, REPLACES, SEMVER, Graph, GraphEntry, entry_of, graph_of, released
from kitgen.olm.rules.profiles import Profile, counted_in
from kitgen.olm.rules.release_config import uses_catalog
from kitgen.olm.rules.terms import BundleTerms
from kitgen.text.wording import choice
from kitgen.workspace.sources import Kits

MOST = 20
"""Bundles from which an upgrade to one is checked: a catalog has a template for each OpenShift."""
KEPT = 24 * 1024 * 1024
"""Characters of CRDs that are kept for the bundles which replace theirs."""


class BundleCheckRequest(Struct, frozen=True, kw_only=True):
    """Which bundles to check, and for whom."""

    folder: str
    profile: Profile = Profile.COMMUNITY
    select: tuple[str, ...] = ()
    """Rules that count alone; all if there are none."""
    ignore: tuple[str, ...] = ()
    from_catalog: bool = False
    """Whether a catalog says the channels, so that bundles need not."""


class BundlesChecked(Struct, frozen=True, kw_only=True):
    """What a check of bundles found."""

    findings: tuple[Finding, ...]
    texts: Mapping[str, str] = field(default_factory=dict)
    """Files with findings, for their lines."""
    bundles: int = 0
    graphs: tuple[Graph, ...] = ()
    remarks: tuple[str, ...] = ()


def run_bundle_check(request: BundleCheckRequest) -> BundlesChecked:
    """Check a bundle, a package or a folder of packages."""
    _known(request)
    check = _Check(request)
    graphs = []
    for each in find(request.folder):
        graphs.append(check.package(each))
        if len(check.findings) > MAX_FINDINGS:
            break
    findings = [
        each
        for each in counted_in(request.profile, check.findings)
        if (not request.select or each.rule.id in request.select) and each.rule.id not in request.ignore
    ]
    return BundlesChecked(
        findings=tuple(unique(findings)),
        texts=_texts(findings, check.texts),
        bundles=check.bundles,
        graphs=tuple(each for each in graphs if each is not None),
        remarks=tuple(check.remarks),
    )


def _known(request: BundleCheckRequest) -> None:
    for option, names in (("--select", request.select), ("--ignore", request.ignore)):
        for name in names:
            if name not in rules():
                raise UsageError(f"{option}: found no rule {name!r}", hint=near(name, list(rules())))


class _Check:
    """One run: what was found so far, and what is kept for the bundles that come."""

    def __init__(self, request: BundleCheckRequest) -> None:
        self.request = request
        self.contents = Contents()
        self.moves, unread = Kits(None).declared()
        self.findings: list[Finding] = [*unread]
        self.texts: dict[str, str] = {}
        self.remarks: list[str] = []
        self.bundles = 0

    def package(self, found: FoundPackage) -> Graph | None:
        """Check all bundles of a package, and how they follow each other."""
        if not found.bundles:
            message = "found no bundle, expected the folders manifests and metadata"
            hint = "name the folder of a version, of a package, or one of packages"
            self.findings.append(problem("bundle-folders", message, (), hint, 1).at(Origin(found.folder)))
        ci = self._ci(found)
        crds = _Kept()
        entries: list[GraphEntry] = []
        for place in found.bundles:
            reader = Reader(place.folder, self.contents)
            bundle = reader.bundle(place)
            self.bundles += 1
            new = check_bundle(bundle, self._terms(bundle, ci, len(found.bundles) - 1))
            ways = _entries(bundle, uses_catalog(ci))
            names = dict.fromkeys(each.replaces for each in ways if each.replaces)
            upgrades = self._upgrades([*names], bundle, crds if len(found.bundles) > 1 else place)
            new += islice(upgrades, MAX_ERRORS + 1)
            self._keep(new, reader.texts)
            entries += ways
            if own := entry_of(bundle):
                crds.keep(own.name, bundle.crds, reader.texts)
            if len(self.findings) > MAX_FINDINGS:
                self.findings.append(too_many_findings(place.folder))
                return None
        if not entries and ci is None:
            return None
        name = found.name or next((each.package for each in entries if each.package), "")
        graph = graph_of(name, entries, _mode(ci))
        # A bundle by itself has no say in what holds for its package.
        self.findings += check_package(ci if found.name else None, graph, entries)
        return graph

    def _upgrades(
        self, names: Sequence[str], bundle: Bundle, others: _Kept | BundleFolder
    ) -> Iterator[Finding]:
        """Yield what OLM refuses in upgrades to a bundle; others were read, or lie beside its place."""
        if len(names) > MOST:
            self.remarks.append(f"{choice(names, last='and')} are replaced; {MOST} of these are looked at")
        for name in names[:MOST]:
            before = others.of(name) if isinstance(others, _Kept) else self._beside(others, name)
            if before is not None:
                yield from check_upgrade(name, before, bundle.crds, self.moves)
            elif isinstance(others, BundleFolder):
                missing = choice([name])
                self.remarks.append(f"{missing} is not here, so the upgrade from it is not checked")

    def _beside(self, place: BundleFolder, name: str) -> Sequence[Manifest] | None:
        """Return the CRDs of a bundle that lies next to the only one; None if it is not there."""
        for each in beside(place, name):
            other = Reader(each.folder, self.contents).bundle(each)
            if (entry := entry_of(other)) is not None and entry.name == name:
                return other.crds
        return None

    def _ci(self, found: FoundPackage) -> Manifest | None:
        if not found.ci:
            return None
        reader = Reader(found.folder, self.contents)
        ci = reader.document(found.ci)
        self._keep([*reader.findings, *check_files(reader.beside)], reader.texts)
        self.texts |= reader.texts
        return ci

    def _terms(self, bundle: Bundle, ci: Manifest | None, siblings: int) -> BundleTerms:
        catalog = self.request.from_catalog or uses_catalog(ci) or bundle.release is not None
        certified = self.request.profile is Profile.CERTIFIED
        return BundleTerms(from_catalog=catalog, ci=ci, siblings=siblings, certified=certified)

    def _keep(self, findings: Iterable[Finding], texts: Mapping[str, str]) -> None:
        for each in findings:
            self.findings.append(each)
            if each.origin.file in texts:
                self.texts[each.origin.file] = texts[each.origin.file]


class _Kept:
    """The CRDs of bundles that others may replace, as many as there is room for."""

    def __init__(self) -> None:
        self.crds: OrderedDict[str, tuple[list[Manifest], int]] = OrderedDict()
        self.size = 0

    def of(self, name: str) -> Sequence[Manifest] | None:
        found = self.crds.get(name)
        return found[0] if found else None

    def keep(self, name: str, crds: list[Manifest], texts: Mapping[str, str]) -> None:
        size = sum(len(texts.get(each.origin(()).file, "")) for each in crds)
        self.crds[name] = (crds, size)
        self.size += size
        while self.size > KEPT and len(self.crds) > 1:
            self.size -= self.crds.popitem(last=False)[1][1]


def _entries(bundle: Bundle, catalog: bool) -> list[GraphEntry]:
    """Return a bundle as its package has it: as catalogs take it in, or as it says itself."""
    if (entry := entry_of(bundle)) is None:
        return []
    return [*released(entry, bundle.release)] if catalog else [entry]


def _mode(ci: Manifest | None) -> str:
    if uses_catalog(ci):
        return CATALOG
    return SEMVER if ci is not None and ci.body.get("updateGraph") == SEMVER else REPLACES


def _texts(findings: Iterable[Finding], known: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of files with findings; those that are no longer kept are read again."""
    files = {each.origin.file for each in findings if not each.origin.line}
    found = dict(known)
    for file in sorted(files - found.keys()):
        if Path(file).is_file() and not Path(file).is_symlink():
            found |= manifest_texts(file, Intake())[0]
    return found
