"""Digests of the images of a release, as somebody with a network found them."""

from __future__ import annotations

from msgspec import Struct

from kitgen.findings import Origin

EVERY_PLATFORM = "all"
"""What an entry says whose digest is that of an index: nodes of any kind find their image by it."""


class LockedImage(Struct, frozen=True, kw_only=True):
    """An image, and the digest that it had."""

    image: str
    """As specs write it."""
    digest: str
    platform: str = ""
    """Whose digest it is: all, or one such as linux/amd64; empty when nobody knows."""
    source: str = ""
    """What told it."""
    origin: Origin


class Lock(Struct, frozen=True, kw_only=True):
    """The digests of one release."""

    release: str
    images: dict[str, LockedImage]
    origin: Origin
