"""The rules of CEL expressions, and the findings that faults of an expression are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from kitgen.crd.validate.rules import CEL_UNCHECKED
from kitgen.findings import Chapter, Path, Problem, Rule, Severity
from kitgen.text.wording import counted, cut

if TYPE_CHECKING:
    from kitgen.cel.compile import RuleFault

CEL_INVALID = Rule(
    id="cel-invalid",
    chapter=Chapter.SERVER,
    checks=(
        "CEL expressions compile. Rules of a CRD can be read, name fields that the schema has, as CEL "
        "escapes their names, and compare values of one type; a rule is true or false, a messageExpression "
        "a text; oldSelf stands where values can be told from those before. Conditions of webhooks, "
        "expressions of admission policies and selectors of devices know the names that a server gives "
        "them, call functions that there are, and come to the type that is asked for."
    ),
    fix="Correct the expression, or the schema that it reads.",
    why=(
        "The API server compiles every expression when an object is created or changed, and refuses the "
        "whole object if one does not compile: without a CRD nothing of its kind can be created, and "
        "without a policy nothing is held to it. What is in an object is of no type to a policy, so an "
        "expression that is just a field comes to dyn, and is refused: compare it, or convert it by bool() "
        "or string()."
    ),
    exceptable=True,
)

CEL_UNBOUNDED = Rule(
    id="cel-unbounded",
    chapter=Chapter.SCHEMA,
    checks=(
        "What a CEL rule goes through has a bound: maxItems of a list, maxProperties of a map, maxLength of "
        "a text; the status, which operators write, is left out."
    ),
    fix="Set the keyword that the message names in the schema of the field.",
    why=(
        "The API server reckons what a rule may cost at most. Without a bound it takes the largest object "
        "that a request can hold, so one more loop, or one more rule, exceeds the budget and the CRD is "
        "refused; and the rule takes that long on a large object."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

CEL_NEWER = Rule(
    id="cel-newer",
    chapter=Chapter.SERVER,
    checks=(
        "CEL expressions use functions and names of fields that API servers of every minor in the range "
        "take. A field whose name is a reserved word of CEL, such as namespace, may be written as it is "
        "from 1.32 on; older servers know it as __namespace__ alone."
    ),
    fix=(
        "Use older functions, escape the name (all API servers take __namespace__), leave the expression "
        "out, or declare a narrower range."
    ),
    why=(
        "Functions of CEL came to Kubernetes over time. A server compiles an expression that is new with "
        "what the minor before its own knew, so that it can be rolled back: functions for IP addresses came "
        "in 1.30, and servers take them from 1.31 on. An older one refuses the CRD, or the policy, as a "
        "whole. What is stored already goes on to work."
    ),
    exceptable=True,
)

LONGEST = 300


def problems(faults: Iterable[RuleFault], minors: Sequence[int]) -> Iterator[Problem]:
    """Yield what faults of expressions mean for the minors of an object."""
    from kitgen.cel.signatures import KNOWN

    endless: dict[tuple[Path, str], list[Path]] = {}
    for fault in faults:
        match fault.kind:
            case "invalid":
                yield CEL_INVALID(fault.text[:LONGEST], fault.path, fault.hint)
            case "undeclared" if minors and minors[0] <= KNOWN:
                text = f"found the function {fault.text}(), which API servers of 1.{minors[0]} do not have"
                yield CEL_INVALID(text, fault.path)
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
        yield CEL_UNBOUNDED(f"found that {cut(text)}, and {rules}", paths[0])


def _unread(what: str, path: Path) -> Problem:
    return CEL_UNCHECKED(f"the rule was not looked at: kitgen does not know {cut(what)}", path)


def _newer(fault: RuleFault, minors: Sequence[int]) -> Iterator[Problem]:
    if minors and minors[0] < fault.since:
        expected = f"what 1.{minors[0]} takes, the first of the range"
        text = f"found {fault.text}, which API servers take from 1.{fault.since} on, expected {expected}"
        yield CEL_NEWER(text, fault.path)
