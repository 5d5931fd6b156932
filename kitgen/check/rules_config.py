"""The rules about the configuration of operators: config.yaml, and the values that are held against it."""

from kitgen.check.rule import Family, Rule

RULES = (
    Rule(
        id="config-untyped",
        family=Family.CONFIG,
        title="values without a type",
        checks="Only a component with a config.yaml takes values and mounts them.",
        fix="Remove them, or describe them in config.yaml.",
    ),
    Rule(
        id="config-name",
        family=Family.CONFIG,
        title="an unknown name",
        checks="Every name is one that config.yaml declares.",
        fix="Take the name that the hint offers.",
    ),
    Rule(
        id="config-missing",
        family=Family.CONFIG,
        title="a missing value",
        checks="A mapping has every value that config.yaml requires.",
        fix="Add it.",
    ),
    Rule(
        id="config-type",
        family=Family.CONFIG,
        title="a value of the wrong type",
        checks="Every value has the type that config.yaml declares. A duration has a unit, even 0.",
        fix="Write what the message expects.",
    ),
    Rule(
        id="config-value",
        family=Family.CONFIG,
        title="a wrong value",
        checks="Every value is within the bounds, the form and the choices that config.yaml declares.",
        fix="Write what the message expects.",
    ),
    Rule(
        id="config-declaration",
        family=Family.CONFIG,
        title="a config.yaml that contradicts itself",
        checks=(
            "Every attribute says something of its field's type, defaults and choices fit their own field, "
            "patterns can be read, and rules compare two numbers or two durations."
        ),
        fix="Correct config.yaml.",
    ),
    Rule(
        id="config-unreached",
        family=Family.CONFIG,
        title="an address that is asked elsewhere",
        checks=(
            "Where config.yaml says who asks an address (`askedBy`), the value that is set, else its "
            "default, has the port that they ask, and is not turned off for probes and webhooks."
        ),
        fix="Let both say the same port.",
    ),
    Rule(
        id="config-rule",
        family=Family.CONFIG,
        title="a value above its ceiling",
        checks="A value is at most the other one that bounds it, defaults included.",
        fix="Lower the one, or raise the other.",
    ),
)
