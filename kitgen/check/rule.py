"""What a rule is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kitgen.findings import Severity


class Family(StrEnum):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule, in the words of the page that documents it."""

    id: str
    """Stable: tools and exceptions name it."""
    family: Family
    title: str
    checks: str
    fix: str
    severity: Severity = Severity.ERROR
