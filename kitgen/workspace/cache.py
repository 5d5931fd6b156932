"""Cache that a kit was up to date, so that a second render can be skipped.

The cache has a fingerprint of all inputs (specs, kitgen, its libraries) and of the rendered output, not of
the disk, which may be edited meanwhile. It also keeps the specs, which may hold secrets, so only the user who
rendered may read it.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Annotated, TypeAlias

from msgspec import Meta, MsgspecError, Struct, structs, to_builtins
from msgspec.json import decode
from msgspec.msgpack import decode as unpack
from msgspec.msgpack import encode as pack

from kitgen import __version__
from kitgen.files.apply import recover_write
from kitgen.files.atomic import replace_private_file
from kitgen.files.edits import recover_change
from kitgen.files.generated_files import hash_folder
from kitgen.files.read import MAX_BYTES, MAX_TOTAL, OWN_LIMIT, read_file
from kitgen.files.root import MARK, OVERLAYS, SPECS, find_root
from kitgen.files.tree_changes import TreeChanges
from kitgen.findings import Finding, Origin, Severity
from kitgen.findings.rule_table import rules_by_id
from kitgen.text import schema_check as schemafiles
from kitgen.workspace.render_request import D, RenderResult

_File: TypeAlias = tuple[Path, os.stat_result, bytes | None]
MAX_FILES = 20_000
"""How many files and folders of specs are looked at."""
LIBRARIES = ("jinja2", "jsonschema_rs", "kubernetes_validate", "yaml")


class _KeptFinding(Struct, frozen=True, kw_only=True):
    """A finding as it is kept: of the rule, the id."""

    rule: str
    message: str
    origin: Origin
    hint: str
    subject: str
    accepted: str
    graded: Severity | None


class _Kept(Struct, frozen=True, kw_only=True):
    """What a file of the cache holds; whatever is of another form counts for nothing."""

    inputs: str
    outputs: str
    targets: tuple[str, ...]
    objects: Annotated[int, Meta(ge=0, le=2**31)]
    files: Annotated[int, Meta(ge=0, le=2**31)]
    findings: tuple[_KeptFinding, ...]


class Cache(Struct, frozen=True, kw_only=True):
    """The memory of one kit's last render."""

    root: Path
    file: Path
    inputs: str
    moments: str
    """When the specs last changed; an edit that is taken back shows here alone."""

    @staticmethod
    def open(root: Path | None) -> Cache | None:
        """Repair what a killed run left behind, and look at the kit's inputs; None if they cannot be read."""
        found = find_root(root)
        recover_write(found / OVERLAYS)
        recover_change(found)
        name = hashlib.sha256(os.fsencode(found)).hexdigest()[:32]
        try:
            inputs, moments = _fingerprint_inputs(_read_spec_files(found))
            file = _get_cache_home() / "kitgen" / f"{name}.json"
            if Path(os.path.realpath(file)).is_relative_to(_find_repository(found)):
                return None  # it may have come with the kit, and would vouch for it
            return Cache(root=found, file=file, inputs=inputs, moments=moments)
        except (OSError, RuntimeError):
            return None  # whether it matters, and what to say, is for a full render

    def lookup(self) -> RenderResult[D] | None:
        """Return what a render would say that finds nothing to do, if nothing has changed since the last."""
        out = self.root / OVERLAYS
        try:
            kept = decode(read_file(self.file, OWN_LIMIT), type=_Kept)
            if kept.inputs != self.inputs or kept.outputs != hash_folder(out):
                return None
            findings = tuple(
                Finding(**{**structs.asdict(each), "rule": rules_by_id()[each.rule]})
                for each in kept.findings
            )
            if any(each.is_blocking for each in findings):  # then nothing was rendered
                return None
            return RenderResult(
                root=self.root,
                out=out,
                targets=kept.targets,
                objects=kept.objects,
                files=kept.files,
                changes=TreeChanges(out=out),
                findings=findings,
                of_folder=(),
                digest=kept.outputs,
            )
        except (OSError, MsgspecError, ValueError, KeyError, RecursionError):
            return None  # no memory, or one that cannot be read: render again

    def recall(self) -> dict[str, bytes] | None:
        """Return the specs of the last render, by path; None if nothing is remembered."""
        try:
            return unpack(
                decompress(read_file(self._specs_file, OWN_LIMIT), MAX_TOTAL), type=dict[str, bytes]
            )
        except (OSError, MsgspecError, ValueError, zlib.error):
            return None

    @property
    def _specs_file(self) -> Path:
        return self.file.with_suffix(".specs")

    def store(self, made: RenderResult[D]) -> None:
        """Keep what a render said of the kit; a cache that cannot be written is no error."""
        kept = {
            "inputs": self.inputs,
            "outputs": made.digest,
            "targets": made.targets,
            "objects": made.objects,
            "files": made.files,
            "findings": [
                {**to_builtins(each), "rule": each.rule.id}
                for each in made.findings
                if each.is_blocking or not each.rule.chapter.is_for_review  # a render tells no others
            ],
        }
        try:
            files = list(_read_spec_files(self.root))
            if _fingerprint_inputs(files) == (
                self.inputs,
                self.moments,
            ):  # or somebody edited a spec meanwhile
                replace_private_file(self.file, json.dumps(kept).encode())
                if made.changes.has_changes or not self._specs_file.exists():
                    replace_private_file(
                        self._specs_file, zlib.compress(pack(_collect_specs(files, self.root)), 1)
                    )
        except OSError:
            return


