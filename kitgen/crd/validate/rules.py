"""Rules that several modules here find.

How much work it may take to hold objects to their CRDs: what a schema asks counts for every value.
"""

from __future__ import annotations

from kitgen.findings import Chapter, Problem, Rule, Severity
from kitgen.text.schema_errors import ShapeRules

FIELD_UNKNOWN = Rule(
    id="field-unknown",
    chapter=Chapter.SCHEMA,
    checks=(
        "Every field is one that the kind has, in every minor of the range. A cluster drops or refuses "
        "others."
    ),
    fix="Take the name that the hint offers, remove the field, or declare a narrower range.",
    exceptable=True,
)

FIELD_MISSING = Rule(
    id="field-missing",
    chapter=Chapter.SCHEMA,
    checks=(
        "An object has every field that its kind requires, an item of a keyed list its keys, an embedded "
        "object its apiVersion and kind."
    ),
    fix="Add the field.",
    exceptable=True,
)

FIELD_TYPE = Rule(
    id="field-type",
    chapter=Chapter.SCHEMA,
    checks=(
        "Every field has the type that its kind names. In a custom resource null is as good as no field, "
        "unless the field is nullable; an item of a list is null only if it may be."
    ),
    fix="Write what the message expects.",
    exceptable=True,
)

FIELD_VALUE = Rule(
    id="field-value",
    chapter=Chapter.SCHEMA,
    checks=(
        "Every field is within the bounds, the form, the choices and the alternatives that its kind "
        "names, and the items of a set or of a keyed list differ."
    ),
    fix="Write what the message expects.",
    exceptable=True,
)

CEL_RULE = Rule(
    id="cel-rule",
    chapter=Chapter.SCHEMA,
    checks=(
        "A custom resource passes the CEL rules (x-kubernetes-validations) of its CRD: with its defaults, "
        "where its schema is satisfied, and by rules with oldSelf if the object before is known. A rule "
        "that comes to an error, such as a field that is not there, is not passed."
    ),
    fix="Change the object to what the message says.",
    why=(
        "The API server evaluates every rule when an object is created or changed, and refuses the object "
        "if one of them is not true. A rule with oldSelf is held against the object that is stored: it says "
        "which fields cannot be changed."
    ),
    exceptable=True,
)

CEL_UNCHECKED = Rule(
    id="cel-unchecked",
    chapter=Chapter.SCHEMA,
    checks="Every CEL rule that an object meets can be evaluated.",
    fix="Try the object on a cluster; if the rule is yours, say it with functions that kitgen knows.",
    why=(
        "kitgen evaluates rules itself, with the functions of Kubernetes. A rule that asks for more, such as "
        "a pattern that is too large, may refuse the object on a cluster all the same."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

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

EFFORT_LIMIT = Rule(
    id="effort-limit",
    chapter=Chapter.SCHEMA,
    checks=(
        f"Holding all objects to their CRDs takes at most {STEPS:,} steps: one for each value, and for each"
        " alternative, default and rule that it meets. CEL rules take more, by what they go through and the"
        " size of the texts, lists and maps that they make. Compiling CEL expressions, evaluating conditions"
        " of webhooks, and comparing permissions before and after an upgrade have a bound each. What comes"
        " behind is not looked at."
    ),
    fix="Check fewer objects at a time, or make the schema of the CRD or its CEL rules simpler.",
)


class TooMuchError(Exception):
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
            raise TooMuchError


def too_much() -> Problem:
    """Say that an object was not looked at in full."""
    message = "holding the objects to their CRDs takes too many steps, and the rest was not looked at"
    return EFFORT_LIMIT(message, hint="check fewer objects at a time")
