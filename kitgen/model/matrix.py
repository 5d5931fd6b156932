"""The compatibility matrix: which versions belong to a release, as READMEs show it."""

from __future__ import annotations

from msgspec import Struct, field

from kitgen.findings import Origin
from kitgen.semver import in_range

ITSELF = "release"
"""What a row says that shows the release itself."""


class MatrixRow(Struct, frozen=True, kw_only=True):
    """One row: what it is called, and what it shows the version of."""

    label: str
    of: str
    repositories: dict[str, str] = field(default_factory=dict)
    """Range of releases → where the tags are; an empty range takes all."""
    origin: Origin

    def repository(self, release: str) -> str:
        """Return where the tags are for a release; empty if nobody says."""
        fitting = (each for wanted, each in self.repositories.items() if in_range(release, wanted))
        return next(fitting, "")


class Matrix(Struct, frozen=True, kw_only=True):
    """How the matrix of any release looks."""

    title: str
    rows: tuple[MatrixRow, ...]
    plain: str = ""
    """Releases whose cells have no link; empty for none."""
    widths: tuple[int, int] = (0, 0)
    """The least widths of the two columns."""
    origin: Origin

    @property
    def own(self) -> MatrixRow | None:
        """Return the row that shows the release itself."""
        return next((each for each in self.rows if each.of == ITSELF), None)
