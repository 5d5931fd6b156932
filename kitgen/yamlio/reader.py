"""Read YAML strictly: duplicate keys, alias bombs and ambiguous words are errors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn

import yaml

from kitgen.findings import Path
from kitgen.yamlio.data import Json, JsonObject

try:
    from yaml.cyaml import CParser as Parser  # type: ignore[attr-defined] # missing from the stubs
except ImportError:  # a PyYAML that was built without libyaml

    class Parser(  # type: ignore[no-redef] # the same events from pure Python
        yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser
    ):
        def __init__(self, stream: str) -> None:
            yaml.reader.Reader.__init__(self, stream)
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)


class Dialect(StrEnum):
    """How plain words are read."""

    SPEC = "spec"
    """As people expect; a word that readers disagree about must be quoted."""
    KUBECTL = "kubectl"
    """As kubectl reads a manifest: yes, on and y are booleans, 010 is eight."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one text may hold before it counts as an attack or an accident."""

    depth: int = 200
    aliased: int = 100_000
    """How many nodes aliases may stand for, all together."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the text."""

    rule: str
    message: str
    line: int
    path: Path = ()
    hint: str = ""


class YamlError(Exception):
    """The text is not acceptable YAML; says every reason found."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = tuple(problems)


NULLS = frozenset({"", "~", "null", "Null", "NULL"})
TRUE = frozenset({"true", "True", "TRUE"})
FALSE = frozenset({"false", "False", "FALSE"})
LOOSE = {
    word: value
    for words, value in (("y yes on", True), ("n no off", False))
    for base in words.split()
    for word in (base, base.capitalize(), base.upper())
}
INT = re.compile(r"[-+]?(0|[1-9][0-9]*)$")
FLOAT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][-+]?[0-9]+)?$")
ODD_NUMBER = re.compile(
    r"[-+]?(0[0-9_]+|0[oO][0-7_]+|0[bB][01_]+|0[xX][0-9a-fA-F_]+|[0-9][0-9_]*_[0-9_]*(\.[0-9_]*)?"
    r"|[0-9]+(:[0-5]?[0-9])+(\.[0-9]*)?|\.(inf|Inf|INF))$|\.(nan|NaN|NAN)$"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?$"
)


def read(text: str, *, dialect: Dialect = Dialect.SPEC, limits: Limits | None = None) -> Json:
    """Read text that holds one document."""
    documents = read_all(text, dialect=dialect, limits=limits)
    if len(documents) > 1:
        raise YamlError([Problem("yaml-documents", f"found {len(documents)} documents, expected one", 1)])
    return documents[0] if documents else None


def read_all(text: str, *, dialect: Dialect = Dialect.SPEC, limits: Limits | None = None) -> list[Json]:
    """Read every document of the text; an empty document is None."""
    builder = _Builder(text, dialect, limits or Limits())
    documents = builder.documents()
    if builder.problems:
        raise YamlError(builder.problems)
    return documents


def lines_of(text: str, paths: set[Path], *, document: int = 0) -> dict[Path, int]:
    """Return the line of each path: of its key in a mapping, of the item in a list.

    A path that is not there gets the line of the nearest thing above it.
    """
    builder = _Builder(text, Dialect.KUBECTL, Limits(), lines={})
    try:
        builder.documents()
    except YamlError:
        pass  # what was read before the break still has its lines
    known = builder.lines or {}
    found = {}
    for path in paths:
        steps: Path = (document, *path)
        while steps and steps not in known:
            steps = steps[:-1]
        found[path] = known.get(steps, 1)
    return found


class _Builder:
    """Turns the parser's events into data."""

    def __init__(
        self, text: str, dialect: Dialect, limits: Limits, lines: dict[Path, int] | None = None
    ) -> None:
        self.text = text
        self.loose = dialect is Dialect.KUBECTL
        self.limits = limits
        self.lines = lines
        self.problems: list[Problem] = []
        self.anchors: dict[str, tuple[Json, int]] = {}
        self.aliased = 0
        self.nodes = 0
        self.path: list[str | int] = []

    def documents(self) -> list[Json]:
        found: list[Json] = []
        try:
            self.parser: Any = Parser(self.text)
            self.parser.get_event()
            while not isinstance(self.parser.get_event(), yaml.StreamEndEvent):
                self.anchors = {}
                self.path = [len(found)]
                found.append(self.node(self.parser.get_event(), 0))
                self.parser.get_event()
        except yaml.MarkedYAMLError as error:
            self.broken(error)
        except yaml.reader.ReaderError as error:
            line = self.text.count("\n", 0, error.position) + 1
            self.stop(Problem("yaml-syntax", f"unacceptable character #x{error.character:04x}", line))
        return found

    def broken(self, error: Any) -> None:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        text = self.text.splitlines()[line - 1 : line]
        message = error.problem or error.context or "not YAML"
        hint = ""
        if text and "\t" in text[0][: len(text[0]) - len(text[0].lstrip())]:
            message, hint = "found a tab in the indentation, expected spaces", "indent with spaces"
        self.stop(Problem("yaml-syntax", message, line, self.where(), hint))

    def stop(self, problem: Problem) -> NoReturn:
        raise YamlError([*self.problems, problem]) from None

    def where(self) -> Path:
        return tuple(self.path[1:])

    def node(self, event: Any, depth: int) -> Json:
        kind = type(event)
        if self.lines is not None:
            self.lines.setdefault(tuple(self.path), event.start_mark.line + 1)
        if kind is yaml.AliasEvent:
            return self.alias(event)
        self.nodes += 1
        before = self.nodes + self.aliased
        if kind is yaml.ScalarEvent:
            value = self.scalar(event)
        else:
            if depth >= self.limits.depth:
                line = event.start_mark.line + 1
                message = f"found more than {self.limits.depth} levels of nesting"
                self.stop(Problem("yaml-limit", message, line))
            read_more = self.mapping if kind is yaml.MappingStartEvent else self.sequence
            value = read_more(event, depth + 1)
        if event.anchor:
            self.anchors[event.anchor] = (value, self.nodes + self.aliased - before + 1)
        return value

    def alias(self, event: Any) -> Json:
        line = event.start_mark.line + 1
        if event.anchor not in self.anchors:
            self.stop(
                Problem("yaml-syntax", f"alias {event.anchor!r} has no anchor before it", line, self.where())
            )
        value, size = self.anchors[event.anchor]
        self.aliased += size
        if self.aliased > self.limits.aliased:
            message = f"aliases stand for more than {self.limits.aliased} values"
            self.stop(Problem("yaml-limit", message, line, self.where(), "write the values out"))
        return value

    def sequence(self, _: Any, depth: int) -> list[Json]:
        items: list[Json] = []
        self.path.append(0)
        while not isinstance(event := self.parser.get_event(), yaml.SequenceEndEvent):
            self.path[-1] = len(items)
            items.append(self.node(event, depth))
        self.path.pop()
        return items

    def mapping(self, start: Any, depth: int) -> JsonObject:
        items: JsonObject = {}
        merged: JsonObject = {}
        self.path.append("")
        while not isinstance(event := self.parser.get_event(), yaml.MappingEndEvent):
            key = self.key(event)
            line = event.start_mark.line + 1
            self.path[-1] = key
            if self.lines is not None:
                self.lines.setdefault(tuple(self.path), line)
            value = self.node(self.parser.get_event(), depth)
            if key == "<<" and self.loose and isinstance(event, yaml.ScalarEvent) and event.implicit[0]:
                for part in value if isinstance(value, list) else [value]:
                    merged = {**(part if isinstance(part, dict) else {}), **merged}
            elif key in items:
                message = f"found the key {key!r} a second time"
                self.problems.append(Problem("yaml-duplicate", message, line, self.where(), "remove one"))
            else:
                items[key] = value
        self.path.pop()
        return {**merged, **items} if merged else items

    def key(self, event: Any) -> str:
        line = event.start_mark.line + 1
        if not isinstance(event, yaml.ScalarEvent):
            self.stop(Problem("yaml-key", "found a key that is not a string", line, self.where()))
        if event.implicit[0] and not self.loose and (event.value in LOOSE or event.value == "<<"):
            self.ambiguous(event)
        return str(event.value)

    def ambiguous(self, event: Any) -> None:
        message = f"found {event.value!r}, which YAML readers take for different things"
        line = event.start_mark.line + 1
        self.problems.append(
            Problem(
                "yaml-ambiguous",
                message,
                line,
                self.where(),
                "quote it, or write true, false or a plain number",
            )
        )

    def scalar(self, event: Any) -> Json:
        text = event.value
        if event.tag not in (None, "!"):
            return self.tagged(event)
        if not event.implicit[0]:
            return text
        first = text[:1]
        if first.isdigit() or first in "+-.":
            return self.number(event)
        if text in NULLS:
            return None
        if text in TRUE:
            return True
        if text in FALSE:
            return False
        if text in LOOSE:
            if self.loose:
                return LOOSE[text]
            self.ambiguous(event)
        return text

    def tagged(self, event: Any) -> Json:
        if event.tag == "tag:yaml.org,2002:str":
            return event.value
        line = event.start_mark.line + 1
        message = f"found the tag {event.tag!r}, expected plain values"
        self.problems.append(Problem("yaml-tag", message, line, self.where()))
        return event.value

    def number(self, event: Any) -> Json:
        text: str = event.value
        if not text:
            return None
        if INT.match(text):
            return int(text) if len(text) < 20 else float(text)
        if ODD_NUMBER.match(text):
            if not self.loose:
                self.ambiguous(event)
                return text
            return _go_number(text)
        if FLOAT.match(text):
            if not self.loose and "." not in text:  # 1e3: a number to some, a string to others
                self.ambiguous(event)
            value = float(text)
            return text if value in (float("inf"), float("-inf")) else value
        return text


def _go_number(text: str) -> Json:
    """Read an unusual number as go-yaml does: base prefixes and underscores, no base 60."""
    digits = text.replace("_", "")
    if ":" in digits or re.match(r"[0-9]{4}-", digits) or digits.lstrip("+-").lower() in (".inf", ".nan"):
        return text
    try:
        if re.match(r"[-+]?0[0-9]+$", digits):
            return int(digits, 8)
        return int(digits, 0)
    except ValueError:
        try:
            return float(digits)
        except ValueError:
            return text
