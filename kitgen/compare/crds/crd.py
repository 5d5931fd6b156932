"""Compare two CRDs: names, scope, conversion, and every version that both have."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compare.change import Change, ChangePlace, Patience, Risk, change_rule
from kitgen.compare.crds.place import CrdCursor
from kitgen.compare.crds.schema import compare_schema
from kitgen.compare.crds.traits import UNKNOWN_FIELDS_DROPPED, UNKNOWN_FIELDS_KEPT
from kitgen.compare.crds.versions import (
    Warnings,
    compare_version,
    compare_versions,
    storage_of,
    version_names,
)
from kitgen.crd.declaration import converts
from kitgen.crd.definition import schema_of, versions_of
from kitgen.crd.outline_fields import compact
from kitgen.crd.schema_nodes import Nodes
from kitgen.crd.types import names_of
from kitgen.text.wording import text_of
from kitgen.text.yaml import JsonObject

SCOPE_CHANGED = change_rule("scope-changed")
NAME_CHANGED = change_rule("name-changed")
SHORT_NAME_REMOVED = change_rule("short-name-removed")
SHORT_NAME_ADDED = change_rule("short-name-added")
CATEGORY_REMOVED = change_rule("category-removed")
CATEGORY_ADDED = change_rule("category-added")
CONVERSION_CHANGED = change_rule("conversion-changed")

NAMES = ("kind", "listKind", "plural", "singular")
LISTS = (
    ("shortNames", (SHORT_NAME_ADDED, SHORT_NAME_REMOVED)),
    ("categories", (CATEGORY_ADDED, CATEGORY_REMOVED)),
)


def crd_name(body: JsonObject) -> str:
    """Return the name of a CRD, such as rayclusters.ray.io."""
    return str((body.get("metadata") or {}).get("name", ""))


def compare_crd(old: JsonObject, new: JsonObject, nodes: Nodes, patience: Patience) -> Iterator[Change]:
    """Yield every change between two states of one CRD."""
    spot = CrdCursor(place=ChangePlace(crd_name(new)), patience=patience)
    yield from _names(old["spec"], new["spec"], spot)
    yield from _conversion(old["spec"], new["spec"], spot)
    kept = [bool(body["spec"].get("preserveUnknownFields")) for body in (old, new)]
    if kept[0] != kept[1]:
        rule = UNKNOWN_FIELDS_KEPT if kept[1] else UNKNOWN_FIELDS_DROPPED
        yield spot.change(rule, f"spec.preserveUnknownFields was {compact(kept[0])}, now {compact(kept[1])}")
    yield from compare_versions(old, new, spot)
    known, warned, warns = version_names(old), Warnings(old), Warnings(new)
    for version in versions_of(new):
        name = text_of(version.get("name"))
        if before := known.get(name):
            at = CrdCursor(place=ChangePlace(crd_name(new), name), patience=patience)
            yield from compare_version((warned, before), (warns, version), at)
            yield from compare_schema(nodes.node(schema_of(before)), nodes.node(schema_of(version)), at)
    yield from _stored(old, new, nodes, patience)


def _names(old: JsonObject, new: JsonObject, spot: CrdCursor) -> Iterator[Change]:
    if old.get("scope") != new.get("scope"):
        yield spot.change(SCOPE_CHANGED, f"was {text_of(old.get('scope'))}, now {text_of(new.get('scope'))}")
    before, after = old.get("names") or {}, new.get("names") or {}
    for key in NAMES:
        if _name(before, key) != _name(after, key):
            text = f"{key} was {_name(before, key)}, now {_name(after, key)}"
            yield spot.change(NAME_CHANGED, text, detail=key)
    for key, rules in LISTS:
        yield from spot.entries(rules, *(map(text_of, names.get(key) or ()) for names in (before, after)))


def _name(names: JsonObject, key: str) -> str:
    """Return a name, or what the API server fills in where it is left out."""
    filled = {**names_of(text_of(names.get("kind", ""))), "plural": ""}
    return text_of(names.get(key) or filled.get(key, ""))


def _conversion(old: JsonObject, new: JsonObject, spot: CrdCursor) -> Iterator[Change]:
    before, after = _conversion_of(old), _conversion_of(new)
    if before == after:
        return
    was, now = before["strategy"], after["strategy"]
    text = "the webhook that converts objects changed" if was == now else f"conversion was {was}, now {now}"
    if was == now or len(new.get("versions") or ()) < 2:  # of one version, nothing is converted
        yield spot.change(CONVERSION_CHANGED, text)
    elif now == "None":
        reason = "only apiVersion changes between versions, fields of one that the other lacks are lost"
        yield spot.change(CONVERSION_CHANGED, text, risk=Risk.BREAKING, reason=reason)
    else:
        yield spot.change(
            CONVERSION_CHANGED,
            text,
            risk=Risk.BREAKING,
            reason="reads and writes in another version than the stored one fail while the webhook is down",
            hint="make sure that the webhook runs before the CRD changes, and that its certificate is known",
        )


def _conversion_of(spec: JsonObject) -> JsonObject:
    found = spec.get("conversion") or {}
    webhook = found.get("webhook") or {}
    # The bundle of certificates is filled in on the cluster and is no part of the API.
    client = {key: value for key, value in (webhook.get("clientConfig") or {}).items() if key != "caBundle"}
    return {
        "strategy": text_of(found.get("strategy", "None")),
        "client": client,
        "reviews": webhook.get("conversionReviewVersions") or [],
    }


def _stored(old: JsonObject, new: JsonObject, nodes: Nodes, patience: Patience) -> Iterator[Change]:
    """Yield what stored objects lose when another version is stored and nothing converts them."""
    before, after = storage_of(old), storage_of(new)
    if not before or not after or before.get("name") == after.get("name") or converts(new):
        return
    place = ChangePlace(crd_name(new), text_of(after.get("name")), former=text_of(before.get("name")))
    spot = CrdCursor(place=place, patience=patience)
    for change in compare_schema(nodes.node(schema_of(before)), nodes.node(schema_of(after)), spot):
        if change.risk is Risk.BREAKING:
            yield change
