"""The rules of what an API server refuses: one for each way in which it says no."""

from __future__ import annotations

from kitgen.findings import Chapter, Rule, Severity

SERVER_REQUIRED = Rule(
    id="server-required",
    chapter=Chapter.SERVER,
    checks="What an API server asks for is there, though the schema lets it be left out.",
    fix="Add the field.",
    why="The API server refuses the object, and whoever applies it stops there.",
    exceptable=True,
)

SERVER_INVALID = Rule(
    id="server-invalid",
    chapter=Chapter.SERVER,
    checks="Names, ports, times, quantities, selectors and words have a form and are words that it takes.",
    fix="Write what the message expects.",
    why="The API server refuses the object, and whoever applies it stops there.",
    exceptable=True,
)

SERVER_FORBIDDEN = Rule(
    id="server-forbidden",
    chapter=Chapter.SERVER,
    checks="No field stands where others rule it out.",
    fix="Remove one of them.",
    why="The API server refuses the object, and whoever applies it stops there.",
    exceptable=True,
)

SERVER_DUPLICATE = Rule(
    id="server-duplicate",
    chapter=Chapter.SERVER,
    checks="Nothing is named twice in a list whose items have names of their own.",
    fix="Rename or remove one.",
    why="The API server refuses the object; where it does not, one item silently replaces the other.",
    exceptable=True,
)

SERVER_LIMIT = Rule(
    id="server-limit",
    chapter=Chapter.SERVER,
    checks="No text or list is longer than an API server takes.",
    fix="Make it shorter.",
    why="The API server refuses the object, and whoever applies it stops there.",
    exceptable=True,
)

NAMED_TWICE = Rule(
    id="named-twice",
    chapter=Chapter.SERVER,
    checks=(
        "No variable, port, pull secret or subject is in a list twice, though an API server takes it and "
        "only warns."
    ),
    fix="Remove one of them.",
    why=(
        "Of two variables the last one counts, of two ports or subjects one is idle. A patch or an apply "
        "that merges the list by name keeps one of them, and which one is luck."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
