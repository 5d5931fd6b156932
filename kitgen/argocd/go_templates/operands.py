"""What stands between the braces: pipelines of commands, and the fields, variables and calls in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from kitgen.argocd.go_templates.template import FunctionCall, Keys, TemplateField
from kitgen.argocd.go_templates.tokens import BrokenError, Token, TokenKind

MAX_PARENS = 100
"""How deep parentheses may stand in each other."""
LITERALS = (TokenKind.STRING, TokenKind.NUMBER, TokenKind.CHARACTER)
CONSTANTS = ("true", "false", "nil")
KEYWORDS = ("block", "break", "continue", "define", "else", "end", "if", "range", "template", "with")
SKIPPING = ("and", "or")
"""Functions that leave their later arguments alone once the first ones decide."""
ENDS = (TokenKind.PIPE, TokenKind.CLOSE, TokenKind.RIGHT)


class VariableScope:
    """The variables that are known at a place."""

    def __init__(self) -> None:
        """Start with none."""
        self._names: list[str] = []
        self._known: Counter[str] = Counter()

    def __contains__(self, name: str) -> bool:
        return self._known[name] > 0

    def __len__(self) -> int:
        return len(self._names)

    def add(self, names: Iterable[str]) -> None:
        """Take variables in."""
        for each in names:
            self._names.append(each)
            self._known[each] += 1

    def shrink(self, size: int) -> None:
        """Forget those that came since there were so many."""
        while len(self._names) > size:
            self._known[self._names.pop()] -= 1


class Expressions:
    """Reads expressions, and keeps what they ask for."""

    def __init__(self, some: Sequence[Token]) -> None:
        """Start before the first word."""
        self._tokens = some
        self._at = 0
        self.reads: list[TemplateField] = []
        self.calls: list[FunctionCall] = []
        self.dot = self.dollar = True
        """Whether they stand for all that the template gets."""
        self.certain = True
        self.scope = VariableScope()
        self._parens = 0

    @property
    def offset(self) -> int:
        """Return where the next word stands, or the last one did."""
        return self._tokens[min(self._at, len(self._tokens) - 1)].offset

    def take(self) -> Token | None:
        """Return the next word."""
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        self._at += 1
        return token

    def peek(self, *, blanks: bool = False) -> Token | None:
        """Return the next word without taking it; blanks are taken unless they count."""
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if token.kind is not TokenKind.SPACE or blanks:
                return token
            self._at += 1
        return None

    def close(self) -> None:
        """Take the closing braces."""
        token = self.peek()
        if token is None or token.kind is not TokenKind.CLOSE:
            found = token.text if token else "the end"
            raise BrokenError(f"found {found!r}, expected }}}}", self.offset)
        self.take()

    def name(self, what: str) -> None:
        """Take the name of a template."""
        token = self.peek()
        if token is None or token.kind is not TokenKind.STRING:
            raise BrokenError(f"found no name after {what}", self.offset)
        self.take()

    def pipeline(self, what: str, *, is_range: bool = False) -> bool:
        """Read commands up to what ends them; tell whether all of it is one field of the whole."""
        new = self._declared(is_range=is_range)
        count, alone = 0, False
        while True:
            alone = self._command(what)
            count += 1
            token = self.peek()
            if token is None or token.kind is not TokenKind.PIPE:
                break
            self.take()
        self.scope.add(new)
        self.dollar = self.dollar and "$" not in new
        return alone and count == 1 and not new

    def _declared(self, *, is_range: bool) -> list[str]:
        """Return variables that are set; they count behind the pipeline."""
        names: list[Token] = []
        while (token := self.peek()) is not None and token.kind is TokenKind.VARIABLE:
            start = self._at
            self.take()
            sign = self.peek()
            if sign is not None and sign.kind in (TokenKind.DECLARE, TokenKind.ASSIGN):
                self.take()
                if sign.kind is TokenKind.ASSIGN:
                    self._known([*names, token])
                return [each.text for each in (*names, token)]
            if not is_range or names or sign is None or sign.kind is not TokenKind.COMMA:
                self._at = start  # it is no declaration, and a blank behind it counts
                break
            self.take()
            names.append(token)
        if names:
            raise BrokenError("found a comma, expected two variables and :=", names[0].offset)
        return []

    def _known(self, some: list[Token]) -> None:
        for each in some:
            if each.text != "$" and each.text not in self.scope:
                raise BrokenError(f"found the variable {each.text}, which nothing declares", each.offset)

    def _command(self, what: str) -> bool:
        """Read operands up to the end of a command; tell whether there is one, a field of the whole."""
        certain, skipping = self.certain, False
        count, is_field = 0, False
        while (token := self.peek()) is not None and token.kind not in ENDS:
            at = len(self.reads)
            skipping = skipping or (count == 0 and token.text in SKIPPING)
            self.certain = certain and not (skipping and count > 1)
            is_field = self._operand() and len(self.reads) == at + 1
            count += 1
            behind = self.peek(blanks=True)
            if behind is not None and behind.kind not in (*ENDS, TokenKind.SPACE):
                raise BrokenError(f"found {behind.text!r} right behind a value", behind.offset)
        self.certain = certain
        if not count:
            raise BrokenError(f"found no value for {what}", self.offset)
        return is_field and count == 1

    def _operand(self) -> bool:
        """Read a value and the fields behind it; tell whether it is a field of the whole."""
        token = self.take()
        assert token is not None
        base: Keys | None = None
        if token.kind is TokenKind.FIELD:
            base = (token.text[1:],) if self.dot else None
        elif token.kind is TokenKind.VARIABLE:
            self._known([token])
            base = () if token.text == "$" and self.dollar else None
        elif token.kind is TokenKind.LEFT:
            self._inside(token)
        elif token.kind is TokenKind.WORD and token.text not in CONSTANTS:
            if token.text in KEYWORDS:
                raise BrokenError(f"found {token.text!r}, expected a value", token.offset)
            self.calls.append(FunctionCall(token.text, token.offset))
        elif token.kind not in (*LITERALS, TokenKind.DOT, TokenKind.WORD):
            raise BrokenError(f"found {token.text!r}, expected a value", token.offset)
        behind = tuple(self._behind(token))
        path = None if base is None else (*base, *behind)
        if path:
            self.reads.append(TemplateField(path, token.offset, self.certain))
        return bool(path)

    def _behind(self, token: Token) -> Iterator[str]:
        """Yield the fields that stand right behind a value."""
        while (following := self.peek(blanks=True)) is not None and following.kind is TokenKind.FIELD:
            if token.kind in (*LITERALS, TokenKind.DOT) or token.text in CONSTANTS:
                raise BrokenError(
                    f"found {following.text} right behind a value without fields", following.offset
                )
            self.take()
            yield following.text[1:]

    def _inside(self, opened: Token) -> None:
        """Read a pipeline in parentheses."""
        self._parens += 1
        if self._parens > MAX_PARENS:
            raise BrokenError(f"found more than {MAX_PARENS} parentheses in each other", opened.offset)
        self.pipeline("parentheses")
        token = self.take()
        if token is None or token.kind is not TokenKind.RIGHT:
            raise BrokenError("found an opening parenthesis that nothing closes", opened.offset, "add )")
        self._parens -= 1
