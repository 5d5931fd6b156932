"""Say what is wrong with an entry of a list of clusters."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.argocd.clusters.forms import CLUSTER_LABEL, ClusterEntry, ClusterField, report_unknown_key
from kitgen.findings import Problem, make_problem
from kitgen.kube.names import NameForm, check_labels, normalize_name
from kitgen.text.wording import describe_value, quote_text


def check_entry(entry: ClusterEntry) -> Iterator[Problem]:
    """Yield what is wrong with an entry by itself."""
    yield from map(report_unknown_key, entry.unknown)
    yield from (*_check_name(entry.name), *_check_server(entry.server), *_check_labels(entry.labels))
    notes = entry.annotations
    if not isinstance(notes.value, dict | None):
        yield make_problem(
            "cluster-list",
            f"found {describe_value(notes.value, reveal=False)}, expected a mapping",
            notes.path,
        )


def _check_name(field: ClusterField) -> Iterator[Problem]:
    name, path = field
    if name in (None, ""):
        place = ".".join(map(str, path))
        yield make_problem("cluster-name", "found a cluster without a name", path, f"give it one in {place}")
    elif not isinstance(name, str):
        yield make_problem(
            "cluster-name", f"found {describe_value(name, reveal=False)}, expected text", path, "quote it"
        )
    elif not NameForm.SUBDOMAIN.matches(short := normalize_name(name)):
        left = (
            f"Argo CD makes {quote_text(short)}, expected {NameForm.SUBDOMAIN}"
            if short
            else "nothing is left"
        )
        yield make_problem(
            "cluster-name",
            f"found the name {quote_text(name)}, of which {left}",
            path,
            "use letters, digits and dashes",
        )
    elif name != name.strip():
        hint = "echo adds a line end, and echo -n does not" if name.endswith("\n") else ""
        yield make_problem(
            "cluster-name", f"found white space around the name {quote_text(name.strip())}", path, hint
        )


def _check_server(field: ClusterField) -> Iterator[Problem]:
    server, path = field
    if server == "":
        message = "found an empty string, expected the address of a cluster"
        yield make_problem("cluster-list", message, path, "leave it out where it is not known")
    elif not isinstance(server, str | None):
        yield make_problem(
            "cluster-list",
            f"found {describe_value(server, reveal=False)}, expected the address of a cluster",
            path,
        )


def _check_labels(field: ClusterField) -> Iterator[Problem]:
    labels, path = field
    if not isinstance(labels, dict | None):
        yield CLUSTER_LABEL(f"found {describe_value(labels, reveal=False)}, expected a mapping", path)
        return
    for key, value in (labels or {}).items():
        if not isinstance(value, str):
            hint = 'write "" for an empty one' if value is None else "quote it"
            message = f"found {describe_value(value, reveal=False)}, expected text"
            yield CLUSTER_LABEL(message, (*path, key), "" if isinstance(value, dict | list) else hint)
    yield from (CLUSTER_LABEL(wrong.message, wrong.path) for wrong in check_labels(labels, path, values=True))
