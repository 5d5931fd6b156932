"""Names in a migration that lead nowhere, as far as the files of a kit tell it without being read."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, Path, near
from kitgen.load.specfiles import SpecFiles
from kitgen.model.migration import Migration
from kitgen.schema.rules import REFERENCE_MISSING


def lost_names(made: Migration, files: SpecFiles) -> Iterator[Finding]:
    """Yield targets, releases and the component that there is no file of."""
    listed, _ = files.listed()
    known: dict[str, list[str]] = {"target": [], "component": [], "release": []}
    for file, kind in listed.items():
        if kind in known:
            known[kind].append(file.removesuffix(".yaml").split("/")[1])
    said: list[tuple[str, Path, str]] = [("component", ("component",), made.component)]
    said += [("target", ("targets", index), name) for index, name in enumerate(made.targets)]
    releases = (("before", made.before), ("both", made.both), ("after", made.after))
    said += [("release", (key,), name) for key, name in releases if name]
    for kind, path, name in said:
        if name not in known[kind]:
            hint = near(name, known[kind])
            yield REFERENCE_MISSING(f"found no {kind} {name!r}", hint=hint).at(made.origin.at(*path))
