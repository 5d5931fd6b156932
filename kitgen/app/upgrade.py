"""Run `kitgen upgrade`: convert specs of an older format to the current one."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from kitgen.files.edits import change_files, recover_change
from kitgen.files.root import MARK, find_root
from kitgen.findings import Origin, deduplicate_findings
from kitgen.findings.errors import FindingsError
from kitgen.kit.spec_files import SpecFiles
from kitgen.kit.spec_formats import CURRENT, check_kit_format, kit_format, upgrade_specs
from kitgen.text.unified_diff import TextDiffs
from kitgen.text.wording import COMMAND, escape_unprintable


class UpgradeResult(Struct, frozen=True, kw_only=True):
    """What an upgrade changed, or would change."""

    found: int
    """The form that the kit was written in."""
    current: int
    files: tuple[str, ...]
    diff: str
    """The change as a patch; `patch -R -p1` takes it back."""


def upgrade_kit(folder: Path | None, *, dry_run: bool = False) -> UpgradeResult:
    """Rewrite a kit's specs in the current form, all of them or none, and keep comments and layout."""
    root = find_root(folder)
    recover_change(root)
    files = SpecFiles(root)
    mark, findings = files.read_data(MARK)
    if (found := kit_format(mark)) is None or found > CURRENT:
        findings = [
            *(each.to_finding(Origin(MARK)) for each in check_kit_format(mark)),
            *files.read_validated(MARK, "kit")[1],
        ]
    changed, wrong = upgrade_specs(files)
    if findings or wrong:
        raise FindingsError(deduplicate_findings([*findings, *wrong]), root)
    assert found is not None  # what is no form at all breaks the schema
    if not dry_run:
        change_files(root, files.texts, changed)
    return UpgradeResult(
        found=found,
        current=CURRENT,
        files=tuple(sorted(changed)),
        diff="".join(format_patch(name, files.texts[name], text) for name, text in sorted(changed.items())),
    )


def format_patch(name: str, old: str | None, new: str) -> str:
    """Return the change of a file as a patch; one that was not there before is made."""
    lines = (old or "").splitlines(keepends=True), new.splitlines(keepends=True)
    shown = escape_unprintable(name)
    # A line around a change stands behind a blank, where a CI system may take it for a command.
    around = 0 if any(COMMAND.search(line) for line in lines[0]) else 1
    before = "/dev/null" if old is None else f"a/{shown}"
    made = TextDiffs().diff_lines(*lines, before, f"b/{shown}", around=around, end="\n")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in made
    )
