"""Rules that several modules here find."""

from __future__ import annotations

from kitgen.findings import Chapter, Rule

CRD_TWICE = Rule(
    id="crd-twice",
    chapter=Chapter.CRD,
    checks="Every CRD is declared once, and every version of it too.",
    fix="Remove one of the two.",
)

CRD_STORAGE = Rule(
    id="crd-storage",
    chapter=Chapter.CRD,
    checks="Exactly one version is stored.",
    fix="Say `storage: true` in one version.",
)

CRD_NOT_STRUCTURAL = Rule(
    id="crd-not-structural",
    chapter=Chapter.CRD,
    checks="Schemas are structural: each value has a type, and logic stands beside the structure.",
    fix="Write what the message expects.",
)

CRD_DEFAULT = Rule(
    id="crd-default",
    chapter=Chapter.CRD,
    checks="A default fits the schema that it stands in.",
    fix="Correct the default or the schema.",
)

CRD_COLUMN = Rule(
    id="crd-column",
    chapter=Chapter.CRD,
    checks="The path of a printer column or selectable field leads to a field of the schema.",
    fix="Correct the path; a column that upstream ships dead says `dead: true`.",
)

CRD_PART_UNKNOWN = Rule(
    id="crd-part-unknown",
    chapter=Chapter.CRD,
    checks="`$use` names a part of a declaration of the component.",
    fix="Take the name that the hint offers.",
)

CRD_EXCEPTION = Rule(
    id="crd-exception",
    chapter=Chapter.CRD,
    checks="An exception sets or removes what is at its path, or adds what is not there yet.",
    fix="Correct the path, or remove the exception.",
)
