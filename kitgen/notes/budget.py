"""What a template may do in all: it may be anybody's, and a short one can run and grow without end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from typing import Any

from jinja2.runtime import BlockReference, Macro, TemplateReference

MAX_STEPS = 100_000
"""How many turns of loops and calls of macros a template may take."""
MAX_TEXT = 4_000_000
"""How many characters and values a template may print or compute in all; ten for one in notes are usual."""
MAX_BITS = 64


class Budget:
    """What a template may still do; one that kitgen ships ends by itself."""

    def __init__(self, *, endless: bool = False) -> None:
        self.steps: float = inf if endless else MAX_STEPS
        self.text: float = inf if endless else MAX_TEXT

    def step(self) -> None:
        """Count a turn of a loop, or a call."""
        self.steps -= 1
        if self.steps < 0:
            raise ValueError(f"found more than {MAX_STEPS:,} turns of loops and calls of macros")

    def write(self, size: int) -> None:
        """Count what is printed or computed."""
        self.text -= size
        if self.text < 0:
            raise ValueError(f"found more than {MAX_TEXT:,} characters and values in all that it computes")

    def turns(self, items: Iterable[Any], size: int = 0) -> Iterator[Any]:
        """Yield items, and count them with the text that stands in the loop."""
        for each in items:
            self.step()
            self.write(size)
            yield each

    def weighed(self, value: Any) -> Any:
        """Return a value, and count it with all that is in it; a list may hold the same one many times."""
        self.write(1)
        if isinstance(value, str):
            self.write(len(value))
        elif isinstance(value, dict):
            for item in (*value, *value.values()):
                self.weighed(item)
        elif isinstance(value, list | tuple):
            for item in value:
                self.weighed(item)
        elif isinstance(value, int) and value.bit_length() > MAX_BITS:
            raise ValueError(f"found a whole number of more than {MAX_BITS} bits")
        elif isinstance(value, Macro | BlockReference | TemplateReference):
            raise ValueError("found a macro or block as a value, expected a call of it")
        return value
