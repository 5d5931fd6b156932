"""Find what a script or a command line downloads from outside of the cluster."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Collection, Iterator
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

LONGEST = 100_000
"""Characters of a text that are looked at."""
COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*")
URL = re.compile(r"\b(?:git\+)?(?:https?|ftp|git|ssh)://[^\s\"'`<>|;,()\[\]]+", re.IGNORECASE)
BRACKETED = re.compile(r"\bhttps?://\[[0-9a-fA-F:.]+\]", re.IGNORECASE)
SCP = re.compile(r"\bgit@([A-Za-z0-9.-]+):")
DOWNLOAD = re.compile(r"\b(curl|wget)\b([^\n;|&]*)")
OUTPUT = re.compile(r"\s(?:-o|-O|--output|--output-document|-P|-H|--header|-d|--data)[= ]?\s*\S+")
BARE = re.compile(r"(?<=\s)[\"']?((?:[a-z0-9-]+\.)+[a-z]{2,})(?::[0-9]+)?/", re.IGNORECASE)
"""An address without a scheme: a host with a dot, and a path."""
PIP = re.compile(r"\b(pip3?|uv pip)\s+install\b([^\n;|&]*)")
LOCAL_PIP = re.compile(r"--no-index\b|(?:--index-url|-i|--find-links|-f)[= ]")
HUGGING_FACE = re.compile(r"\b(hf download|huggingface-cli download|snapshot_download|hf_hub_download)\b")
PACKAGES = re.compile(
    r"\b((?:micro)?dnf|yum|apt-get|apt|apk|npm|conda|gem|cargo|go)\s+(?:-\S+\s+)*(install|add|ci)\b"
)
IN_CLUSTER = (".svc", ".cluster.local", ".local", ".localdomain", ".internal", ".test", ".invalid")
VARIABLE = frozenset("${}%<>")


class Fetch(NamedTuple):
    """Something that is fetched, and how."""

    how: str
    """The program, or empty for an address that something may ask."""
    host: str
    """Where from; empty where the program decides."""


def fetches(text: str, inside: Collection[str] = (), given: Collection[str] = ()) -> Iterator[Fetch]:
    """Yield what a text fetches: each once.

    Names that are inside are services of the cluster. What is given are names of variables: some tell a
    program where to fetch from, or not to.
    """
    plain = COMMENT.sub("", text[:LONGEST])
    addresses = (each for each in _addresses(plain) if is_outside(each.host, inside))
    yield from dict.fromkeys((*addresses, *_programs(plain, given)))


def _addresses(text: str) -> Iterator[Fetch]:
    """Yield what addresses name, inside of the cluster or not."""
    programs = [*DOWNLOAD.finditer(text)]
    starts = [match.start() for match in programs]
    for match in (*URL.finditer(text), *BRACKETED.finditer(text)):
        before = bisect(starts, match.start()) - 1
        by = programs[before][1] if before >= 0 and match.start() < programs[before].end() else ""
        yield Fetch(by, host_of(match[0]))
    yield from (Fetch("git", match[1]) for match in SCP.finditer(text))
    for match in programs:
        yield from (Fetch(match[1], bare[1].lower()) for bare in BARE.finditer(OUTPUT.sub(" ", match[2])))


def _programs(text: str, given: Collection[str]) -> Iterator[Fetch]:
    """Yield programs that know by themselves where to fetch from."""
    for match in PIP.finditer(text):
        words = [word for word in match[2].split() if not word.startswith("-")]
        at_hand = bool(words) and all(word.strip("\"'").startswith(("/", "./", "../", "$")) for word in words)
        if (
            not LOCAL_PIP.search(match[2])
            and not at_hand
            and not {"PIP_INDEX_URL", "PIP_NO_INDEX"} & {*given}
        ):
            yield Fetch(f"{match[1]} install", "")
    if not {"HF_ENDPOINT", "HF_HUB_OFFLINE"} & {*given}:
        yield from (Fetch(match[1], "") for match in HUGGING_FACE.finditer(text))
    yield from (Fetch(f"{match[1]} {match[2]}", "") for match in PACKAGES.finditer(text))


def host_of(address: str) -> str:
    """Return the host of an address; empty if it has none that can be read."""
    try:
        return (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return ""


def is_outside(host: str, inside: Collection[str]) -> bool:
    """Return whether a host is outside of the cluster; what a variable says may be anything."""
    if not host or VARIABLE & {*host} or ("." not in host.strip("[]") and ":" not in host):
        return False
    if host in inside or host.startswith("localhost.") or host.endswith(IN_CLUSTER):
        return False
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return True
    return address.is_global
