"""Values that are changed at many places: what is touched is copied once, however often it is."""

from __future__ import annotations

from typing import TypeAlias

from kitgen.findings import Origin, Step
from kitgen.load.merging import Said, listing, mapping

Part: TypeAlias = "Said | Draft"


class Draft:
    """A map or list that is being changed; anything else has no parts."""

    __slots__ = ("_parts", "_said")

    def __init__(self, said: Said) -> None:
        self._said = said
        self._parts: dict[Step, Part] | None = None

    @property
    def is_map(self) -> bool:
        """Tell whether it has keys."""
        return isinstance(self._said.data, dict)

    @property
    def is_list(self) -> bool:
        """Tell whether it has items; each keeps the index that it had."""
        return isinstance(self._said.data, list)

    @property
    def origin(self) -> Origin:
        """Return where it is said."""
        return self._said.origin

    @property
    def parts(self) -> dict[Step, Part]:
        """Return what is at every key or index; whoever changes that changes the draft."""
        if self._parts is None:
            self._parts = {**self._said.parts} if self.is_map or self.is_list else {}
        return self._parts

    def below(self, step: Step) -> Draft:
        """Return what is at a key or an index, to be changed."""
        part = self.parts[step]
        if isinstance(part, Said):
            part = self.parts[step] = Draft(part)
        return part

    def done(self) -> Said:
        """Return what has become of it."""
        if self._parts is None:
            return self._said
        made = {step: finished(part) for step, part in self._parts.items()}
        if self.is_list:
            return listing(list(made.values()), self.origin)
        return mapping(made, self.origin) if self.is_map else self._said


def finished(part: Part) -> Said:
    """Return what is said there by now."""
    return part.done() if isinstance(part, Draft) else part
