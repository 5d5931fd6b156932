"""Write down where the definitions are in the files of the package kubernetes-validate: `make docs`.

To find that out costs every run, so kitgen reads this. It holds for files of the same size; others
are searched.
"""

from __future__ import annotations

import json
from pathlib import Path

from kitgen.kube.definitions import Layout, find_definition_files, read_layout

ROOT = Path(__file__).resolve().parent.parent
INDEX = "kitgen/kube/definitions.json"


def indexed() -> str:
    """Return the index, a line for each file."""
    texts = {path.parent.name: path.read_bytes() for path in find_definition_files()}
    layouts = {folder: read_layout(text) for folder, text in sorted(texts.items())}
    names = sorted({name for each in layouts.values() for name in each.names})
    files = ",\n".join(
        f'"{folder}": {_compact([len(texts[folder]), *_number(each, names)])}'
        for folder, each in layouts.items()
    )
    return f'{{"names": {json.dumps(names, indent=0)},\n"files": {{\n{files}\n}}}}\n'


def _number(layout: Layout, names: list[str]) -> tuple[list[int], list[int]]:
    """Return the length of each definition, and the numbers of those of kinds."""
    lengths = dict(zip(layout.names, layout.lengths, strict=True))
    kinds = {*layout.kinds}
    return [lengths.get(name, 0) for name in names], [at for at, name in enumerate(names) if name in kinds]


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


if __name__ == "__main__":
    (ROOT / INDEX).write_text(indexed(), encoding="utf-8")
