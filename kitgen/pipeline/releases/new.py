"""What `kitgen release new` does: write the next release, and the few lines that its components need."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

from kitgen.check.releases import check_file
from kitgen.check.releases.apis import RELEASE_API
from kitgen.check.releases.rows import RELEASE_ROW
from kitgen.check.releases.succeeding import RELEASE_NEWEST
from kitgen.errors import FindingsError
from kitgen.findings import Finding, accept, unique
from kitgen.load import SpecFiles, load_kit
from kitgen.load.files import Disk
from kitgen.load.succession import RELEASE_BACKWARDS, RELEASE_PATCH
from kitgen.model import ITSELF, Kit
from kitgen.pipeline.opened import open_kit
from kitgen.pipeline.overlaid import Overlaid
from kitgen.pipeline.readmes import read_block
from kitgen.pipeline.released import check_written
from kitgen.pipeline.releases.texts import component_texts, release_text
from kitgen.pipeline.releases.versions import Chosen, base_of, checked_version, chosen, refused
from kitgen.write import change

NEEDS_REASON = (RELEASE_BACKWARDS, RELEASE_PATCH, RELEASE_API, RELEASE_NEWEST, RELEASE_ROW)
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
    matrix: Path | None = None
    """A README with the matrix of the release."""


class NewRelease(Struct, frozen=True, kw_only=True):
    """What was made."""

    root: Path
    chosen: Chosen
    files: tuple[str, ...]
    accepted: tuple[Finding, ...]
    """What the reason is for."""


def new_release(request: NewRequest) -> NewRelease:
    """Write a release and the specs that it needs; all of them or none."""
    opened = open_kit(request.root)
    kit = opened.kit
    version = checked_version(kit, request.version)
    base = base_of(kit, version, request.base, hotfix=request.hotfix)
    sets, records = _from_matrix(kit, request, version)
    made = chosen(
        kit,
        version,
        base,
        {**sets, **request.sets},
        {**records, **request.records},
        hotfix=request.hotfix,
    )
    if request.hotfix and not made.components:
        raise refused(version, f"found nothing that a hotfix of {base.name} changes", "name it with --set")
    file = f"releases/{version}.yaml"
    texts = {file: release_text(made, request.date), **component_texts(kit, made)}
    wrong = _wrong(opened.root, texts, version)
    accepted = [each for each in wrong if each.rule in NEEDS_REASON and each.origin.file == file]
    if accepted and request.reason:
        texts[file] = release_text(made, request.date, accepted, request.reason)
    if left := _wrong(opened.root, texts, version):
        raise FindingsError(left, opened.root, texts)
    change(opened.root, texts, was=dict.fromkeys(texts))
    return NewRelease(root=opened.root, chosen=made, files=tuple(texts), accepted=tuple(accepted))


def _wrong(root: Path, texts: Mapping[str, str], version: str) -> list[Finding]:
    """Return what would be wrong with the kit if it had the files of a release, and with that release."""
    try:
        kit = load_kit(SpecFiles(Overlaid(Disk(root), texts)), releases=False)
    except FindingsError as error:
        return [each for each in error.findings if each.blocks]
    found = [*check_written(kit, kit.releases.values()), *check_file(kit, kit.releases[version])]
    return [each for each in unique(accept(found, kit.exceptions, kit.grades)) if each.blocks]


def _from_matrix(kit: Kit, request: NewRequest, version: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the versions that the matrix of a README says: what the kit has specs of, and all others."""
    if request.matrix is None:
        return {}, {}
    if kit.matrix is None:
        raise refused(version, "this kit has no compatibility matrix", "add `matrix` to kit.yaml")
    block = read_block(request.matrix, kit.matrix)
    names = {row.label: row.of for row in kit.matrix.rows}
    sets: dict[str, str] = {}
    records: dict[str, str] = {}
    for row in block.rows:
        name = names[row.label]
        if name == ITSELF and row.version != version:
            raise refused(version, f"found the matrix of {row.version}, expected that of {version}")
        if name != ITSELF:
            (sets if name in kit.versions else records)[name] = row.version
    return sets, records
