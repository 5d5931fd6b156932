"""Parse CEL expressions: tokens and syntax trees.

The whole language is supported. What cannot be parsed is a `CelError`; nothing is guessed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from kitgen.text.patterns import compile_late

Literal: TypeAlias = str | int | float | bool | None

TOKEN = compile_late(
    r"""(?P<space>\s+|//[^\n]*)
    |(?P<string>[rRbB]{0,2}(?:\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
    |(?P<number>0[xX][0-9a-fA-F]+[uU]?|\d*\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\d+[uU]?)
    |(?P<name>[A-Za-z_]\w*|`[^`\n]+`)
    |(?P<sign>\|\||&&|==|!=|<=|>=|\.\?|\[\?|[-+*/%!<>?:.,()\[\]{}])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
LEVELS = (("||",), ("&&",), ("==", "!=", "<", "<=", ">", ">=", "in"), ("+", "-"), ("*", "/", "%"))
LEVEL_OF = {sign: level for level, signs in enumerate(LEVELS) for sign in signs}
JOINING = ("||", "&&")
"""The operators that join any number of parts."""
RESERVED = frozenset(
    {
        "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop",
        "package", "namespace", "return", "var", "void", "while",
    }
)  # fmt: skip
CONSTANTS: dict[str, Literal] = {"true": True, "false": False, "null": None}
KEYWORDS = frozenset({"in", *CONSTANTS})
"""Words that the language reads as signs or values wherever they stand."""
ESCAPED = compile_late(r"__(dot|dash|slash|underscores)__")
SIGNS = {"dot": ".", "dash": "-", "slash": "/", "underscores": "__"}
LONGEST = 100_000
"""How many characters API servers read of an expression."""
LONGEST_NUMBER = 100
COMPILED = 2
"""How many characters are read in one step, and looked at by their types."""
KEYWORD = compile_late(r"__([a-z]+)__")


class CelError(Exception):
    """The expression cannot be read."""


class Expr(Struct, frozen=True):
    """A part of an expression: what it is, the name, sign or value that it has, and its own parts."""

    kind: str
    """literal, text (a string with escapes, or bytes), uint, name, field, maybe-field, call, method, index,
    maybe-index, list, map, maybe (an entry of those two that may be none), message (of a type) and set (a
    field of one), and the signs: `?` of three parts, `||` and `&&` of any number, the others of one or
    two."""
    value: Literal = None
    parts: tuple[Expr, ...] = ()

    def collect_names(self) -> frozenset[Literal]:
        """Return the names that stand alone, such as self."""
        own = frozenset({self.value}) if self.kind == "name" else frozenset()
        return own.union(*(part.collect_names() for part in self.parts))

    def count_parts(self) -> int:
        """Return how many parts it has in all, itself among them."""
        return 1 + sum(part.count_parts() for part in self.parts)


def tokenize(text: str) -> tuple[str, ...]:
    """Split an expression, space and comments left out."""
    return tuple(token for _, token in _scan_tokens(text))


@lru_cache(maxsize=1024)
def parse_expression(text: str, *, escaped: bool = False) -> Expr:
    """Read an expression; the names of fields are those of the schema, or as CEL escapes them."""
    reader = _Reader(_scan_tokens(text), escaped=escaped)
    found = reader.parse_ternary()
    if reader.rest:
        raise CelError(f"found {reader.rest[-1][1]!r} after the end")
    return found


def _scan_tokens(text: str) -> list[tuple[str, str]]:
    if len(text) > LONGEST:
        raise CelError(f"found {len(text)} characters, expected at most {LONGEST}")
    found, at = [], 0
    while at < len(text):
        if (match := TOKEN.match(text, at)) is None:
            raise CelError(f"found {text[at]!r}")
        if match.lastgroup != "space":
            found.append((str(match.lastgroup), match.group()))
        at = match.end()
    return found


class _Reader:
    """Reads tokens, the loosest operator first."""

    def __init__(self, tokens: list[tuple[str, str]], *, escaped: bool) -> None:
        self.rest = tokens[::-1]
        self.escaped = escaped

    def _accept(self, *wanted: str) -> str:
        """Return the next token if it is one of those, else nothing."""
        if self.rest and self.rest[-1][1] in wanted and self.rest[-1][0] != "string":
            return self.rest.pop()[1]
        return ""

    def _take_token(self) -> tuple[str, str]:
        if not self.rest:
            raise CelError("the expression ends too early")
        return self.rest.pop()

    def _expect(self, wanted: str) -> None:
        if not self._accept(wanted):
            raise CelError(f"expected {wanted!r}")

    def parse_ternary(self) -> Expr:
        condition = self._parse_operators()
        if not self._accept("?"):
            return condition
        then = self._parse_operators()
        self._expect(":")
        return Expr("?", None, (condition, then, self.parse_ternary()))

    def _parse_operators(self, level: int = 0) -> Expr:
        """Read the operators of a level and of those that bind closer; || and && join any number of parts."""
        found = self._parse_unary()
        while self.rest and (next_level := LEVEL_OF.get(self.rest[-1][1], -1)) >= level:
            sign = self.rest.pop()[1]
            parts = [*(found.parts if found.kind == sign in JOINING else (found,))]
            parts.append(self._parse_operators(next_level + 1))
            while sign in JOINING and self._accept(sign):
                parts.append(self._parse_operators(next_level + 1))
            found = Expr(sign, None, tuple(parts))
        return found

    def _parse_unary(self) -> Expr:
        if sign := self._accept("!", "-"):
            inner = self._parse_unary()
            if sign == "-" and inner.kind == "literal" and type(inner.value) in (int, float):
                return Expr("literal", 0 - inner.value)  # type: ignore[operator]
            return Expr(sign, None, (inner,))
        return self._parse_suffixes(self._parse_primary())

    def _parse_suffixes(self, found: Expr) -> Expr:
        """Read what follows a value: its fields, what is at an index, calls, and what makes it a message."""
        while sign := self._accept(".", ".?", "[", "[?"):
            if sign in ("[", "[?"):
                found = Expr("index" if sign == "[" else "maybe-index", None, (found, self.parse_ternary()))
                self._expect("]")
            elif sign == ".?":
                found = Expr("maybe-field", self._parse_field_name(), (found,))
            else:
                name = self._parse_field_name()
                called = self._accept("(")
                parts = (found, *self._parse_list(")")) if called else (found,)
                found = Expr("method" if called else "field", name, parts)
        if found.kind in ("name", "field") and self._accept("{"):
            return self._parse_suffixes(self._parse_message(found))
        return found

    def _parse_message(self, kind: Expr) -> Expr:
        """Read the fields of a message of a type."""
        if not (name := dotted_name_of(kind)):
            raise CelError("found '{' after what is no name of a type")
        found: list[Expr] = []
        while not self._accept("}"):
            maybe = self._accept("?")
            field = self._parse_field_name()
            self._expect(":")
            value = self.parse_ternary()
            found.append(Expr("set", field, (Expr("maybe", None, (value,)) if maybe else value,)))
            if not self._accept(","):
                self._expect("}")
                break
        return Expr("message", name, tuple(found))

    def _parse_field_name(self) -> str:
        if not self.rest or self.rest[-1][0] != "name":
            raise CelError("expected the name of a field")
        if (name := self.rest.pop()[1]) in KEYWORDS:
            raise CelError(f"found {name!r} as the name of a field, which CEL writes as '__{name}__'")
        return name if self.escaped and not name.startswith("`") else unescape_name(name)

    def _parse_list(self, end: str, *, pairs: bool = False, maybe: bool = False) -> tuple[Expr, ...]:
        found: list[Expr] = []
        while not self._accept(end):
            maybe = bool(self._accept("?")) or maybe
            found.append(Expr("maybe", None, (self.parse_ternary(),)) if maybe else self.parse_ternary())
            maybe = False
            if pairs:
                self._expect(":")
                found.append(self.parse_ternary())
            if not self._accept(","):
                self._expect(end)
                break
        return tuple(found)

    def _parse_primary(self) -> Expr:
        kind, text = self._take_token()
        match text:
            case "(":
                inner = self.parse_ternary()
                self._expect(")")
                return inner
            case "[" | "[?":
                return Expr("list", None, self._parse_list("]", maybe=text == "[?"))
            case "{":
                return Expr("map", None, self._parse_list("}", pairs=True))
            case ".":
                kind, text = self._take_token()
                if kind != "name":
                    raise CelError(f"found {text!r}")
        if kind == "string":
            return _parse_string(text)
        if kind == "number":
            return _parse_number(text)
        if kind != "name":
            raise CelError(f"found {text!r}")
        if text in CONSTANTS:
            return Expr("literal", CONSTANTS[text])
        if text in RESERVED or text.startswith("`"):
            raise CelError(f"found {text!r} as a name, which is reserved")
        return Expr("call", text, self._parse_list(")")) if self._accept("(") else Expr("name", text)


def dotted_name_of(expression: Expr, known: frozenset[str] = frozenset()) -> str:
    """Return the dotted name that an expression is, or nothing; it begins with none of the known names."""
    if expression.kind == "field":
        before = dotted_name_of(expression.parts[0], known)
        return f"{before}.{expression.value}" if before else ""
    return str(expression.value) if expression.kind == "name" and expression.value not in known else ""


def split_string_literal(text: str) -> tuple[str, str]:
    """Return the letters before the quotes of a string, in lower case, and what stands between the quotes."""
    quote = min(at for at in (text.find("'"), text.find('"')) if at >= 0)
    body = text[quote:]
    size = 3 if len(body) > 5 and body[:3] in ('"""', "'''") else 1
    return text[:quote].lower(), body[size:-size]


def _parse_string(text: str) -> Expr:
    prefix, body = split_string_literal(text)
    if "b" in prefix or ("\\" in body and "r" not in prefix):
        return Expr("text", text)
    return Expr("literal", body)


def _parse_number(text: str) -> Expr:
    plain = text.rstrip("uU")
    kind = "literal" if plain == text else "uint"
    hexadecimal = plain[:2].lower() == "0x"
    if not hexadecimal and not plain.isdecimal():
        return Expr(kind, float(plain))
    if len(plain) > LONGEST_NUMBER:
        raise CelError("found a number that is too long")
    return Expr(kind, int(plain, 16 if hexadecimal else 10))


def unescape_name(name: str) -> str:
    """Return the name of a field as the schema has it; CEL writes some characters and words otherwise."""
    if name.startswith("`"):
        return name[1:-1]
    if (word := KEYWORD.fullmatch(name)) and word[1] not in SIGNS:
        return word[1]
    return ESCAPED.sub(lambda match: SIGNS[match[1]], name)
