"""Every rule: its id, how bad it is, and the words that explain it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kitgen.findings.finding import Problem
    from kitgen.findings.origin import Path


class Severity(StrEnum):
    """An error blocks a write and fails the command; a warning does neither."""

    ERROR = "error"
    WARNING = "warning"


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


_RULES: dict[str, Rule] = {}
_IDS: dict[str, object] = {}


def register(name: str, rule: object) -> None:
    """Keep an id for a rule; rules of findings and rules of changes share their names."""
    if _IDS.setdefault(name, rule) is not rule:
        raise ValueError(f"there are two rules {name!r}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule:
    """One rule, in the words of the page that documents it; making one registers it."""

    id: str
    """Stable, in kebab-case: tools and exceptions name it."""
    chapter: Chapter
    title: str
    checks: str
    fix: str
    severity: Severity = Severity.ERROR

    def __post_init__(self) -> None:
        register(self.id, self)
        _RULES[self.id] = self

    def __call__(self, message: str, path: Path = (), hint: str = "", line: int = 0) -> Problem:
        """Make a problem of this rule."""
        from kitgen.findings.finding import Problem

        return Problem(self, message, path, hint, line)

    def __str__(self) -> str:
        return self.id


def known_rule(name: str) -> Rule:
    """Return a rule that was registered; KeyError if its module was not imported."""
    return _RULES[name]


def rules() -> dict[str, Rule]:
    """Return every rule by its id, in chapters; the modules that find things are imported for it."""
    import importlib
    import pkgutil

    import kitgen

    for module in pkgutil.walk_packages(kitgen.__path__, f"{kitgen.__name__}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    chapters = list(Chapter)
    ordered = sorted(_RULES.values(), key=lambda rule: (chapters.index(rule.chapter), rule.id))
    return {rule.id: rule for rule in ordered}
