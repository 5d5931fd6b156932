"""Run every check of the table on the objects, and turn hits into findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pkgutil import resolve_name
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.schemas.embedded import CUSTOM_TEMPLATE
from kitgen.check.table import CHECKS
from kitgen.findings import (
    MAX_ERRORS,
    MAX_FINDINGS,
    MAX_PLACES,
    Finding,
    Problem,
    deduplicate_findings,
    format_pointer,
    report_findings_limit,
    report_limit,
)
from kitgen.text.secrets import is_redacted, redact_message

ObjectCheck: TypeAlias = Callable[[CheckContext], Iterator[CheckHit]]


def run_checks(context: CheckContext) -> list[Finding]:
    """Return everything that is wrong with the objects, sorted, each thing once."""
    checks: list[ObjectCheck] = [resolve_name(row) for row in CHECKS]
    return to_findings(context, (hit for each in checks for hit in each(context)))


def to_findings(context: CheckContext, hits: Iterable[CheckHit]) -> list[Finding]:
    """Turn hits into findings: those that one place in the specs causes become one."""
    together: dict[Finding, list[CheckHit]] = {}
    limit: list[Finding] = []
    errors = places = 0
    for hit in hits:
        finding = _redact_problem(hit).to_finding(hit.manifest.find_origin(hit.problem.path))
        if reason := context.accepted.get(hit.target, {}).get(finding.rule.id) or hit.accepted:
            finding = replace(finding, accepted=reason)
        errors += finding.is_blocking and finding not in together
        places += finding.is_blocking
        if errors > MAX_ERRORS or places > MAX_PLACES:
            limit.append(report_limit(finding.origin.file))
            break
        if len(together) > MAX_FINDINGS:
            limit.append(report_findings_limit(finding.origin.file))
            break
        together.setdefault(finding, []).append(hit)
    refused = {each.origin for each in together if each.is_blocking}
    return deduplicate_findings(
        [
            *limit,
            *(
                _add_subject(finding, same, context)
                for finding, same in together.items()
                # What a CRD has servers read is refused at once, and told so.
                if finding.rule is not CUSTOM_TEMPLATE or finding.origin not in refused
            ),
        ]
    )


def _redact_problem(hit: CheckHit) -> Problem:
    """Return the problem without its path, and without the value there if it may be a secret."""
    path, body, problem = hit.problem.path, hit.manifest.body, hit.problem
    if not is_redacted(path, body):
        return replace(problem, path=())
    said, hint = (redact_message(text, path, body) for text in (problem.message, problem.hint))
    return replace(problem, path=(), message=said, hint=hint)


def _add_subject(finding: Finding, hits: list[CheckHit], context: CheckContext) -> Finding:
    """Name the rendered fields that a finding is about: the first one, and how many more there are."""
    places: dict[str, list[str]] = {}
    for hit in hits:
        places.setdefault(f"{hit.manifest.id} {format_pointer(hit.problem.path)}".rstrip(), []).append(
            hit.target
        )
    first = min(places)
    named = sorted(set(places[first]))
    among = f" ({', '.join(named)})" if 0 < len(named) < len(context.targets) else ""
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return replace(finding, subject=f"{first}{among}{more}")
