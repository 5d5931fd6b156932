"""Every rule: its id, how bad it is, and the words that explain it."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from types import ModuleType

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
        """Tell whether a warning of it is about objects that could be made and may well be meant."""
        chapters = list(Chapter)
        return chapters.index(self) >= chapters.index(Chapter.IMAGE)


WITHOUT_RULES = ("kitgen.__main__", "kitgen.testing")
"""The program, and the plugin for pytest, which is not there for everybody."""
T = TypeVar("T")
_RULES: dict[str, object] = {}


def register(name: str, rule: object) -> None:
    """Keep a rule by its id, which no other has: neither one of findings nor one of changes."""
    if _RULES.setdefault(name, rule) is not rule:
        raise ValueError(f"there are two rules {name!r}")


def registered(kind: type[T]) -> dict[str, T]:
    """Return the rules of a kind whose modules were imported, by their ids."""
    return {name: rule for name, rule in _RULES.items() if isinstance(rule, kind)}


class Rule(Struct, frozen=True, kw_only=True, eq=False):
    """One rule, in the words of the page that documents it; making one registers it."""

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

    def __post_init__(self) -> None:
        register(self.id, self)

    def __call__(self, message: str, path: Path = (), hint: str = "", line: int = 0) -> Problem:
        """Make a problem of this rule."""
        from kitgen.findings.finding import Problem

        return Problem(self, message, path, hint, line)

    def __str__(self) -> str:
        return self.id


def rule_named(name: str) -> Rule | None:
    """Return the rule of an id; as few modules as possible are imported for it."""
    import importlib

    # What is accepted is mostly a rule of objects, releases or bundles; to import everything takes long.
    checks = importlib.import_module("kitgen.check.table").CHECKS if name not in _RULES else ()
    of_objects = (row.partition(":")[0] for row in checks)
    for module in (*of_objects, "kitgen.release.rules.checks", "kitgen.olm.rules.engine"):
        if name not in _RULES:
            importlib.import_module(module)
    found = _RULES.get(name)
    return found if isinstance(found, Rule) else rules().get(name)


def rules() -> dict[str, Rule]:
    """Return every rule by its id, in chapters; the modules that find things are imported for it."""
    _import_all()
    chapters = list(Chapter)
    ordered = sorted(registered(Rule).values(), key=lambda rule: (chapters.index(rule.chapter), rule.id))
    return {rule.id: rule for rule in ordered}


@cache
def _import_all() -> None:
    """Import every module of kitgen that may find things; to look for them takes long, and once will do."""
    import kitgen

    _import_below(kitgen)


def _import_below(package: ModuleType) -> None:
    import importlib
    import pkgutil

    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if module.name not in WITHOUT_RULES:
            found = importlib.import_module(module.name)
            if module.ispkg:
                _import_below(found)
