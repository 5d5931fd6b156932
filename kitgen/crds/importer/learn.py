"""Learn from real CRDs which minor of Kubernetes they were made with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kitgen.crds.declare.overrides import changed_types
from kitgen.crds.importer.catalog import Catalog
from kitgen.crds.schema import paths
from kitgen.crds.schema.intern import Interner
from kitgen.crds.types.forms import types_of
from kitgen.findings import Origin
from kitgen.yamlio import JsonObject


def catalog_of(minor: int, interner: Interner, exceptions: JsonObject | None = None) -> Catalog:
    """Return the types of a minor, changed by the exceptions that hold wherever they stand."""
    if not exceptions:
        return Catalog(types_of(minor), interner)
    types, _ = changed_types(exceptions, minor, descriptions=False, origin=Origin(""))
    return Catalog(types, interner)


def best_minors(schemas: Sequence[JsonObject], catalogs: Sequence[Catalog], prefer: int) -> list[Catalog]:
    """Return the catalogs to try: the one that leaves the least unnamed, and the preferred one.

    Of equals the first is the preferred, then the oldest.
    """
    costs = sorted(
        (_unnamed(schemas, catalog), catalog.types.minor != prefer, catalog.types.minor, index)
        for index, catalog in enumerate(catalogs)
    )
    return [catalogs[cost[-1]] for number, cost in enumerate(costs) if not number or not cost[1]]


def _unnamed(schemas: Iterable[JsonObject], catalog: Catalog) -> int:
    known: dict[int, int] = {}

    def cost(schema: JsonObject) -> int:
        number = catalog.interner.number(schema)
        if catalog.covers(number):
            return 1
        if number not in known:
            known[number] = 1 + sum(cost(below) for _, below in paths.children(schema))
        return known[number]

    return sum(cost(schema) for schema in schemas)
