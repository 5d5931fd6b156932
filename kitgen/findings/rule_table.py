"""The table of all rules: ids, severities and explanations.

Each package declares its rules in a rules.yaml; `make docs` compiles all into rules.json. Reading it imports
no package.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from pathlib import Path as File
from typing import TYPE_CHECKING

from msgspec import Raw, Struct, json

if TYPE_CHECKING:
    from kitgen.findings.finding import Problem
    from kitgen.findings.origin import Path


class Severity(StrEnum):
    """An error blocks a write and fails the command; a warning fails it if asked to; a note never does."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Chapter(StrEnum):
    """Rules that belong together; the value is the heading of their chapter."""

    FILE = "Files"
    YAML = "YAML"
    SPEC = "Specs"
    REFERENCE = "What ties specs together"
    TARGET = "What targets change"
    CONFIG = "Configuration of operators"
    CRD = "CRD declarations"
    EXCEPTION = "Exceptions"
    SCHEMA = "Schemas of objects"
    IDENTITY = "Names and labels"
    IMAGE = "Images"
    SERVER = "What an API server refuses"
    BETWEEN = "What objects say of each other"
    PERMISSION = "Permissions"
    POD = "How pods run"
    UPGRADE = "Upgrades"
    LIMIT = "Sizes"
    BUNDLE = "OLM bundles"
    RELEASE = "Releases"
    ARGOCD = "Argo CD"
    MIGRATION = "Migrations"

    @property
    def is_for_review(self) -> bool:
        """Return whether a warning of it is about objects that could be made and may well be meant."""
        chapters = list(Chapter)
        return chapters.index(self) >= chapters.index(Chapter.IMAGE)


class Rule(Struct, frozen=True, kw_only=True, eq=False, forbid_unknown_fields=True):
    """One rule, in the words of the page that documents it; there is one of every id."""

    id: str
    """Stable, in kebab-case: tools and exceptions name it."""
    chapter: Chapter
    checks: str
    """What must hold."""
    fix: str
    why: str = ""
    """What comes of it on a cluster, for those who meet the rule for the first time."""
    severity: Severity = Severity.ERROR
    exceptable: bool = False
    """Whether people may accept it: a check of the kit must find it, and something right be made still."""
    asked: bool = False
    """Whether only a command of its own looks, which then tells what is accepted in vain, and not `check`."""

    def __call__(self, message: str, path: Path = (), hint: str = "", line: int = 0) -> Problem:
        """Make a problem of this rule."""
        from kitgen.findings.finding import Problem

        return Problem(self, message, path, hint, line)

    def __str__(self) -> str:
        return self.id


class RuleTable(Struct, frozen=True, forbid_unknown_fields=True):
    """What rules.json holds."""

    rules: tuple[Rule, ...]
    changes: Raw
    """Rules of changes, which those who compare know how to read."""


@cache
def read_rule_table() -> RuleTable:
    """Read the table, once."""
    return json.decode(File(__file__).with_name("rules.json").read_bytes(), type=RuleTable)


@cache
def rules_by_id() -> dict[str, Rule]:
    """Return every rule by its id, in chapters."""
    chapters = list(Chapter)
    ordered = sorted(read_rule_table().rules, key=lambda rule: (chapters.index(rule.chapter), rule.id))
    return {rule.id: rule for rule in ordered}


def get_rule(name: str) -> Rule:
    """Return the rule of an id, for a constant beside the code that finds it."""
    return rules_by_id()[name]


def make_problem(name: str, message: str, path: Path = (), hint: str = "", line: int = 0) -> Problem:
    """Make a problem of the rule with an id."""
    return rules_by_id()[name](message, path, hint, line)
