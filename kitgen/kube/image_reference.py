"""Parse image references, as nodes and registries do: `[host/]path[:tag][@digest]`.

Every part is read once, so that a long or odd text takes no longer than a good one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import IPv6Address
from typing import NamedTuple

from kitgen.findings import Problem, Rule
from kitgen.text.patterns import compile_late
from kitgen.text.wording import describe_value, quote_text

DOCKER = "docker.io"
DOCKER_TOO = frozenset({DOCKER, "index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"})
"""Names of one registry."""
LOCAL = "localhost"
LONGEST = 1000
"""No image has so long a name."""
LONGEST_PATH = 255
LABEL = compile_late(r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?", re.ASCII)
PART = compile_late(r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*", re.ASCII)
TAG = compile_late(r"\w[\w.-]{0,127}", re.ASCII)
ALGORITHM = compile_late(r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*", re.ASCII)
HEX = compile_late(r"[0-9a-fA-F]+", re.ASCII)
LENGTHS = {"sha256": 64, "sha512": 128}
ADDRESS = compile_late(r"[0-9A-Fa-f:]+", re.ASCII)
"""Of an IPv6 address in a reference, which has no zone."""
PORT = compile_late(r"[0-9]{1,5}", re.ASCII)


class ImageReference(NamedTuple):
    """An image as nodes read it."""

    host: str
    path: str
    tag: str
    digest: str

    @property
    def repository(self) -> str:
        """Return all but tag and digest."""
        return f"{self.host}/{self.path}"

    @property
    def version(self) -> str:
        """Return what says which one it is."""
        return self.digest or self.tag or "latest"

    def __str__(self) -> str:
        tag, digest = self.tag and f":{self.tag}", self.digest and f"@{self.digest}"
        return f"{self.repository}{tag}{digest}"


def parse_image_reference(image: str) -> ImageReference | None:
    """Take an image apart; None when a node could not."""
    found = parse_reference_or_error(image)
    return found if isinstance(found, ImageReference) else None


@lru_cache(maxsize=4096)
def parse_reference_or_error(image: str) -> ImageReference | str:
    """Take an image apart; a text says what is wrong with it: what was found, and what was expected."""
    if not image or len(image) > LONGEST:
        return f"found {len(image)} characters, expected an image of at most {LONGEST}"
    if "://" in image:
        return f"found the scheme of {quote_text(image)}, expected an image without one"
    named, at, digest = image.partition("@")
    if at and (wrong := check_digest(digest)):
        return wrong
    above, slash, last = named.rpartition("/")
    last, colon, tag = last.partition(":")
    if colon and not TAG.fullmatch(tag):
        return f"found the tag {quote_text(tag)}, expected letters, digits, ., - and _, at most 128 of them"
    host, path = _split_registry(f"{above}{slash}{last}")
    if host and (wrong := check_registry_host(host)):
        return wrong
    if wrong := check_image_path(path):
        return wrong
    if not host or host in DOCKER_TOO:
        host, path = DOCKER, path if "/" in path else f"library/{path}"
    return ImageReference(host, path, tag, digest)


def is_tagged(image: str) -> bool:
    """Return whether an image has a tag or a digest."""
    return "@" in image or ":" in image.rpartition("/")[2]


def remove_tag(image: str) -> str:
    """Return an image without its tag and its digest, as it is written."""
    above, slash, last = image.partition("@")[0].rpartition("/")
    return f"{above}{slash}{last.partition(':')[0]}"


def _split_registry(name: str) -> tuple[str, str]:
    """Separate the registry from the path: only a dot, a colon or localhost makes the first part one."""
    first, slash, rest = name.partition("/")
    return (first, rest) if slash and ("." in first or ":" in first or first == LOCAL) else ("", name)


def check_registry_host(host: str) -> str:
    """Return what is wrong with a registry, with or without a port; empty if nothing is."""
    name, port = split_port(host)
    if port is not None and not (PORT.fullmatch(port) and 0 < int(port) < 65536):
        return f"found the port {quote_text(port)} of {quote_text(host)}, expected a number from 1 to 65535"
    if name.startswith("[") and name.endswith("]"):
        return (
            ""
            if _is_ipv6_address(name[1:-1])
            else f"found {quote_text(name)}, expected an IPv6 address in brackets"
        )
    labels = name.split(".")
    if len(name) > 253 or not all(len(each) <= 63 and LABEL.fullmatch(each) for each in labels):
        return f"found {quote_text(name)}, expected the name or address of a registry"
    return ""


def check_image_path(path: str) -> str:
    """Return what is wrong with a path below a registry; empty if nothing is."""
    if len(path) > LONGEST_PATH:
        return f"found a path of {len(path)} characters, expected at most {LONGEST_PATH}"
    for part in path.split("/"):
        if not part:
            return f"found an empty part in the path {quote_text(path)}, expected names between slashes"
        if not PART.fullmatch(part):
            form = "lower-case letters and digits, joined by ., _, __ or -"
            return f"found {quote_text(part)} in the path, expected {form}"
    return ""


def check_digest(digest: str) -> str:
    """Return what is wrong with a digest; empty if nothing is."""
    algorithm, colon, value = digest.partition(":")
    length = LENGTHS.get(algorithm.lower())
    if length and (len(value) != length or not HEX.fullmatch(value) or digest != digest.lower()):
        expected = f"{algorithm.lower()}: and {length} hexadecimal digits in lower case"
        return f"found the digest {quote_text(digest)}, expected {expected}"
    if not colon or not ALGORITHM.fullmatch(algorithm) or not HEX.fullmatch(value) or len(value) < 32:
        return f"found the digest {quote_text(digest)}, expected sha256: and 64 hexadecimal digits"
    return ""


def split_port(host: str) -> tuple[str, str | None]:
    """Separate the port from the name; the colons of an IPv6 address are in brackets."""
    name, colon, port = host.rpartition(":")
    return (name, port) if colon and "]" not in port else (host, None)


def _is_ipv6_address(text: str) -> bool:
    if not ADDRESS.fullmatch(text):
        return False
    try:
        IPv6Address(text)
    except ValueError:
        return False
    return True


def check_image(image: str, rule: Rule) -> Problem | None:
    """Return how a reference to an image breaks the rule that it be a good one; None when it is."""
    if not image or any(letter.isspace() for letter in image):
        return rule(f"found {describe_value(image)}, expected an image")
    if isinstance(parts := parse_reference_or_error(image), str):
        return rule(parts)
    if parts.digest and parts.digest.partition(":")[0] not in LENGTHS:
        return rule(
            f"found the digest {quote_text(parts.digest)}, expected sha256: and 64 hexadecimal digits"
        )
    if not parts.digest and not parts.tag:
        return rule(
            f"found the image {quote_text(image)}, expected one with a tag or a digest",
            hint=f"such as {quote_text(f'{image}:v1.0.0')}",
        )
    return None
