"""Draw the update graph of a package: for people, or for pages that show Mermaid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from kitgen.report.text import said
from kitgen.text.wording import choice, mermaid_text

if TYPE_CHECKING:
    from kitgen.olm.rules.graph import Channel, Graph

LONGEST = 100
"""How much of a name or a range is written, since that is done for every channel."""
STYLES = {
    "head": "stroke-width:3px",
    "missing": "stroke-dasharray:4",
    "skipped": "opacity:0.5",
    "lost": "stroke:#c00,stroke-width:3px",
}


def as_text(graphs: Iterable[Graph]) -> str:
    """Write every channel, the newest bundle first, each with what it replaces and skips."""
    return "".join(f"{said(line)}\n" for graph in graphs for line in _lines(graph))


def _lines(graph: Graph) -> Iterator[str]:
    yield f"{graph.package or 'no package'} ({graph.mode})"
    for channel in graph.channels:
        yield f"  {channel.name}{' (default)' if channel.name == graph.default else ''}"
        lost = _Lost(channel)
        for name, entry in channel.entries.items():
            yield f"    {short(name)}{_marks(channel, name, lost)}"
            here = "" if entry.replaces in channel.entries else " (not here)"
            if entry.replaces:
                yield f"      replaces {short(entry.replaces)}{here}"
            if entry.skips:
                yield f"      skips {choice(entry.skips, last='and')}"
            if entry.skip_range:
                yield f"      skips the range {short(entry.skip_range)}"


class _Lost:
    """The bundles of a channel that are its heads, or that no upgrade leads away from."""

    def __init__(self, channel: Channel) -> None:
        self.heads = {*channel.heads}
        self.stranded = {*channel.stranded}
        self.around = {name for loop in channel.loops for name in loop}


def _marks(channel: Channel, name: str, lost: _Lost) -> str:
    """Return what becomes of a bundle in its channel."""
    words = [
        "head" if name in lost.heads else "",
        f"skipped by {short(channel.skipped[name])}" if name in channel.skipped else "",
        f"left out for {short(channel.pruned[name])}" if name in channel.pruned else "",
        "stranded" if name in lost.stranded else "",
        "in a circle" if name in lost.around else "",
    ]
    told = ", ".join(filter(None, words))
    return f" ({told})" if told else ""


def as_mermaid(graphs: Iterable[Graph]) -> str:
    """Write a Mermaid flowchart: arrows lead from a bundle to those that replace or skip it."""
    lines = ["flowchart LR"]
    for number, graph in enumerate(graphs):
        entries = {id(each): each for channel in graph.channels for each in channel.entries.values()}
        skips = {key: {name: at for at, name in enumerate(each.skips)} for key, each in entries.items()}
        for at, channel in enumerate(graph.channels):
            title = f"{short(graph.package)} {short(channel.name)}".strip()
            lines += _chart(f"c{number}_{at}", title, channel, skips)
    lines += [f"  classDef {name} {style}" for name, style in STYLES.items()]
    return "".join(f"{said(line)}\n" for line in lines)


def _chart(key: str, title: str, channel: Channel, skips: Mapping[int, Mapping[str, int]]) -> Iterator[str]:
    names = [*channel.entries, *(name for name in channel.missing if name not in channel.entries)]
    ids = {name: f"{key}_{at}" for at, name in enumerate(names)}
    yield f'  subgraph {key}["{mermaid_text(title)}"]'
    lost = _Lost(channel)
    for name in names:
        style = _style(channel, name, lost)
        yield f'    {ids[name]}["{mermaid_text(short(name))}"]{f":::{style}" if style else ""}'
    for name, entry in channel.entries.items():
        if entry.replaces in ids:
            yield f"    {ids[entry.replaces]} --> {ids[name]}"
        places = skips[id(entry)]
        skipped = sorted(places.keys() & ids.keys(), key=lambda each: places[each])
        yield from (f"    {ids[each]} -.->|skips| {ids[name]}" for each in skipped)
    yield "  end"


def _style(channel: Channel, name: str, lost: _Lost) -> str:
    if name not in channel.entries:
        return "missing"
    if name in lost.stranded or name in lost.around:
        return "lost"
    if name in lost.heads:
        return "head"
    return "skipped" if name in channel.skipped or name in channel.pruned else ""


def short(text: str) -> str:
    """Return a name or a range as it is, but not all of one that nobody could read."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
