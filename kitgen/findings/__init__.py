"""What can be wrong, and where: rules, problems, origins, findings.

A `Rule` is a constant beside the code that finds it, and knows its severity and explanation. Calling it makes
a `Problem`: a message, and a path in whatever is looked at. On the way up a problem gets its origin, a
file and a pointer, and is a `Finding` then. The line is looked up only when it is shown.
"""

from kitgen.findings.cause import By, Cause, Reads
from kitgen.findings.exceptions import (
    EXCEPTION_SHAPE,
    Accepted,
    accept,
    expired,
    of_asked,
    read_accepted,
    stale,
    wrong_terms,
)
from kitgen.findings.finding import Finding, Problem, in_chain, sort_key, unique
from kitgen.findings.grades import NO_GRADES, Grades, read_grades
from kitgen.findings.limit import (
    FINDINGS_LIMIT,
    MAX_ERRORS,
    MAX_FINDINGS,
    MAX_PLACES,
    too_many,
    too_many_findings,
)
from kitgen.findings.near import is_slip, limited_guesses, near, near_or_known
from kitgen.findings.origin import Origin, Path, Step, Trail, path_of, pointer, step_of
from kitgen.findings.registry import Chapter, Rule, Severity, register, registered, rules
