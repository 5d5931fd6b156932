"""What `kitgen release new` does: write the next release, and the few lines that its components need."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

from kitgen.files.edits import change_files
from kitgen.files.tree import Disk
from kitgen.findings import Finding, apply_exceptions, deduplicate_findings
from kitgen.findings.errors import FindingsError
from kitgen.kit.load import load_kit
from kitgen.kit.publishing import check_component_names
from kitgen.kit.spec_files import SpecFiles
from kitgen.kit.succession import RELEASE_BACKWARDS, RELEASE_PATCH
from kitgen.release.kit_releases import check_loaded_releases
from kitgen.release.new_versions import (
    ChosenVersions,
    choose_versions,
    make_release_error,
    render_components,
    render_release,
    resolve_base_release,
    validate_version,
)
from kitgen.release.rules.checks import check_file
from kitgen.release.rules.matrix_rows import RELEASE_ROW
from kitgen.release.rules.succession import RELEASE_API
from kitgen.workspace.kit import OverlaidFiles, open_kit

NEEDS_REASON = (RELEASE_BACKWARDS, RELEASE_PATCH, RELEASE_API, RELEASE_ROW)
"""What a release may do if it says why."""


class NewRequest(Struct, frozen=True, kw_only=True):
    """Which release to make."""

    root: Path | None = None
    version: str
    base: str | None = None
    sets: Mapping[str, str] = field(default_factory=dict)
    records: Mapping[str, str] = field(default_factory=dict)
    hotfix: bool = False
    date: str = ""
    reason: str = ""


class NewRelease(Struct, frozen=True, kw_only=True):
    """What was made."""

    root: Path
    chosen: ChosenVersions
    files: tuple[str, ...]
    accepted: tuple[Finding, ...]
    """What the reason is for."""


def create_release(request: NewRequest) -> NewRelease:
    """Write a release and the specs that it needs; all of them or none."""
    opened = open_kit(request.root, releases=False)  # what is wrong with them may be right with one more
    kit = opened.kit
    version = validate_version(kit, request.version)
    base = resolve_base_release(kit, version, request.base, hotfix=request.hotfix)
    made = choose_versions(kit, version, base, request.sets, request.records, hotfix=request.hotfix)
    if request.hotfix and not made.components:
        raise make_release_error(
            version, f"found nothing that a hotfix of {base.name} changes", "name it with --set"
        )
    file = f"releases/{version}.yaml"
    texts = {file: render_release(made, request.date), **render_components(kit, made)}
    wrong = _check_new_release(opened.root, texts, version)
    accepted = [each for each in wrong if each.rule in NEEDS_REASON and each.origin.file == file]
    if accepted and request.reason:
        texts[file] = render_release(made, request.date, accepted, request.reason)
    if left := _check_new_release(opened.root, texts, version):
        raise FindingsError(left, opened.root, texts)
    change_files(opened.root, opened.texts, texts)
    return NewRelease(root=opened.root, chosen=made, files=tuple(texts), accepted=tuple(accepted))


def _check_new_release(root: Path, texts: Mapping[str, str], version: str) -> list[Finding]:
    """Return what would be wrong with the kit if it had the files of a release, and with that release."""
    try:
        kit = load_kit(SpecFiles(OverlaidFiles(Disk(root), texts)), releases=False)
    except FindingsError as error:
        return [each for each in error.findings if each.is_blocking]
    found = [*check_loaded_releases(kit, kit.releases.values()), *check_component_names(kit)]
    found += check_file(kit, kit.releases[version])
    return [
        each
        for each in deduplicate_findings(apply_exceptions(found, kit.exceptions, kit.grades))
        if each.is_blocking
    ]
