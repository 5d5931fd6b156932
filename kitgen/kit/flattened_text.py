"""Write a merged spec as text that keeps the comments and the layout of the files in its chain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kitgen.findings import Path
from kitgen.kit.inherited_files import InheritedFile
from kitgen.kit.merge import name_of
from kitgen.text.values import collect
from kitgen.text.yaml import Json, JsonObject, YamlError, dump, read
from kitgen.text.yaml.entries import Text, YamlEntry, moved

EDITORS = "yaml-language-server:"
"""How a comment starts that tells editors where the schema is."""


def flattened(texts: Sequence[str], data: JsonObject) -> str:
    """Return data as a text that is put together of texts; the first is of the spec that all others build on.

    The comment at the very top is that of the last text whose comment tells people something.
    """
    files = [Text(text) for text in texts]
    tops = [each.top for each in files]
    firsts = [entry for top in tops for entry in [*top.values()][:1]]
    # A comment that only tells editors of the schema is the least.
    said = [entry.lead for entry in firsts if entry.has_comment]
    telling = [lead for lead in said if any(line.strip() and EDITORS not in line for line in lead)]
    head = (telling or said or [[]])[-1]
    for entry in firsts:
        entry.lead = []
    written = "\n".join([*head, *_keys(data, tops, 0, ()), *_tail(files[0].tail)]) + "\n"
    return written if _reads_as(written, data) else dump(data)


def whole(texts: Mapping[str, str], file: InheritedFile) -> str:
    """Return the text of a config.yaml or a CRD; one that nothing changes is the file as it is."""
    first = texts[file.files[0]]
    return flattened([first], file.said.data) if len(file.files) > 1 and file.said else first


def _reads_as(text: str, data: Json) -> bool:
    try:
        return dump(read(text)) == dump(_ordered(data, read(text)))
    except (YamlError, ValueError):
        return False


def _ordered(data: Json, like: Json) -> Json:
    """Return data with keys in the order in which other data has them."""
    if isinstance(data, dict) and isinstance(like, dict):
        return {key: _ordered(data[key], like[key]) for key in dict.fromkeys((*like, *data)) if key in data}
    return data


def _tail(lines: list[str]) -> list[str]:
    return lines[: max((index for index, line in enumerate(lines) if line.strip()), default=-1) + 1]


def _keys(data: JsonObject, sources: Iterable[dict[str, YamlEntry]], indent: int, path: Path) -> list[str]:
    """Return the lines of a map, each key as the first file writes it that says the same."""
    known = [each for each in sources if each]
    entries = {key: [each[key] for each in known if key in each] for key in data}
    made = (_entry({key: data[key]}, data[key], entries[key], indent, (*path, key)) for key in data)
    return [line for lines in made for line in lines]


def _entry(whole: Json, value: Json, entries: list[YamlEntry], indent: int, path: Path) -> list[str]:
    """Return the lines of a key or an item: as it is written, put together of its parts, or written anew."""
    # Not only equal, as true and 1 are.
    alike = (each for each in entries if each.data == value)
    same = next((each for each in alike if dump(each.data) == dump(_ordered(value, each.data))), None)
    above = same if same and same.has_comment else entries[0] if entries else None
    lead = moved(above.lead, above.column, indent) if above else []
    if same:
        return [*lead, *same.lines(indent)]
    kind = dict if isinstance(value, dict) else list if isinstance(value, list) else None
    fitting = [each for each in entries if value and kind and isinstance(each.data, kind)]
    head = next((each for each in fitting if each.inner is not None), None)
    if head is None or head.inner is None:
        return [*lead, *moved(dump(whole).removesuffix("\n").split("\n"), 0, indent)]
    inside = indent + head.inner
    if isinstance(value, dict):
        parts = _keys(value, [each.keys for each in fitting], inside, path)
    else:
        parts = _items(value, [item for each in fitting for item in each.items], inside, path)
    return [*lead, *head.head(indent), *parts]


def _items(data: list[Json], known: list[YamlEntry], indent: int, path: Path) -> list[str]:
    """Return the lines of a list, each item as the first file writes it that says the same."""
    alike = collect((name_of(entry.data, path), entry) for entry in known)
    same = {dump(entry.data): entry for entry in reversed(known)}
    lines: list[str] = []
    for item in data:
        name, written = name_of(item, path), same.get(dump(item))
        entries = [each for each in alike.get(name, ()) if name and each.keys_of_item]
        if written or not entries:
            lines += _entry([item], item, [written] if written else [], indent, path)
        else:
            lines += _named(item, entries, indent, (*path, name or ""))
    return lines


def _named(item: JsonObject, entries: list[YamlEntry], indent: int, path: Path) -> list[str]:
    """Return the lines of an item that several files make together."""
    lead = next((moved(each.lead, each.column, indent) for each in entries if each.has_comment), [])
    inner = _keys(item, [each.keys_of_item for each in entries], indent + 2, path)
    first = next(index for index, line in enumerate(inner) if line.strip() and line.strip()[0] != "#")
    return [*lead, f"{' ' * indent}- {inner[first].lstrip()}", *inner[first + 1 :]]
