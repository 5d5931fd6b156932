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
        "Nothing is in a list twice, such as a variable, a port, a pull secret, an alias of a host or a "
        "subject, though an API server takes it and only warns."
    ),
    fix="Remove one of them.",
    why=(
        "Of two variables the last one counts, of two ports or subjects one is idle. A patch or an apply "
        "that merges the list by name keeps one of them, and which one is luck."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

SERVER_WARNING = Rule(
    id="server-warning",
    chapter=Chapter.SERVER,
    checks=(
        "Nothing is there that an API server takes, with a warning at most, though it does not do what it "
        "says: parts of bytes, a negative time to end, a rule about no pods, an unknown medium, a URL "
        "without a slash."
    ),
    fix="Write what the message expects.",
    why=(
        "The warning is shown once, to whoever applies it, if anybody reads it. With `memory: 500m` a "
        "container asks for half a byte, though 500Mi may be meant."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

AMOUNT_UNLIKELY = Rule(
    id="amount-unlikely",
    chapter=Chapter.SERVER,
    checks=(
        "Amounts have the unit that is meant: less than 1M of memory or storage, more than 1,000 "
        "processors, or processors counted in Gi, are hardly what anybody wants."
    ),
    fix="Add or correct the unit: memory as in 512Mi, cpu as in 500m or 2.",
    why=(
        "Without a unit memory is counted in bytes, and a container with so little never starts. No node has "
        "1Gi processors: the pod waits for ever."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
