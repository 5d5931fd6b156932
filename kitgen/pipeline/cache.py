"""Remember that a kit was up to date, so that a second render need not look again.

What is kept is a fingerprint of everything that goes in (specs, kitgen, its libraries) and of
everything that came out. If both still hold, rendering would change nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from kitgen import __version__
from kitgen.findings import Finding, Origin, Rule, registered
from kitgen.pipeline.rendered import Rendered
from kitgen.root import MARK, OVERLAYS, SPECS, find_root
from kitgen.write import Changes, digest, leftovers, recover

LIBRARIES = ("jinja2", "jsonschema_rs", "kubernetes_validate", "yaml")


class Cache(Struct, frozen=True, kw_only=True):
    """The memory of one kit's last render."""

    root: Path
    file: Path
    inputs: str

    @staticmethod
    def open(root: Path | None) -> Cache | None:
        """Repair what a killed run left behind, and look at the kit's inputs; None if they cannot be read."""
        found = find_root(root)
        recover(found / OVERLAYS)
        name = hashlib.sha256(os.fsencode(found)).hexdigest()[:32]
        try:
            return Cache(root=found, file=_home() / "kitgen" / f"{name}.json", inputs=_inputs(found))
        except (OSError, RuntimeError):
            return None  # whether it matters, and what to say, is for a full render

    def lookup(self) -> Rendered | None:
        """Return what a render would say that finds nothing to do, if nothing has changed since the last."""
        out = self.root / OVERLAYS
        try:
            kept = json.loads(self.file.read_bytes())
            if kept["inputs"] != self.inputs or kept["outputs"] != digest(out):
                return None
            return Rendered(
                root=self.root,
                out=out,
                targets=tuple(kept["targets"]),
                objects=kept["objects"],
                files=kept["files"],
                changes=Changes(out=out),
                findings=tuple(_finding(each) for each in kept["findings"]),
                of_folder=tuple(leftovers(out)),
            )
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None  # no memory, or one that cannot be read: render again

    def store(self, made: Rendered) -> None:
        """Keep what a render said of the kit; a cache that cannot be written is no error."""
        kept = {
            "inputs": self.inputs,
            "outputs": digest(self.root / OVERLAYS),
            "targets": made.targets,
            "objects": made.objects,
            "files": made.files,
            "findings": [{**to_builtins(each), "rule": each.rule.id} for each in made.findings],
        }
        try:
            if _inputs(self.root) != self.inputs:
                return  # somebody edited a spec meanwhile
            self.file.parent.mkdir(parents=True, exist_ok=True)
            fresh = self.file.with_suffix(f".{os.getpid()}")
            fresh.write_text(json.dumps(kept), encoding="utf-8")
            fresh.replace(self.file)
        except OSError:
            return


def _home() -> Path:
    """Return the folder for caches; RuntimeError if the user has no home."""
    named = os.environ.get("KITGEN_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    return Path(named) if named else Path.home() / ".cache"


def _inputs(root: Path) -> str:
    """Return a fingerprint of the specs, of kitgen itself and of the libraries that shape the output."""
    total = hashlib.blake2b(_program().encode())
    for name in (MARK, *SPECS):
        _add(total, root / name)
    return total.hexdigest()


@cache
def _program() -> str:
    """Tell this kitgen and its libraries from others: by the age of its files, and by what is installed."""
    package = Path(__file__).parent.parent
    found = [__version__, sys.version, str(package), *_files(package)]
    specs = (find_spec(library) for library in LIBRARIES)
    folders = {Path(spec.origin).parent.parent for spec in specs if spec and spec.origin}
    for folder in sorted(folders):
        found += sorted(path.name for path in folder.glob("*-info"))
    return "\n".join(found)


def _files(folder: str | Path) -> list[str]:
    """Name the files of kitgen in a folder and below it, with their sizes and times."""
    found = []
    for entry in sorted(os.scandir(folder), key=lambda each: each.name):
        if entry.name.endswith((".py", ".json")):
            stat = entry.stat()
            found.append(f"{entry.name} {stat.st_size} {stat.st_mtime_ns}")
        elif entry.name != "__pycache__" and entry.is_dir():
            found += [entry.name, *_files(entry.path)]
    return found


def _add(total: hashlib.blake2b, path: Path) -> None:
    if path.is_symlink():
        total.update(os.fsencode(path) + b"->" + os.fsencode(path.readlink()))
        if path.is_dir():
            return  # a full render looks where it leads
    if path.is_dir():
        for entry in sorted(path.iterdir()):
            _add(total, entry)
    elif path.is_file():
        total.update(f"{path}\0{path.stat().st_size}\0".encode(errors="surrogateescape"))
        with path.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                total.update(chunk)


def _finding(kept: dict[str, Any]) -> Finding:
    import kitgen.pipeline.rendering  # noqa: F401 # whatever a render can find is registered by it

    origin = {**kept["origin"], "path": tuple(kept["origin"]["path"])}
    return Finding(**{**kept, "rule": registered(Rule)[kept["rule"]], "origin": Origin(**origin)})
