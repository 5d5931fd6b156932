"""Say what is wrong with an entry of a list of clusters."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.argocd.clusters.forms import CLUSTER_LABEL, ClusterEntry, ClusterField, unknown
from kitgen.findings import Problem, problem
from kitgen.kube.names import NameForm, normalized, wrong_pairs
from kitgen.text.wording import cut, shown


def wrong_entry(entry: ClusterEntry) -> Iterator[Problem]:
    """Yield what is wrong with an entry by itself."""
    yield from map(unknown, entry.unknown)
    yield from (*_name(entry.name), *_server(entry.server), *_labels(entry.labels))
    notes = entry.annotations
    if not isinstance(notes.value, dict | None):
        yield problem(
            "cluster-list", f"found {shown(notes.value, reveal=False)}, expected a mapping", notes.path
        )


def _name(field: ClusterField) -> Iterator[Problem]:
    name, path = field
    if name in (None, ""):
        place = ".".join(map(str, path))
        yield problem("cluster-name", "found a cluster without a name", path, f"give it one in {place}")
    elif not isinstance(name, str):
        yield problem("cluster-name", f"found {shown(name, reveal=False)}, expected text", path, "quote it")
    elif not NameForm.SUBDOMAIN.fits(short := normalized(name)):
        left = f"Argo CD makes {cut(short)}, expected {NameForm.SUBDOMAIN}" if short else "nothing is left"
        yield problem(
            "cluster-name",
            f"found the name {cut(name)}, of which {left}",
            path,
            "use letters, digits and dashes",
        )
    elif name != name.strip():
        hint = "echo adds a line end, and echo -n does not" if name.endswith("\n") else ""
        yield problem("cluster-name", f"found white space around the name {cut(name.strip())}", path, hint)


def _server(field: ClusterField) -> Iterator[Problem]:
    server, path = field
    if server == "":
        message = "found an empty string, expected the address of a cluster"
        yield problem("cluster-list", message, path, "leave it out where it is not known")
    elif not isinstance(server, str | None):
        yield problem(
            "cluster-list", f"found {shown(server, reveal=False)}, expected the address of a cluster", path
        )


def _labels(field: ClusterField) -> Iterator[Problem]:
    labels, path = field
    if not isinstance(labels, dict | None):
        yield CLUSTER_LABEL(f"found {shown(labels, reveal=False)}, expected a mapping", path)
        return
    for key, value in (labels or {}).items():
        if not isinstance(value, str):
            hint = 'write "" for an empty one' if value is None else "quote it"
            message = f"found {shown(value, reveal=False)}, expected text"
            yield CLUSTER_LABEL(message, (*path, key), "" if isinstance(value, dict | list) else hint)
    yield from (CLUSTER_LABEL(wrong.message, wrong.path) for wrong in wrong_pairs(labels, path, values=True))
