"""Compare two CRDs: names, scope, conversion, and every version that both have."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.compare.change import Change, ChangePlace, Risk
from kitgen.compare.crd_match import crd_name, stored_version, versions_by_name
from kitgen.compare.crds.place import CrdCursor
from kitgen.compare.crds.schema import compare_schema
from kitgen.compare.crds.versions import compare_version, compare_versions, warnings_of
from kitgen.crd.declaration import has_conversion
from kitgen.crd.definition import schema_of, versions_of
from kitgen.crd.outline_fields import to_compact_json
from kitgen.crd.schema_nodes import Nodes
from kitgen.crd.types import derive_crd_names
from kitgen.text.wording import text_of
from kitgen.text.yaml import JsonObject

NAMES = ("kind", "listKind", "plural", "singular")
LISTS = (
    ("shortNames", ("short-name-added", "short-name-removed")),
    ("categories", ("category-added", "category-removed")),
)


TO_NONE = "only apiVersion changes between versions, fields of one that the other lacks are lost"
TO_WEBHOOK = "reads and writes in another version than the stored one fail while the webhook is down"
WEBHOOK_FIRST = "make sure that the webhook runs before the CRD changes, and that its certificate is known"


def compare_crd(old: JsonObject, new: JsonObject, nodes: Nodes, start: CrdCursor) -> Iterator[Change]:
    """Yield every change between two states of one CRD."""
    spot = replace(start, place=ChangePlace(crd_name(new)))
    yield from _compare_names(old["spec"], new["spec"], spot)
    yield from _compare_conversion(old["spec"], new["spec"], spot)
    kept = [bool(body["spec"].get("preserveUnknownFields")) for body in (old, new)]
    if kept[0] != kept[1]:
        rule = "unknown-fields-kept" if kept[1] else "unknown-fields-dropped"
        yield spot.build_change(
            rule, f"spec.preserveUnknownFields was {to_compact_json(kept[0])}, now {to_compact_json(kept[1])}"
        )
    yield from compare_versions(old, new, spot)
    known, warned, warns = versions_by_name(old), warnings_of(old), warnings_of(new)
    for version in versions_of(new):
        name = text_of(version.get("name"))
        if before := known.get(name):
            at = replace(start, place=ChangePlace(crd_name(new), name))
            yield from compare_version(before, version, (warned[name], warns[name]), at)
            yield from compare_schema(
                nodes.build_node(schema_of(before)), nodes.build_node(schema_of(version)), at
            )
    yield from _compare_stored_schemas(old, new, nodes, start)


def _compare_names(old: JsonObject, new: JsonObject, spot: CrdCursor) -> Iterator[Change]:
    if old.get("scope") != new.get("scope"):
        yield spot.build_change(
            "scope-changed", f"was {text_of(old.get('scope'))}, now {text_of(new.get('scope'))}"
        )
    before, after = old.get("names") or {}, new.get("names") or {}
    for key in NAMES:
        if _get_name_or_default(before, key) != _get_name_or_default(after, key):
            yield spot.build_change(
                "name-changed",
                f"{key} was {_get_name_or_default(before, key)}, now {_get_name_or_default(after, key)}",
                detail=key,
            )
    for key, rules in LISTS:
        yield from spot.compare_entries(
            rules, *(map(text_of, names.get(key) or ()) for names in (before, after))
        )


def _get_name_or_default(names: JsonObject, key: str) -> str:
    """Return a name, or what the API server fills in where it is left out."""
    filled = {**derive_crd_names(text_of(names.get("kind", ""))), "plural": ""}
    return text_of(names.get(key) or filled.get(key, ""))


def _compare_conversion(old: JsonObject, new: JsonObject, spot: CrdCursor) -> Iterator[Change]:
    before, after = _conversion_of(old), _conversion_of(new)
    if before == after:
        return
    was, now = before["strategy"], after["strategy"]
    text = "the webhook that converts objects changed" if was == now else f"conversion was {was}, now {now}"
    risk, reason, hint = None, "", ""
    if was != now and len(new.get("versions") or ()) > 1:  # of one version, nothing is converted
        risk, reason = Risk.BREAKING, TO_NONE if now == "None" else TO_WEBHOOK
        hint = "" if now == "None" else WEBHOOK_FIRST
    yield spot.build_change("conversion-changed", text, risk=risk, reason=reason, hint=hint)


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


def _compare_stored_schemas(
    old: JsonObject, new: JsonObject, nodes: Nodes, start: CrdCursor
) -> Iterator[Change]:
    """Yield what stored objects lose when another version is stored and nothing converts them."""
    before, after = stored_version(old), stored_version(new)
    if not before or not after or before.get("name") == after.get("name") or has_conversion(new):
        return
    place = ChangePlace(crd_name(new), text_of(after.get("name")), former=text_of(before.get("name")))
    was, now = (nodes.build_node(schema_of(each)) for each in (before, after))
    changes = compare_schema(was, now, replace(start, place=place))
    yield from (each for each in changes if each.risk is Risk.BREAKING)
