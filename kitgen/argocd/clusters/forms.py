"""Tell the forms of a list of clusters apart, and find in each what it says of a cluster.

Rules of lists of clusters.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import Finding, Origin, OriginTrail, Path, Problem, get_rule, make_problem, suggest_word
from kitgen.kit.foreign_objects import ForeignObject, objects_in
from kitgen.kit.model.argocd import HERE, SECRET_TYPE
from kitgen.kube.identity import split_api_version
from kitgen.text.values import map_at, value_at
from kitgen.text.wording import describe_value, join_words, quote_text
from kitgen.text.yaml import Json, JsonObject

CLUSTER_LABEL = get_rule("cluster-label")

MAX_CLUSTERS = 50_000
SECRET = "Secret"
MANAGED = ("cluster.open-cluster-management.io", "ManagedCluster")
LABELS = ("metadata", "labels")
URLS = ("spec", "managedClusterClientConfigs")
SHAPES: dict[tuple[str, str], tuple[tuple[Path, type], ...]] = {
    ("", SECRET): ((("stringData",), dict), (("data",), dict)),
    MANAGED: ((("spec",), dict), (URLS, list), ((*URLS, 0), dict)),
}
"""Group and kind → what has to be a mapping or a list on the way to what is read of an object."""
BESIDE = {"clusters": {"clusters"}, "items": {"items", "metadata"}}
"""What holds a list, as people write it or as the API of Argo CD answers, and what may stand there."""
OWN = ("name", "server", "labels", "annotations")
LISTED = {"config", "connectionState", "info"}
"""What Argo CD always says of a cluster that it lists; whatever else it says there is its own business."""
LOCAL = "in-cluster"
KNOWN = {
    *OWN,
    *LISTED,
    *("clusterResources", "namespaces", "project", "refreshRequestedAt", "serverVersion", "shard"),
}


class ClusterField(NamedTuple):
    """A value, and where in its entry it stands."""

    value: Json
    path: Path


class ClusterEntry(Struct, frozen=True, kw_only=True):
    """What a list says of one cluster, before anybody looked at it."""

    name: ClusterField
    server: ClusterField
    labels: ClusterField
    origin: Origin
    annotations: ClusterField = ClusterField(None, ())
    unknown: tuple[str, ...] = ()
    """Keys that nobody reads."""


Found: TypeAlias = ClusterEntry | str | Finding
"""A cluster, the kind of an object that is none, or what is wrong."""


def find_entries(document: Json, origin: Origin) -> Iterator[Found]:
    """Yield every cluster of a document, in order, what is left out, and what is no cluster at all."""
    if isinstance(document, list):
        yield from _find_item_entries(document, origin)
    elif not isinstance(document, dict):
        if document is not None:
            yield _report_unexpected(document, "a list of clusters").to_finding(origin)
    elif not _is_object(document) and (key := next(filter(document.__contains__, BESIDE), "")):
        yield from _find_key_entries(document, key, origin)
    elif _is_object(document) or not KNOWN.isdisjoint(document):
        yield from _parse_item(document, origin)
    else:
        yield make_problem(
            "cluster-list",
            "found a mapping without clusters",
            hint=next(filter(None, (suggest_word(each, ["clusters"]) for each in [*document][:10])), ""),
        ).to_finding(origin)


def _find_key_entries(body: JsonObject, key: str, origin: Origin) -> Iterator[Found]:
    """Yield what a mapping holds under a key."""
    yield from (
        report_unknown_key(each, (key,)).to_finding(origin) for each in body if each not in BESIDE[key]
    )
    if isinstance(body[key], list):
        yield from _find_item_entries(body[key], origin.at(key))
    elif body[key] is not None:
        yield _report_unexpected(body[key], "a list of clusters", (key,)).to_finding(origin)


def _find_item_entries(items: list[Json], origin: Origin) -> Iterator[Found]:
    for index, item in enumerate(items):
        yield from _parse_item(item, origin.at(index))


def _parse_item(body: Json, origin: Origin) -> Iterator[Found]:
    """Yield what an item is: an entry, or an object, of which a list may hold more."""
    if not isinstance(body, dict):
        yield _report_unexpected(body, "a cluster").to_finding(origin)
    elif _is_object(body):
        for each in objects_in(body, origin):
            if each.problems:
                yield from each.findings
            else:
                yield _parse_object(each)
    else:
        yield _parse_entry(body, origin)


def _parse_entry(body: JsonObject, origin: Origin) -> Found:
    """Return an entry; the cluster that Argo CD runs on is listed even where no label can be on it."""
    listed = not LISTED.isdisjoint(body)
    if listed and body.get("server") == HERE and not (body.get("labels") or body.get("annotations")):
        return LOCAL
    name, server, labels, annotations = (ClusterField(body.get(key), (key,)) for key in OWN)
    unknown = () if listed else tuple(key for key in body if key not in KNOWN)
    return ClusterEntry(
        name=name, server=server, labels=labels, annotations=annotations, unknown=unknown, origin=origin
    )


def _is_object(body: JsonObject) -> bool:
    return "kind" in body or "apiVersion" in body


def _parse_object(each: ForeignObject) -> Found:
    """Return the cluster that an object of Kubernetes stands for, if it does."""
    body, kind = each.body, each.body["kind"]
    group, _ = split_api_version(body["apiVersion"])
    if (group, kind) == ("", SECRET) and not _is_cluster_secret(body):
        return SECRET
    for path, shape in SHAPES.get((group, kind), ()):
        value = value_at(body, *path)
        if value is not None and not isinstance(value, shape):
            return _report_unexpected(value, "a list" if shape is list else "a mapping", path).to_finding(
                each.origin
            )
    if (group, kind) == ("", SECRET):
        return _parse_secret(body, each.origin)
    if (group, kind) == MANAGED:
        name, url, labels = (
            ClusterField(value_at(body, *path), path)
            for path in (("metadata", "name"), (*URLS, 0, "url"), LABELS)
        )
        # An empty address is as good as none.
        url = url._replace(value=None) if url.value == "" else url
        return ClusterEntry(name=name, server=url, labels=labels, origin=_add_labels_trail(each.origin))
    if kind.endswith("List") and "items" in body:
        return _report_unexpected(body["items"], "a list", ("items",)).to_finding(each.origin)
    return str(kind)


def _is_cluster_secret(secret: JsonObject) -> bool:
    """Tell whether a Secret is one in which Argo CD keeps a cluster; labels that are none may say so."""
    labels = value_at(secret, *LABELS)
    return not isinstance(labels, dict | None) or map_at(labels).get(SECRET_TYPE) == "cluster"


def _parse_secret(body: JsonObject, origin: Origin) -> ClusterEntry | Finding:
    """Return the cluster that Argo CD keeps in a Secret."""
    labels = value_at(body, *LABELS)
    if isinstance(labels, dict):  # Argo CD does not list this one among a cluster's labels
        labels = {key: value for key, value in labels.items() if key != SECRET_TYPE}
    fields = [_read_secret_field(body, key) for key in ("name", "server")]
    if wrong := [each for each in fields if isinstance(each, Problem)]:
        return wrong[0].to_finding(origin)
    name, server = (each for each in fields if isinstance(each, ClusterField))
    return ClusterEntry(
        name=name, server=server, labels=ClusterField(labels, LABELS), origin=_add_labels_trail(origin)
    )


def _read_secret_field(body: JsonObject, key: str) -> ClusterField | Problem:
    """Return the text that a Secret holds; nothing of what is no text is told."""
    if (plain := value_at(body, "stringData", key)) is not None:
        return ClusterField(plain, ("stringData", key))
    path, value = ("data", key), value_at(body, "data", key)
    if not isinstance(value, str):
        return ClusterField(value, path)
    try:
        return ClusterField(b64decode("".join(value.split()), validate=True).decode(), path)
    except UnicodeDecodeError:
        return make_problem("cluster-list", "found bytes that are not UTF-8, expected text", path)
    except ValueError:
        hint = "stringData holds plain text"
        return make_problem("cluster-list", "found text that is not base64, expected base64", path, hint)


def _add_labels_trail(origin: Origin) -> Origin:
    """Return the origin of an object, from which `labels` leads to those in its metadata."""
    return replace(origin, trail=OriginTrail({"labels": origin.at("metadata", "labels")}))


def _report_unexpected(value: Json, expected: str, path: Path = ()) -> Problem:
    return make_problem(
        "cluster-list", f"found {describe_value(value, reveal=False)}, expected {expected}", path
    )


def report_unknown_key(key: str, known: tuple[str, ...] = OWN) -> Problem:
    """Say that nobody reads a key, and which one may be meant."""
    return make_problem(
        "cluster-list",
        f"found the unknown key {quote_text(key)}",
        (key,),
        suggest_word(key, [*known]) or f"expected {join_words(known)}",
    )
