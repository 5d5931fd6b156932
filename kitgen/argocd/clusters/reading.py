"""A file with clusters → clusters, what is wrong with them, and what was left out.

Texts of lists of clusters, for the lines of findings, without the credentials that may stand in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.argocd.clusters.entry import check_entry
from kitgen.argocd.clusters.forms import (
    LOCAL,
    MAX_CLUSTERS,
    SECRET,
    ClusterEntry,
    Found,
    find_entries,
)
from kitgen.files.tree import FILE_SIZE
from kitgen.findings import (
    MAX_ERRORS,
    Finding,
    Origin,
    deduplicate_findings,
    format_pointer,
    make_problem,
    report_limit,
)
from kitgen.kit.foreign_objects import parse_documents
from kitgen.kit.manifests import STDIN, ReadBudget, exists, read_manifests
from kitgen.kit.model import Cluster
from kitgen.kube.names import normalize_name
from kitgen.text.wording import escape_unprintable, format_count, join_words, quote_text
from kitgen.text.yaml import build_line_finder
from kitgen.text.yaml.masks import Keys, blank_lines, mask_values
from kitgen.text.yaml.rules import YAML_LIMIT

SHOWN = {"apiVersion", "kind", "name", "server", "url"}
HOLDING = {
    *("clusters", "items", "metadata", "labels", "spec", "managedClusterClientConfigs"),
    *("data", "stringData"),
}
"""Where entries, and what is read of them, stand in. Anything else is nobody's business."""


