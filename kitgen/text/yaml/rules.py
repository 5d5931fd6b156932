"""Rules about texts that should be YAML."""

from __future__ import annotations

from kitgen.findings import Problem, get_rule

YAML_DUPLICATE = get_rule("yaml-duplicate")
YAML_AMBIGUOUS = get_rule("yaml-ambiguous")
YAML_TAG = get_rule("yaml-tag")
YAML_KEY = get_rule("yaml-key")
YAML_LIMIT = get_rule("yaml-limit")
YAML_MERGE = get_rule("yaml-merge")


class YamlError(Exception):
    """The text is not acceptable YAML; says every reason found."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = tuple(problems)
