"""Rules that several modules here report, and the limit on the work of one validation."""

from __future__ import annotations

from kitgen.findings import get_rule
from kitgen.text.schema_errors import ShapeRules

FIELD_UNKNOWN = get_rule("field-unknown")
FIELD_MISSING = get_rule("field-missing")
FIELD_TYPE = get_rule("field-type")
FIELD_VALUE = get_rule("field-value")

BROKEN_RULE = "the rule itself is at fault: check its CRD"
"""The hint where no object is to blame, but the rule."""

FIELDS = ShapeRules(
    noun="field", unknown=FIELD_UNKNOWN, missing=FIELD_MISSING, mistyped=FIELD_TYPE, value=FIELD_VALUE
)
"""For objects that are held against a schema of Kubernetes or of kitgen's own."""

STEPS = 1_000_000
"""About three microseconds each; a file with as many values as are read takes one or two for each."""
MANY = 32
"""So many fields or names are looked through in one step."""


class EffortExceededError(Exception):
    """There are no steps left."""


class Effort:
    """The steps that are left for the objects that one command looks at."""

    def __init__(self, left: int = STEPS) -> None:
        """Start with so many."""
        self.left = left

    def take(self, steps: int = 1) -> None:
        """Take steps; TooMuchError if there are not so many."""
        self.left -= steps
        if self.left < 0:
            raise EffortExceededError
