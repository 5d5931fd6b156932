"""Build data from YAML parser events, strictly and within bounds; with libyaml or pure Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import yaml
from yaml.events import AliasEvent, MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent

from kitgen.findings import Path, Problem, Rule, make_problem
from kitgen.text.yaml.data import INT64, LOOSE, MAX_NODES, Dialect, Json, JsonObject, Values, resolve_scalar
from kitgen.text.yaml.rules import (
    YAML_AMBIGUOUS,
    YAML_DUPLICATE,
    YAML_KEY,
    YAML_LIMIT,
    YAML_MERGE,
    YAML_TAG,
    YamlError,
)

if TYPE_CHECKING:
    from kitgen.text.yaml.lines import LineQuery

try:
    from yaml.cyaml import CParser as Parser  # type: ignore[attr-defined] # missing from the stubs
except ImportError:  # a PyYAML that was built without libyaml

    class Parser(  # type: ignore[no-redef] # the same events from pure Python
        yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser
    ):
        """Joins PyYAML's own stages."""

        def __init__(self, stream: str) -> None:
            yaml.reader.Reader.__init__(self, stream)
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)


MAX_DEPTH = 200
"""What one text may hold before it counts as an attack or an accident; see `MAX_NODES` too."""
MAX_ALIASED = 100_000
"""How many nodes aliases may stand for, all together; long text counts as one for each `LINE` characters."""
LINE = 64
MAX_TAGS = 1_000
MAX_PROBLEMS = 1_000
"""With so many, it is not worth while to read on."""
SCALAR_TAGS = frozenset({None, "!", "tag:yaml.org,2002:str"})
MERGE_TAG = "tag:yaml.org,2002:merge"
COLLECTION_TAGS = frozenset({None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})


