"""Rules about texts that should be YAML."""

from __future__ import annotations

from kitgen.findings import Problem, rule

YAML_DUPLICATE = rule("yaml-duplicate")
YAML_AMBIGUOUS = rule("yaml-ambiguous")
YAML_TAG = rule("yaml-tag")
YAML_KEY = rule("yaml-key")
YAML_LIMIT = rule("yaml-limit")
YAML_MERGE = rule("yaml-merge")


class YamlError(Exception):
    """The text is not acceptable YAML; says every reason found."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = tuple(problems)
