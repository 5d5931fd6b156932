"""Files that are read line by line: params.env, Makefile, go.mod.

get_all_manifests.sh → manifest sources. The script is read and never run.

It has had three shapes: org:repo:ref:source:target, then without the target, which is the key, then an array
for each platform, whose refs may be branch@commit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Finding
from kitgen.kit.manifests import Intake
from kitgen.release.downstream.records import (
    AGAINST_SHAPE,
    BuiltBy,
    BuiltVersion,
    DownstreamFile,
    DownstreamManifestSource,
    Param,
    ParamsFile,
    Record,
    Sources,
)
from kitgen.text.wording import counted

VARIABLE = re.compile(r"(?P<name>[A-Z][A-Z0-9_]*)_VERSION[ \t]*[?:]{0,2}=[ \t]*(?P<value>[^#\n]*)")
REQUIRED = re.compile(r"(?P<module>[\w.~-]+\.[\w./~-]+)\s+(?P<version>v\S+)")
REPLACED = re.compile(r"(?P<old>\S+)(?:\s+v\S+)?\s*=>\s*(?P<new>\S+)(?:\s+(?P<version>v\S+))?")
BLOCKS = ("require", "replace")
LONGEST = 4_000
"""Characters of a line that are looked at."""


def lines_of(file: DownstreamFile) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that say something, with their numbers and without space around them."""
    for number, line in enumerate(file.text.splitlines(), 1):
        if said := line[:LONGEST].strip():
            yield number, said


def read_params(file: DownstreamFile, _intake: Intake) -> Iterator[Record]:
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


def read_makefile(file: DownstreamFile, _intake: Intake) -> Iterator[Record]:
    """Yield the versions that variables such as KUEUE_VERSION hold; what make computes is left out."""
    for number, line in lines_of(file):
        match = VARIABLE.match(line.removeprefix("export "))
        value = match["value"].strip() if match else ""
        if match and value and "$" not in value:
            yield BuiltVersion(
                by=BuiltBy.MAKE,
                name=match["name"],
                version=value,
                place=file.place,
                origin=file.at(number),
            )


def read_go_mod(file: DownstreamFile, _intake: Intake) -> Iterator[Record]:
    """Yield the modules that go.mod requires, in the versions that it takes in the end."""
    found: dict[str, BuiltVersion] = {}
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


def _module(file: DownstreamFile, number: int, block: str, line: str) -> BuiltVersion | None:
    match = (REPLACED if block == "replace" else REQUIRED).match(line) if block else None
    if match is None or not match["version"]:
        return None
    name = match["old"] if block == "replace" else match["module"]
    return BuiltVersion(
        by=BuiltBy.GO, name=name, version=match["version"], place=file.place, origin=file.at(number)
    )


ARRAY = re.compile(
    r"(?:declare[ \t]+-[A-Za-z]+[ \t]+)?(?P<name>(?:[A-Z0-9]+_)*COMPONENT_MANIFESTS)=\((?P<rest>.*)"
)
ENTRY = re.compile(r"""\[[ ]*(?P<q>["']?)(?P<key>[\w./-]+)(?P=q)[ ]*\]=(?P<v>["'])(?P<value>[^"']*)(?P=v)""")
SUFFIX = "COMPONENT_MANIFESTS"
FIELDS = (4, 5)
"""Of an entry: owner, repository, ref, source, and in old ones the target."""


def read_script(file: DownstreamFile, _intake: Intake) -> Iterator[Record]:
    """Yield the sources of all arrays, and the lines in them that are none."""
    entries: list[DownstreamManifestSource] = []
    platform: str | None = None
    for number, said in lines_of(file):
        line = said
        if platform is None:
            if (match := ARRAY.match(line)) is None:
                continue
            platform, line = match["name"].removesuffix(SUFFIX).rstrip("_").lower(), match["rest"]
        for each in _entries(file, number, line, platform):
            if isinstance(each, Finding):
                yield each
            else:
                entries.append(each)
        if _ends(line):
            platform = None
    yield Sources(origin=file.at(1), entries=tuple(entries))


def _ends(line: str) -> bool:
    """Tell whether an array ends in a line: what is left of it but entries is a bracket."""
    return ENTRY.sub("", line).partition("#")[0].strip() == ")"


def _entries(
    file: DownstreamFile, number: int, line: str, platform: str
) -> Iterator[DownstreamManifestSource | Finding]:
    if line.startswith("#"):
        return
    found = list(ENTRY.finditer(line))
    left = ENTRY.sub("", line).partition("#")[0].strip().removesuffix(")").strip()
    if left:
        expected = 'expected an entry such as ["key"]="owner:repository:ref:path"'
        yield AGAINST_SHAPE(f"found text in the list of manifests, {expected}").at(file.at(number))
    for match in found:
        yield _source(file, number, match["key"], match["value"], platform)


def _source(
    file: DownstreamFile, number: int, key: str, value: str, platform: str
) -> DownstreamManifestSource | Finding:
    parts = value.split(":")
    if len(parts) not in FIELDS or not all(parts) or "$" in value:
        message = f"found {counted(len(parts), 'part')} for {key!r}, expected owner:repository:ref:path"
        if "$" in value:
            message = f"found a value for {key!r} that the shell computes, expected owner:repository:ref:path"
        return AGAINST_SHAPE(message).at(file.at(number))
    owner, name, ref, path = parts[:4]
    branch, _, commit = ref.partition("@")
    return DownstreamManifestSource(
        folder=parts[4] if len(parts) == max(FIELDS) else key,
        repository=f"{owner}/{name}",
        ref=branch,
        commit=commit,
        path=path,
        platform=platform,
        origin=file.at(number),
    )
