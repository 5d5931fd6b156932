"""get_all_manifests.sh → manifest sources. The script is read and never run.

It has had three shapes: org:repo:ref:source:target, then without the target, which is the key, then an array
for each platform, whose refs may be branch@commit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Finding
from kitgen.load.downstream.records import AGAINST_SHAPE, File, ManifestSource, Record, Sources
from kitgen.load.downstream.texts import lines_of
from kitgen.load.manifests import Intake
from kitgen.schema.wording import counted

ARRAY = re.compile(
    r"(?:declare[ \t]+-[A-Za-z]+[ \t]+)?(?P<name>(?:[A-Z0-9]+_)*COMPONENT_MANIFESTS)=\((?P<rest>.*)"
)
ENTRY = re.compile(r"""\[[ ]*(?P<q>["']?)(?P<key>[\w./-]+)(?P=q)[ ]*\]=(?P<v>["'])(?P<value>[^"']*)(?P=v)""")
SUFFIX = "COMPONENT_MANIFESTS"
FIELDS = (4, 5)
"""Of an entry: owner, repository, ref, source, and in old ones the target."""


def read_script(file: File, _intake: Intake) -> Iterator[Record]:
    """Yield the sources of all arrays, and the lines in them that are none."""
    entries: list[ManifestSource] = []
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


def _entries(file: File, number: int, line: str, platform: str) -> Iterator[ManifestSource | Finding]:
    if line.startswith("#"):
        return
    found = list(ENTRY.finditer(line))
    left = ENTRY.sub("", line).partition("#")[0].strip().removesuffix(")").strip()
    if left:
        expected = 'expected an entry such as ["key"]="owner:repository:ref:path"'
        yield AGAINST_SHAPE(f"found text in the list of manifests, {expected}").at(file.at(number))
    for match in found:
        yield _source(file, number, match["key"], match["value"], platform)


def _source(file: File, number: int, key: str, value: str, platform: str) -> ManifestSource | Finding:
    parts = value.split(":")
    if len(parts) not in FIELDS or not all(parts) or "$" in value:
        message = f"found {counted(len(parts), 'part')} for {key!r}, expected owner:repository:ref:path"
        if "$" in value:
            message = f"found a value for {key!r} that the shell computes, expected owner:repository:ref:path"
        return AGAINST_SHAPE(message).at(file.at(number))
    owner, name, ref, path = parts[:4]
    branch, _, commit = ref.partition("@")
    return ManifestSource(
        folder=parts[4] if len(parts) == max(FIELDS) else key,
        repository=f"{owner}/{name}",
        ref=branch,
        commit=commit,
        path=path,
        platform=platform,
        origin=file.at(number),
    )
