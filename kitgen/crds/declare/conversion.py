"""Conversion of versions: a declaration says what is particular, the component says where its Services are.

The short form is for a Service of the component itself. Its name gets the prefix and its namespace is where
the component runs, as with the Service of the webhook family. Anything else is written as in a CRD.
"""

from __future__ import annotations

from msgspec import Struct

from kitgen.yamlio import Json, JsonObject

SHORT = "webhook"
"""The declaration of the usual conversion: nothing is particular."""
SERVICE = "webhook-service"
USUAL: JsonObject = {"service": SERVICE, "path": "/convert", "versions": ["v1"]}


class Home(Struct, frozen=True, kw_only=True):
    """Where the Services of a component are: what stands before their names, and the namespace."""

    prefix: str = ""
    namespace: str = ""


NOWHERE = Home()


def expanded(declared: Json, home: Home) -> Json:
    """Return what a declared conversion is in a CRD."""
    if declared != SHORT and (not isinstance(declared, dict) or "strategy" in declared):
        return declared
    said: JsonObject = {**USUAL, **(declared if isinstance(declared, dict) else {})}
    service = {"name": home.prefix + said["service"], "namespace": home.namespace}
    service |= {key: said[key] for key in ("path", "port") if said.get(key) is not None}
    client = {"service": service}
    if "caBundle" in said:
        client["caBundle"] = said["caBundle"]
    webhook = {"clientConfig": client, "conversionReviewVersions": said["versions"]}
    return {"strategy": "Webhook", "webhook": webhook}


def declared(conversion: Json, home: Home) -> Json:
    """Return the shortest declaration of a CRD's conversion, which may be the conversion itself."""
    service = service_of(conversion)
    if service is None or not isinstance(service.get("name"), str):
        return conversion
    name = service["name"]
    if not name.startswith(home.prefix) or service.get("namespace") != home.namespace:
        return conversion
    webhook = conversion["webhook"]
    said = {
        "service": name.removeprefix(home.prefix),
        "path": service.get("path"),
        "versions": webhook.get("conversionReviewVersions"),
        "port": service.get("port"),
        "caBundle": webhook["clientConfig"].get("caBundle") or None,
    }
    short: Json = {key: value for key, value in said.items() if value != USUAL.get(key)} or SHORT
    # What the short form has no word for stays as it is.
    return short if said["service"] and expanded(short, home) == conversion else conversion


def converts(body: JsonObject) -> bool:
    """Tell whether a CRD has somebody who converts; the API server itself writes that there is nobody."""
    conversion = body["spec"].get("conversion") or {}
    return bool(conversion.get("strategy", "None") != "None")


def service_of(conversion: Json) -> JsonObject | None:
    """Return the Service that a CRD's conversion calls, if it calls one."""
    found: Json = conversion
    for key in ("webhook", "clientConfig", "service"):
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None


def with_service(conversion: JsonObject, service: JsonObject) -> JsonObject:
    """Return a conversion that calls another Service."""
    webhook = conversion["webhook"]
    return {
        **conversion,
        "webhook": {**webhook, "clientConfig": {**webhook["clientConfig"], "service": service}},
    }
