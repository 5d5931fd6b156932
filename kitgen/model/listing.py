"""How a catalog of operators shows a component."""

from __future__ import annotations

from msgspec import Struct, field

from kitgen.findings import Origin
from kitgen.yamlio import JsonObject


class Icon(Struct, frozen=True, kw_only=True):
    """A picture."""

    media_type: str
    data: bytes
    origin: Origin


class Api(Struct, frozen=True, kw_only=True):
    """How a kind is shown."""

    display_name: str = ""
    description: str = ""
    example: tuple[Origin, JsonObject] | None = None
    """An object of the kind, and the file that has it."""
    origin: Origin


class Listing(Struct, frozen=True, kw_only=True):
    """What people see of a component before they install it."""

    origin: Origin
    said: JsonObject
    """The texts, lists and links, as they stand in the spec."""
    icon: Icon | None = None
    apis: dict[str, Api] = field(default_factory=dict)
    """Kind → how it is shown."""
