"""Learn from real CRDs which minor of Kubernetes they were made with, and how their generator differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import partial

from kitgen.crds import overrides, paths
from kitgen.crds.catalog import Catalog
from kitgen.crds.compare import excepted, same
from kitgen.crds.edits import Action, Edit
from kitgen.crds.intern import Interner, frozen
from kitgen.crds.types import Change, Types, type_name, types_of
from kitgen.yamlio import Json, JsonObject

Difference = tuple[Action, str, Json]
Own = tuple[str, list[Difference]]
TRIED = 2
CLOSE = 1.2


def catalog_of(minor: int, interner: Interner, exceptions: JsonObject | None = None) -> Catalog:
    """Return the types of a minor, changed by the exceptions that hold wherever they stand."""
    if not exceptions:
        return Catalog(types_of(minor), interner)
    changes: dict[str, Change] = {name: partial(overrides.change, made) for name, made in exceptions.items()}
    return Catalog(Types(minor, changes=changes), interner)


def best_minors(schemas: Sequence[JsonObject], catalogs: Sequence[Catalog], prefer: int) -> list[Catalog]:
    """Return the catalogs that leave the least unnamed; of equals the preferred, then the oldest, first."""
    costs = sorted(
        (_unnamed(schemas, catalog), catalog.types.minor != prefer, catalog.types.minor, index)
        for index, catalog in enumerate(catalogs)
    )
    least = costs[0][0]
    # Counting is rough, so one that comes close gets its chance too; one that is equal would not be better.
    close = [cost for cost in costs[1:] if least < cost[0] <= least * CLOSE]
    return [catalogs[cost[-1]] for cost in [costs[0], *close[: TRIED - 1]]]


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


def learn_exceptions(schemas: Iterable[JsonObject], catalog: Catalog) -> JsonObject:
    """Return exceptions per type that hold in most places where the type is embedded, and in two at least."""
    seen: dict[str, Counter[tuple[Hashable, ...]]] = {}
    edits: dict[tuple[Hashable, ...], list[Edit]] = {}
    known: dict[tuple[str, int], list[Own]] = {}
    for schema in schemas:
        for name, node in _embedded(schema, "", catalog):
            for type_, found in _own_differences(catalog.schemas[name], node, catalog, known):
                key: tuple[Hashable, ...] = tuple(
                    (action, path, frozen(value)) for action, path, value in found
                )
                seen.setdefault(type_, Counter())[key] += 1
                edits[key] = [Edit(action=action, path=path, value=value) for action, path, value in found]
    learnt = {}
    for name in sorted(seen):
        common, count = min(seen[name].items(), key=lambda item: (-item[1], len(item[0]), str(item[0])))
        if common and count > 1:
            learnt[name] = excepted({}, edits[common])
    return learnt


def _embedded(schema: JsonObject, field: str, catalog: Catalog) -> Iterator[tuple[str, JsonObject]]:
    """Yield the outermost schemas that are, or look like, a type."""
    number = catalog.interner.number(schema)
    name = catalog.exact(number, field)
    if not name:
        name = next(iter(catalog.nearest(schema, field)), "")
    if name:
        yield name, schema
        return
    for steps, below in paths.children(schema):
        yield from _embedded(below, steps[-1] if len(steps) > 1 else field, catalog)


def _own_differences(
    base: JsonObject, node: JsonObject, catalog: Catalog, known: dict[tuple[str, int], list[Own]]
) -> list[Own]:
    """Return each type below, with where it differs in its own fields, those of inner types aside."""
    key = (type_name(base), catalog.interner.number(node))
    if key not in known:
        found: list[Difference] = []
        inner: list[tuple[JsonObject, JsonObject]] = []
        _walk(base, node, (), found, inner)
        known[key] = [(key[0], sorted(found, key=lambda item: item[:2]))]
        for below, want in inner:
            known[key] += _own_differences(below, want, catalog, known)
    return known[key]


def _walk(
    base: JsonObject,
    node: JsonObject,
    steps: paths.Steps,
    found: list[Difference],
    inner: list[tuple[JsonObject, JsonObject]],
) -> None:
    for keyword in (*base, *(key for key in node if key not in base)):
        at = (*steps, keyword)
        if keyword == "description":
            continue
        if keyword not in node:
            found.append((Action.REMOVE, paths.write(at), None))
        elif keyword not in base:
            found.append((Action.ADD, paths.write(at), node[keyword]))
        elif keyword == "properties":
            for name in (*base[keyword], *(name for name in node[keyword] if name not in base[keyword])):
                _pair(base[keyword].get(name), node[keyword].get(name), (*at, name), found, inner)
        elif isinstance(base[keyword], dict) and isinstance(node[keyword], dict):
            _pair(base[keyword], node[keyword], at, found, inner)
        elif not same(keyword, base[keyword], node[keyword]):
            found.append((Action.SET, paths.write(at), node[keyword]))


def _pair(
    base: JsonObject | None,
    node: JsonObject | None,
    steps: paths.Steps,
    found: list[Difference],
    inner: list[tuple[JsonObject, JsonObject]],
) -> None:
    if base is None:
        found.append((Action.ADD, paths.write(steps), node))
    elif node is None:
        found.append((Action.REMOVE, paths.write(steps), None))
    elif type_name(base) and "properties" in base and node.get("type") == "object":
        inner.append((base, node))
    else:
        _walk(base, node, steps, found, inner)
