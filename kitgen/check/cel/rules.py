"""The rules about CEL expressions, and the problems for faults of an expression."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from kitgen.findings import Path, Problem, make_problem
from kitgen.text.wording import format_count, quote_text

if TYPE_CHECKING:
    from kitgen.cel.compile import RuleFault


LONGEST = 300


def to_problems(faults: Iterable[RuleFault], minors: Sequence[int]) -> Iterator[Problem]:
    """Yield what faults of expressions mean for the minors of an object."""
    from kitgen.cel.signatures import KNOWN

    endless: dict[tuple[Path, str], list[Path]] = {}
    for fault in faults:
        match fault.kind:
            case "invalid":
                yield make_problem("cel-invalid", fault.text[:LONGEST], fault.path, fault.hint)
            case "undeclared" if minors and minors[0] <= KNOWN:
                text = f"found the function {fault.text}(), which API servers of 1.{minors[0]} do not have"
                yield make_problem("cel-invalid", text, fault.path)
            case "undeclared":
                yield _report_unchecked(f"the function {fault.text}", fault.path)
            case "unknown":
                yield _report_unchecked(fault.text, fault.path)
            case "newer":
                yield from _check_newer(fault, minors)
            case _:
                endless.setdefault((fault.path[:-2], fault.text), []).append(fault.path)
    for (_, text), paths in endless.items():
        rules = f"{format_count(len(paths), 'rule')} here {'goes' if len(paths) == 1 else 'go'} through it"
        yield make_problem("cel-unbounded", f"found that {quote_text(text)}, and {rules}", paths[0])


def _report_unchecked(what: str, path: Path) -> Problem:
    return make_problem(
        "cel-unchecked", f"the rule was not looked at: kitgen does not know {quote_text(what)}", path
    )


def _check_newer(fault: RuleFault, minors: Sequence[int]) -> Iterator[Problem]:
    if minors and minors[0] < fault.since:
        expected = f"what 1.{minors[0]} takes, the first of the range"
        yield make_problem(
            "cel-newer",
            f"found {fault.text}, which API servers take from 1.{fault.since} on, expected {expected}",
            fault.path,
        )
