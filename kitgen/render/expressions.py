"""Evaluate `"{{ … }}"` values of specs: single values, sandboxed; an undefined name is an error."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import Cause, CauseKind, Finding, Origin, Path, make_problem, suggest_or_list
from kitgen.kit.model import ComponentPart, Layer, SectionItem, Settings
from kitgen.kit.model.component import SectionForm, list_section_forms
from kitgen.render.context import ComputedValue, join_computed
from kitgen.text.expressions import get_compiler, get_environment, get_error_types, measure_value
from kitgen.text.secrets import is_secret_path
from kitgen.text.yaml import Json

LITERAL = "$literal"
NUMBER = "number"
"""A version without its leading v, as catalogs write it."""
PLAIN = (
    CauseKind.COMPONENT,
    CauseKind.NAMESPACE,
    CauseKind.PREFIX,
    CauseKind.RELEASE,
    CauseKind.TARGET,
    CauseKind.VERSION,
)
"""Names of single values; most expressions are one of them alone, and need no jinja2 then."""
MAX_EXPRESSION = 1_000
ROLE = "role"
"""What an access role is called, which only its family knows: in labels there, it stays as it is."""
THE_ROLE = f"{{{{ {ROLE} }}}}"


class ExpressionNames(Struct, frozen=True):
    """What expressions may read."""

    values: dict[str, Json]
    origins: Mapping[Cause, Origin]
    """Where it stands in the specs; a base has no target and no release."""
    has_roles: bool = False
    """Whether labels may say what a role is called."""


def evaluate_part(part: ComponentPart, names: ExpressionNames) -> ComputedValue[ComponentPart]:
    """Return the part with every expression computed; what cannot be computed is a finding."""
    # Other specs lead to the names of objects as they are written.
    forms = list_section_forms()
    wrong = (
        _report_misplaced("name", each.layers[0].origin)
        for key, items in part.sections.items()
        if forms.get(key) in (SectionForm.NAME, SectionForm.NAMED)
        for each in items
        if _is_expression(each.name)
    )
    of_roles = replace(names, has_roles=True)
    made = join_computed(
        evaluate_items(items, of_roles if key == "accessRoles" else names)
        for key, items in part.sections.items()
    )
    values = dict(zip(part.sections, made.value, strict=True))
    return ComputedValue(ComponentPart(values), (*wrong, *made.findings))


def evaluate_settings(settings: Settings, names: ExpressionNames) -> ComputedValue[Settings]:
    """Return a target's settings with the expressions in configuration, variables and patches computed."""
    config, of_config = join_computed(_evaluate_layer(each, names) for each in settings.config)
    env, of_env = join_computed(_evaluate_layer(each, names) for each in settings.env.values())
    patches, of_patches = evaluate_items(settings.patches, names)
    variables = dict(zip(settings.env, env, strict=True))
    made = replace(settings, config=config, env=variables, patches=patches)
    return ComputedValue(made, (*of_config, *of_env, *of_patches))


def evaluate_text(text: str, origin: Origin, names: ExpressionNames) -> ComputedValue[str]:
    """Return a single text with its expressions computed."""
    value, found = _evaluate_value(text, origin, names)
    return ComputedValue(str(value), tuple(found))


def evaluate_items(
    items: tuple[SectionItem, ...], names: ExpressionNames
) -> ComputedValue[tuple[SectionItem, ...]]:
    """Return items with every expression computed."""
    layers, findings = join_computed(
        join_computed(_evaluate_layer(layer, names) for layer in item.layers) for item in items
    )
    made = (replace(item, layers=each) for item, each in zip(items, layers, strict=True))
    return ComputedValue(tuple(made), findings)


def _evaluate_layer(layer: Layer, names: ExpressionNames) -> ComputedValue[Layer]:
    if not _has_expression(layer.data):
        return ComputedValue(layer)
    data, found = _evaluate_value(layer.data, layer.origin, names)
    wrong = tuple(_hide_secrets(each, layer) for each in found)
    reads = () if wrong else tuple(_find_reads(layer.data, (), names.origins))
    return ComputedValue(replace(layer, data=data, reads=reads), wrong)


def _hide_secrets(finding: Finding, layer: Layer) -> Finding:
    """Return a finding that shows nothing of an expression that may be a piece of a secret."""
    path = finding.origin.path
    if not is_secret_path(path) and not is_secret_path(path[len(layer.origin.path) :], layer.data):
        return finding
    hint = finding.hint if finding.hint.startswith("did you mean") else f"wrap other text in {LITERAL}"
    return replace(finding, message="found an expression that cannot be computed", hint=hint)


def _is_expression(text: str) -> bool:
    return "{{" in text or "{%" in text


def _has_expression(value: Json) -> bool:
    if isinstance(value, str):
        return _is_expression(value)
    if isinstance(value, dict):
        return any(
            key == LITERAL or _is_expression(key) or _has_expression(item) for key, item in value.items()
        )
    return isinstance(value, list) and any(_has_expression(item) for item in value)


