"""Compile one CEL expression as the API server does, by the types of its names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from kitgen.crds.cel.check.infer import Inference, UndeclaredError, WrongTypeError
from kitgen.crds.cel.check.types import DYN, Typed
from kitgen.crds.cel.parse import COMPILED, CelError, Literal, parse
from kitgen.crds.cel.run.values import Take, UnknownError
from kitgen.findings import Path
from kitgen.schema.wording import choice

MOST_NAMES = 3


class RuleFault(Struct, frozen=True):
    """What is wrong with an expression."""

    path: Path
    text: str
    kind: str = "invalid"
    """invalid, unknown, undeclared (a function), newer or unbounded."""
    since: int = 0
    """Of what is newer than some servers: the first minor that takes it."""
    hint: str = ""

    def below(self, *steps: str | int) -> RuleFault:
        """Return it as it is seen from further up."""
        return replace(self, path=(*steps, *self.path))


class Compiled(Struct, frozen=True):
    """The type of an expression, and what is wrong with it."""

    found: Typed = DYN
    faults: tuple[RuleFault, ...] = ()
    names: frozenset[Literal] = frozenset()
    """The names that stand alone in it, such as self."""


def compiled(
    text: str,
    names: Mapping[str, Typed],
    wanted: tuple[Typed, ...] = (),
    extras: frozenset[str] = frozenset(),
    *,
    take: Take,
) -> Compiled:
    """Compile an expression that is to have one of some types, or any if none is named."""
    take(1 + len(text) // COMPILED)
    inference = Inference(names, take, extras)
    used: frozenset[Literal] = frozenset()
    try:
        expression = parse(text, escaped=True)
        used = expression.names()
        found = inference.of(expression)
    except CelError as error:
        return _failed(f"found what is no CEL: {error}", used)
    except WrongTypeError as error:
        return _failed(f"found what does not compile: {error}", used)
    except UndeclaredError as error:
        return _failed(str(error), used, "undeclared")
    except UnknownError as error:
        return _failed(str(error), used, "unknown")
    except RecursionError:
        return _failed("an expression that nests that deep", used, "unknown")
    faults: list[RuleFault] = []
    if wanted and not any(_is(found, each) for each in wanted):
        faults.append(_mistyped(found, wanted))
    faults += _newer(inference)
    faults += _unbounded(inference)
    return Compiled(found, tuple(faults), used)


def _failed(text: str, names: frozenset[Literal], kind: str = "invalid") -> Compiled:
    return Compiled(faults=(RuleFault((), text, kind),), names=names)


def _mistyped(found: Typed, wanted: tuple[Typed, ...]) -> RuleFault:
    expected = choice([_shown(each) for each in wanted])
    hint = ""
    if found.kind == "dyn" and wanted[0].kind in ("bool", "string"):
        hint = f"the server knows no type of what is in an object: compare it, or write {wanted[0].kind}(…)"
    text = f"found an expression of the type {_shown(found)}, expected {expected}"
    return RuleFault((), text, hint=hint)


def _newer(inference: Inference) -> Iterator[RuleFault]:
    """Yield what not all servers take, that of each minor together."""
    newer = inference.notes.newer
    for since in sorted(set(newer.values())):
        names = [name for name, minor in newer.items() if minor == since]
        more = [f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
        yield RuleFault((), choice([*names[:MOST_NAMES], *more], last="and"), "newer", since)


def _unbounded(inference: Inference) -> Iterator[RuleFault]:
    whole = "self" in inference.names and inference.names["self"].whole
    for where, keyword in inference.notes.unbounded.items():
        # Only operators write a status, and keep it small.
        if not (whole and where.startswith("self.status.")):
            yield RuleFault((), f"{where} has no {keyword}", "unbounded")


def _is(found: Typed, wanted: Typed) -> bool:
    """Tell whether a type may be the wanted one, as far as it is known."""
    if found.kind == "dyn":
        return not found.sure or wanted.kind == "dyn"
    if found.kind != wanted.kind:
        return False
    return not wanted.item or not found.item or _is(found.item, wanted.item)


def _shown(kind: Typed) -> str:
    return f"{kind.kind}({_shown(kind.item)})" if kind.item and kind.kind == "list" else kind.kind
