"""Rules, problems, origins and findings: what can be wrong, and where.

A `Rule` is data, with its severity and explanation. `make_problem("image-tag", …)` makes a `Problem`: a
message, and a path in the value that is checked. With an origin (a file and a pointer) it is a `Finding`.
The line is looked up only when it is shown.
"""

from kitgen.findings.exceptions import (
    EXCEPTION_SHAPE,
    NO_GRADES,
    AcceptedException,
    Grades,
    apply_exceptions,
    check_exception_terms,
    check_expired_exceptions,
    check_stale_exceptions,
    read_exceptions,
    read_grades,
    select_exceptions,
)
from kitgen.findings.finding import (
    FINDINGS_LIMIT,
    MAX_ERRORS,
    MAX_FINDINGS,
    MAX_PLACES,
    Finding,
    Problem,
    attach_chain,
    deduplicate_findings,
    report_findings_limit,
    report_limit,
    sort_key,
)
from kitgen.findings.hints import is_typo, limit_guesses, suggest_or_list, suggest_word
from kitgen.findings.origin import (
    Cause,
    CauseKind,
    Origin,
    OriginTrail,
    Path,
    Reads,
    Step,
    format_pointer,
    parse_pointer,
    parse_step,
)
from kitgen.findings.rule_table import Chapter, Rule, Severity, get_rule, make_problem, rules_by_id
