"""What Argo CD makes of an ApplicationSet: parameters of generators, and the Applications that they fill in.

The generators are those that kitgen writes: clusters, list and matrix, with Go templates of plain fields such
as `{{ .values.wave }}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from kitgen.kit.model import Cluster
from kitgen.kube.names import normalize_name
from kitgen.kube.selectors import LabelOperator, LabelSelector, Requirement, read_selector
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import JsonObject

FIELD = compile_late(r"\{\{ \.([\w.]+) \}\}")
Keys: TypeAlias = tuple[str, ...]
"""The steps of a field: `.a.b` is a, b."""
Params: TypeAlias = dict[str, Any]
"""What templates read, by name."""
Generated: TypeAlias = tuple[Cluster | None, Params]
"""Parameters, and the cluster that they are of."""


class LabelledClusters:
    """Clusters that are found by their labels. A set of them is a number, with a bit for each."""

    def __init__(self, clusters: Sequence[Cluster]) -> None:
        """Keep for every label who has it, with each value and with any."""
        self.clusters = clusters
        self.order = {id(each): at for at, each in enumerate(clusters)}
        """Their places in the list."""
        self._places: dict[tuple[str, str | None], list[int]] = {}
        self._sets: dict[tuple[str, str | None], int] = {}
        for at, each in enumerate(clusters):
            for key, value in each.labels.items():
                self._places.setdefault((key, value), []).append(at)
                self._places.setdefault((key, None), []).append(at)

    def select(self, selector: LabelSelector) -> Iterator[Cluster]:
        """Yield the clusters that a selector matches, in order; others are not looked at."""
        left = (1 << len(self.clusters)) - 1
        for each in selector:
            left &= self._match_requirement(each)
        while left:
            first = left & -left
            yield self.clusters[first.bit_length() - 1]
            left ^= first

    def _match_requirement(self, wanted: Requirement) -> int:
        """Return the clusters with which a requirement holds."""
        match wanted.operator:
            case LabelOperator.IN:
                return self._match_label(wanted.key, wanted.values)
            case LabelOperator.NOT_IN:
                return ~self._match_label(wanted.key, wanted.values)
            case LabelOperator.EXISTS:
                return self._match_label(wanted.key, (None,))
            case LabelOperator.ABSENT:
                return ~self._match_label(wanted.key, (None,))

    def _match_label(self, key: str, values: Iterable[str | None]) -> int:
        """Return the clusters with a label that has one of some values; None is any."""
        found = 0
        for pair in ((key, value) for value in values):
            if pair in self._places and pair not in self._sets:
                bits = bytearray(len(self.clusters) // 8 + 1)
                for at in self._places[pair]:
                    bits[at // 8] |= 1 << at % 8
                self._sets[pair] = int.from_bytes(bits, "little")
            found |= self._sets.get(pair, 0)
        return found


class GoTemplate(Struct, frozen=True):
    """A template, read once to be filled in for many clusters."""

    pieces: tuple[str | Keys, ...]
    """Texts and fields in order."""

    def fill(self, params: Params) -> str:
        """Return what comes out with parameters that have every field."""
        return "".join(
            each if isinstance(each, str) else _resolve_field(params, each) for each in self.pieces
        )


def _resolve_field(params: Any, keys: Keys) -> str:
    for key in keys:
        params = params[key]
    return str(params)


def parse_template(text: str) -> GoTemplate:
    """Read a template of plain fields."""
    pieces = enumerate(FIELD.split(text))
    return GoTemplate(tuple(tuple(each.split(".")) if at % 2 else each for at, each in pieces))


class Application(Struct, frozen=True, kw_only=True):
    """An Application that Argo CD would make for a cluster."""

    cluster: Cluster
    name: str
    labels: Mapping[str, str]
    path: str
    """The folder in the repository that it syncs."""
    namespace: str


def generate_applications(body: JsonObject, clusters: LabelledClusters) -> Iterator[Application]:
    """Yield what an ApplicationSet makes for clusters, in the order of its generators."""
    template = body["spec"]["template"]
    meta, spec = template["metadata"], template["spec"]
    name, path, namespace = (
        parse_template(text)
        for text in (meta["name"], spec["source"]["path"], spec["destination"]["namespace"])
    )
    labels = {key: parse_template(value) for key, value in meta["labels"].items()}
    for generator in body["spec"]["generators"]:
        for cluster, params in _generate_parameters(generator, clusters):
            if cluster is not None:
                yield Application(
                    cluster=cluster,
                    name=name.fill(params),
                    labels={key: each.fill(params) for key, each in labels.items()},
                    path=path.fill(params),
                    namespace=namespace.fill(params),
                )


def _generate_parameters(generator: JsonObject, clusters: LabelledClusters) -> Iterator[Generated]:
    """Yield the parameters that a generator gives, each with the cluster that they are of."""
    match generator:
        case {"clusters": said}:
            selector, values = read_selector(said["selector"]) or (), said.get("values", {})
            yield from ((each, _build_cluster_params(each, values)) for each in clusters.select(selector))
        case {"list": said}:
            yield from ((None, each) for each in said["elements"])
        case {"matrix": said}:
            yield from _combine_generators(*said["generators"], clusters=clusters)


def _build_cluster_params(cluster: Cluster, values: Mapping[str, str]) -> Params:
    return {
        "name": cluster.name,
        "nameNormalized": normalize_name(cluster.name),
        "server": cluster.server or "",
        "values": values,
    }


def _combine_generators(
    first: JsonObject, second: JsonObject, *, clusters: LabelledClusters
) -> Iterator[Generated]:
    """Yield every pair of two generators; where both give a name, the first one counts."""
    inner = [*_generate_parameters(second, clusters)]
    for outer, params in _generate_parameters(first, clusters):
        yield from ((outer or cluster, {**more, **params}) for cluster, more in inner)
