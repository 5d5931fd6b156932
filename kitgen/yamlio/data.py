"""The data that YAML holds, and a mapping that is written out only once."""

from __future__ import annotations

from typing import Any, TypeAlias

# A JSON value has no shape until a schema gave it one; that is the one place where Any is honest.
Json: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Json]


class Shared(dict[str, Json]):
    """A mapping that stands in many places: its text is kept per indent and pasted, and so is its size.

    It must not change once it was written. `name` says what it is, such as core/v1.PodSpec.
    """

    __slots__ = ("name", "size", "texts")

    def __init__(self, data: JsonObject, name: str = "") -> None:
        super().__init__(data)
        self.name = name
        self.size = 0
        self.texts: dict[int, str] = {}
