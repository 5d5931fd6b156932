"""Kinds with webhooks: what features declare for one is merged over what the component declares."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.findings import Finding, Origin, OriginTrail, Path, Step, make_problem
from kitgen.kit.model import Layer
from kitgen.kube.identity import split_kind
from kitgen.render.layers import LayeredValue, merge_layers
from kitgen.text.yaml import Json, JsonObject

DOMAIN = "kb.io"
KIND = "*"
"""What stands for a kind in lower case, in names that are said of all webhooks at once."""


def merge_webhook_layers(layers: tuple[Layer, ...]) -> LayeredValue:
    """Fold what layers say of webhooks: kinds by their name, maps key by key, a later list instead."""
    return merge_layers(tuple(map(_index_kinds, layers)), extend=False)


def _index_kinds(layer: Layer) -> Layer:
    """Return a layer with its kinds by name, each of which still leads to its place in the list."""
    keys = [_format_kind_key(expand_kind(entry)) for entry in layer.data.get("kinds", ())]
    kinds: JsonObject = dict(zip(keys, layer.data.get("kinds", ()), strict=True))
    at, steps = layer.origin.at("kinds"), layer.data if layer.given is None else layer.given
    below: dict[Step, Origin] = {key: at.at(index) for index, key in enumerate(keys)}
    trail: dict[Step, Origin] = {key: layer.origin.at(key) for key in steps}
    trail["kinds"] = Origin(at.file, at.path, trail=OriginTrail(below))
    return replace(
        layer,
        data={**layer.data, "kinds": {key: expand_kind(entry) for key, entry in kinds.items()}},
        given={**steps, "kinds": kinds},
        origin=Origin(layer.origin.file, layer.origin.path, trail=OriginTrail(trail)),
        reads=tuple((_to_kind_path(path, keys), read) for path, read in layer.reads),
    )


def _to_kind_path(path: Path, keys: list[str]) -> Path:
    match path:
        case ("kinds", int(index), *rest):
            return ("kinds", keys[index], *rest)
    return path


def expand_kind(entry: Json) -> JsonObject:
    """Return an entry of `kinds` in its long form."""
    return {"kind": entry} if isinstance(entry, str) else entry


def _format_kind_key(entry: JsonObject) -> str:
    """Return the key that identifies an entry."""
    return "/".join((*split_kind(entry["kind"]), entry.get("domain", DOMAIN)))


def lowercase_kind(entry: JsonObject) -> str:
    """Return the kind of an entry in lower case."""
    return str(entry["kind"].rpartition("/")[2].lower())


def name_suffix_of(entry: JsonObject) -> str:
    """Return what the names of a kind's webhooks end in."""
    return f"{lowercase_kind(entry)}.{entry.get('domain', DOMAIN)}"


def value_for_task(entry: JsonObject, key: str, task: str) -> Json:
    """Return what an entry says of one sort of its webhooks, or of both; None if it is silent."""
    given: Json = entry.get(key)
    return given.get(f"{task}s") if isinstance(given, dict) else given


def check_duplicate_webhooks(layers: tuple[Layer, ...]) -> Iterator[Finding]:
    """Yield a finding for every kind whose webhooks would have the names of another one's.

    A feature may say more of a kind than the component, but must say something.
    """
    owners: dict[str, str] = {}
    for layer in layers:
        before = set(owners)
        here: set[str] = set()
        for index, entry in enumerate(map(expand_kind, layer.data.get("kinds", ()))):
            given, key = entry.get("name"), _format_kind_key(entry)
            # What no other entry's webhooks may be called.
            name = " and ".join(given.values()) if isinstance(given, dict) else given or name_suffix_of(entry)
            is_same = owners.setdefault(name, key) == key and name not in here
            says_nothing = name in before and not entry.keys() - {"kind", "domain"}
            if not is_same or says_nothing:
                yield make_problem(
                    "webhook-twice",
                    f"found a second webhook for {name!r}, expected one of each name",
                    hint="remove it, or give it a domain of its own",
                ).to_finding(layer.origin.at("kinds", index))
            here.add(name)
