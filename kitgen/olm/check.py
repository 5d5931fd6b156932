"""What `kitgen bundle check` does: read bundles one by one, check each, then the package that they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field

from kitgen.files.results import decode_value, encode_value
from kitgen.files.workers import share_work
from kitgen.findings import (
    MAX_ERRORS,
    MAX_FINDINGS,
    Finding,
    Origin,
    deduplicate_findings,
    make_problem,
    report_findings_limit,
    rules_by_id,
    suggest_word,
)
from kitgen.findings.errors import UsageError
from kitgen.findings.records import from_record, to_record
from kitgen.kit.manifests import ReadBudget, read_manifests
from kitgen.kit.model.moves import DeclaredMoves
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.contents import Recent, TextContent
from kitgen.olm.packages.folders import BundleFolder, FoundPackage, find_packages, find_sibling_bundles
from kitgen.olm.packages.reading import Reader
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.engine import check_bundle, check_files, check_package, check_upgrade
from kitgen.olm.rules.graph import CATALOG, REPLACES, SEMVER, GraphEntry, build_entry, list_template_entries
from kitgen.olm.rules.profiles import Profile, apply_profile
from kitgen.olm.rules.release_config import uses_catalog
from kitgen.olm.rules.terms import BundleTerms
from kitgen.text.wording import join_words
from kitgen.workspace.sources import Kits

MOST = 20
"""Bundles from which an upgrade to one is checked: a catalog has a template for each OpenShift."""
KEPT_TEXTS, KEPT_CRDS = 16 * 1024 * 1024, 12 * 1024 * 1024
"""Characters of texts whose content is remembered, and of CRDs for the bundles that replace theirs."""


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
    remarks: tuple[str, ...] = ()


class FolderFindings(NamedTuple):
    """What is wrong with a bundle, or with a package as a whole."""

    folder: str
    findings: Sequence[Finding]


class PackageChecked(Struct, frozen=True, kw_only=True):
    """What a check of one package found, in order."""

    parts: Sequence[FolderFindings]
    bundles: int
    remarks: Sequence[str]


def run_bundle_check(request: BundleCheckRequest) -> BundlesChecked:
    """Check a bundle, a package or a folder of packages."""
    for option, names in (("--select", request.select), ("--ignore", request.ignore)):
        if unknown := [name for name in names if name not in rules_by_id()]:
            raise UsageError(
                f"{option}: found no rule {unknown[0]!r}", hint=suggest_word(unknown[0], list(rules_by_id()))
            )
    moves, unread = Kits(None).load_declared_moves()
    findings, remarks, bundles = select_findings(request, unread), list[str](), 0
    check = partial(_check_found_package, request=request, moves=moves)
    with share_work(check, find_packages(request.folder), _encode_package, _decode_package) as packages:
        for each in packages:
            bundles += each.bundles
            remarks += each.remarks
            for part in each.parts:
                findings += part.findings
                if len(findings) > MAX_FINDINGS:
                    break
            if len(findings) > MAX_FINDINGS:
                findings.append(report_findings_limit(part.folder))
                break
    return BundlesChecked(
        findings=tuple(deduplicate_findings(findings)),
        texts=TextsOfFiles({each.origin.file for each in findings}),
        bundles=bundles,
        remarks=tuple(remarks),
    )


def select_findings(request: BundleCheckRequest, findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that are asked for."""
    return [
        each
        for each in apply_profile(request.profile, findings)
        if (not request.select or each.rule.id in request.select) and each.rule.id not in request.ignore
    ]


def _check_found_package(
    found: FoundPackage, request: BundleCheckRequest, moves: DeclaredMoves
) -> PackageChecked:
    check = _PackageCheck(request, moves)
    parts: list[FolderFindings] = []
    count = 0
    for part in check.check_bundles(found):
        parts.append(part._replace(findings=select_findings(request, part.findings)))
        count += len(parts[-1].findings)
        if count > MAX_FINDINGS:
            break
    return PackageChecked(parts=parts, bundles=check.bundles, remarks=check.remarks)


def _encode_package(done: PackageChecked) -> bytes | None:
    parts = [(folder, [to_record(each) for each in findings]) for folder, findings in done.parts]
    return encode_value((parts, done.bundles, done.remarks))


def _decode_package(content: bytes) -> PackageChecked:
    parts, bundles, remarks = decode_value(content)
    found = [FolderFindings(folder, [from_record(each) for each in records]) for folder, records in parts]
    return PackageChecked(parts=found, bundles=bundles, remarks=remarks)