def decompress(content: bytes, most: int) -> bytes:
    """Return what was compressed; more than a kit can hold is none."""
    found = zlib.decompressobj()
    plain = found.decompress(content, most)
    if found.unconsumed_tail:
        raise ValueError("there is more than specs")
    return plain


def _collect_specs(files: Iterable[_File], root: Path) -> dict[str, bytes]:
    """Return the specs of a kit, and what they name, by path; none has a name that is no text."""
    found = ((path.relative_to(root).as_posix(), content) for path, _, content in files)
    return {name: content for name, content in found if content is not None and name.isprintable()}


def _get_cache_home() -> Path:
    """Return the folder for caches; RuntimeError if the user has no home."""
    named = os.environ.get("KITGEN_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    return Path(named) if named else Path.home() / ".cache"


def _find_repository(root: Path) -> Path:
    """Return the folder that comes with a kit: its repository, or the kit alone."""
    return next((each for each in (root, *root.parents) if os.path.lexists(each / ".git")), root)


def _fingerprint_inputs(files: Iterable[_File]) -> tuple[str, str]:
    """Return a fingerprint of the specs, kitgen itself and its libraries, and one of when specs changed."""
    contents, moments = hashlib.blake2b(_fingerprint_program().encode()), hashlib.blake2b()
    for path, found, content in files:
        name = os.fsencode(path)
        moments.update(b"%b\0%d %d %d\0" % (name, found.st_ino, found.st_mtime_ns, found.st_ctime_ns))
        if content is not None:
            contents.update(b"%b\0%d\0%b" % (name, len(content), content))
    return contents.hexdigest(), moments.hexdigest()


def _read_spec_files(root: Path) -> Iterator[_File]:
    """Yield the files of the specs with what they hold, and their folders.

    OSError if there is too much, or more than files and folders: where links lead, only a full render looks.
    """
    ahead = [root / name for name in (MARK, *SPECS)]
    files, left = 0, MAX_TOTAL
    while ahead:
        path = ahead.pop()
        try:
            found = path.lstat()
        except FileNotFoundError:
            continue
        files += 1
        if files > MAX_FILES:
            raise OSError(f"there is more in {root} than specs")
        if stat.S_ISDIR(found.st_mode):
            ahead += sorted(islice(path.iterdir(), MAX_FILES))
            yield path, found, None
            continue
        content = read_file(path, min(left, MAX_BYTES))
        left -= len(content)
        yield path, found, content


@cache
def _fingerprint_program() -> str:
    """Return a fingerprint of kitgen and its libraries: the age of its files, and what is installed."""
    package = Path(__file__).parent.parent
    found = [
        __version__,
        sys.version,
        str(package),
        *_list_program_files(package),
        *_list_program_files(schemafiles.find_schema_folder()),
    ]
    specs = (find_spec(library) for library in LIBRARIES)
    for folder in sorted({Path(spec.origin).parent.parent for spec in specs if spec and spec.origin}):
        found += sorted(path.name for path in folder.glob("*-info"))
    return "\n".join(found)


def _list_program_files(folder: str | Path) -> list[str]:
    """Name the files of kitgen in a folder and below it, with their sizes and times."""
    found = []
    for entry in sorted(os.scandir(folder), key=lambda each: each.name):
        if entry.name.endswith((".py", ".json", ".yaml")):
            seen = entry.stat()
            found.append(f"{entry.name} {seen.st_size} {seen.st_mtime_ns}")
        elif entry.name != "__pycache__" and entry.is_dir():
            found += [entry.name, *_list_program_files(entry.path)]
    return found
