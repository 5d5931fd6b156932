"""Texts that anybody may have written, as parts of Markdown that they cannot break."""

from __future__ import annotations

import re

from kitgen.schema.wording import printable

MARKS = {"#": "&#35;", "|": "&#124;", "<": "&lt;", "`": "&#96;", "@": "&#64;", "](": "]&#40;"}
MARKUP = re.compile("|".join(map(re.escape, MARKS)))
QUOTE, PIPE = "'", "\\|"
"""What stands for a backquote and a bar in code, where no entity means anything."""


def prose(text: str) -> str:
    """Keep text from breaking out of its cell or turning into a link, an image or a call of somebody."""
    return MARKUP.sub(lambda match: MARKS[match[0]], _flat(text))


def code(text: str) -> str:
    """Write text as code, which it cannot end."""
    return f"`{_flat(text).replace('`', QUOTE).replace('|', PIPE)}`"


def _flat(text: str) -> str:
    start = " " if text.startswith(" ") else ""
    return printable(start + " ".join(text.split()))
