"""Write what became of exported objects: a stream of documents or a JSON list, and how many of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kitgen.migrating import Outcome
from kitgen.schema.wording import counted

LARGE = 1 << 20
HEAD = '{\n    "apiVersion": "v1",\n    "kind": "List",\n    "items": ['
INDENT = "\n        "


def chunks(texts: Iterable[str], *, as_json: bool) -> Iterator[str]:
    """Yield documents or a list in parts of some size."""
    waiting: list[str] = []
    size = 0
    for text in _listed(texts) if as_json else texts:
        waiting.append(text)
        size += len(text)
        if size > LARGE:
            yield "".join(waiting)
            waiting, size = [], 0
    yield "".join(waiting)


def _listed(texts: Iterable[str]) -> Iterator[str]:
    between = HEAD
    for text in texts:
        # A text in JSON holds no line end, so all of them stand between values.
        yield between + INDENT + text.replace("\n", INDENT)
        between = ","
    yield f"{HEAD}]\n}}\n" if between == HEAD else "\n    ]\n}\n"


def remarks(counts: Mapping[Outcome, int], unmoved: Sequence[str], more: Mapping[str, int]) -> Iterator[str]:
    """Yield how many warnings are not shown, what cannot move, and how many objects became what."""
    for rule, count in more.items():
        yield f"and {count} more of {rule}"
    for name in unmoved:
        yield f"cannot move: {name}"
    left = counts.get(Outcome.UNMOVED, 0) - len(unmoved)
    if left > 0:
        yield f"cannot move: {counted(left, 'more object')}"
    yield ", ".join(f"{counts.get(each, 0)} {each}" for each in Outcome)
