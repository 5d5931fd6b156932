"""The rules about what people write: YAML and specs.

The stages that hold them name them by id only; they are described here so that one list has them all.
"""

from kitgen.check.rule import Family, Rule

RULES = (
    Rule(
        id="yaml-syntax",
        family=Family.YAML,
        title="broken YAML",
        checks="The text can be read as YAML, and no tab indents it.",
        mend="Mend the line that the finding names; indent with spaces.",
    ),
    Rule(
        id="yaml-duplicate",
        family=Family.YAML,
        title="a key twice",
        checks="No mapping holds a key a second time. Most readers would silently take the last one.",
        mend="Remove one of the two.",
    ),
    Rule(
        id="yaml-ambiguous",
        family=Family.YAML,
        title="a word that readers disagree about",
        checks=(
            "A spec holds no plain word such as `yes`, `on`, `010` or a date, which is a string to one "
            "reader and something else to another."
        ),
        mend="Quote it, or write true, false or a plain number.",
    ),
    Rule(
        id="yaml-tag",
        family=Family.YAML,
        title="a tag",
        checks="Values carry no tags such as `!!binary`.",
        mend="Write the plain value.",
    ),
    Rule(
        id="yaml-key",
        family=Family.YAML,
        title="a key that is not text",
        checks="Every key of a mapping is text.",
        mend="Write a plain key; a list or a mapping cannot be one.",
    ),
    Rule(
        id="yaml-limit",
        family=Family.YAML,
        title="too deep or too many aliases",
        checks="Nesting and aliases stay within bounds that no honest file reaches.",
        mend="Write the values out instead of repeating aliases of aliases.",
    ),
    Rule(
        id="yaml-documents",
        family=Family.YAML,
        title="several documents",
        checks="A spec file holds one document.",
        mend="Make one file of each document.",
    ),
    Rule(
        id="spec-unknown-key",
        family=Family.SPEC,
        title="unknown key",
        checks="Every key of a spec is one that its schema names.",
        mend="Take the name that the hint offers, or remove the key.",
    ),
    Rule(
        id="spec-missing-key",
        family=Family.SPEC,
        title="missing key",
        checks="A spec has every key that its schema requires.",
        mend="Add the key.",
    ),
    Rule(
        id="spec-type",
        family=Family.SPEC,
        title="wrong type",
        checks="Every value of a spec has the type that its schema names.",
        mend="Write what the message expects; numbers and booleans that are meant as text need quotes.",
    ),
    Rule(
        id="spec-value",
        family=Family.SPEC,
        title="wrong value",
        checks="Every value of a spec is within its bounds, its form and its list of choices.",
        mend="Write what the message expects.",
    ),
)
