"""Run `kitgen crd import`: turn real CRDs into the declarations of a component, and write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kitgen.crd.declaration import crd_plural
from kitgen.crd.importer.check import check_crd
from kitgen.crd.importer.component_metadata import (
    CrdMetadata,
    StrippedCrds,
    guess_metadata,
    strip_component_metadata,
)
from kitgen.crd.importer.declaration_fields import EarlierCrds, check_losses, normalize_crd
from kitgen.crd.importer.importer import Import, import_crds
from kitgen.files.edits import change_files, recover_change
from kitgen.files.root import find_root
from kitgen.files.tree import Memory, resolve_inside
from kitgen.findings import Finding, Origin, deduplicate_findings
from kitgen.findings.errors import FindingsError, KitgenError
from kitgen.importing.crd_component import (
    SPEC,
    Existing,
    VersionTemplate,
    find_affected_declarations,
    load_crd_context,
    load_version_template,
    read_declarations,
    render_component_yaml,
)
from kitgen.kit.spec_files import SpecFiles, check_lost_characters
from kitgen.text.yaml import read_yaml
from kitgen.text.yaml.edits import set_value
from kitgen.workspace.crd_sources import ForeignCrds, read_foreign_crds


class CrdImportRequest(Struct, frozen=True, kw_only=True):
    """What to import, and as what."""

    root: Path | None = None
    files: tuple[str, ...]
    component: str
    version: str
    descriptions: bool = False
    """Whether to keep the descriptions of fields."""

    @property
    def folder(self) -> str:
        """Return the version's folder in the kit."""
        return f"components/{self.component}/{self.version}"


class CrdImportResult(Struct, frozen=True, kw_only=True):
    """What was given, taken out, made and written."""

    root: Path
    request: CrdImportRequest
    start: VersionTemplate
    before: EarlierCrds | None
    """The CRDs of this version, or of the version before."""
    surroundings: CrdMetadata
    given: ForeignCrds
    bare: StrippedCrds
    made: Import
    others: tuple[str, ...]
    """The CRDs that the component declares and that were not read."""
    findings: tuple[Finding, ...] = ()
    """What people should look at; an import that was made is no failure."""


def run_crd_import(request: CrdImportRequest) -> CrdImportResult:
    """Import CRDs: all files are written, or none."""
    root = find_root(request.root)
    recover_change(root)
    if resolve_inside(root, request.folder) is None:
        raise KitgenError(
            f"{request.folder} leads out of the kit", hint="replace the symbolic link by a folder"
        )
    given = read_foreign_crds(request.files, check_crd)
    specs = SpecFiles(root)
    start = load_version_template(specs, request.folder)
    known = read_declarations(specs, request.folder)
    work = _build_declarations(root, request, specs, given, known, start)
    texts = _render_files(work, known)
    # Texts that the loader would refuse are reported where they were given.
    bodies = [
        (normalize_crd(each.body, keep=request.descriptions), each.origin) for each in given.found.values()
    ]
    lost = [finding for body, origin in bodies for finding in check_lost_characters(body, origin)]
    if wrong := lost or list(_check_rendered_files(work, texts)):
        raise FindingsError(deduplicate_findings(wrong), texts={**given.texts, **texts})
    findings = deduplicate_findings(_collect_findings(work, request.files[0]))
    change_files(root, specs.texts, texts)
    return replace(work, findings=tuple(findings))


def _build_declarations(
    root: Path,
    request: CrdImportRequest,
    specs: SpecFiles,
    given: ForeignCrds,
    known: Existing,
    start: VersionTemplate,
) -> CrdImportResult:
    """Take out what the component gives, and declare the rest."""
    known_surroundings, before = load_crd_context(specs, request.component, request.version)
    surroundings = known_surroundings or CrdMetadata()
    if not (known_surroundings or start.text):
        surroundings = guess_metadata(given.bodies, [each.body for each in given.others], request.component)
    bare = strip_component_metadata(given.bodies, surroundings)
    others = tuple(name for name in known if name not in given.found)
    made = import_crds(
        bare.bodies,
        keep=request.descriptions,
        prefer=start.minor,
        only=start.minor if others else 0,
        taken=[crd_plural(known[name][1]) for name in others],
        home=surroundings.home,
    )
    return CrdImportResult(
        root=root,
        request=request,
        start=start,
        before=before,
        surroundings=surroundings,
        given=given,
        bare=bare,
        made=made,
        others=others,
    )


def _render_files(work: CrdImportResult, known: Existing) -> dict[str, str]:
    """Return the files to write; a CRD that is declared already stays in its file."""
    request, made, start = work.request, work.made, work.start
    if names := find_affected_declarations(
        known, {file.crd: read_yaml(file.text) for file in made.files}, made.minor
    ):
        raise KitgenError(
            f"{', '.join(names)} would change too: it uses parts of what is imported",
            hint="import all CRDs of the component together",
        )
    texts = {
        known[file.crd][0] if file.crd in known else f"{request.folder}/crds/{file.name}.yaml": file.text
        for file in made.files
    }
    spec = set_value(start.text, "kubernetes", f"1.{made.minor}", below="version") if start.text else ""
    new = spec or render_component_yaml(request.component, request.version, made.minor, work.surroundings)
    return texts | {f"{request.folder}/{name}": text for name, text in {SPEC: new, **start.others}.items()}


def _check_rendered_files(work: CrdImportResult, texts: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what else the loader would find in the files to write, but for a spec that is not new."""
    specs = SpecFiles(Memory({name: text.encode() for name, text in texts.items()}))
    for name in texts:
        schema = "crd" if "/crds/" in name else name.rpartition("/")[2].removesuffix(".yaml")
        if schema == "crd" or not work.start.text:
            yield from specs.read_validated(name, schema)[1]


def _collect_findings(work: CrdImportResult, file: str) -> Iterator[Finding]:
    """Yield what people should look at, in the files that were read."""
    problems = list(work.bare.problems)
    if work.before is not None:
        problems += check_losses(work.before, work.bare.bodies, work.others)
    for problem in problems:
        crd, path = problem.path[:1], problem.path[1:]
        origin = work.given.found[str(crd[0])].origin if crd else Origin(file, (), 1)
        yield replace(problem, path=path).to_finding(origin)
