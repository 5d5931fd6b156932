"""Find placeholders in texts that were never replaced by a value."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.references.target_objects import Found, TargetObjects
from kitgen.check.schemas.catalog import is_kubernetes_group
from kitgen.check.views import Minors, ObjectView
from kitgen.findings import Path, Problem, make_problem
from kitgen.text.patterns import compile_late
from kitgen.text.wording import quote_text

VARIABLE = compile_late(r"(?<!\$)\$\([A-Z][A-Z0-9_]*\)")
WORD = compile_late(
    r"(REPLACE|CHANGE)[_-]?(ME|THIS|IMAGE|NAMESPACE|NAME)|PLACEHOLDER|TODO|FIXME|TBD|<[A-Z][A-Z0-9_-]+>"
    r"|<(your|my|insert|replace|change)[-_ ][\w -]+>|\$\{[A-Z][A-Z0-9_]*\}|\{\{[^{}\n]*\}\}"
)
MARKS = ("$", "<", "{{", "REPLACE", "CHANGE", "PLACEHOLDER", "TODO", "FIXME", "TBD")
"""One of these is in every placeholder."""
STARTS = frozenset("CFPRT<${")
"""How such words start: most texts need no closer look."""
LONGEST = 1000
"""A longer text is a document of its own."""
ELSEWHERE = frozenset(
    {
        "command",
        "args",
        "env",
        "data",
        "stringData",
        "binaryData",
        "expression",
        "messageExpression",
        "subPathExpr",
    }
)
"""Fields that others read, with a syntax of theirs."""
NAMED_OTHERWISE = frozenset({"name", "namespace", "labels", "matchLabels", "image"})
"""Fields where other rules tell of it: they have a form."""


def check_placeholders(scene: TargetObjects) -> Iterator[Found]:
    """Yield placeholders, one for each field."""
    minors = scene.context.minors
    for manifest in scene.index.manifests:
        view = scene.context.get_view(scene.target, manifest)
        yield from ((manifest, each) for each in view.list_problems(_check_texts, minors))


def _check_texts(view: ObjectView, minors: Minors) -> Iterator[Problem]:
    whole = is_kubernetes_group(view.id.group, minors)
    for path, text in view.texts if view.may_contain(*MARKS) else ():
        if (
            not ("$(" in text or text[:1] in STARTS)
            or len(text) > LONGEST
            or _is_interpreted_field(path, whole=whole)
        ):
            continue
        match = VARIABLE.search(text) or WORD.fullmatch(text)
        if match and path[-1] != "image" and (match.re is VARIABLE or path[-1] not in NAMED_OTHERWISE):
            message = f"found {quote_text(match[0])} in its place, expected what it stands for"
            yield make_problem("placeholder-left", message, path)


def _is_interpreted_field(path: Path, *, whole: bool) -> bool:
    """Return whether others read a field, with a syntax of theirs, as most of a custom resource."""
    if path[:1] != ("metadata",):
        return not whole or not ELSEWHERE.isdisjoint(map(str, path))
    key = next(step for step in reversed(path) if isinstance(step, str))
    return key in ELSEWHERE and path[:2] != ("metadata", "annotations")
