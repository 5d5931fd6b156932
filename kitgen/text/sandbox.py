"""A jinja2 sandbox for foreign expressions and templates, in bounded time and space.

Both can access items only, no attributes or methods, and compute with numbers alone. An expression yields a
plain value. A template runs over plain data, all of it escaped; it may loop and call its own macros, so every
operation is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from math import inf
from typing import Any

from jinja2 import BaseLoader, StrictUndefined, TemplateAssertionError, Undefined, nodes
from jinja2.runtime import BlockReference, LoopContext, Macro, TemplateReference
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer
from markupsafe import Markup

from kitgen.text.expressions import count_value, validate_length
from kitgen.text.wording import escape_markdown, escape_unprintable, format_code

MAX_STEPS = 100_000
"""How many turns of loops and calls of macros a template may take."""
MAX_TEXT = 4_000_000
"""How many characters and values a template may print or compute in all; ten for one in notes are usual."""
MAX_BITS = 64


class Budget:
    """What a template may still do; one that kitgen ships ends by itself."""

    def __init__(self, *, endless: bool = False) -> None:
        self.steps: float = inf if endless else MAX_STEPS
        self.text: float = inf if endless else MAX_TEXT

    def count_step(self) -> None:
        """Count a turn of a loop, or a call."""
        self.steps -= 1
        if self.steps < 0:
            raise ValueError(f"found more than {MAX_STEPS:,} turns of loops and calls of macros")

    def count_text(self, size: int) -> None:
        """Count what is printed or computed."""
        self.text -= size
        if self.text < 0:
            raise ValueError(f"found more than {MAX_TEXT:,} characters and values in all that it computes")

    def count_turns(self, items: Iterable[Any], size: int = 0) -> Iterator[Any]:
        """Yield items, and count them with the text that stands in the loop."""
        for each in items:
            self.count_step()
            self.count_text(size)
            yield each

    def count_value(self, value: Any) -> Any:
        """Return a value, and count it with all that is in it; a list may hold the same one many times."""
        self.count_text(1)
        if isinstance(value, str):
            self.count_text(len(value))
        elif isinstance(value, dict):
            for item in (*value, *value.values()):
                self.count_value(item)
        elif isinstance(value, list | tuple):
            for item in value:
                self.count_value(item)
        elif isinstance(value, int) and value.bit_length() > MAX_BITS:
            raise ValueError(f"found a whole number of more than {MAX_BITS} bits")
        elif isinstance(value, Macro | BlockReference | TemplateReference):
            raise ValueError("found a macro or block as a value, expected a call of it")
        return value


FILTERS = (
    *("abs", "capitalize", "count", "dictsort", "first", "groupby", "int", "last", "length", "list", "lower"),
    *("map", "max", "min", "reject", "rejectattr", "reverse", "round", "select", "selectattr", "sort"),
    *("string", "sum", "title", "trim", "truncate", "unique", "upper"),
)
"""Filters of jinja2 whose results are not larger than what they get."""
PLAIN_FILTERS = ("int", "length", "lower", "string", "trim", "upper", "first", "last")
"""Those for expressions."""
TURNS, WEIGHED = "turns__", "weighed__"


class CountingExtension(NodeTransformer):
    """Makes a template count what it does, and refuses what reads other templates."""

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802 # jinja2 calls these by the node
        """Count turns, each with the text that it prints."""
        found: Iterable[Any] = node.find_all((nodes.TemplateData, nodes.Const))
        texts = (each.value if isinstance(each, nodes.Const) else each.data for each in found)
        size = nodes.Const(sum(len(each) for each in texts if isinstance(each, str)))
        self.generic_visit(node)
        node.iter = _build_filter(node.iter, TURNS, size)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Filter:  # noqa: N802
        """Join texts by the filter that counts them."""
        self.generic_visit(node)
        return _build_filter(nodes.List(node.nodes, lineno=node.lineno), "join")

    def visit_Compare(self, node: nodes.Compare) -> nodes.Compare:  # noqa: N802
        """Count what is compared: lists may be nested deeply."""
        self.generic_visit(node)
        node.expr = _build_filter(node.expr, WEIGHED)
        for each in node.ops:
            each.expr = _build_filter(each.expr, WEIGHED)
        return node

    def visit_Include(self, node: nodes.Stmt) -> nodes.Stmt:  # noqa: N802
        """Refuse other templates."""
        raise TemplateAssertionError("found another template, expected one alone", node.lineno)

    visit_Import = visit_FromImport = visit_Include  # noqa: N815


def _build_filter(node: Any, name: str, *args: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, name, [*args], [], None, None, lineno=node.lineno)


def _escape_markdown(text: str) -> str:
    """Escape a text, and keep the blank at its end, which stands between it and the next one."""
    return escape_markdown(text) + (" " if text.endswith(" ") and text.strip() else "")


class Sandbox(ImmutableSandboxedEnvironment):
    """Refuses what could grow without end, and knows items only, no attributes or methods."""

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return an item."""
        try:
            return obj[argument]
        except (LookupError, TypeError):
            return self.undefined(obj=obj, name=argument)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an item, too."""
        return self.getitem(obj, attribute)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Compute with numbers alone."""
        if operator == "**" or not all(isinstance(side, int | float) for side in (left, right)):
            raise ValueError(self.describe_refusal(operator))
        return super().call_binop(context, operator, left, right)

    def describe_refusal(self, operator: str) -> str:
        """Report that an operator does not support such values."""
        return f"the operator {operator} is not allowed here"


