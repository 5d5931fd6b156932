"""Rules that several modules here find."""

from __future__ import annotations

from kitgen.findings import Chapter, Rule
from kitgen.schema.explain import ShapeRules

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

FIELDS = ShapeRules(
    noun="field", unknown=FIELD_UNKNOWN, missing=FIELD_MISSING, mistyped=FIELD_TYPE, value=FIELD_VALUE
)
"""For objects that are held against a schema of Kubernetes or of kitgen's own."""
