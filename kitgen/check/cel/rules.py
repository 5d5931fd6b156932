"""The rules about CEL expressions, and the problems for faults of an expression."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from kitgen.findings import Path, Problem, problem
from kitgen.text.wording import counted, cut

if TYPE_CHECKING:
    from kitgen.cel.compile import RuleFault


LONGEST = 300


def problems(faults: Iterable[RuleFault], minors: Sequence[int]) -> Iterator[Problem]:
    """Yield what faults of expressions mean for the minors of an object."""
    from kitgen.cel.signatures import KNOWN

    endless: dict[tuple[Path, str], list[Path]] = {}
    for fault in faults:
        match fault.kind:
            case "invalid":
                yield problem("cel-invalid", fault.text[:LONGEST], fault.path, fault.hint)
            case "undeclared" if minors and minors[0] <= KNOWN:
                text = f"found the function {fault.text}(), which API servers of 1.{minors[0]} do not have"
                yield problem("cel-invalid", text, fault.path)
            case "undeclared":
                yield _unread(f"the function {fault.text}", fault.path)
            case "unknown":
                yield _unread(fault.text, fault.path)
            case "newer":
                yield from _newer(fault, minors)
            case _:
                endless.setdefault((fault.path[:-2], fault.text), []).append(fault.path)
    for (_, text), paths in endless.items():
        rules = f"{counted(len(paths), 'rule')} here {'goes' if len(paths) == 1 else 'go'} through it"
        yield problem("cel-unbounded", f"found that {cut(text)}, and {rules}", paths[0])


def _unread(what: str, path: Path) -> Problem:
    return problem("cel-unchecked", f"the rule was not looked at: kitgen does not know {cut(what)}", path)


def _newer(fault: RuleFault, minors: Sequence[int]) -> Iterator[Problem]:
    if minors and minors[0] < fault.since:
        expected = f"what 1.{minors[0]} takes, the first of the range"
        yield problem(
            "cel-newer",
            f"found {fault.text}, which API servers take from 1.{fault.since} on, expected {expected}",
            fault.path,
        )
