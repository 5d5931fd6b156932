"""Files that are read line by line: params.env, Makefile, go.mod."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.load.downstream.records import AGAINST_SHAPE, Built, BuiltBy, File, Param, ParamsFile, Record
from kitgen.load.manifests import Intake

VARIABLE = re.compile(r"(?P<name>[A-Z][A-Z0-9_]*)_VERSION[ \t]*[?:]{0,2}=[ \t]*(?P<value>[^#\n]*)")
REQUIRED = re.compile(r"(?P<module>[\w.~-]+\.[\w./~-]+)\s+(?P<version>v\S+)")
REPLACED = re.compile(r"(?P<old>\S+)(?:\s+v\S+)?\s*=>\s*(?P<new>\S+)(?:\s+(?P<version>v\S+))?")
BLOCKS = ("require", "replace")
LONGEST = 4_000
"""Characters of a line that are looked at."""


def lines_of(file: File) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that say something, with their numbers and without space around them."""
    for number, line in enumerate(file.text.splitlines(), 1):
        if said := line[:LONGEST].strip():
            yield number, said


def read_params(file: File, _intake: Intake) -> Iterator[Record]:
    """Yield the keys of a params.env as kustomize reads them."""
    params = []
    for number, line in lines_of(file):
        if line.startswith("#"):
            continue
        key, sign, value = line.removeprefix("\ufeff").partition("=")
        if not sign:
            yield AGAINST_SHAPE("found a line without =, expected KEY=VALUE").at(file.at(number))
            continue
        params.append(Param(key=key.strip(), value=value.strip(), origin=file.at(number)))
    yield ParamsFile(origin=file.at(1), place=file.place, params=tuple(params))


def read_makefile(file: File, _intake: Intake) -> Iterator[Record]:
    """Yield the versions that variables such as KUEUE_VERSION hold; what make computes is left out."""
    for number, line in lines_of(file):
        match = VARIABLE.match(line.removeprefix("export "))
        value = match["value"].strip() if match else ""
        if match and value and "$" not in value:
            yield Built(
                by=BuiltBy.MAKE,
                name=match["name"],
                version=value,
                place=file.place,
                origin=file.at(number),
            )


def read_go_mod(file: File, _intake: Intake) -> Iterator[Record]:
    """Yield the modules that go.mod requires, in the versions that it takes in the end."""
    found: dict[str, Built] = {}
    block = ""
    for number, raw in lines_of(file):
        line = raw.partition("//")[0].strip()
        word, _, rest = line.partition(" ")
        if word in BLOCKS:
            block = word
            line = rest.strip().removeprefix("(").strip()
        made = _module(file, number, block, line)
        # What is replaced is built from elsewhere, wherever in the file that is said.
        if made is not None and (block == "replace" or made.name not in found):
            found[made.name] = made
        if (word in BLOCKS and not rest.strip().startswith("(")) or line == ")":
            block = ""
    yield from found.values()


def _module(file: File, number: int, block: str, line: str) -> Built | None:
    match = (REPLACED if block == "replace" else REQUIRED).match(line) if block else None
    if match is None or not match["version"]:
        return None
    name = match["old"] if block == "replace" else match["module"]
    return Built(by=BuiltBy.GO, name=name, version=match["version"], place=file.place, origin=file.at(number))