def _evaluate_value(value: Json, origin: Origin, names: ExpressionNames) -> ComputedValue[Json]:
    if isinstance(value, str):
        return _evaluate_template(value, origin, names) if _is_expression(value) else ComputedValue(value)
    if isinstance(value, dict):
        if LITERAL in value:
            wrong = make_problem(
                "expression", f"found {LITERAL} beside other keys, expected it alone"
            ).to_finding(origin.at(LITERAL))
            return ComputedValue(value[LITERAL], (wrong,) if len(value) > 1 else ())
        keys = [_report_misplaced("key", origin.at(key)) for key in value if _is_expression(key)]
        inside = join_computed(_evaluate_value(item, origin.at(key), names) for key, item in value.items())
        return ComputedValue(dict(zip(value, inside.value, strict=True)), (*keys, *inside.findings))
    if isinstance(value, list):
        items = join_computed(
            _evaluate_value(item, origin.at(index), names) for index, item in enumerate(value)
        )
        return ComputedValue(list(items.value), items.findings)
    return ComputedValue(value)


def _find_reads(
    value: Json, here: Path, origins: Mapping[Cause, Origin]
) -> Iterator[tuple[Path, tuple[tuple[Cause, Origin], ...]]]:
    """Yield what each expression of a value reads that stands in the specs; it was computed without fault."""
    if isinstance(value, str):
        causes = [
            cause for expression in _split_expressions(value)[1::2] for cause in _find_causes(expression)
        ]
        if found := tuple((cause, origins[cause]) for cause in causes if cause in origins):
            yield here, found
    elif isinstance(value, dict | list) and LITERAL not in value:
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _find_reads(item, (*here, step), origins)


@cache
def _find_causes(expression: str) -> tuple[Cause, ...]:
    if expression.strip() == ROLE:
        return ()
    if expression.strip() in PLAIN:
        return (Cause(CauseKind(expression.strip())),)
    from jinja2 import nodes

    tree = get_environment().parse(f"{{{{{expression}}}}}")
    words = {node.name for node in tree.find_all(nodes.Name)}
    inside = (
        node.attr if isinstance(node, nodes.Getattr) else node.arg.as_const()
        for node in tree.find_all((nodes.Getattr, nodes.Getitem))
        if isinstance(node.node, nodes.Name) and node.node.name == "images"
        if isinstance(node, nodes.Getattr) or isinstance(node.arg, nodes.Const)
    )
    images = (Cause(CauseKind.IMAGE, str(name)) for name in inside)
    return (*(Cause(kind) for kind in PLAIN if kind in words), *images)


def _report_misplaced(what: str, origin: Origin) -> Finding:
    """Report an expression where none is evaluated."""
    return make_problem(
        "expression", f"found an expression in a {what}, expected it in a value", hint="write it out"
    ).to_finding(origin)


def _evaluate_template(text: str, origin: Origin, names: ExpressionNames) -> ComputedValue[Json]:
    try:
        if "{%" in text or "{#" in text:
            raise ValueError("found a statement, expected expressions such as {{ namespace }} only")
        pieces = _split_expressions(text)
        # What a role is called only its family knows.
        kept = {ROLE: THE_ROLE} if _is_role_label(origin, names) else {}
        if not kept and len(pieces) == 3 and pieces[0] == "" and pieces[2] in ("", "\n"):
            return ComputedValue(_evaluate_expression(pieces[1], names))
        pieces[1::2] = [
            kept.get(each.strip()) or str(_evaluate_expression(each, names)) for each in pieces[1::2]
        ]
        return ComputedValue("".join(pieces))
    except get_error_types() as error:
        wrong = str(error)
    except (RecursionError, MemoryError):
        wrong = "the expression is too deep"
    return ComputedValue(text, (_report_error(wrong, origin, names),))


def _is_role_label(origin: Origin, names: ExpressionNames) -> bool:
    """Return whether a text is a label of access roles."""
    return names.has_roles and origin.path[-2:-1] == ("labels",)


def _split_expressions(text: str) -> list[str]:
    """Take a text apart: what stands before, in and behind each expression, in turn."""
    found, at = [], 0
    while (start := text.find("{{", at)) >= 0:
        if (end := text.find("}}", start + 2)) < 0:
            raise ValueError("found {{ without its }}")
        found += [text[at:start], text[start + 2 : end]]
        at = end + 2
    return [*found, text[at:]]


def _evaluate_expression(expression: str, names: ExpressionNames) -> Json:
    if len(expression) > MAX_EXPRESSION:
        raise ValueError(f"found {len(expression)} characters, expected at most {MAX_EXPRESSION}")
    name, values = expression.strip(), names.values
    if (name in PLAIN or name == NUMBER) and name in values:
        measure_value(values[name])
        return values[name]
    get_compiler().count_size(
        0
    )  # before there is any work, so that the rest is quick once there was too much
    value: Json = get_compiler().compile_expression(name)(**values)
    get_compiler().count_size(measure_value(value))
    return value


def _report_error(wrong: str, origin: Origin, names: ExpressionNames) -> Finding:
    if (word := re.search(r"'(\w+)' is undefined", wrong)) and word[1] == ROLE and names.has_roles:
        hint = f"{THE_ROLE} stands in labels, and by itself"
    elif word:
        known = [*names.values, *([ROLE] if _is_role_label(origin, names) else ())]
        hint = suggest_or_list(word[1], known, "names are")
    else:
        hint = f"wrap text with braces of its own in {LITERAL}"
    return make_problem("expression", wrong[:200].rstrip("."), hint=hint).to_finding(origin)
