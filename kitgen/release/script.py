"""Write the script of a release to a file."""

from __future__ import annotations

from pathlib import Path

from kitgen.files.atomic import edit_files
from kitgen.files.read import MAX_BYTES, read_file
from kitgen.findings.errors import KitgenError, UsageError
from kitgen.release.steps.plan import ReleasePlan
from kitgen.release.steps.script import MADE, script_of


def write_script(plan: ReleasePlan, file: Path | None) -> str:
    """Return the script, and write it if a file is named; what is no such script stays."""
    text = script_of(plan)
    if file is None:
        return text
    try:
        edit_files(_scripts(file), {file: text})
    except OSError as error:
        raise KitgenError(f"cannot write {file}: {error.strerror}") from error
    return text


def _scripts(file: Path) -> dict[Path, str]:
    """Return the script that is there, if any; a file that is no script of a release is wrong usage."""
    try:
        found = read_file(file, MAX_BYTES).decode()
        if MADE in found:
            return {file: found}
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError:
        pass
    raise UsageError(f"{file} is there, and no script of a release", hint="name another file")
