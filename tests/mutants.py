"""Documents that are wrong in a few places: mutants of right ones, the same for the same seed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from datetime import date
from random import Random
from typing import Any

import yaml

NUMBERS = (
    *(0, 1, -1, 80, 65536, 2**31, 2**63, 2**64, -(10**30), 10**400, 0.5, -0.0, 1e308),
    *(float("nan"), float("inf")),
)
TEXTS = (
    *(
        "",
        " ",
        "x",
        "-",
        "~",
        "/x",
        "a/b/c",
        "../x",
        "{{ namespace }}",
        "{{ x",
        "$(A)",
        "\x85",
        "\u2028",
        "ä",
        "😀",
    ),
    *("no", "null", "1", "1e3", "0x10", "100m", "1Gi", "5%", "1e999999999", "9" * 400, "v1", "v1beta1", "v2"),
    *(
        "v" + "9" * 5000,
        "*",
        "*/*",
        "@",
        ":",
        "a:b@sha256:x",
        "[",
        "(a+)+$",
        "[z-a]",
        "\\",
        "a{9999}",
        "self.x > 1",
    ),
    *(
        "self.all(x, x.all(y, y.size() > 0))",
        "1 +",
        "\n",
        "a: b",
        "a: [1, 2\n",
        '{"a": [1, {"b": 2}]}',
        "<b>",
        "|",
    ),
    *(
        "2024-13-45",
        "9999-12-31",
        "Cluster",
        "object",
        "array",
        "cluster-admin",
        "10.0.0.0/8",
        "https://[x",
        "\r",
    ),
    *(".spec['a.b'][*]", "/spec/a~1b/-", "a" * 300, " " * 5000 + "x", "\n" * 5000, "(" * 3000, "a," * 9000),
)
KEYS = (
    *(
        "metadata",
        "spec",
        "template",
        "labels",
        "name",
        "namespace",
        "selector",
        "rules",
        "data",
        "kind",
        "versions",
    ),
    *(
        "schema",
        "properties",
        "items",
        "additionalProperties",
        "required",
        "type",
        "enum",
        "default",
        "anyOf",
        "not",
    ),
    *(
        "x-kubernetes-validations",
        "x-kubernetes-list-type",
        "x-kubernetes-list-map-keys",
        "conversion",
        "status",
    ),
    *("", "0", "-", "~/", "a.b", "<<", "ä", "has space", "x" * 300, "no", "null"),
)
IDENTITY = ("apiVersion", "kind", "metadata")
SERVED = {"uid": "0a", "resourceVersion": "1", "creationTimestamp": "2024-01-01T00:00:00Z", "generation": 2}
"""What only servers set."""
MANY, DEEP, LARGEST = 300, 120, 3000

Place = tuple[Any, Any]
"""A mapping or list, and a key or index of it."""
Mutation = Callable[[Random, Place, Sequence[Place]], None]


def places(value: Any) -> Iterator[Place]:
    """Yield every place in a value, the outer ones first; what stands there twice counts once."""
    todo, seen = [value], set()
    for each in todo:  # which grows meanwhile
        if not isinstance(each, dict | list) or id(each) in seen:
            continue
        seen.add(id(each))
        yield from ((each, key) for key in (each if isinstance(each, dict) else range(len(each))))
        todo += each.values() if isinstance(each, dict) else each


def scalar(random: Random) -> Any:
    """Return a text, a number or a constant."""
    return random.choice((None, True, False, date(2024, 1, 2), *NUMBERS, *TEXTS))


def value(random: Random, depth: int = 0) -> Any:
    """Return anything that YAML can say."""
    if depth > 2 or random.random() < 0.6:
        return scalar(random)
    inner = [value(random, depth + 1) for _ in range(random.randrange(4))]
    return inner if random.random() < 0.5 else {random.choice(KEYS): each for each in inner}


def _replace(random: Random, at: Place, _: Sequence[Place]) -> None:
    at[0][at[1]] = value(random)


def _remove(_: Random, at: Place, __: Sequence[Place]) -> None:
    del at[0][at[1]]


def _retype(random: Random, at: Place, _: Sequence[Place]) -> None:
    """Say the same in another type: a list for a mapping, a text for a number."""
    found = at[0][at[1]]
    forms: list[Any] = [[found], {random.choice(KEYS): found}, None, json.dumps(found, default=str)[:LARGEST]]
    if isinstance(found, dict):
        forms += [[*found.values()], [*found], {}]
    elif isinstance(found, list):
        forms += [dict(zip(map(str, range(len(found))), found, strict=True)), found[:1], found[::-1], []]
    elif isinstance(found, str):
        forms += [[*found[:50]], found.upper(), f"{found} ", found[:-1], found.split(",")]
    elif isinstance(found, int):
        forms += [-found, found + 1, found * 10**20, float(found) if abs(found) < 2**53 else 0.5]
    at[0][at[1]] = random.choice(forms)


def _rename(random: Random, at: Place, _: Sequence[Place]) -> None:
    if isinstance(at[0], dict):
        at[0][random.choice((*KEYS, f"{at[1]}s", 0, True, None))] = at[0].pop(at[1])
    else:
        random.shuffle(at[0])


def _copy(random: Random, at: Place, others: Sequence[Place]) -> None:
    """Put what stands elsewhere here: of the same name if there is some, so that it may fit."""
    alike = [each for each in others if each[1] == at[1]] if random.random() < 0.6 else []
    holder, key = random.choice(alike or others)
    if _size(holder[key]) < LARGEST:
        at[0][at[1]] = deepcopy(holder[key])


def _repeat(random: Random, at: Place, _: Sequence[Place]) -> None:
    """Make many of one, each called something else."""
    found = at[0][at[1]]
    many = random.choice((1, 20, max(1, min(MANY, LARGEST // _size(found)))))
    for number in range(many):
        each = deepcopy(found)
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            each["name"] += str(number)
        if isinstance(at[0], list):
            at[0].append(each)
        else:
            at[0][f"{at[1]}{number}"] = each


def _nest(random: Random, at: Place, _: Sequence[Place]) -> None:
    wraps: tuple[Callable[[Any], Any], ...] = (
        lambda inner: [inner],
        lambda inner: {"a": inner},
        lambda inner: {"type": "array", "items": inner},
        lambda inner: {"type": "object", "properties": {"a": inner}},
        lambda inner: {"allOf": [inner]},
    )
    wrap = random.choice(wraps)
    for _ in range(random.choice((3, 30, DEEP))):
        at[0][at[1]] = wrap(at[0][at[1]])


MUTATIONS: dict[Mutation, int] = {
    _replace: 6,
    _remove: 3,
    _retype: 5,
    _rename: 2,
    _copy: 6,
    _repeat: 1,
    _nest: 1,
}
"""What is done, and how often."""


def mutate(random: Random, documents: list[Any]) -> list[Any]:
    """Return documents with a few mutations; most leave objects what they are called."""
    found = deepcopy(documents)
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        everywhere = [*places(found)]
        roots = [each for each in found if isinstance(each, dict)]
        root = random.choice(roots) if roots and random.random() < 0.9 else None
        inner = [at for at in places(root) if not (at[0] is root and at[1] in IDENTITY) and at[1] != "name"]
        (mutation,) = random.choices([*MUTATIONS], [*MUTATIONS.values()])
        if everywhere:
            mutation(random, random.choice(inner or everywhere), everywhere)
    return found


def live(documents: list[Any]) -> list[Any]:
    """Return objects as a cluster has them."""
    return [
        {**each, "metadata": {**each["metadata"], **SERVED}, "status": each.get("status", {"replicas": 1})}
        if isinstance(each, dict) and isinstance(each.get("metadata"), dict)
        else each
        for each in documents
    ]


def written(random: Random, documents: list[Any]) -> bytes:
    """Return documents as a file, a few of which are no YAML or no text."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10 * limit)  # a value that is nested twice takes many frames
    try:
        text = yaml.safe_dump_all(documents, sort_keys=False, allow_unicode=True).encode("utf-8", "replace")
    finally:
        sys.setrecursionlimit(limit)
    if random.random() < 0.95:
        return text
    at = random.randrange(len(text) + 1)
    odd = (
        b"\0",
        b"\xff\xfe",
        b"[",
        b"&a ",
        b"*a",
        b"!!binary ",
        b"!x ",
        b"<<: ",
        b"---\n",
        b"\t",
        b"\n" * 5000,
    )
    return text[:at] + random.choice(odd) + text[at + random.randrange(3) :]


def _size(found: Any) -> int:
    return 1 + sum(1 for _ in places(found))
