"""Find what a script or a command line downloads from outside of the cluster."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from ipaddress import ip_address
from typing import NamedTuple

from kitgen.text.patterns import compile_late

LONGEST = 100_000
"""Characters of a text that are looked at."""
COMMENT = compile_late(r"(?:^|(?<=\s))#[^\n]*")
URL = compile_late(
    r"\b(?:git\+)?(?:https?|ftp|git|ssh)://(?:[^\s\"'`<>|;,()\[\]/?#]*@)?"
    r"(\[[0-9a-f:.]+\]|[^\s\"'`<>|;,()\[\]/?#:]+)",
    re.IGNORECASE,
)
"""An address, and its host without a login."""
SCP = compile_late(r"\bgit@([A-Za-z0-9.-]+):")
DOWNLOAD = compile_late(r"(?<!//)(?<!\.)\b(curl|wget)\b([^\n;|&]*)")
"""A program and what it is told; in an address it is part of a host."""
OUTPUT = compile_late(r"\s(?:-o|-O|--output|--output-document|-P|-H|--header|-d|--data)[= ]?\s*\S+")
BARE = compile_late(r"(?<=\s)[\"']?((?:[a-z0-9-]+\.)+[a-z]{2,})(?::[0-9]+)?/", re.IGNORECASE)
"""An address without a scheme: a host with a dot, and a path."""
PIP = compile_late(r"\b(pip3?|uv pip)\s+install\b([^\n;|&]*)")
NAMED = compile_late(r"\s(?!-|[\"']*(?:\.{0,2}/|\$))\S|\A(?:\s+-\S*)*\s*\Z")
"""What is neither an option nor a file nor a variable; or nothing but options, such as a file of names."""
LOCAL_PIP = compile_late(r"--no-index\b|(?:--index-url|-i|--find-links|-f)[= ]")
HUGGING_FACE = compile_late(r"\b(hf download|huggingface-cli download|snapshot_download|hf_hub_download)\b")
PACKAGES = compile_late(
    r"\b((?:micro)?dnf|yum|apt-get|apt|apk|npm|conda|gem|cargo|go)\s+(?:-\S+\s+)*(install|add|ci)\b"
)
IN_CLUSTER = (".svc", ".cluster.local", ".local", ".localdomain", ".internal", ".test", ".invalid")


class Fetch(NamedTuple):
    """Something that is fetched, and how."""

    how: str
    """The program, or empty for an address that something may ask."""
    host: str
    """Where from; empty where the program decides."""


def find_downloads(text: str, inside: Collection[str] = (), given: Collection[str] = ()) -> Iterator[Fetch]:
    """Yield what a text fetches: each once.

    Names that are inside are services of the cluster. What is given are names of variables: some tell a
    program where to fetch from, or not to.
    """
    plain = COMMENT.sub("", text[:LONGEST])
    found = (Fetch(how, host.strip("[]").rstrip(".").lower()) for how, host in _find_hosts(plain))
    addresses = (each for each in found if _is_external_host(each.host, inside))
    yield from dict.fromkeys((*addresses, *(Fetch(how, "") for how in _find_installers(plain, {*given}))))


def _find_hosts(text: str) -> Iterator[tuple[str, str]]:
    """Yield what addresses name, inside of the cluster or not: the program that asks them, and their host."""
    for program, rest in DOWNLOAD.findall(text):
        yield from ((program, host) for host in (*URL.findall(rest), *BARE.findall(OUTPUT.sub(" ", rest))))
    yield from (("", host) for host in URL.findall(DOWNLOAD.sub(" ", text)))
    yield from (("git", host) for host in SCP.findall(text))


def _find_installers(text: str, given: set[str]) -> Iterator[str]:
    """Yield programs that know by themselves where to fetch from."""
    if not {"PIP_INDEX_URL", "PIP_NO_INDEX"} & given:
        asked = (pip for pip, rest in PIP.findall(text) if NAMED.search(rest) and not LOCAL_PIP.search(rest))
        yield from (f"{pip} install" for pip in asked)
    if not {"HF_ENDPOINT", "HF_HUB_OFFLINE"} & given:
        yield from HUGGING_FACE.findall(text)
    yield from map(" ".join, PACKAGES.findall(text))


def _is_external_host(host: str, inside: Collection[str]) -> bool:
    """Return whether a host is outside of the cluster; what a variable says may be anything."""
    if {*"${}%"} & {*host} or not {*".:"} & {*host} or host in inside or host.endswith(IN_CLUSTER):
        return False
    try:
        return ip_address(host).is_global
    except ValueError:
        return ":" not in host and not host.startswith("localhost.")
