"""Change a value in a YAML file that a person wrote: comments and layout stay."""

from __future__ import annotations

import json
import re

from kitgen.errors import KitgenError
from kitgen.yamlio.data import Json
from kitgen.yamlio.reader import read
from kitgen.yamlio.rules import YamlError


def set_value(text: str, key: str, value: str | int, *, below: str = "") -> str:
    """Return a text, which holds a mapping, with a value of it set; a new key goes below another one."""
    data = read(text)
    if data.get(key) == value:
        return text
    plain = isinstance(value, str) and _reads_as(value, value) and _reads_as(f"a: {value}", {"a": value})
    written = f"{key}: {value if plain else json.dumps(value, ensure_ascii=False)}"
    want = {**data, key: value}
    for changed in (_replaced(text, key, written), _inserted(text, below, written)):
        if _reads_as(changed, want):
            return changed
    return _round_trip(text, key, value)


def _reads_as(text: str, want: Json) -> bool:
    try:
        return bool(read(text) == want)
    except YamlError:
        return False


def _replaced(text: str, key: str, written: str) -> str:
    line = re.compile(rf"^{re.escape(key)}:[^#\r\n]*?([ \t]*#.*)?(?=\r?$)", re.MULTILINE)
    return line.sub(lambda match: written + (match[1] or ""), text, count=1)


def _inserted(text: str, below: str, written: str) -> str:
    """Return the text with one more entry behind a key at its top, if that is there."""
    import yaml

    root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    pairs = root.value if isinstance(root, yaml.MappingNode) else ()
    for name, node in (pair for pair in pairs if pair[0].value == below):
        end, indent = node.end_mark.index, " " * name.start_mark.column
        if root.flow_style:
            return f"{text[:end]}, {written}{text[end:]}"
        newline = "\r\n" if "\r\n" in text else "\n"
        line = text.find("\n", end)
        if line < 0:
            return f"{text}{newline}{indent}{written}{newline}"
        return f"{text[: line + 1]}{indent}{written}{newline}{text[line + 1 :]}"
    return text


def _round_trip(text: str, key: str, value: str | int) -> str:
    """Set a value in a text of unusual layout."""
    from io import StringIO

    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    try:
        data = yaml.load(text)
    except YAMLError as error:
        message = f"cannot put {key!r} into a text of so unusual a layout: {str(error).splitlines()[0]}"
        raise KitgenError(message, hint="write it into the file by hand") from error
    data[key] = DoubleQuotedScalarString(value) if isinstance(value, str) else value
    out = StringIO()
    yaml.dump(data, out)
    return out.getvalue()
