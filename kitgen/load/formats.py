"""Which form of the specs a kit is written in, and how an older form becomes the current one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from kitgen import __version__
from kitgen.crds.declare.parts import names_types
from kitgen.errors import KitgenError
from kitgen.findings import Chapter, Problem, Rule
from kitgen.root import MARK
from kitgen.yamlio import Json, YamlError, read

KIT_FORMAT = Rule(
    id="kit-format",
    chapter=Chapter.SPEC,
    title="specs in another form",
    checks="The specs are written in the form that this kitgen reads, and `format` in kit.yaml says which.",
    fix="Run `kitgen upgrade` if they are older; take a newer kitgen if they are newer.",
)

Texts: TypeAlias = Mapping[str, str]
"""Spec files by path."""
Step: TypeAlias = Callable[[Texts], dict[str, str]]
"""Rewrites specs of one form into the next, and returns the files that change."""


def kit_format(data: Json) -> int | None:
    """Return the form that kit.yaml names; 0 is the one before there was a name, None is no form at all."""
    found = data.get("format", 0) if isinstance(data, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def other_format(data: Json) -> Iterator[Problem]:
    """Yield a problem if a kit.yaml names another form than the current one; its shape is not judged here."""
    match kit_format(data):
        case None:
            return
        case found if found < CURRENT:
            message = f"found specs of format {found}, expected {CURRENT}"
            path = ("format",) if isinstance(data, dict) and "format" in data else ()
            yield KIT_FORMAT(message, path, "kitgen upgrade rewrites them, and keeps comments")
        case found if found > CURRENT:
            message = f"found specs of format {found}, expected {CURRENT}"
            hint = f"take a newer kitgen: {__version__} knows no newer form than {CURRENT}"
            yield KIT_FORMAT(message, ("format",), hint)


def upgraded(texts: Texts, found: int) -> dict[str, str]:
    """Return those of the specs that change on the way from a form to the current one."""
    changed: dict[str, str] = {}
    for step in STEPS[found:]:
        changed |= step({**texts, **changed})
    return {path: text for path, text in changed.items() if text != texts[path]}


def _named(texts: Texts) -> dict[str, str]:
    """0 → 1: the form has a name, and no minor of Kubernetes is taken for granted."""
    changed = {MARK: with_key(texts[MARK], MARK, "kit", "format", 1)}
    for path, text in texts.items():
        folder, _, name = path.rpartition("/")
        if name == "component.yaml" and _has(text, "version") and not _has(text, "kubernetes"):
            crds = [text for other, text in texts.items() if other.startswith(f"{folder}/crds/")]
            if any(_has(crd, "versions") and names_types(read(crd)) for crd in crds):
                changed[path] = with_key(text, path, "version", "kubernetes", "1.30")
    return changed


def _has(text: str, key: str) -> bool:
    data = read(text)
    return isinstance(data, dict) and key in data


STEPS: tuple[Step, ...] = (_named,)
"""The n-th leads from form n to the next."""
CURRENT = len(STEPS)


def with_key(text: str, path: str, after: str, key: str, value: str | int) -> str:
    """Return a YAML file with one more key at its top, behind another one; all the rest stays as it is."""
    import yaml

    before = read(text)
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = root.value if isinstance(root, yaml.MappingNode) else ()
    written = f'{key}: "{value}"' if isinstance(value, str) else f"{key}: {value}"
    for name, node in pairs:
        if name.value == after:
            changed = _inserted(
                text, node.end_mark.index, name.start_mark.column, written, flow=root.flow_style
            )
            if _same(changed, {**before, key: value}):
                return changed
    raise KitgenError(f"cannot add {key} to {path}", hint=f"write `{written}` into it, then try again")


def _inserted(text: str, end: int, column: int, written: str, *, flow: bool) -> str:
    if flow:
        return f"{text[:end]}, {written}{text[end:]}"
    newline = "\r\n" if "\r\n" in text else "\n"
    line = text.find("\n", end)
    if line < 0:
        return f"{text}{newline}{' ' * column}{written}{newline}"
    return f"{text[: line + 1]}{' ' * column}{written}{newline}{text[line + 1 :]}"


def _same(text: str, want: Json) -> bool:
    try:
        return bool(read(text) == want)
    except YamlError:
        return False