class VeiledTexts(Mapping[str, str]):
    """Texts by file; each is veiled when somebody asks for it, since few lists have findings."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """Start with texts that could be read."""
        self._texts = dict(texts)
        self._veiled: set[str] = set()

    def __getitem__(self, file: str) -> str:
        """Return what may be shown of a text, with all that is read of it on its lines."""
        if file not in self._veiled:
            self._texts[file] = mask_values(self._texts[file], _can_show_value)
            self._veiled.add(file)
        return self._texts[file]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def _can_show_value(keys: Keys, is_scalar: bool) -> bool:
    """Keep names, addresses and labels; what a Secret holds is told by its key alone."""
    if not keys:
        return not is_scalar
    if is_scalar and len(keys) > 1 and keys[-2] in ("labels", "data", "stringData"):
        return keys[-2] == "labels"
    return keys[-1] in (SHOWN if is_scalar else HOLDING)


LESS = "keep what is read, such as by: jq '[.[] | {name, server, labels}]'"
WHENCE = (
    "argocd cluster list -o yaml prints them, or kubectl get secrets -n argocd -l "
    "argocd.argoproj.io/secret-type=cluster -o yaml"
)
LONGEST_KIND = 63
"""What is longer is the kind of nothing."""


class ClusterList(Struct, frozen=True, kw_only=True):
    """What a file says of clusters."""

    clusters: tuple[Cluster, ...] = ()
    """Those with which nothing is wrong, in order."""
    findings: tuple[Finding, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    """The file without credentials, for the lines of findings."""
    remarks: tuple[str, ...] = ()
    """What was left out."""


def read_clusters(name: str) -> ClusterList:
    """Read a list of clusters in a file, or in standard input (`-`)."""
    if name != STDIN and exists(Path(name)) and Path(name).is_dir():
        fault = make_problem("file-kind", "found a folder, expected a file with clusters", line=1)
        return ClusterList(findings=(fault.to_finding(Origin(name)),))
    intake = ReadBudget()
    texts, wrong = read_manifests(name, intake)
    if wrong:
        return ClusterList(findings=tuple(map(_add_size_hint, wrong)))
    ((file, text),) = texts.items()
    return parse_clusters(file, text, intake)


def parse_clusters(file: str, text: str, intake: ReadBudget | None = None) -> ClusterList:
    """Return the clusters of a text."""
    documents, wrong = parse_documents(file, text, intake or ReadBudget())
    if wrong:
        return ClusterList(findings=tuple(map(_add_size_hint, wrong)), texts={file: blank_lines(text)})
    places = (Origin(file, document=number) for number in range(len(documents)))
    gathering = _Gathering(file)
    gathering.add_all(chain.from_iterable(map(find_entries, documents, places)))
    return ClusterList(
        clusters=tuple(gathering.clusters),
        findings=tuple(
            deduplicate_findings([*gathering.findings, *_report_repeats(gathering.repeats, text)])
        ),
        texts=VeiledTexts({file: text}),
        remarks=tuple(_describe_skipped(gathering.left_out)),
    )


Repeat: TypeAlias = tuple[str, Origin, Origin]
"""What a cluster has that is there already, where it has it, and where the first one does."""


class _Gathering:
    """Takes what a list holds, one after the other."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.clusters: list[Cluster] = []
        self.findings: list[Finding] = []
        self.repeats: list[Repeat] = []
        self.left_out: Counter[str] = Counter()
        self.entries = 0
        self.names: dict[str, tuple[str, Origin]] = {}
        """Names as Argo CD makes them of the names of clusters: those, and where they stand."""
        self.servers: dict[str, Origin] = {}

    def add_all(self, found: Iterator[Found]) -> None:
        """Take all, as long as it is worth while; none at all is wrong as well."""
        for each in found:
            if isinstance(each, str):
                self.left_out[each] += 1
            elif isinstance(each, Finding):
                self.findings.append(each)
            elif self.entries == MAX_CLUSTERS:
                message = f"found more than {MAX_CLUSTERS} clusters, and the rest was not looked at"
                self.findings.append(make_problem("cluster-many", message).to_finding(each.origin))
                return
            else:
                self._add_entry(each)
            if self._error_count > MAX_ERRORS:
                self.findings.append(report_limit(self.file))
                return
        if not self.entries and not self.findings:
            wrong = make_problem(
                "cluster-list", "found no cluster, expected at least one", hint=WHENCE, line=1
            )
            self.findings.append(wrong.to_finding(Origin(self.file)))

    @property
    def _error_count(self) -> int:
        return len(self.findings) + len(self.repeats)

    def _add_entry(self, entry: ClusterEntry) -> None:
        self.entries += 1
        before = self._error_count
        for wrong in check_entry(entry):
            self.findings.append(wrong.to_finding(entry.origin))
            if self._error_count > MAX_ERRORS:
                return
        self.repeats += self._find_repeats(entry)
        if self._error_count == before:
            name, server, labels = (each.value for each in (entry.name, entry.server, entry.labels))
            self.clusters.append(Cluster(name=name, server=server, labels=labels or {}, origin=entry.origin))

    def _find_repeats(self, entry: ClusterEntry) -> Iterator[Repeat]:
        """Yield whether a cluster has the name or the server of one before it; what is no text has none."""
        name, server = entry.name.value, entry.server.value
        if isinstance(name, str) and (short := normalize_name(name)):
            origin = entry.origin.at(*entry.name.path)
            first, place = self.names.setdefault(short, (name, origin))
            if place is not origin:
                made = f", of which Argo CD makes {quote_text(short)}, as of {quote_text(first)}"
                yield (
                    f"found the name {quote_text(name)}{' a second time' if first == name else made}",
                    origin,
                    place,
                )
        if isinstance(server, str) and server:
            origin = entry.origin.at(*entry.server.path)
            if (place := self.servers.setdefault(server.rstrip("/"), origin)) is not origin:
                yield f"found the server {quote_text(server)} a second time", origin, place


def _report_repeats(repeats: list[Repeat], text: str) -> Iterator[Finding]:
    """Say of clusters that are there already in which line the first one is."""
    if not repeats:
        return
    line_of = build_line_finder(text, ((first.document, first.path) for _, _, first in repeats))
    for message, origin, first in repeats:
        place = f"{first.file}:{line_of(first.document, first.path)} {format_pointer(first.path)}"
        yield make_problem("cluster-duplicate", message, hint=f"see {place}").to_finding(origin)


def _add_size_hint(finding: Finding) -> Finding:
    """Say of a file that is too large what may be left out of it."""
    return replace(finding, hint=LESS) if finding.rule in (FILE_SIZE, YAML_LIMIT) else finding


def _describe_skipped(left_out: Counter[str]) -> Iterator[str]:
    if secrets := left_out[SECRET]:
        are = "it is no cluster" if secrets == 1 else "they are no clusters"
        yield f"{format_count(secrets, SECRET)} left out: {are} of Argo CD"
    if left_out[LOCAL]:
        yield f"{LOCAL} left out: Argo CD has no Secret with labels for it, and selects none without"
    others = {
        escape_unprintable(kind[:LONGEST_KIND]): count
        for kind, count in sorted(left_out.items())
        if kind not in (SECRET, LOCAL)
    }
    if others:
        named = join_words([f"{kind} ({count})" for kind, count in others.items()], last="and")
        yield f"left out, since it is no cluster: {named}"
