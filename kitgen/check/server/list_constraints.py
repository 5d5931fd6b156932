"""Constraints on lists and strings: their length, and unique entries."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TypeVar

from kitgen.check.server.rule_tables import constraint
from kitgen.findings import Path, Problem, make_problem
from kitgen.text.values import entries_at, list_at, text_at, text_entries_at
from kitgen.text.wording import describe_value, quote_text
from kitgen.text.yaml import JsonObject

K = TypeVar("K", bound=Hashable)


@constraint
def max_length(value: JsonObject, field: str, most: int) -> Iterator[Problem]:
    """Refuse longer texts and lists."""
    found = value.get(field)
    if (size := len(text_at(value, field).encode(errors="replace")) or len(list_at(value, field))) > most:
        unit = "characters" if isinstance(found, str) else "items"
        yield make_problem("server-limit", f"found {size:,} {unit}, expected at most {most:,}", (field,))


@constraint
def max_count(value: JsonObject, field: str, most: int, what: str) -> Iterator[Problem]:
    """Refuse longer texts and lists, without saying how long they are."""
    if len(list_at(value, field) or text_at(value, field)) > most:
        yield make_problem("server-limit", f"found more than {most} {what}", (field,))


def find_duplicates(found: Iterable[tuple[Path, K]]) -> Iterator[tuple[Path, K, Path]]:
    """Yield what stands for a second time, with where the first one is; what is empty does not count."""
    first: dict[K, Path] = {}
    yield from ((path, key, first[key]) for path, key in found if key and first.setdefault(key, path) != path)


def list_item_texts(value: JsonObject, field: str, *steps: str) -> Iterator[tuple[Path, str]]:
    """Yield the texts at a path in each item of a list, with their paths."""
    for index, item in entries_at(value, field):
        yield (field, index, *steps), text_at(item, *steps)


@constraint
def unique_by(value: JsonObject, field: str, key: str = "name") -> Iterator[Problem]:
    """Refuse items of a list with the name of one before them."""
    for path, name, _ in find_duplicates(list_item_texts(value, field, key)):
        yield make_problem("server-duplicate", f"found {quote_text(name)} again, expected it once", path)


@constraint
def distinct_by(
    value: JsonObject, field: str, key: str = "name", what: str = "", *, at_item: bool = False
) -> Iterator[Problem]:
    """Refuse items of a list like one before them, which is named by its index."""
    for path, name, first in find_duplicates(list_item_texts(value, field, key)):
        message = f"found the {what or key} {quote_text(name)} again, item {first[1]} has it"
        yield make_problem("server-duplicate", message, path[:2] if at_item else path)


def distinct_texts(value: JsonObject, field: str) -> Iterator[Problem]:
    """Report the texts of a list that stand there a second time."""
    for path, (each,), _ in find_duplicates(
        ((field, at), (each,)) for at, each in text_entries_at(value, field)
    ):
        yield make_problem("server-duplicate", f"found {describe_value(each)} again", path)


@constraint
def warn_duplicates(value: JsonObject, field: str, *keys: str) -> Iterator[Problem]:
    """Warn of items of a list like one before them by these keys."""
    names = (
        (
            (field, index, keys[0]),
            tuple("" if item.get(key) is None else str(item[key])[:500] for key in keys),
        )
        for index, item in entries_at(value, field)
    )
    for path, name, _ in find_duplicates(names):
        if name[0]:
            yield make_problem("named-twice", f"found {quote_text(name[0])} again, expected it once", path)
