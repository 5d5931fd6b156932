"""Rules, problems, origins and findings: what can be wrong, and where.

A `Rule` is data, with its severity and explanation. `problem("image-tag", …)` makes a `Problem`: a message,
and a path in the value that is checked. With an origin, a file and a pointer, it becomes a `Finding`. The
line is looked up only when it is shown.
"""

from kitgen.findings.exceptions import (
    EXCEPTION_SHAPE,
    NO_GRADES,
    AcceptedException,
    Grades,
    accept,
    expired,
    of_asked,
    read_accepted,
    read_grades,
    stale,
    wrong_terms,
)
from kitgen.findings.finding import (
    FINDINGS_LIMIT,
    MAX_ERRORS,
    MAX_FINDINGS,
    MAX_PLACES,
    Finding,
    Problem,
    in_chain,
    sort_key,
    too_many,
    too_many_findings,
    unique,
)
from kitgen.findings.hints import is_slip, limited_guesses, near, near_or_known
from kitgen.findings.origin import (
    Cause,
    CauseKind,
    Origin,
    OriginTrail,
    Path,
    Reads,
    Step,
    path_of,
    pointer,
    step_of,
)
from kitgen.findings.rule_table import Chapter, Rule, Severity, problem, rule, rules