def _make_counting(known: Any, count: Callable[[Any], object]) -> Callable[..., Any]:
    """Return a filter or test that counts what it gets; what it gives item by item becomes a list."""
    first = 1 if hasattr(known, "jinja_pass_arg") else 0  # it gets the environment before the values

    @wraps(known)
    def counted(*args: Any, **named: Any) -> Any:
        for each in (*args[first:], *named.values()):
            count(each)
        made = known(*args, **named)
        return [*made] if isinstance(made, Iterator) else made

    return counted


class _Missing(StrictUndefined):
    """Is an error inside a list or mapping too, when that is made into text."""

    __slots__ = ()
    __repr__ = StrictUndefined.__str__


class ExpressionSandbox(Sandbox):
    """Computes single expressions: names, operators and some filters."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def __init__(self) -> None:
        # Its optimizer computes what is constant over and over: [1][1][1]… would take minutes.
        super().__init__(undefined=_Missing, optimized=False)
        self.globals.clear()
        known = {name: self.filters[name] for name in PLAIN_FILTERS} | {
            "join": _join_texts,
            "replace": _replace_text,
        }
        plain = {name: _make_counting(each, count_value) for name, each in known.items()}
        self.filters = {**plain, "default": self.filters["default"]}

    def call(self, *_: Any, **__: Any) -> Any:
        """Refuse every call: filters do what expressions need, and have bounds."""
        raise ValueError("found a call, expected names, operators and filters only")


def _replace_text(text: Any, old: str, new: str) -> str:
    """Replace, unless the result would be too long: chains of it could grow without end."""
    whole = str(text)
    validate_length(len(whole) + whole.count(old) * len(new))
    return whole.replace(old, new)


def _join_texts(items: Any, between: str = "") -> str:
    parts = [str(item) for item in items]
    validate_length(sum(map(len, parts)) + len(parts) * len(between))
    return between.join(parts)


class TemplateSandbox(Sandbox):
    """Runs a template as a whole; all that it does counts."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def __init__(self, budget: Budget, loader: BaseLoader) -> None:
        # Its optimizer computes what is constant over and over.
        super().__init__(
            undefined=StrictUndefined,
            autoescape=True,
            finalize=self.escape_value,
            loader=loader,
            optimized=False,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self.budget = budget
        self.globals.clear()
        plain = {name: _make_counting(self.filters[name], budget.count_value) for name in FILTERS}
        own = {
            "code": self.format_code,
            "join": self.join_texts,
            "line": self.escape_line,
            "safe": self.mark_safe,
        }
        counting = {TURNS: budget.count_turns, WEIGHED: budget.count_value}
        self.filters = {**plain, **own, **counting, "default": self.filters["default"]}
        self.tests = {name: _make_counting(known, budget.count_value) for name, known in self.tests.items()}

    def compile(self, source: Any, name: Any = None, filename: Any = None, *args: Any, **named: Any) -> Any:
        """Compile a template so that it counts."""
        if isinstance(source, str):
            try:
                source = CountingExtension().visit(self.parse(source, name, filename))
            except TemplateAssertionError as error:
                error.filename = error.filename or filename
                raise
        return super().compile(source, name, filename, *args, **named)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an item, too; only `loop` has attributes."""
        if isinstance(obj, LoopContext):
            return ImmutableSandboxedEnvironment.getattr(self, obj, attribute)
        return self.getitem(obj, attribute)

    def call(self, __context: Any, __obj: Any, *args: Any, **named: Any) -> Any:
        """Call macros and blocks alone; filters do what else is needed."""
        if not isinstance(__obj, Macro | BlockReference):
            raise ValueError("found a call, expected macros and filters only")
        self.budget.count_step()
        return self.budget.count_value(super().call(__context, __obj, *args, **named))

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Compute with numbers alone."""
        return self.budget.count_value(super().call_binop(context, operator, left, right))

    def describe_refusal(self, operator: str) -> str:
        """Report that an operator does not support such values."""
        hint = ", expected ~ between texts" if operator == "+" else ", expected it between numbers"
        return f"found the operator {operator}{hint if operator != '**' else ''}"

    def escape_value(self, value: Any) -> Markup:
        """Write a value so that it is no markup; nothing is written for null."""
        if not isinstance(value, str | int | float | Undefined | None):
            raise ValueError("found a list or mapping to print, expected a text or a number")
        text = (
            value
            if isinstance(value, Markup)
            else Markup(_escape_markdown("" if value is None else str(value)))
        )
        self.budget.count_text(len(text))
        return text

    def format_code(self, value: Any) -> Markup:
        """Write a value as code, which it cannot end."""
        made = Markup(format_code(str(self.budget.count_value(value))))
        self.budget.count_text(len(made))
        return made

    def escape_line(self, value: Any) -> Markup:
        """Take a text for one line of a block of code, whatever is in it."""
        return Markup(escape_unprintable(str(self.budget.count_value(value))))

    def mark_safe(self, value: Any) -> Markup:
        """Take a text for Markdown as it is."""
        return Markup(str(self.budget.count_value(value)))

    def join_texts(self, items: Iterable[Any], between: Any = "") -> str:
        """Join texts; what is not escaped yet is, if some of them are."""
        parts = ["" if each is None else each for each in self.budget.count_turns(items)]
        if any(isinstance(each, Markup) for each in (*parts, between)):
            parts, between = [self.escape_value(each) for each in parts], self.escape_value(between)
            return Markup(self.budget.count_value(str(between).join(map(str, parts))))
        for each in parts:
            self.budget.count_value(each)
            self.budget.count_value(between)
        return str(between).join(map(str, parts))
