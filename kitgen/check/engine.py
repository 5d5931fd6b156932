"""Run every check of the table on the objects, and turn hits into findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pkgutil import resolve_name
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.hits import LocatedHit, format_place
from kitgen.check.schemas.embedded import CUSTOM_TEMPLATE
from kitgen.check.table import CHECKS
from kitgen.findings import (
    FINDINGS_LIMIT,
    MAX_ERRORS,
    MAX_FINDINGS,
    MAX_PLACES,
    Finding,
    Problem,
    deduplicate_findings,
    report_findings_limit,
    report_limit,
)
from kitgen.text.secrets import is_redacted, redact_message
from kitgen.text.values import group_pairs

ObjectCheck: TypeAlias = Callable[[CheckContext], Iterator[CheckHit]]


class CheckedObjects(NamedTuple):
    """What checks find in the objects of some targets."""

    targets: Sequence[str]
    hits: Sequence[LocatedHit]


def run_checks(context: CheckContext) -> list[Finding]:
    """Return everything that is wrong with the objects, sorted, each thing once."""
    return merge_hits([check_targets(context)])


def check_targets(context: CheckContext) -> CheckedObjects:
    """Return what every check finds."""
    checks: list[ObjectCheck] = [resolve_name(row) for row in CHECKS]
    return CheckedObjects(
        [*context.targets], _locate_hits(context, (hit for each in checks for hit in each(context)))
    )


def to_findings(context: CheckContext, hits: Iterable[CheckHit]) -> list[Finding]:
    """Turn hits into findings: those that one place in the specs causes become one."""
    return merge_hits([CheckedObjects([*context.targets], _locate_hits(context, hits))])


def merge_hits(parts: Sequence[CheckedObjects]) -> list[Finding]:
    """Return the findings of targets that were checked apart: those that one place causes become one."""
    together: dict[Finding, list[LocatedHit]] = {}
    for hit in _bound_hits(hit for part in parts for hit in part.hits):
        together.setdefault(hit.finding, []).append(hit)
    refused = {each.origin for each in together if each.is_blocking}
    targets = {target for part in parts for target in part.targets}
    return deduplicate_findings(
        _add_subject(finding, same, len(targets)) if finding.rule is not FINDINGS_LIMIT else finding
        for finding, same in together.items()
        # What a CRD has servers read is refused at once, and told so.
        if finding.rule is not CUSTOM_TEMPLATE or finding.origin not in refused
    )


def _locate_hits(context: CheckContext, hits: Iterable[CheckHit]) -> list[LocatedHit]:
    """Return hits with their origins, and no more than anybody reads."""
    return [*_bound_hits(_locate_hit(context, hit) for hit in hits)]


def _locate_hit(context: CheckContext, hit: CheckHit) -> LocatedHit:
    finding = _redact_problem(hit).to_finding(hit.manifest.find_origin(hit.problem.path))
    if reason := context.accepted.get(hit.target, {}).get(finding.rule.id) or hit.accepted:
        finding = replace(finding, accepted=reason)
    return LocatedHit(finding, hit.target, format_place(hit.manifest.id, hit.problem.path))


def _bound_hits(hits: Iterable[LocatedHit]) -> Iterator[LocatedHit]:
    """Yield hits up to what is looked for; the last one then says that there may be more."""
    known: set[Finding] = set()
    errors = places = 0
    for hit in hits:
        finding = hit.finding
        errors += finding.is_blocking and finding not in known
        places += finding.is_blocking
        if errors > MAX_ERRORS or places > MAX_PLACES:
            yield hit._replace(finding=report_limit(finding.origin.file))
            return
        if len(known) > MAX_FINDINGS:
            yield hit._replace(finding=report_findings_limit(finding.origin.file))
            return
        known.add(finding)
        yield hit


def _redact_problem(hit: CheckHit) -> Problem:
    """Return the problem without its path, and without the value there if it may be a secret."""
    path, body, problem = hit.problem.path, hit.manifest.body, hit.problem
    if not is_redacted(path, body):
        return replace(problem, path=())
    said, hint = (redact_message(text, path, body) for text in (problem.message, problem.hint))
    return replace(problem, path=(), message=said, hint=hint)


def _add_subject(finding: Finding, hits: Iterable[LocatedHit], targets: int) -> Finding:
    """Name the rendered fields that a finding is about: the first one, and how many more there are."""
    places = group_pairs((hit.place, hit.target) for hit in hits)
    if not (first := min(places)):
        return finding  # it is about no object
    named = sorted({*places[first]})
    among = f" ({', '.join(named)})" if 0 < len(named) < targets else ""
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return replace(finding, subject=f"{first}{among}{more}")
