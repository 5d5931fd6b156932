"""What people read of an operator before they install it: texts, links, icon, kinds with examples."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence

from kitgen.compile.made import Made
from kitgen.compile.olm.parts import Piece, inside, made, said
from kitgen.compile.renaming import renamed
from kitgen.crds.types.names import names_of
from kitgen.findings import Origin, Path
from kitgen.model import Api, BundleSettings, Listing
from kitgen.objects import Manifest, Source, split_kind
from kitgen.schema.kinds import plurals
from kitgen.schema.rules import REFERENCE_MISSING
from kitgen.yamlio import JsonObject

SHOWN = ("displayName", "description", "keywords", "links", "maintainers", "maturity", "provider")
"""What the spec of a ClusterServiceVersion says just as a listing does."""
NOTED = ("capabilities", "repository", "support")
"""What its annotations say so."""
NOTES = ("metadata", "annotations")


def described(listing: Listing, package: str) -> Iterator[tuple[Path, Piece]]:
    """Yield what a listing says in the spec; without a name for people, it is that of the package."""
    yield ("spec", "displayName"), Piece(package)
    for key in SHOWN:
        if key in listing.said:
            yield ("spec", key), Piece(listing.said[key], (said(listing.origin.at(key)),))
    if listing.icon is not None:
        icon = {"base64data": b64encode(listing.icon.data).decode(), "mediatype": listing.icon.media_type}
        yield ("spec", "icon"), Piece([icon], (made(listing.origin.at("icon")),))


def noted(listing: Listing) -> Iterator[tuple[Path, Piece]]:
    """Yield the annotations that a listing says."""
    data, origin = listing.said, listing.origin
    for key in NOTED:
        if key in data:
            yield (*NOTES, key), Piece(data[key], (said(origin.at(key)),))
    categories = ", ".join(data.get("categories", ()))
    yield (*NOTES, "categories"), Piece(categories, (made(origin.at("categories")),))
    yield (*NOTES, "description"), Piece(data.get("summary", ""), (said(origin.at("summary")),))
    for key, text in data.get("annotations", {}).items():
        yield (*NOTES, key), Piece(text, (said(origin.at("annotations", key)),))


def owned(crds: Sequence[Manifest], apis: dict[str, Api]) -> Iterator[Piece]:
    """Yield the kinds that the operator owns, in every version that is served."""
    for crd in crds:
        spec = crd.body["spec"]
        kind = spec["names"]["kind"]
        api = apis.get(kind)
        entry: JsonObject = {"kind": kind, "name": crd.id.name}
        sources: tuple[Source, ...] = inside(crd, "spec", "names")[:1]
        if api is not None:
            entry |= {"displayName": api.display_name or kind}
            entry |= {"description": api.description} if api.description else {}
            sources = (
                *sources,
                said(api.origin.at("displayName"), "displayName"),
                said(api.origin.at("description"), "description"),
            )
        for version in spec["versions"]:
            if version.get("served"):
                yield Piece({**entry, "version": version["name"]}, sources)


def examples(
    apis: dict[str, Api], kinds: Sequence[str], renames: Mapping[str, str]
) -> tuple[str, tuple[tuple[Origin, JsonObject], ...]]:
    """Return the examples of some kinds as the text that consoles read, and one by one."""
    found = (apis[kind].example for kind in dict.fromkeys(kinds) if kind in apis)
    shown = tuple((each[0], renamed(each[1], renames)) for each in found if each)
    return json.dumps([body for _, body in shown], indent=2, ensure_ascii=False), shown


def required(settings: BundleSettings, crds: Sequence[Manifest]) -> Made[tuple[Piece, ...]]:
    """Return the CRDs of others that the operator needs; of groups of the kit, those that it serves."""
    known = {(each.body["spec"]["group"], each.body["spec"]["names"]["kind"]): each for each in crds}
    groups = {group for group, _ in known}
    found, missing = [], []
    for index, text in enumerate(settings.requires):
        group, version, kind = split_kind(text)
        origin = settings.origin.at("requires", index)
        crd = known.get((group, kind))
        name = crd.id.name if crd else f"{plurals(group).get(kind, names_of(kind)['plural'])}.{group}"
        if crd is None and group in groups:
            message = f"found {text!r}, expected a kind of a CRD that the release builds"
            missing.append(REFERENCE_MISSING(message).at(origin))
        elif crd is not None and version not in (served := _served(crd)):
            message = f"found {text!r}, expected a version that is served: {', '.join(served)}"
            missing.append(REFERENCE_MISSING(message).at(origin))
        else:
            value = {"kind": kind, "name": name, "version": version, "displayName": kind}
            found.append(Piece(value, (made(origin),)))
    return Made(tuple(found), tuple(missing))


def _served(crd: Manifest) -> list[str]:
    return [each["name"] for each in crd.body["spec"]["versions"] if each.get("served")]
