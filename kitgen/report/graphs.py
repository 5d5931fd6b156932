"""Draw the update graph of a package: for people, or for pages that show Mermaid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kitgen.report.text import said
from kitgen.schema.wording import choice

if TYPE_CHECKING:
    from kitgen.check.bundle.graph import Channel, Graph

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
        for name, entry in channel.entries.items():
            yield f"    {name}{_marks(channel, name)}"
            here = "" if entry.replaces in channel.entries else " (not here)"
            if entry.replaces:
                yield f"      replaces {entry.replaces}{here}"
            if entry.skips:
                yield f"      skips {choice(entry.skips, last='and')}"
            if entry.skip_range:
                yield f"      skips the range {entry.skip_range}"


def _marks(channel: Channel, name: str) -> str:
    """Return what becomes of a bundle in its channel."""
    words = [
        "head" if name in channel.heads else "",
        f"skipped by {channel.skipped[name]}" if name in channel.skipped else "",
        f"left out for {channel.pruned[name]}" if name in channel.pruned else "",
        "stranded" if name in channel.stranded else "",
        "in a circle" if any(name in loop for loop in channel.loops) else "",
    ]
    told = ", ".join(filter(None, words))
    return f" ({told})" if told else ""


def as_mermaid(graphs: Iterable[Graph]) -> str:
    """Write a Mermaid flowchart: arrows lead from a bundle to those that replace or skip it."""
    lines = ["flowchart LR"]
    for number, graph in enumerate(graphs):
        for at, channel in enumerate(graph.channels):
            lines += _chart(f"c{number}_{at}", f"{graph.package} {channel.name}".strip(), channel)
    lines += [f"  classDef {name} {style}" for name, style in STYLES.items()]
    return "".join(f"{said(line)}\n" for line in lines)


def _chart(key: str, title: str, channel: Channel) -> Iterator[str]:
    names = [*channel.entries, *(name for name in channel.missing if name not in channel.entries)]
    ids = {name: f"{key}_{at}" for at, name in enumerate(names)}
    yield f'  subgraph {key}["{quoted(title)}"]'
    for name in names:
        style = _style(channel, name)
        yield f'    {ids[name]}["{quoted(name)}"]{f":::{style}" if style else ""}'
    for name, entry in channel.entries.items():
        if entry.replaces in ids:
            yield f"    {ids[entry.replaces]} --> {ids[name]}"
        yield from (f"    {ids[each]} -.->|skips| {ids[name]}" for each in entry.skips if each in ids)
    yield "  end"


def _style(channel: Channel, name: str) -> str:
    if name not in channel.entries:
        return "missing"
    if name in channel.stranded or any(name in loop for loop in channel.loops):
        return "lost"
    if name in channel.heads:
        return "head"
    return "skipped" if name in channel.skipped or name in channel.pruned else ""


def quoted(text: str) -> str:
    """Return a text that Mermaid shows as it is."""
    return text.replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;")