class _Builder:
    """Turns the parser's events into data, of one text or of parts of it."""

    def __init__(
        self, dialect: Dialect, wanted: LineQuery | None = None, values: Values | None = None
    ) -> None:
        self.loose = dialect is not Dialect.SPEC
        self.twice = dialect is Dialect.TEXT
        alone = MAX_NODES[dialect]
        self.most = alone if values is None else min(alone, values.left)
        self.among = "" if self.most == alone else " in this file and those before it"
        self.wanted = wanted
        self.here: LineQuery | None = None
        """The place that is read, if its line is wanted or one below it."""
        self.problems: list[Problem] = []
        self.anchors: dict[str, tuple[Json, int]] = {}
        self.aliased = 0
        self.keys: set[str] = set()
        """Keys that were found to be strings."""
        self.values: dict[str, Json] = {}
        """Plain texts, and what they are."""
        self.nodes = 0
        self.long = 0
        """For how many more nodes long texts count."""
        self.path: list[str | int] = []

    def read_documents(self, text: str, before: int = 0, number: int = 0) -> list[Json]:
        """Return what a text holds, which may be a part of one: so many lines and documents are before it."""
        found: list[Json] = []
        self.text, self.before = text, before
        if text.count("%TAG") > MAX_TAGS:  # the parser holds each against all before it
            self.stop(YAML_LIMIT(f"found more than {MAX_TAGS} directives %TAG", hint="remove them", line=1))
        try:
            self.parser: Any = Parser(text)
            self.parser.get_event()
            while not isinstance(self.parser.get_event(), yaml.StreamEndEvent):
                self.anchors = {}
                self.path = [number + len(found)]
                self.here = self.wanted.below.get(number + len(found)) if self.wanted else None
                found.append(self.read_node(self.parser.get_event(), 0))
                self.parser.get_event()
        except yaml.MarkedYAMLError as error:
            self.report_syntax_error(error)
        except yaml.reader.ReaderError as error:
            self.report_unreadable(error.character)
        except UnicodeEncodeError as error:
            self.report_unreadable(ord(text[error.start]))
        return found

    def line_of(self, event: Any) -> int:
        """Return the line that an event is on."""
        return int(event.start_mark.line) + self.before + 1

    def report_syntax_error(self, error: Any) -> None:
        mark = error.problem_mark or error.context_mark
        last = self.text.count("\n") + (not self.text.endswith("\n"))
        line = self.before + (min(mark.line + 1, last) if mark and last else 1)  # the end may be on none
        start = self.text.rfind("\n", 0, mark.index) + 1 if mark else 0
        indent = self.text[start : start + MAX_DEPTH]
        message = error.problem or error.context or "not YAML"
        hint = self.find_template_hint(start)
        if "\t" in indent[: len(indent) - len(indent.lstrip())]:
            message, hint = "found a tab in the indentation, expected spaces", "indent with spaces"
        self.stop(make_problem("yaml-syntax", message, self.get_path(), hint, line))

    def find_template_hint(self, start: int) -> str:
        """Return what may help where a line is not YAML because something is to be filled in."""
        end = self.text.find("\n", start)
        if self.text.find("{{", start, end if end >= 0 else len(self.text)) < 0:
            return ""
        return "fill in the template first" if self.loose else "quote what has {{ }} in it"

    def report_unreadable(self, code: int) -> NoReturn:
        # libyaml counts bytes and pure Python characters, so look for the character itself.
        line = self.text.count("\n", 0, max(self.text.find(chr(code)), 0)) + 1
        self.stop(make_problem("yaml-syntax", f"found the character U+{code:04X}, expected text", line=line))

    def stop(self, wrong: Problem) -> NoReturn:
        raise YamlError([*self.problems, wrong]) from None

    def get_path(self) -> Path:
        return tuple(self.path[1:])

    def read_node(self, event: Any, depth: int) -> Json:
        if self.here is not None:
            self.here.record_line(self.line_of(event))
        if (kind := type(event)) is AliasEvent:
            return self.resolve_alias(event)
        before = self.nodes + self.long + self.aliased
        self.nodes += 1
        if self.nodes > self.most:
            self.report_too_many(event)
        value = self.read_scalar(event) if kind is ScalarEvent else self.read_collection(event, depth + 1)
        if event.anchor:
            self.anchors[event.anchor] = (value, self.nodes + self.long + self.aliased - before)
        return value

    def report_too_many(self, event: Any) -> NoReturn:
        message = f"found more values{self.among} than are read together"
        hint = "name some files at a time" if self.loose else "make several kits of it"
        if not self.among:
            message, hint = f"found more than {self.most} values", "make several files of it"
        self.stop(YAML_LIMIT(message, hint=hint, line=self.line_of(event)))

    def read_collection(self, event: Any, depth: int) -> Json:
        if depth > MAX_DEPTH:
            self.stop(YAML_LIMIT(f"found more than {MAX_DEPTH} levels of nesting", line=self.line_of(event)))
        if event.anchor:
            self.anchors.pop(event.anchor, None)  # an alias inside must not mean an older value
        if event.tag not in COLLECTION_TAGS:
            self.report_tag(event)
        return self.read_mapping(depth) if type(event) is MappingStartEvent else self.read_sequence(depth)

    def resolve_alias(self, event: Any) -> Json:
        line = self.line_of(event)
        if event.anchor not in self.anchors:
            self.stop(
                make_problem(
                    "yaml-syntax",
                    "found an alias that names nothing before it, or itself",
                    self.get_path(),
                    line=line,
                )
            )
        value, size = self.anchors[event.anchor]
        self.aliased += size
        if self.aliased > MAX_ALIASED:
            self.stop(
                YAML_LIMIT(
                    f"aliases stand for more than {MAX_ALIASED} values",
                    self.get_path(),
                    "write the values out",
                    line,
                )
            )
        return value

    def read_sequence(self, depth: int) -> list[Json]:
        items: list[Json] = []
        outer, path, next_event = self.here, self.path, self.parser.get_event
        path.append(0)
        while type(event := next_event()) is not SequenceEndEvent:
            path[-1] = len(items)
            if outer is not None:
                self.here = outer.below.get(len(items))
            items.append(self.read_node(event, depth))
        path.pop()
        self.here = outer
        return items

    def read_mapping(self, depth: int) -> JsonObject:
        items: JsonObject = {}
        merged: JsonObject = {}
        outer, path, next_event = self.here, self.path, self.parser.get_event
        path.append("")
        while type(event := next_event()) is not MappingEndEvent:
            key = path[-1] = self.read_key(event)
            if outer is not None:
                self.here = found = outer.below.get(key)
                if found:
                    found.record_line(self.line_of(event))
            value = self.read_node(next_event(), depth)
            # A key << is more than a name if it is plain, or Go's writer says so with a tag.
            if key == "<<" and self.loose and (event.implicit[0] or event.tag == MERGE_TAG):
                for name, item in self.merge_mappings(value, event).items():
                    merged.setdefault(name, item)
            elif key in items and not self.twice:
                self.report(YAML_DUPLICATE, f"found the key {key!r} a second time", event, "remove one")
            else:
                items[key] = value
        path.pop()
        self.here = outer
        return {**merged, **items} if merged else items

    def merge_mappings(self, value: Json, event: Any) -> JsonObject:
        parts = value if isinstance(value, list) else [value]
        if not all(isinstance(part, dict) for part in parts):
            self.report(YAML_MERGE, "found << without a mapping to merge", event)
            return {}
        return {key: item for part in reversed(parts) for key, item in part.items()}

    def read_key(self, event: Any) -> str:
        plain = type(event) is ScalarEvent
        if plain and event.value in self.keys and event.tag is None and event.anchor is None:
            return str(event.value)  # most keys, by far
        if plain and event.tag == MERGE_TAG and self.loose:
            return str(event.value)
        if not plain or event.tag not in SCALAR_TAGS:
            self.path[-1] = ""
            message = "found a key that is not a plain string"
            hint = self.find_template_hint(self.text.rfind("\n", 0, event.start_mark.index) + 1)
            self.stop(YAML_KEY(message, self.get_path(), hint, self.line_of(event)))
        text: str = event.value
        if event.anchor:
            self.anchors[event.anchor] = (text, 1)
        if not event.implicit[0]:
            return text
        value, ambiguous = resolve_scalar(text)
        if isinstance(value, str) and not ambiguous:
            self.keys.add(text)
            return text
        self.path[-1] = text
        return self.to_string_key(event, value, ambiguous)

    def to_string_key(self, event: Any, value: Json, ambiguous: bool) -> str:
        """Return the key that kubectl makes of a word or number; in a spec it must be quoted."""
        text: str = event.value
        if value is None or not (self.loose or ambiguous):
            self.report(YAML_KEY, f"found the key {text!r}, expected a string", event, "quote it")
            return text
        if not self.loose:
            self.report_ambiguous(event)
            return text
        if isinstance(value, bool):
            return "true" if value else "false"
        is_rounded = isinstance(value, float) or (isinstance(value, int) and value not in INT64)
        return f"{value:.8g}" if is_rounded else str(value)

    def report(self, rule: Rule, message: str, event: Any, hint: str = "") -> None:
        line = self.line_of(event)
        self.problems.append(rule(message, self.get_path(), hint, line))
        if len(self.problems) >= MAX_PROBLEMS:
            self.stop(YAML_LIMIT(f"found {MAX_PROBLEMS} problems, and the rest was not read", line=line))

    def report_ambiguous(self, event: Any) -> None:
        # A number may be a secret, and what is around it is not known here.
        word = repr(event.value) if event.value in LOOSE else "a plain number or date"
        self.report(
            YAML_AMBIGUOUS,
            f"found {word}, which YAML readers take for different things",
            event,
            "quote it, or write true, false or a plain number",
        )

    def read_scalar(self, event: Any) -> Json:
        text: str = event.value
        self.long += len(text) // LINE
        if event.tag not in SCALAR_TAGS:
            self.report_tag(event)
        if not event.implicit[0]:
            return text
        if text in self.values:
            return self.values[text]
        value, ambiguous = resolve_scalar(text)
        if ambiguous and not self.loose:
            self.report_ambiguous(event)
            return text
        self.values[text] = value
        return value

    def report_tag(self, event: Any) -> None:
        known = event.tag.startswith("tag:yaml.org,")  # else it may be a text that should be quoted
        self.report(
            YAML_TAG,
            f"found {f'the tag {event.tag!r}' if known else 'a tag'}, expected plain values",
            event,
            "remove the tag" if known else "remove the tag, or quote the text",
        )
