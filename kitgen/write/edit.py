"""Change a value in a YAML file that a person wrote: comments and layout stay."""

from __future__ import annotations

import json
import re

from kitgen.yamlio import YamlError, read


def set_value(text: str, key: str, value: str, *, below: str = "") -> str:
    """Return a text, which holds a mapping, with a string of it set; a new key goes below another one."""
    data = read(text)
    if data.get(key) == value:
        return text
    line = f"{key}: {value if _is_plain(value) else json.dumps(value, ensure_ascii=False)}"
    changed = re.sub(
        rf"^{re.escape(key)}:[^#\n]*?([ \t]*#.*)?$",
        lambda match: line + (match[1] or ""),
        text,
        count=1,
        flags=re.MULTILINE,
    )
    if changed == text and below:
        start = rf"^({re.escape(below)}:.*)$"
        changed = re.sub(start, lambda match: f"{match[1]}\n{line}", text, count=1, flags=re.MULTILINE)
    return changed if _reads_as(changed, {**data, key: value}) else _round_trip(text, key, value)


def _is_plain(value: str) -> bool:
    return _reads_as(value, value) and _reads_as(f"a: {value}", {"a": value})


def _reads_as(text: str, data: object) -> bool:
    try:
        return bool(read(text) == data)
    except YamlError:
        return False


def _round_trip(text: str, key: str, value: str) -> str:
    """Set a value in a text of unusual layout."""
    from io import StringIO

    from ruamel.yaml import YAML
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    data = yaml.load(text)
    data[key] = DoubleQuotedScalarString(value)
    out = StringIO()
    yaml.dump(data, out)
    return out.getvalue()
