"""Constants that a server reads when it compiles: numbers, patterns, times and durations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kitgen.crds.cel.check.operators import WrongTypeError
from kitgen.crds.cel.check.types import Typed
from kitgen.crds.cel.parse import Expr
from kitgen.crds.cel.run.literals import written
from kitgen.crds.cel.run.times import read_duration, timestamp
from kitgen.crds.cel.run.values import LEAST, MOST, MOST_UINT, FaultError, Take
from kitgen.schema.patterns import compile_steps, is_pattern
from kitgen.schema.wording import counted

PATTERNED = frozenset({".matches", "matches", ".find", ".findAll"})
WHOLE = frozenset({"int", "uint"})
CLAUSES: dict[str, frozenset[str]] = {
    "s": WHOLE.union(
        ("list", "map", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null")
    ),
    "d": WHOLE,
    "f": frozenset({"double", "string"}),
    "e": frozenset({"double", "string"}),
    "b": WHOLE | {"bool"},
    "x": WHOLE | {"string", "bytes"},
    "X": WHOLE | {"string", "bytes"},
    "o": WHOLE,
}
"""Letter of a formatting clause → the types that it takes."""
CLAUSE = re.compile(r"%(?:%|(?:\.[0-9]+)?(?P<letter>.?))", re.DOTALL)


def within(number: Expr) -> None:
    """Refuse a whole number that 64 bits do not hold."""
    value = number.value
    if type(value) is not int:
        return
    low, high = (0, MOST_UINT) if number.kind == "uint" else (LEAST, MOST)
    if not low <= value <= high:
        raise WrongTypeError(f"invalid {'uint' if number.kind == 'uint' else 'int'} literal")


def check(name: str, parts: tuple[Expr, ...], arguments: Sequence[Typed], take: Take) -> None:
    """Refuse a constant argument that a function cannot read."""
    if name == ".format" and (given := arguments[1].fields) is not None:
        text = _text(parts[0])
        if text is not None:
            _check_format(text, [*given.values()])
    if name in PATTERNED and len(parts) > 1:
        text = _text(parts[1])
        take(compile_steps(text or ""))
        if text is not None and not is_pattern(text):
            raise WrongTypeError(f"invalid {name[1:]} argument, which is no regular expression of Go")
    elif name in ("duration", "timestamp") and len(parts) == 1:
        text = _text(parts[0])
        try:
            if text is not None:
                (read_duration if name == "duration" else timestamp)(text)
        except FaultError as error:
            raise WrongTypeError(f"invalid {name} argument") from error


def _check_format(text: str, given: Sequence[Typed]) -> None:
    """Refuse a constant format whose clauses do not fit the list that it is filled with."""
    letters = [match["letter"] for match in CLAUSE.finditer(text) if match["letter"] is not None]
    if len(letters) != len(given):
        raise WrongTypeError(f"{counted(len(given), 'argument')} of format(), expected {len(letters)}")
    for letter, found in zip(letters, given, strict=True):
        if letter not in CLAUSES:
            raise WrongTypeError(f"unrecognized formatting clause '%{letter}'")
        if found.kind not in CLAUSES[letter] | {"dyn"}:
            raise WrongTypeError(f"format() cannot fill %{letter} with the type {found.kind}")


def _text(part: Expr) -> str | None:
    if part.kind == "text":
        found = written(str(part.value))
        return found if isinstance(found, str) else None
    return part.value if part.kind == "literal" and isinstance(part.value, str) else None
