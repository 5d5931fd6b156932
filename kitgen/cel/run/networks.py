"""URLs, IP addresses and CIDRs in CEL."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import unquote

from msgspec import Struct

from kitgen.cel.run.functions import PAIR, TEXT, WIDE, register_function, register_functions, reserve_memory
from kitgen.cel.run.values import KINDS, FaultError, Take, Value, require
from kitgen.text.formats import is_uri
from kitgen.text.patterns import compile_late

SCHEME = compile_late(r"([A-Za-z][A-Za-z0-9+.-]*):")
LONGEST = 100
PARAMETER = PAIR + 4 * TEXT
"""Bytes that a parameter of a query takes: its name, and a list with its value."""


class Url(Struct, frozen=True):
    """A URL, taken apart."""

    scheme: str
    host: str
    path: str
    query: str


class IpAddress(Struct, frozen=True):
    """An IP address."""

    at: IPv4Address | IPv6Address


class Network(Struct, frozen=True):
    """An address with the length of its prefix; it may stand anywhere in its network."""

    at: IPv4Address | IPv6Address
    length: int

    @property
    def range(self) -> IPv4Network | IPv6Network:
        """Return the whole network."""
        made = IPv4Network if self.at.version == 4 else IPv6Network
        return made((self.at, self.length), strict=False)


KINDS.update({Url: "url", IpAddress: "ip", Network: "cidr"})


@register_function("url string -> url")
def _parse_url(text: str) -> Url:
    if not is_uri(text):
        raise FaultError("URL parse error during conversion from string")
    match = SCHEME.match(text)
    rest, _, query = text[match.end() if match else 0 :].partition("?")
    host = ""
    if match and rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
        rest = slash + path
    return Url(match[1].lower() if match else "", host.rpartition("@")[2], rest, query)


def _split_host(url: Url) -> tuple[str, str]:
    """Split a host and its port."""
    if url.host.startswith("["):
        inside, _, port = url.host[1:].rpartition("]")
        return inside, port.removeprefix(":")
    name, colon, port = url.host.rpartition(":")
    return (name, port) if colon else (url.host, "")


@register_function(".getQuery url -> map", metered=True)
def _parse_query(take: Take, url: Url) -> dict[Value, Value]:
    reserve_memory((url.query.count("&") + 1) * PARAMETER + WIDE * len(url.query), take)
    found: dict[Value, Value] = {}
    for part in url.query.split("&"):
        if part and ";" not in part:
            name, _, value = part.partition("=")
            found.setdefault(unquote(name.replace("+", " ")), []).append(unquote(value.replace("+", " ")))
    return found


register_functions(
    {
        ".getScheme url -> string": lambda url: url.scheme,
        ".getHost url -> string": lambda url: url.host,
        ".getHostname url -> string": lambda url: _split_host(url)[0],
        ".getPort url -> string": lambda url: _split_host(url)[1],
        ".getEscapedPath url -> string": lambda url: url.path,
    }
)


def _parse_address(text: str) -> IpAddress | None:
    try:
        found = ip_address(text) if len(text) < LONGEST and "%" not in text else None
    except ValueError:
        return None
    return None if found is None or getattr(found, "ipv4_mapped", None) is not None else IpAddress(found)


def _parse_network(text: str) -> Network | None:
    start, _, length = text.partition("/")
    if (found := _parse_address(start)) is None or not re.fullmatch(r"0|[1-9][0-9]{0,2}", length):
        return None
    return Network(found.at, int(length)) if int(length) <= found.at.max_prefixlen else None


@register_function("ip string -> ip")
def _require_address(text: str) -> IpAddress:
    return require(_parse_address(text), "IP Address parse error during conversion from string")


@register_function("cidr string -> cidr")
def _require_network(text: str) -> Network:
    return require(_parse_network(text), "network address parse error during conversion from string")


def _contains_address(net: Network, at: IPv4Address | IPv6Address) -> bool:
    return at.version == net.at.version and at in net.range


def _contains_network(net: Network, inner: Network) -> bool:
    return _contains_address(net, inner.range.network_address) and inner.length >= net.length


def _is_global(at: IPv4Address | IPv6Address) -> bool:
    broadcast = at == IPv4Address("255.255.255.255")
    return not (at.is_unspecified or at.is_loopback or at.is_multicast or at.is_link_local or broadcast)


def _is_link_local_multicast(at: IPv4Address | IPv6Address) -> bool:
    if isinstance(at, IPv4Address):
        return at in IPv4Network("224.0.0.0/24")
    return at.packed[0] == 0xFF and at.packed[1] & 0x0F == 2


register_functions(
    {
        "isIP string -> bool": lambda text: _parse_address(text) is not None,
        "ip.isCanonical string -> bool": lambda text: str(_require_address(text).at) == text,
        "isCIDR string -> bool": lambda text: _parse_network(text) is not None,
        "string ip -> string": lambda ip: str(ip.at),
        "string cidr -> string": lambda net: f"{net.at}/{net.length}",
        ".family ip -> int": lambda ip: ip.at.version,
        ".isUnspecified ip -> bool": lambda ip: ip.at.is_unspecified,
        ".isLoopback ip -> bool": lambda ip: ip.at.is_loopback,
        ".isLinkLocalUnicast ip -> bool": lambda ip: ip.at.is_link_local,
        ".isLinkLocalMulticast ip -> bool": lambda ip: _is_link_local_multicast(ip.at),
        ".isGlobalUnicast ip -> bool": lambda ip: _is_global(ip.at),
        ".containsIP cidr ip -> bool": lambda net, ip: _contains_address(net, ip.at),
        ".containsIP cidr string -> bool": lambda net, text: _contains_address(
            net, _require_address(text).at
        ),
        ".containsCIDR cidr cidr -> bool": _contains_network,
        ".containsCIDR cidr string -> bool": lambda net, text: _contains_network(net, _require_network(text)),
        ".ip cidr -> ip": lambda net: IpAddress(net.at),
        ".masked cidr -> cidr": lambda net: Network(net.range.network_address, net.length),
        ".prefixLength cidr -> int": lambda net: net.length,
        "isURL string -> bool": is_uri,
    }
)
