"""Write converted objects as a stream of documents or a JSON list, with a summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kitgen.migrate.resources.resource import Outcome
from kitgen.text.wording import format_count

LARGE = 1 << 20
NONE = "apiVersion: v1\nitems: []\nkind: List\n"
"""What kubectl prints for no objects: nothing at all would look like a command that failed."""
HEAD = '{\n    "apiVersion": "v1",\n    "kind": "List",\n    "items": ['
INDENT = "\n        "
RARE = (Outcome.WITHIN, Outcome.RESTORED)


def render_chunks(texts: Iterable[str], *, as_json: bool, none: bool = False) -> Iterator[str]:
    """Yield documents or a list in parts of some size; where there is nothing to move, a list of nothing."""
    if none and not as_json:
        yield NONE
        return
    waiting: list[str] = []
    size = 0
    for text in _render_json_list(texts) if as_json else texts:
        waiting.append(text)
        size += len(text)
        if size > LARGE:
            yield "".join(waiting)
            waiting, size = [], 0
    yield "".join(waiting)


def _render_json_list(texts: Iterable[str]) -> Iterator[str]:
    between = HEAD
    for text in texts:
        # A text in JSON holds no line end, so all of them stand between values.
        yield between + INDENT + text.replace("\n", INDENT)
        between = ","
    yield f"{HEAD}]\n}}\n" if between == HEAD else "\n    ]\n}\n"


def describe_outcomes(
    counts: Mapping[Outcome, int], within: Sequence[str], unmoved: Sequence[str], more: Mapping[str, int]
) -> Iterator[str]:
    """Yield how many warnings are not shown, what is named, and how many objects became what."""
    yield from (f"and {count} more of {rule}" for rule, count in more.items())
    yield from _describe_outcome(Outcome.WITHIN, within, counts)
    yield from _describe_outcome(Outcome.UNMOVED, unmoved, counts)
    if not any(counts.values()):
        yield "found no objects"
    # Few exports have any of these, and the others are what people look for.
    told = [each for each in Outcome if each not in RARE or counts.get(each)]
    yield ", ".join(f"{counts.get(each, 0)} {each}" for each in told)


def _describe_outcome(outcome: Outcome, names: Sequence[str], counts: Mapping[Outcome, int]) -> Iterator[str]:
    """Yield each object of which an outcome is to be looked at, and how many more there are."""
    yield from (f"{outcome}: {name}" for name in names)
    if (left := counts.get(outcome, 0) - len(names)) > 0:
        yield f"{outcome}: {format_count(left, 'more object')}"
