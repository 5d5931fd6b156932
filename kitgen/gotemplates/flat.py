"""Templates with flat keys: whatever stands between braces is the name of a value, and nothing more."""

from __future__ import annotations

from kitgen.gotemplates.template import Fault, Keys, Read, Template

OPEN, CLOSE = "{{", "}}"


def parse_flat(text: str) -> Template:
    """Read a text in which `{{ a.b }}` is the value that is called a.b."""
    if OPEN not in text:
        return Template(text=text, pieces=(text,) if text else ())
    reads: list[Read] = []
    pieces: list[str | Keys] = []
    at = 0
    while (start := text.find(OPEN, at)) >= 0:
        end = text.find(CLOSE, start)
        if end < 0:
            fault = Fault("found an opening {{ that nothing closes", start, "add }}") if reads else None
            return Template(text=text, reads=tuple(reads), problem=fault)
        if start > at:
            pieces.append(text[at:start])
        if name := text[start + len(OPEN) : end].strip():
            reads.append(Read((name,), start, plain=True))
            pieces.append((name,))
        else:
            pieces.append(text[start : end + len(CLOSE)])
        at = end + len(CLOSE)
    if at < len(text):
        pieces.append(text[at:])
    return Template(text=text, reads=tuple(reads), pieces=tuple(pieces))
