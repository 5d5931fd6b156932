"""Exceptions, which accept a finding or a change with a reason, and severities set by a kit.

An exception names a rule and a place. One that matches nothing is stale and an error: otherwise it could hide
something else one day.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings.finding import Finding, Problem
from kitgen.findings.hints import suggest_word
from kitgen.findings.origin import Origin, format_pointer
from kitgen.findings.rule_table import Severity, get_rule, make_problem, rules_by_id

OFF = "ignore"
Grades: TypeAlias = Mapping[str, Severity | None]
"""Id of a rule → how bad it is to break it; None where the rule is switched off."""
NO_GRADES: Grades = MappingProxyType({})


def read_grades(said: Mapping[str, str], origin: Origin) -> tuple[dict[str, Severity | None], list[Finding]]:
    """Read what a kit says of rules, with a finding for each that it cannot say."""
    grades: dict[str, Severity | None] = {}
    findings: list[Finding] = []
    for name, word in said.items():
        if (known := rules_by_id().get(name)) is None:
            findings.append(
                make_problem(
                    "rule-grade",
                    f"found the rule {name!r}, which is none",
                    (name,),
                    suggest_word(name, list(rules_by_id())),
                ).to_finding(origin)
            )
        elif word != Severity.ERROR and known.severity is Severity.ERROR and not known.exceptable:
            findings.append(
                make_problem(
                    "rule-grade",
                    f"found {word!r} for the rule {name!r}, which is always an error",
                    (name,),
                    "remove it, and fix what the rule finds",
                ).to_finding(origin)
            )
        else:
            grades[name] = None if word == OFF else Severity(word)
    return grades, findings


EXCEPTION_SHAPE = get_rule("exception-shape")


class AcceptedException(Struct, frozen=True, kw_only=True):
    """An exception: what it names, and why."""

    origin: Origin
    """Where it is written."""
    reason: str
    expires: str = ""
    """The last day on which it holds, such as 2030-01-31; only `check` looks at the clock."""
    rule: str = ""
    file: str = ""
    """With the pointer the place of a finding; a star stands for any text, as that of other versions."""
    pointer: str = ""
    object: str = ""
    """With the path, and perhaps the version, the place of a change."""
    path: str = ""
    version: str = ""
    id: str = ""
    """Names a change instead of rule and place."""
    before: str = ""
    """With what comes after it the place of all that a move from the one to the other breaks."""
    after: str = ""

    @property
    def label(self) -> str:
        """Return what it names, in one line."""
        place = (self.file, self.pointer) if self.file else (self.object, self.path)
        if self.after:
            place = (f"from {self.before}", f"to {self.after}")
        return self.id or " ".join((self.rule, *place)).strip()

    def matches_file(self, finding: Finding) -> bool:
        """Return whether a finding of the rule, at its pointer, is in a file that is meant."""
        return self.file == finding.origin.file or fnmatchcase(finding.origin.file, self.file)

    def report_stale(self, what: str, hint: str = "") -> Finding:
        """Return that it meets nothing."""
        return make_problem(
            "exception-stale",
            f"found an exception for {self.label!r}, but there is no such {what}",
            hint=hint or "remove it",
        ).to_finding(self.origin)


def read_exceptions(
    items: Iterable[Mapping[str, Any]], origin: Origin
) -> tuple[tuple[AcceptedException, ...], tuple[Finding, ...]]:
    """Build the exceptions of a list that has the right shape, with a finding for each that is none."""
    accepted, findings = [], []
    for index, item in enumerate(items):
        where = origin.at(index)
        found = [
            wrong.to_finding(where)
            for wrong in (*check_exception_terms(item, "finding"), *check_exception_rule(item))
        ]
        findings += found
        if not found:
            accepted.append(AcceptedException(origin=where, **item))
    return tuple(accepted), tuple(findings)


def check_exception_terms(item: Mapping[str, Any], what: str) -> Iterator[Problem]:
    """Yield what is wrong with the reason and the day of an exception."""
    if not str(item.get("reason") or "").strip():
        yield make_problem("exception-reason", f"found no reason, expected why the {what} is accepted")
    if isinstance(day := item.get("expires"), str) and not is_day(day):
        yield EXCEPTION_SHAPE(f"found {day!r}, expected a day such as '2030-01-31'", ("expires",))


def is_day(text: str) -> bool:
    """Return whether a text is a day such as 2030-01-31."""
    from datetime import date

    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def check_exception_rule(item: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield that an exception names no rule, or one that may have none."""
    name = item["rule"]
    if (known := rules_by_id().get(name)) is None:
        yield EXCEPTION_SHAPE(
            f"found the rule {name!r}, which is none", ("rule",), suggest_word(name, list(rules_by_id()))
        )
    elif not known.exceptable:
        yield EXCEPTION_SHAPE(
            f"found the rule {name!r}, which has no exceptions",
            ("rule",),
            "fix it" if known.severity is Severity.ERROR else "remove the exception",
        )


