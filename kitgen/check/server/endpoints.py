"""Slices of endpoints."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import forms
from kitgen.check.server.rules import SERVER_DUPLICATE, SERVER_INVALID, SERVER_LIMIT
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.objects import NameForm
from kitgen.schema.wording import shown
from kitgen.yamlio import Json, JsonObject

FAMILIES = {"IPv4": 4, "IPv6": 6}
KINDS = (*FAMILIES, "FQDN")
MOST, MOST_ADDRESSES, MOST_PORTS = 1000, 100, 20_000


def _slice(body: JsonObject) -> Iterator[Problem]:
    kind = forms.text(body, "addressType")
    yield from forms.worded(body, "addressType", KINDS, strict=True)
    for field, most in (("endpoints", MOST), ("ports", MOST_PORTS)):
        if len(forms.items(body.get(field))) > most:
            yield SERVER_LIMIT(f"found more than {most} {field}", (field,))
    for index, endpoint in forms.mappings(body, "endpoints"):
        for problem in _endpoint(endpoint, kind):
            yield problem.below("endpoints", index)
    for index, item in forms.mappings(body, "ports"):
        for problem in (
            *forms.named(item, "name", NameForm.LABEL),
            *forms.within(item, "port", *forms.PORTS),
            *forms.worded(item, "protocol", forms.PROTOCOLS),
            *forms.qualified(item, "appProtocol"),
        ):
            yield problem.below("ports", index)
    yield from forms.unique(body, "ports", lambda item: item.get("name"), "name", below=("name",))
    unnamed = [index for index, item in forms.mappings(body, "ports") if not item.get("name")]
    for index in unnamed[1:]:
        yield SERVER_DUPLICATE("found another port without a name, expected one at most", ("ports", index))


def _endpoint(endpoint: JsonObject, kind: str) -> Iterator[Problem]:
    yield from forms.needed(endpoint, "addresses", expected="at least one")
    addresses = forms.items(endpoint.get("addresses"))
    if len(addresses) > MOST_ADDRESSES:
        yield SERVER_LIMIT(f"found more than {MOST_ADDRESSES} addresses", ("addresses",))
    for index, each in enumerate(addresses):
        if isinstance(each, str) and not _is_address(each, kind):
            yield SERVER_INVALID(
                f"found {shown(each)}, expected an address of the type {kind}", ("addresses", index)
            )
        elif isinstance(each, str) and kind in FAMILIES and not forms.is_plain(each):
            message = f"found {shown(each)}, expected an IP address that is not special"
            yield SERVER_INVALID(message, ("addresses", index))
    yield from forms.named(endpoint, "hostname", NameForm.LABEL)
    yield from forms.named(endpoint, "nodeName", NameForm.SUBDOMAIN)


def _is_address(value: Json, kind: str) -> bool:
    if kind in FAMILIES:
        return forms.family(value) == FAMILIES[kind]
    name = str(value).removesuffix(".")
    return kind != "FQDN" or ("." in name and NameForm.SUBDOMAIN.fits(name))


VALIDATORS: Validators = {"discovery/v1.EndpointSlice": _slice}
