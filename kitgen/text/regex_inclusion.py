"""Decide whether every text that matches one of Go's regular expressions matches another one too.

Both become automata, which are followed side by side. A match may start and end anywhere in a text, as in API
servers. Syntax that the parser does not support, and searches with too many steps, stay undecided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from kitgen.text.regex import ALPHABET, Characters, RegexNode, UnknownSyntaxError, parse_regex

STATES = 3_000
"""How large an automaton may get."""
STEPS = 200_000
"""How many states one comparison looks at: about half a second."""
START, END = "^", "$"
READABLE = ("a", "0", "A", "-", *map(chr, range(0x21, 0x7F)), *sorted(ALPHABET))
"""All characters, and first those that examples are made of where there is a choice."""
States = frozenset[int]


class Inclusion(Struct, frozen=True):
    """Whether a text that matches before matches after."""

    held: bool | None
    """None if it could not be decided."""
    example: str = ""
    """A text that matches before and not after."""
    steps: int = 0
    """What it took."""


@lru_cache(maxsize=512)
def compute_inclusion(wide: str, *narrow: str) -> Inclusion:
    """Return whether a pattern matches every text that matches all of some others."""
    try:
        automata = [_Automaton(parse_regex(each)) for each in (wide, *narrow)]
    except (UnknownSyntaxError, RecursionError):
        return Inclusion(None)
    return _Search(automata).run()


class _Spent(Exception):  # noqa: N818 # nothing is wrong
    """No steps are left."""


class _Automaton:
    """States and the ways between them; it starts in 0, where any text may go before a match."""

    def __init__(self, pattern: RegexNode) -> None:
        self.steps: list[list[tuple[Characters, int]]] = []
        self.free: list[list[tuple[str, int]]] = []
        first = self._add_state()
        self.steps[first].append((ALPHABET, first))
        self.last = self._add_node(pattern, first)
        self.steps[self.last].append((ALPHABET, self.last))

    def _add_state(self) -> int:
        if len(self.steps) == STATES:
            raise UnknownSyntaxError("too large")
        self.steps.append([])
        self.free.append([])
        return len(self.steps) - 1

    def _add_node(self, node: RegexNode, at: int) -> int:
        """Add the states of a part behind a state; return the one that it ends in."""
        match node.kind:
            case "set":
                end = self._add_state()
                self.steps[at].append((node.characters, end))
                return end
            case "at":
                return self._add_epsilon(at, self._add_state(), node.sign)
            case "all":
                for each in node.parts:
                    at = self._add_node(each, at)
                return at
            case "any":
                end = self._add_state()
                for each in node.parts:
                    self._add_epsilon(self._add_node(each, self._add_epsilon(at, self._add_state())), end)
                return end
        return self._add_repetition(node, at)

    def _add_epsilon(self, at: int, end: int, sign: str = "") -> int:
        self.free[at].append((sign, end))
        return end

    def _add_repetition(self, node: RegexNode, at: int) -> int:
        (inner,) = node.parts
        for _ in range(node.least):
            at = self._add_node(inner, at)
        if node.most is None:
            again = self._add_epsilon(at, self._add_state())
            self._add_epsilon(self._add_node(inner, again), again)
            return self._add_epsilon(again, self._add_state())
        end = self._add_state()
        self._add_epsilon(at, end)
        for _ in range(node.most - node.least):
            at = self._add_epsilon(
                self._add_node(inner, self._add_epsilon(at, self._add_state())), self._add_state()
            )
            self._add_epsilon(at, end)
        return end

    def epsilon_closure(self, states: Iterable[int], signs: str) -> States:
        """Return the states that are reached without a character, where some signs hold."""
        todo, found = list(states), set(states)
        while todo:
            for sign, end in self.free[todo.pop()]:
                if (not sign or sign in signs) and end not in found:
                    found.add(end)
                    todo.append(end)
        return frozenset(found)

    def advance(self, states: States, character: str) -> States:
        """Return the states behind a character."""
        steps = (step for each in states for step in self.steps[each])
        return self.epsilon_closure({end for characters, end in steps if character in characters}, "")


class _Search:
    """Follows several automata at once, the wide one first, until one text is not in it."""

    def __init__(self, automata: Sequence[_Automaton]) -> None:
        self.automata = automata
        self.characters = _select_characters(automata)
        self.left = STEPS
        self._known: dict[tuple[int, States, str], States] = {}

    def run(self) -> Inclusion:
        """Look for a text, the shortest first."""
        try:
            example = self._find_example()
        except _Spent:
            return Inclusion(None, steps=STEPS)
        return Inclusion(example is None, example or "", STEPS - self.left)

    def _find_example(self) -> str | None:
        todo = [("", tuple(each.epsilon_closure([0], START) for each in self.automata))]
        known = set()  # without the first: where it comes again, the text is not empty any more
        for text, sets in todo:  # which grows meanwhile
            wide, *narrow = (self._is_accepting(index, each, not text) for index, each in enumerate(sets))
            if all(narrow) and not wide:
                return text
            if self.automata[0].last in sets[0]:
                continue  # whatever follows matches
            for character in self.characters:
                after = tuple(self._advance(index, each, character) for index, each in enumerate(sets))
                if after not in known:
                    known.add(after)
                    todo.append((text + character, after))
        return None

    def _is_accepting(self, index: int, states: States, empty: bool) -> bool:
        self._count_steps(len(states))
        one = self.automata[index]
        return one.last in one.epsilon_closure(states, START + END if empty else END)

    def _advance(self, index: int, states: States, character: str) -> States:
        if (key := (index, states, character)) not in self._known:
            self._count_steps(len(states))
            self._known[key] = self.automata[index].advance(states, character)
        self._count_steps(1)
        return self._known[key]

    def _count_steps(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise _Spent


def _select_characters(automata: Iterable[_Automaton]) -> list[str]:
    """Return a character of each class that the automata distinguish, readable ones first."""
    classes = {characters for each in automata for steps in each.steps for characters, _ in steps}
    found: dict[tuple[bool, ...], str] = {}
    for each in READABLE:
        found.setdefault(tuple(each in characters for characters in classes), each)
    return sorted(found.values(), key=lambda each: (not each.isalnum(), each))