def apply_exceptions(
    findings: Iterable[Finding], exceptions: Iterable[AcceptedException], grades: Grades = NO_GRADES
) -> list[Finding]:
    """Mark the findings that an exception covers with its reason, and grade the others; some are off.

    What a target accepts of its upgrade is marked already.
    """
    exact: dict[tuple[str, str, str], list[AcceptedException]] = {}
    starred: dict[tuple[str, str], list[AcceptedException]] = {}
    for each in exceptions:
        if "*" in each.file:
            starred.setdefault((each.rule, each.pointer), []).append(each)
        else:
            exact.setdefault((each.rule, each.file, each.pointer), []).append(each)

    def meant(finding: Finding) -> Iterator[AcceptedException]:
        rule, at = finding.rule.id, format_pointer(finding.origin.path)
        yield from exact.get((rule, finding.origin.file, at), ())
        yield from (each for each in starred.get((rule, at), ()) if each.matches_file(finding))

    return [
        replace(
            finding,
            accepted=finding.accepted or "; ".join(each.reason for each in meant(finding)),
            graded=grades.get(finding.rule.id, finding.graded),
        )
        for finding in findings
        if grades.get(finding.rule.id, finding.severity) is not None  # else the kit switched the rule off
    ]


def check_expired_exceptions(exceptions: Iterable[AcceptedException], today: str) -> list[Finding]:
    """Return a finding for each exception whose last day is over."""
    return [
        make_problem(
            "exception-expired",
            f"found an exception for {each.label!r} that was to end on {each.expires}",
            ("expires",),
            "fix what it accepts, or give it another day",
        ).to_finding(each.origin)
        for each in exceptions
        if each.expires and each.expires < today
    ]


def select_exceptions(exceptions: Iterable[AcceptedException], *, asked: bool) -> list[AcceptedException]:
    """Return the exceptions of rules that only a command of its own looks for, or the others."""
    return [each for each in exceptions if (known := rules_by_id().get(each.rule)) and known.asked is asked]


def check_stale_exceptions(
    findings: Iterable[Finding], exceptions: Iterable[AcceptedException]
) -> list[Finding]:
    """Return a finding for each exception that covers none of those that were found."""
    found: dict[tuple[str, str], dict[str, Finding]] = {}
    open_: dict[str, str] = {}
    for finding in findings:
        place = (finding.rule.id, format_pointer(finding.origin.path))
        found.setdefault(place, {}).setdefault(finding.origin.file, finding)
        if not finding.accepted:
            hint = f"remove it, or name the place that it is found at: {finding.origin.file} {place[1]}"
            open_.setdefault(finding.rule.id, hint.rstrip())
    return [
        each.report_stale("finding", open_.get(each.rule, ""))
        for each in exceptions
        if each.file not in (there := found.get((each.rule, each.pointer), {}))
        and not ("*" in each.file and any(map(each.matches_file, there.values())))
    ]
