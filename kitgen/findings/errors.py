"""Exit codes, and the one exception for work that cannot continue.

Wrong input is a `Finding`; an exception is for what stops the work: no kit, an unreadable folder,
a missing program. A `KitgenError` reaches the user as one line and an exit code, never a traceback.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from kitgen.findings.finding import Finding


class ExitCode(IntEnum):
    """The exit code of a command."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    ENVIRONMENT = 3


class KitgenError(Exception):
    """Raised when the work cannot go on; it says why, and what may help."""

    exit_code = ExitCode.ENVIRONMENT

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(KitgenError):
    """A name or option that makes no sense for this kit."""

    exit_code = ExitCode.USAGE


class FindingsError(KitgenError):
    """Input so wrong that the next stage cannot start; carries every finding so far."""

    exit_code = ExitCode.FINDINGS

    def __init__(
        self,
        findings: Iterable[Finding],
        root: Path | None = None,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        self.findings = tuple(findings)
        self.root = root
        """Where the findings' files are; the folder that kitgen runs in when it is None."""
        self.texts = texts
        """What was read besides, such as standard input, for the lines of findings."""
        super().__init__(f"{len(self.findings)} findings")
