"""A template that was read: what it takes from whoever fills it in, and what comes out if that is all."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TypeAlias

from msgspec import Struct

from kitgen.text.yaml import Json

Keys: TypeAlias = tuple[str, ...]
"""The steps of a field: `.a.b` is a, b."""
LARGE, SMALL = 6, -4
"""Go writes a number with an exponent from ten to the sixth on, and below ten to the minus fourth."""
MAX_NUMBER = 2**53
"""Larger numbers lose digits on their way through Go."""


class MissingKeyError(KeyError):
    """Says that a template reads a field that is not there."""

    def __init__(self, path: Keys) -> None:
        """Keep the steps down to the one that is missing."""
        super().__init__(".".join(path))
        self.path = path


class TemplateFault(Struct, frozen=True):
    """Why a text is no template."""

    message: str
    offset: int
    """How many characters stand before it."""
    hint: str = ""


class TemplateField(Struct, frozen=True):
    """A field that is read from what the whole template gets."""

    path: Keys
    offset: int
    certain: bool = True
    """It is read whatever the values are, and not in a branch or an argument that may be skipped."""
    plain: bool = False
    """It is written out as it is; no function or condition looks at it."""


class FunctionCall(Struct, frozen=True):
    """A function that is called by its name."""

    name: str
    offset: int


class GoTemplate(Struct, frozen=True, kw_only=True):
    """What is known of a template."""

    text: str
    reads: tuple[TemplateField, ...] = ()
    """Fields of the whole in order; of those inside `range` and `with`, the ones that begin with `$`."""
    calls: tuple[FunctionCall, ...] = ()
    pieces: tuple[str | Keys, ...] | None = None
    """Texts and fields in order, if there is nothing else in it."""
    problem: TemplateFault | None = None

    @property
    def fields(self) -> tuple[Keys, ...]:
        """Return the paths that it reads, each once."""
        return tuple(dict.fromkeys(each.path for each in self.reads))

    @property
    def is_constant(self) -> bool:
        """Tell whether it is the same whatever it is filled with."""
        return self.pieces is not None and not self.reads

    def filled(self, params: Mapping[str, Json]) -> str | None:
        """Return what comes out; None if that takes more than reading texts, numbers and booleans.

        Raise MissingKeyError where a field is not there.
        """
        if self.pieces is None:
            return None
        found = []
        for piece in self.pieces:
            if isinstance(piece, str):
                found.append(piece)
                continue
            value = params.get(piece[0]) if len(piece) == 1 else _below(params, piece)
            if isinstance(value, str):
                found.append(value)
            elif value is None and (len(piece) > 1 or piece[0] not in params):
                raise MissingKeyError(piece)
            elif (text := _written(value)) is not None:
                found.append(text)
            else:
                return None
        return "".join(found)


def _below(params: Mapping[str, Json], path: Keys) -> Json:
    """Return what is behind several steps; a list there is no text, whatever is asked of it."""
    value: Json = params
    for number, step in enumerate(path, 1):
        if not isinstance(value, Mapping):
            return [] if value is not None else None
        if step not in value:
            raise MissingKeyError(path[:number])
        value = value[step]
    return [] if value is None else value


def _written(value: Json) -> str | None:
    """Return how Go writes a value that came as JSON, where that is one word."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, int | float) or not -MAX_NUMBER <= value <= MAX_NUMBER:
        return None
    sign, digits, exponent = Decimal(repr(float(value))).normalize().as_tuple()
    first = len(digits) - 1 + int(exponent)
    if value and not SMALL <= first < LARGE:
        rest = "".join(map(str, digits[1:]))
        mantissa = f"{digits[0]}.{rest}" if rest else str(digits[0])
        return f"{'-' * sign}{mantissa}e{'-' if first < 0 else '+'}{abs(first):02d}"
    text = f"{abs(Decimal(repr(float(value)))):f}"
    return "-" * sign + (text.rstrip("0").rstrip(".") if "." in text else text)
