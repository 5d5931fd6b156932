"""Write a merged spec as text that keeps the comments and the layout of the files in its chain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kitgen.findings import Path
from kitgen.kit.inherited_files import InheritedFile
from kitgen.kit.merge import name_of
from kitgen.text.values import group_pairs
from kitgen.text.yaml import Json, JsonObject, YamlError, dump_yaml, read_yaml
from kitgen.text.yaml.entries import Text, YamlEntry, shift_lines

EDITORS = "yaml-language-server:"
"""How a comment starts that tells editors where the schema is."""


def flatten_texts(texts: Sequence[str], data: JsonObject) -> str:
    """Return data as a text that is put together of texts; the first is of the spec that all others build on.

    The comment at the very top is that of the last text whose comment tells people something.
    """
    files = [Text(text) for text in texts]
    tops = [each.entries for each in files]
    firsts = [entry for top in tops for entry in [*top.values()][:1]]
    # A comment that only tells editors of the schema is the least.
    said = [entry.lead for entry in firsts if entry.has_comment]
    telling = [lead for lead in said if any(line.strip() and EDITORS not in line for line in lead)]
    head = (telling or said or [[]])[-1]
    for entry in firsts:
        entry.lead = []
    written = (
        "\n".join([*head, *_render_map(data, tops, 0, ()), *_drop_blank_tail(files[0].tail_lines)]) + "\n"
    )
    return written if _matches_data(written, data) else dump_yaml(data)


def flatten_file(texts: Mapping[str, str], file: InheritedFile) -> str:
    """Return the text of a config.yaml or a CRD; one that nothing changes is the file as it is."""
    first = texts[file.files[0]]
    return flatten_texts([first], file.said.data) if len(file.files) > 1 and file.said else first


def _matches_data(text: str, data: Json) -> bool:
    try:
        return dump_yaml(read_yaml(text)) == dump_yaml(_sort_keys(data, read_yaml(text)))
    except (YamlError, ValueError):
        return False


def _sort_keys(data: Json, like: Json) -> Json:
    """Return data with keys in the order in which other data has them."""
    if isinstance(data, dict) and isinstance(like, dict):
        return {key: _sort_keys(data[key], like[key]) for key in dict.fromkeys((*like, *data)) if key in data}
    return data


def _drop_blank_tail(lines: list[str]) -> list[str]:
    return lines[: max((index for index, line in enumerate(lines) if line.strip()), default=-1) + 1]


def _render_map(
    data: JsonObject, sources: Iterable[dict[str, YamlEntry]], indent: int, path: Path
) -> list[str]:
    """Return the lines of a map, each key as the first file writes it that says the same."""
    known = [each for each in sources if each]
    entries = {key: [each[key] for each in known if key in each] for key in data}
    made = (_render_entry({key: data[key]}, data[key], entries[key], indent, (*path, key)) for key in data)
    return [line for lines in made for line in lines]


def _render_entry(whole: Json, value: Json, entries: list[YamlEntry], indent: int, path: Path) -> list[str]:
    """Return the lines of a key or an item: as it is written, put together of its parts, or written anew."""
    # Not only equal, as true and 1 are.
    alike = (each for each in entries if each.data == value)
    same = next(
        (each for each in alike if dump_yaml(each.data) == dump_yaml(_sort_keys(value, each.data))), None
    )
    above = same if same and same.has_comment else entries[0] if entries else None
    lead = shift_lines(above.lead, above.column, indent) if above else []
    if same:
        return [*lead, *same.indent_lines(indent)]
    kind = dict if isinstance(value, dict) else list if isinstance(value, list) else None
    fitting = [each for each in entries if value and kind and isinstance(each.data, kind)]
    head = next((each for each in fitting if each.inner_indent is not None), None)
    if head is None or head.inner_indent is None:
        return [*lead, *shift_lines(dump_yaml(whole).removesuffix("\n").split("\n"), 0, indent)]
    inside = indent + head.inner_indent
    if isinstance(value, dict):
        parts = _render_map(value, [each.entries_by_key for each in fitting], inside, path)
    else:
        parts = _render_list(value, [item for each in fitting for item in each.items], inside, path)
    return [*lead, *head.indent_first_line(indent), *parts]


def _render_list(data: list[Json], known: list[YamlEntry], indent: int, path: Path) -> list[str]:
    """Return the lines of a list, each item as the first file writes it that says the same."""
    alike = group_pairs((name_of(entry.data, path), entry) for entry in known)
    same = {dump_yaml(entry.data): entry for entry in reversed(known)}
    lines: list[str] = []
    for item in data:
        name, written = name_of(item, path), same.get(dump_yaml(item))
        entries = [each for each in alike.get(name, ()) if name and each.item_entries_by_key]
        if written or not entries:
            lines += _render_entry([item], item, [written] if written else [], indent, path)
        else:
            lines += _render_item(item, entries, indent, (*path, name or ""))
    return lines


def _render_item(item: JsonObject, entries: list[YamlEntry], indent: int, path: Path) -> list[str]:
    """Return the lines of an item that several files make together."""
    lead = next((shift_lines(each.lead, each.column, indent) for each in entries if each.has_comment), [])
    inner = _render_map(item, [each.item_entries_by_key for each in entries], indent + 2, path)
    first = next(index for index, line in enumerate(inner) if line.strip() and line.strip()[0] != "#")
    return [*lead, f"{' ' * indent}- {inner[first].lstrip()}", *inner[first + 1 :]]
