"""What `kitgen upgrade` does: specs of an older form become specs of the current one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from kitgen.errors import FindingsError, KitgenError
from kitgen.findings import Origin, unique
from kitgen.load import SpecFiles, spec_names
from kitgen.load.formats import CURRENT, kit_format, other_format, upgraded
from kitgen.root import MARK, find_root


@dataclass(frozen=True, slots=True, kw_only=True)
class UpgradeRequest:
    """Which kit to rewrite, and whether to write it."""

    root: Path | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgraded:
    """What an upgrade changed, or would change."""

    found: int
    """The form that the kit was written in."""
    current: int
    files: tuple[str, ...]
    diff: str
    """The change as a patch; `patch -R -p1` takes it back."""


def upgrade(request: UpgradeRequest) -> Upgraded:
    """Rewrite a kit's specs in the current form, all of them or none, and keep comments and layout."""
    root = find_root(request.root)
    files = SpecFiles(root)
    mark = files.parsed(MARK)
    found = kit_format(mark)
    if found is None or found > CURRENT:
        files.findings += [each.at(Origin(MARK)) for each in other_format(mark)]
        files.data(MARK, "kit")
    else:
        for name in spec_names(files) if found < CURRENT else ():
            files.parsed(name)
    if files.findings:
        raise FindingsError(unique(files.findings), root)
    assert found is not None  # what is no form at all breaks the schema
    changed = upgraded(files.texts, found)
    if not request.dry_run:
        _replace({root / name: text for name, text in changed.items()})
    diff = "".join(_diff(name, files.texts[name], text) for name, text in sorted(changed.items()))
    return Upgraded(found=found, current=CURRENT, files=tuple(sorted(changed)), diff=diff)


def _diff(name: str, old: str, new: str) -> str:
    lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    made = unified_diff(*lines, f"a/{name}", f"b/{name}", n=1)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in made
    )


def _replace(texts: Mapping[Path, str]) -> None:
    """Write all files beside their places, then move them there; a move that fails takes back the others."""
    places = {Path(os.path.realpath(path)): text.encode() for path, text in texts.items()}
    fresh = {path: path.with_name(f".{path.name}.upgrade-new") for path in places}
    before: dict[Path, bytes] = {}
    try:
        for path, content in places.items():
            fresh[path].write_bytes(content)
            fresh[path].chmod(path.stat().st_mode)
        for path in places:
            before[path] = path.read_bytes()
            fresh[path].replace(path)
    except OSError as error:
        for path, content in before.items():
            path.write_bytes(content)
        where = error.filename or "the specs"
        raise KitgenError(f"cannot write {where}: {error.strerror}", hint="nothing was changed") from error
    finally:
        for path in fresh.values():
            path.unlink(missing_ok=True)
