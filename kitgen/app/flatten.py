"""Run `kitgen flatten`: merge a spec with all that it builds on into one file."""

from __future__ import annotations

from pathlib import Path

from kitgen.app.upgrade import format_patch
from kitgen.files.edits import change_files
from kitgen.findings import parse_pointer
from kitgen.findings.errors import UsageError
from kitgen.kit.flattened_text import flatten_file, flatten_texts
from kitgen.kit.inheritance import COMPONENT
from kitgen.kit.model.component import find_existing_prefix
from kitgen.text.yaml import JsonObject, read_yaml
from kitgen.workspace.effective_specs import EffectiveSpec, resolve_effective_spec


def flatten_spec(root: Path | None, source: str, *, dry_run: bool = False) -> tuple[str, int, str]:
    """Write a spec out with all that it builds on, all of its files or none; what it says stays the same.

    Return what it is called, how many files change, and the change as a patch.
    """
    found = resolve_effective_spec(root, source)
    if found.revision:
        raise UsageError(f"{source} is a revision, which nobody can rewrite", hint="name it without git:")
    if len(found.way) == 1:
        raise UsageError(f"{found.source} builds on nothing, so there is nothing to write out")
    texts = [found.texts[file] for file in reversed(found.way)]
    written = {found.way[0]: flatten_texts(texts, _add_exceptions(found))}
    written |= {
        found.way[0].replace(COMPONENT, name): flatten_file(found.texts, file)
        for name, file in found.beside.items()
    }
    changed = {file: text for file, text in sorted(written.items()) if found.texts.get(file) != text}
    if not dry_run:
        change_files(found.root, found.texts, changed)
    diff = "".join(format_patch(file, found.texts.get(file), text) for file, text in changed.items())
    return found.source, len(changed), diff


def _add_exceptions(found: EffectiveSpec) -> JsonObject:
    """Return what a spec says, with the exceptions of releases for what it takes over from them."""
    data = found.said.data
    taken = [
        item
        for file in found.way[1:]
        if file.startswith("releases/")
        for item in read_yaml(found.texts[file]).get("exceptions", ())
        if find_existing_prefix(data, path := parse_pointer(item["pointer"])) == path
        and found.said.origin.at(*path).file == file
    ]
    return {**data, "exceptions": [*data.get("exceptions", ()), *taken]} if taken else data
