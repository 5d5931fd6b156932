"""Read Go's language of templates, as far as it can be known without the values.

Templates with flat keys: whatever stands between braces is the name of a value, and nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from kitgen.argocd.go_templates.operands import Expressions, VariableScope
from kitgen.argocd.go_templates.template import GoTemplate, Keys, TemplateFault, TemplateField
from kitgen.argocd.go_templates.tokens import OPEN as TAG_OPEN
from kitgen.argocd.go_templates.tokens import BrokenError, Token, TokenKind, tokens

MAX_BLOCKS = 100
"""How deep blocks may stand in each other."""


class TemplateBlock(StrEnum):
    """What has an end of its own."""

    IF = "if"
    WITH = "with"
    RANGE = "range"
    DEFINE = "define"
    BLOCK = "block"


class _Frame:
    """A block that is open, and what holds again behind it."""

    def __init__(self, block: TemplateBlock, token: Token, reader: Expressions) -> None:
        self.block = block
        self.offset = token.offset
        self.dot, self.dollar, self.certain = reader.dot, reader.dollar, reader.certain
        self.scope, self.known = reader.scope, len(reader.scope)
        self.has_else = False


def parse(text: str) -> GoTemplate:
    """Read a template; one that Go refuses has a problem and nothing else."""
    if TAG_OPEN not in text:
        return GoTemplate(text=text, pieces=(text,) if text else ())
    try:
        reader = _Reader([*tokens(text)])
        reader.read()
    except BrokenError as broken:
        return GoTemplate(text=text, problem=broken.fault)
    pieces = tuple(reader.pieces) if reader.is_plain else None
    return GoTemplate(text=text, reads=tuple(reader.reads), calls=tuple(reader.calls), pieces=pieces)


class _Reader(Expressions):
    """Goes through texts and actions, and knows which blocks are open."""

    def __init__(self, some: Sequence[Token]) -> None:
        super().__init__(some)
        self.frames: list[_Frame] = []
        self.pieces: list[str | Keys] = []
        self.is_plain = True

    def read(self) -> None:
        """Read all of it."""
        while (token := self.take()) is not None:
            if token.kind is TokenKind.TEXT:
                self.pieces.append(token.text)
            else:
                self._action(token)
        if self.frames:
            last = self.frames[-1]
            raise BrokenError(f"found {{{{{last.block}}}}} without an end", last.offset, "add {{end}}")

    def _action(self, opened: Token) -> None:
        first = self.peek()
        word = first.text if first and first.kind is TokenKind.WORD else ""
        if word in CONTROLS:
            self.is_plain = False
            self.take()
            CONTROLS[word](self, Token(TokenKind.WORD, word, opened.offset))
            return
        at = len(self.reads)
        is_field = self.pipeline("a command")
        self.close()
        if is_field and len(self.reads) == at + 1:
            found = self.reads[at]
            self.reads[at] = TemplateField(found.path, found.offset, found.certain, plain=True)
            self.pieces.append(found.path)
        else:
            self.is_plain = False

    def _open(self, word: Token) -> None:
        """Read the head of a block, and what the dot is inside."""
        block = TemplateBlock(word.text)
        if len(self.frames) >= MAX_BLOCKS:
            raise BrokenError(f"found more than {MAX_BLOCKS} blocks in each other", word.offset)
        frame = _Frame(block, word, self)
        self.frames.append(frame)
        if block in (TemplateBlock.DEFINE, TemplateBlock.BLOCK):
            self.name(block)
        if block is not TemplateBlock.DEFINE:
            self.pipeline(block, is_range=block is TemplateBlock.RANGE)
        self.close()
        self.certain = False
        if block is not TemplateBlock.IF:
            self.dot = False
        if block in (TemplateBlock.DEFINE, TemplateBlock.BLOCK):
            self.dollar, self.scope = False, VariableScope()

    def _else(self, word: Token) -> None:
        if (
            not self.frames
            or self.frames[-1].has_else
            or self.frames[-1].block in (TemplateBlock.DEFINE, TemplateBlock.BLOCK)
        ):
            raise BrokenError("found {{else}}, expected it once, after if, with or range", word.offset)
        frame = self.frames[-1]
        self.dot = frame.dot
        following = self.peek()
        if following is None or following.kind is TokenKind.CLOSE:
            frame.has_else = True
            self.close()
            return
        if following.text not in (TemplateBlock.IF, TemplateBlock.WITH) or frame.block is TemplateBlock.RANGE:
            raise BrokenError(f"found {following.text!r} after else", following.offset, "write {{else if …}}")
        self.take()
        self.pipeline(following.text)
        self.close()
        self.dot = frame.dot and following.text == TemplateBlock.IF

    def _end(self, word: Token) -> None:
        if not self.frames:
            raise BrokenError("found {{end}}, but nothing is open", word.offset, "remove it")
        frame = self.frames.pop()
        self.close()
        self.dot, self.dollar, self.certain = frame.dot, frame.dollar, frame.certain
        self.scope = frame.scope
        self.scope.shrink(frame.known)

    def _template(self, word: Token) -> None:
        self.name("template")
        following = self.peek()
        if following is not None and following.kind is not TokenKind.CLOSE:
            self.pipeline("template")
        self.close()

    def _leave(self, word: Token) -> None:
        if not any(each.block is TemplateBlock.RANGE for each in self.frames):
            raise BrokenError(f"found {{{{{word.text}}}}} outside of range", word.offset)
        self.close()


CONTROLS = {
    **{str(each): _Reader._open for each in TemplateBlock},
    "else": _Reader._else,
    "end": _Reader._end,
    "template": _Reader._template,
    "break": _Reader._leave,
    "continue": _Reader._leave,
}

OPEN, CLOSE = "{{", "}}"


def parse_flat(text: str) -> GoTemplate:
    """Read a text in which `{{ a.b }}` is the value that is called a.b."""
    if OPEN not in text:
        return GoTemplate(text=text, pieces=(text,) if text else ())
    reads: list[TemplateField] = []
    pieces: list[str | Keys] = []
    at = 0
    while (start := text.find(OPEN, at)) >= 0:
        end = text.find(CLOSE, start)
        if end < 0:
            fault = (
                TemplateFault("found an opening {{ that nothing closes", start, "add }}") if reads else None
            )
            return GoTemplate(text=text, reads=tuple(reads), problem=fault)
        if start > at:
            pieces.append(text[at:start])
        if name := text[start + len(OPEN) : end].strip():
            reads.append(TemplateField((name,), start, plain=True))
            pieces.append((name,))
        else:
            pieces.append(text[start : end + len(CLOSE)])
        at = end + len(CLOSE)
    if at < len(text):
        pieces.append(text[at:])
    return GoTemplate(text=text, reads=tuple(reads), pieces=tuple(pieces))
