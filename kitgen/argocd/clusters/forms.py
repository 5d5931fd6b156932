"""Tell the forms of a list of clusters apart, and find in each what it says of a cluster.

Rules of lists of clusters.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import Finding, Origin, Path, Problem, Trail, near, problem, rule
from kitgen.kit.foreign_objects import ForeignObject, objects_in
from kitgen.kit.model.argocd import HERE, SECRET_TYPE
from kitgen.kube.identity import split_api_version
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import Json, JsonObject

CLUSTER_LABEL = rule("cluster-label")

MAX_CLUSTERS = 50_000
SECRET = "Secret"
MANAGED = ("cluster.open-cluster-management.io", "ManagedCluster")
URL = ("spec", "managedClusterClientConfigs", 0, "url")
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
    """What a list says of one cluster, before anybody looked at it; a problem where it cannot be told."""

    name: ClusterField | Problem
    server: ClusterField | Problem
    labels: ClusterField | Problem
    origin: Origin
    annotations: ClusterField = ClusterField(None, ())
    unknown: tuple[str, ...] = ()
    """Keys that nobody reads."""


Found: TypeAlias = ClusterEntry | str | Finding
"""A cluster, the kind of an object that is none, or what is wrong."""


def entries_in(document: Json, origin: Origin) -> Iterator[Found]:
    """Yield every cluster of a document, in order, what is left out, and what is no cluster at all."""
    if isinstance(document, list):
        yield from _items(document, origin)
    elif not isinstance(document, dict):
        if document is not None:
            yield _unlike(document, "a list of clusters").at(origin)
    elif not _is_object(document) and (key := next(filter(document.__contains__, BESIDE), "")):
        yield from _held(document, key, origin)
    elif _is_object(document) or not KNOWN.isdisjoint(document):
        yield from _entries(document, origin)
    else:
        yield problem(
            "cluster-list",
            "found a mapping without clusters",
            hint=next(filter(None, (near(each, ["clusters"]) for each in [*document][:10])), ""),
        ).at(origin)


def _held(body: JsonObject, key: str, origin: Origin) -> Iterator[Found]:
    """Yield what a mapping holds under a key."""
    yield from (unknown(each, (key,)).at(origin) for each in body if each not in BESIDE[key])
    if isinstance(body[key], list):
        yield from _items(body[key], origin.at(key))
    elif body[key] is not None:
        yield _unlike(body[key], "a list of clusters", (key,)).at(origin)


def _items(items: list[Json], origin: Origin) -> Iterator[Found]:
    for index, item in enumerate(items):
        yield from _entries(item, origin.at(index))


def _entries(body: Json, origin: Origin) -> Iterator[Found]:
    """Yield what an item is: an entry, or an object, of which a list may hold more."""
    if not isinstance(body, dict):
        yield _unlike(body, "a cluster").at(origin)
    elif _is_object(body):
        for each in objects_in(body, origin):
            if each.problems:
                yield from each.findings
            else:
                yield _object(each)
    else:
        yield _plain(body, origin)


def _plain(body: JsonObject, origin: Origin) -> Found:
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


def _object(each: ForeignObject) -> Found:
    """Return the cluster that an object of Kubernetes stands for, if it does."""
    body, kind = each.body, each.body["kind"]
    group, _ = split_api_version(body["apiVersion"])
    if (group, kind) == ("", SECRET):
        return _secret(body, each.origin)
    if (group, kind) == MANAGED:
        name, url, labels = (_dug(body, path) for path in (("metadata", "name"), URL, ("metadata", "labels")))
        if url == ClusterField("", URL):  # as good as none
            url = ClusterField(None, URL)
        return ClusterEntry(name=name, server=url, labels=labels, origin=_labelled(each.origin))
    if kind.endswith("List") and "items" in body:
        return _unlike(body["items"], "a list", ("items",)).at(each.origin)
    return str(kind)


def _secret(body: JsonObject, origin: Origin) -> ClusterEntry | str:
    """Return the cluster that Argo CD keeps in a Secret, if it is one of those."""
    labels = _dug(body, ("metadata", "labels"))
    if isinstance(labels, ClusterField) and isinstance(labels.value, dict | None):
        kept = dict(labels.value or {})
        if kept.pop(SECRET_TYPE, None) != "cluster":  # which Argo CD does not list among a cluster's labels
            return SECRET
        labels = ClusterField(kept, labels.path)
    name, server = (_in_secret(body, key) for key in ("name", "server"))
    return ClusterEntry(name=name, server=server, labels=labels, origin=_labelled(origin))


def _in_secret(body: JsonObject, key: str) -> ClusterField | Problem:
    """Return the text that a Secret holds; nothing of what is no text is told."""
    if isinstance(plain := _dug(body, ("stringData", key)), Problem) or plain.value is not None:
        return plain
    if isinstance(field := _dug(body, ("data", key)), Problem) or not isinstance(field.value, str):
        return field
    try:
        return ClusterField(b64decode("".join(field.value.split()), validate=True).decode(), field.path)
    except UnicodeDecodeError:
        return problem("cluster-list", "found bytes that are not UTF-8, expected text", field.path)
    except ValueError:
        return problem(
            "cluster-list",
            "found text that is not base64, expected base64",
            field.path,
            "stringData holds plain text",
        )


def _dug(body: Json, path: Path) -> ClusterField | Problem:
    """Return what stands at a path, nothing where the path ends before, or what is in its way."""
    for at, step in enumerate(path):
        if body is None:
            break
        if isinstance(step, int) and isinstance(body, list):
            body = body[step] if step < len(body) else None
        elif isinstance(step, str) and isinstance(body, dict):
            body = body.get(step)
        else:
            return _unlike(body, "a list" if isinstance(step, int) else "a mapping", path[:at])
    return ClusterField(body, path)


def _labelled(origin: Origin) -> Origin:
    """Return the origin of an object, from which `labels` leads to those in its metadata."""
    return replace(origin, trail=Trail({"labels": origin.at("metadata", "labels")}))


def _unlike(value: Json, expected: str, path: Path = ()) -> Problem:
    return problem("cluster-list", f"found {shown(value, reveal=False)}, expected {expected}", path)


def unknown(key: str, known: tuple[str, ...] = OWN) -> Problem:
    """Say that nobody reads a key, and which one may be meant."""
    return problem(
        "cluster-list",
        f"found the unknown key {cut(key)}",
        (key,),
        near(key, [*known]) or f"expected {choice(known)}",
    )
