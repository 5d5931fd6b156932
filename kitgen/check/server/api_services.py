"""APIs that others serve, and requests of certificates."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import formats
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.kube.names import NameForm
from kitgen.text.values import value_at
from kitgen.text.wording import cut, shown
from kitgen.text.yaml import JsonObject

USAGES = (
    *("signing", "digital signature", "content commitment", "key encipherment", "key agreement"),
    *("data encipherment", "cert sign", "crl sign", "encipher only", "decipher only", "any", "server auth"),
    *("client auth", "code signing", "email protection", "s/mime", "ipsec end system", "ipsec tunnel"),
    *("ipsec user", "timestamping", "ocsp signing", "microsoft sgc", "netscape sgc"),
)
SHORTEST = 600


def _service(body: JsonObject) -> Iterator[Problem]:
    spec = formats.mapping(body.get("spec"))
    name = value_at(body, "metadata", "name")
    wanted = f"{formats.text(spec, 'version')}.{formats.text(spec, 'group')}"
    if isinstance(name, str) and name and name != wanted and spec:
        message = f"found the name {cut(name)}, expected {cut(wanted)}, the version and the group"
        yield SERVER_INVALID(message, ("metadata", "name"))


def _service_spec(spec: JsonObject) -> Iterator[Problem]:
    yield from formats.named(spec, "group", NameForm.SUBDOMAIN)
    if not formats.text(spec, "version"):
        yield formats.lacking(spec, "version", "one such as v1")
    yield from formats.named(spec, "version", NameForm.WORD)
    yield from formats.within(spec, "groupPriorityMinimum", 1, 20_000)
    yield from formats.within(spec, "versionPriority", 1, 1000)
    insecure, bundle = spec.get("insecureSkipTLSVerify") is True, bool(spec.get("caBundle"))
    if spec.get("service") is None:
        for field, there in (("insecureSkipTLSVerify", insecure), ("caBundle", bundle)):
            if there:
                yield SERVER_FORBIDDEN(f"found {field} without a service, expected none", (field,))
    elif insecure and bundle:
        message = "found caBundle beside insecureSkipTLSVerify, expected one of them"
        yield SERVER_FORBIDDEN(message, ("insecureSkipTLSVerify",))


def _reference(service: JsonObject) -> Iterator[Problem]:
    for field in ("name", "namespace"):
        if not formats.text(service, field):
            yield formats.lacking(service, field, "that of the service")
    yield from formats.within(service, "port", *formats.PORTS)


def _request(spec: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(spec, "request")
    signer = spec.get("signerName")
    if isinstance(signer, str) and not _is_signer(signer):
        message = f"found {shown(signer)}, expected a domain and a path such as example.com/signer"
        yield SERVER_INVALID(message, ("signerName",))
    yield from formats.within(spec, "expirationSeconds", SHORTEST)
    if not spec.get("usages"):
        yield formats.lacking(spec, "usages", "at least one")
    yield from formats.unlike(spec, "usages")
    for index, usage in enumerate(formats.items(spec.get("usages"))):
        if isinstance(usage, str) and usage not in USAGES:
            yield SERVER_INVALID(f"found {shown(usage)}, expected one such as client auth", ("usages", index))


def _is_signer(text: str) -> bool:
    domain, slash, path = text.partition("/")
    return bool(slash and path) and "." in domain and formats.is_domain_path(text)


VALIDATORS: Validators = {
    "apiregistration/v1.APIService": _service,
    "apiregistration/v1.APIServiceSpec": _service_spec,
    "apiregistration/v1.ServiceReference": _reference,
    "certificates/v1.CertificateSigningRequestSpec": _request,
}
