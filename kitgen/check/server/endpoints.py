"""Slices of endpoints."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import formats
from kitgen.check.server.rules import SERVER_DUPLICATE, SERVER_INVALID, SERVER_LIMIT
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.kube.names import NameForm
from kitgen.text.wording import shown
from kitgen.text.yaml import Json, JsonObject

FAMILIES = {"IPv4": 4, "IPv6": 6}
KINDS = (*FAMILIES, "FQDN")
MOST, MOST_ADDRESSES, MOST_PORTS = 1000, 100, 20_000


def _slice(body: JsonObject) -> Iterator[Problem]:
    kind = formats.text(body, "addressType")
    yield from formats.worded(body, "addressType", KINDS, strict=True)
    for field, most in (("endpoints", MOST), ("ports", MOST_PORTS)):
        if len(formats.items(body.get(field))) > most:
            yield SERVER_LIMIT(f"found more than {most} {field}", (field,))
    for index, endpoint in formats.mappings(body, "endpoints"):
        for problem in _endpoint(endpoint, kind):
            yield problem.below("endpoints", index)
    for index, item in formats.mappings(body, "ports"):
        for problem in (
            *formats.named(item, "name", NameForm.LABEL),
            *formats.within(item, "port", *formats.PORTS),
            *formats.worded(item, "protocol", formats.PROTOCOLS),
            *formats.qualified(item, "appProtocol"),
        ):
            yield problem.below("ports", index)
    yield from formats.unique(body, "ports", lambda item: item.get("name"), "name", below=("name",))
    unnamed = [index for index, item in formats.mappings(body, "ports") if not item.get("name")]
    for index in unnamed[1:]:
        yield SERVER_DUPLICATE("found another port without a name, expected one at most", ("ports", index))


def _endpoint(endpoint: JsonObject, kind: str) -> Iterator[Problem]:
    yield from formats.needed(endpoint, "addresses", expected="at least one")
    addresses = formats.items(endpoint.get("addresses"))
    if len(addresses) > MOST_ADDRESSES:
        yield SERVER_LIMIT(f"found more than {MOST_ADDRESSES} addresses", ("addresses",))
    for index, each in enumerate(addresses):
        if isinstance(each, str) and not _is_address(each, kind):
            yield SERVER_INVALID(
                f"found {shown(each)}, expected an address of the type {kind}", ("addresses", index)
            )
        elif isinstance(each, str) and kind in FAMILIES and not formats.is_plain(each):
            message = f"found {shown(each)}, expected an IP address that is not special"
            yield SERVER_INVALID(message, ("addresses", index))
    yield from formats.named(endpoint, "hostname", NameForm.LABEL)
    yield from formats.named(endpoint, "nodeName", NameForm.SUBDOMAIN)


def _is_address(value: Json, kind: str) -> bool:
    if kind in FAMILIES:
        return formats.family(value) == FAMILIES[kind]
    name = str(value).removesuffix(".")
    return kind != "FQDN" or ("." in name and NameForm.SUBDOMAIN.fits(name))


VALIDATORS: Validators = {"discovery/v1.EndpointSlice": _slice}
