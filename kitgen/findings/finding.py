"""Problems and findings, and the limit on how many are collected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings.origin import Origin, Path, Step
from kitgen.findings.rule_table import Rule, Severity, get_rule


class Problem(Struct, frozen=True):
    """One thing that is wrong with what is looked at; it does not know which file that is from."""

    rule: Rule
    message: str
    """Lower case, no full stop: what was found and what was expected."""
    path: Path = ()
    hint: str = ""
    line: int = 0
    """Known only where a path cannot say it."""

    def prefix_path(self, *steps: Step) -> Problem:
        """Return it as a problem of what the steps lead into."""
        return replace(self, path=(*steps, *self.path))

    def to_finding(self, origin: Origin, subject: str = "") -> Finding:
        """Return where it is."""
        where = origin.at(*self.path) if self.path else origin
        if self.line or where.trail:
            where = replace(where, line=self.line or where.line, trail=None)
        return Finding(rule=self.rule, message=self.message, origin=where, hint=self.hint, subject=subject)


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that is wrong, where it is, and what would fix it."""

    rule: Rule
    message: str
    origin: Origin
    hint: str = ""
    subject: str = ""
    """What it is about when that is not the origin itself, such as a rendered object's field."""
    accepted: str = ""
    """Why somebody accepted it, if so: it then neither blocks nor fails."""
    graded: Severity | None = None
    """How bad the kit says that it is, if it says so."""

    @property
    def severity(self) -> Severity:
        """Return how bad it is."""
        return self.graded or self.rule.severity

    @property
    def is_blocking(self) -> bool:
        """Return whether it is an error that stands."""
        return self.severity is Severity.ERROR and not self.accepted


def sort_key(finding: Finding) -> tuple[str, int, int, list[str], str, str, str]:
    """Order findings by place, then rule, so that every run shows them alike."""
    steps = [f"{step:09d}" if isinstance(step, int) else step for step in finding.origin.path]
    where = finding.origin
    return (where.file, where.document, where.line, steps, finding.rule.id, finding.subject, finding.message)


def attach_chain(findings: Iterable[Finding], folder: str, chain: str) -> Iterator[Finding]:
    """Name the chain of specs in findings of its folder: the file that says it may be right by itself."""
    for finding in findings:
        named = chain and not finding.subject and finding.origin.file.startswith(folder)
        yield replace(finding, subject=chain) if named else finding


def deduplicate_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings and drop those that say the same thing of the same place.

    What is wrong with a spec by itself need not be told again of those that build on it.
    """
    found = dict.fromkeys(findings)
    told = (each for each in found if not each.subject or replace(each, subject="") not in found)
    return sorted(told, key=sort_key)


MAX_ERRORS = 1_000
"""How many errors are looked for in one thing, such as a file, an object or a set of objects."""
MAX_PLACES = 10_000
"""At how many places of objects errors are looked for; one line of a spec may be wrong at many."""
MAX_FINDINGS = 10_000
"""How many errors and warnings together; a program that reads them has to hold them all."""

FINDINGS_LIMIT = get_rule("findings-limit")


def report_limit(file: str, what: str = f"{MAX_ERRORS} errors") -> Finding:
    """Report that there may be more errors, which were not looked for."""
    return FINDINGS_LIMIT(
        f"found more than {what}, and the rest was not looked at", hint="fix these and check again"
    ).to_finding(Origin(file))


def report_findings_limit(file: str) -> Finding:
    """Report that there are too many errors and warnings to list."""
    return report_limit(file, f"{MAX_FINDINGS} errors and warnings")
