"""What may be wrong with a text that should be YAML."""

from __future__ import annotations

from kitgen.findings import Chapter, Problem, Rule

YAML_SYNTAX = Rule(
    id="yaml-syntax",
    chapter=Chapter.YAML,
    checks="The text can be read as YAML, and no tab indents it.",
    fix="Fix the line that the finding names; indent with spaces.",
)

YAML_DUPLICATE = Rule(
    id="yaml-duplicate",
    chapter=Chapter.YAML,
    checks="No mapping holds a key a second time. Most readers would silently take the last one.",
    fix="Remove one of the two.",
)

YAML_AMBIGUOUS = Rule(
    id="yaml-ambiguous",
    chapter=Chapter.YAML,
    checks=(
        "A spec holds no plain word such as `yes`, `on`, `010` or a date, which is a string to one reader"
        " and something else to another."
    ),
    fix="Quote it, or write true, false or a plain number.",
)

YAML_TAG = Rule(
    id="yaml-tag",
    chapter=Chapter.YAML,
    checks="Values carry no tags such as `!!binary`.",
    fix="Write the plain value.",
)

YAML_KEY = Rule(
    id="yaml-key",
    chapter=Chapter.YAML,
    checks="Every key of a mapping is text.",
    fix="Write a plain key; a list or a mapping cannot be one.",
)

YAML_LIMIT = Rule(
    id="yaml-limit",
    chapter=Chapter.YAML,
    checks="Nesting, aliases and the number of values stay within bounds that no honest file reaches.",
    fix="Write the values out instead of repeating aliases of aliases; make several files of a large one.",
)

YAML_MERGE = Rule(
    id="yaml-merge",
    chapter=Chapter.YAML,
    checks="What `<<` merges in a manifest is a mapping; a spec has no `<<`.",
    fix="Write the keys out.",
)

YAML_DOCUMENTS = Rule(
    id="yaml-documents",
    chapter=Chapter.YAML,
    checks="A spec file holds one document.",
    fix="Make one file of each document.",
)


class YamlError(Exception):
    """The text is not acceptable YAML; says every reason found."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = tuple(problems)