class _PackageCheck:
    """The check of one package, and what is kept for the bundles that come."""

    def __init__(self, request: BundleCheckRequest, moves: DeclaredMoves) -> None:
        self.request, self.moves = request, moves
        self.contents: Recent[TextContent] = Recent(KEPT_TEXTS)
        self.remarks: list[str] = []
        self.bundles = 0

    def check_bundles(self, found: FoundPackage) -> Iterator[FolderFindings]:
        """Check all bundles of a package, and how they follow each other."""
        if not found.bundles:
            message = "found no bundle, expected the folders manifests and metadata"
            hint = "name the folder of a version, of a package, or one of packages"
            wrong = make_problem("bundle-folders", message, (), hint, 1).to_finding(Origin(found.folder))
            yield FolderFindings(found.folder, [wrong])
        ci, unread = self._read_ci_config(found)
        yield FolderFindings(found.folder, unread)
        crds: Recent[list[Manifest]] = Recent(KEPT_CRDS)
        entries: list[GraphEntry] = []
        for place in found.bundles:
            reader = Reader(place.folder, self.contents)
            bundle = reader.read_bundle(place)
            self.bundles += 1
            terms = BundleTerms(
                from_catalog=self.request.from_catalog or uses_catalog(ci) or bundle.release is not None,
                ci=ci,
                siblings=len(found.bundles) - 1,
                certified=self.request.profile is Profile.CERTIFIED,
            )
            new = check_bundle(bundle, terms)
            if (entry := build_entry(bundle)) is not None:
                # As catalogs take it in, or as it says itself.
                ways = [*list_template_entries(entry, bundle.release)] if uses_catalog(ci) else [entry]
                alone = place if len(found.bundles) == 1 else None
                names = dict.fromkeys(each.replaces for each in ways if each.replaces)
                new += islice(self._check_upgrades([*names], bundle, crds, alone), MAX_ERRORS + 1)
                entries += ways
                size = sum(len(reader.texts.get(each.find_origin(()).file, "")) for each in bundle.crds)
                crds.put(entry.name, bundle.crds, size)
            yield FolderFindings(place.folder, new)
        if entries or ci is not None:
            name = found.name or next((each.package for each in entries if each.package), "")
            # A bundle by itself has no say in what holds for its package.
            of_all = check_package(ci if found.name else None, name, entries, _update_mode_of(ci))
            yield FolderFindings(found.folder, of_all)

    def _check_upgrades(
        self, names: Sequence[str], bundle: Bundle, crds: Recent[list[Manifest]], alone: BundleFolder | None
    ) -> Iterator[Finding]:
        """Yield what OLM refuses in upgrades to a bundle; those before one that is alone lie beside it."""
        if len(names) > MOST:
            self.remarks.append(
                f"{join_words(names, last='and')} are replaced; {MOST} of these are looked at"
            )
        for name in names[:MOST]:
            before = crds.get(name) if alone is None else self._read_sibling_crds(alone, name)
            if before is not None:
                yield from check_upgrade(name, before, bundle.crds, self.moves)
            elif alone is not None:
                missing = join_words([name])
                self.remarks.append(f"{missing} is not here, so the upgrade from it is not checked")

    def _read_sibling_crds(self, place: BundleFolder, name: str) -> list[Manifest] | None:
        """Return the CRDs of a bundle that lies next to the only one; None if it is not there."""
        for each in find_sibling_bundles(place, name):
            other = Reader(each.folder, self.contents).read_bundle(each)
            if (entry := build_entry(other)) is not None and entry.name == name:
                return other.crds
        return None

    def _read_ci_config(self, found: FoundPackage) -> tuple[Manifest | None, list[Finding]]:
        if not found.ci:
            return None, []
        reader = Reader(found.folder, self.contents)
        ci = reader.read_document(found.ci)
        return ci, [*reader.findings, *check_files(reader.beside)]


def _update_mode_of(ci: Manifest | None) -> str:
    if uses_catalog(ci):
        return CATALOG
    return SEMVER if ci is not None and ci.body.get("updateGraph") == SEMVER else REPLACES


class TextsOfFiles(Mapping[str, str]):
    """Texts of files with findings, each read when its lines are asked for: there may be thousands."""

    def __init__(self, files: Iterable[str]) -> None:
        """Name the files."""
        self.files = sorted(files)

    def __getitem__(self, file: str) -> str:
        """Return the text of a file."""
        if not Path(file).is_file() or Path(file).is_symlink():
            raise KeyError(file)
        return read_manifests(file, ReadBudget())[0][file]

    def __iter__(self) -> Iterator[str]:
        """Yield the files, which may hold no text."""
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)
