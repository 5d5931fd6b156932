"""Edit the files of targets: settings for a new version, and features that only older ones have."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from typing import Any

from kitgen.text.patterns import compile_late
from kitgen.text.semver import intersect_ranges, is_in_range, version_key
from kitgen.text.yaml import Json, JsonObject
from kitgen.text.yaml.edits import edit_yaml, to_quoted_string
from kitgen.text.yaml.writer import NOT_LITERAL

NAMESPACE = "namespace"
"""What a target may say for all of its components."""
RANGE = compile_late(r" +\"[<>][^\"]*\":")
"""A line that begins the settings for some versions."""
SMALL = 80
"""How many characters fit on one line."""


def edit_target_settings(
    text: str,
    component: str,
    version: str,
    settings: JsonObject,
    left: Mapping[str, Collection[str] | None],
    others: Sequence[str],
) -> str:
    """Return a target's text with settings for a version of a component; comments and layout stay.

    Where there are other versions, they are for this one and newer ones, up to the next that is there.
    `left` is for those alone: key → the things that are not for this version by name, or None for all.
    """

    def edit(data: Any) -> None:
        if (components := data.setdefault("components", {})) is None:
            components = data["components"] = {}
        if (own := components.get(component)) is None:
            own = components[component] = {}
        here, away = _build_version_ranges(version, others)
        fresh = {
            key: each for key, each in settings.items() if not _is_already_set(data, own, key, each, version)
        }
        for key, names in left.items():
            _move_to_other_versions(own, key, version, away, others, names, settings.get(key))
            fresh[key] = _drop_set_values(own, key, version, fresh.get(key))
        fresh = {key: value for key, value in fresh.items() if value not in (None, [], {})}
        place = own
        if others and fresh:
            place = own.setdefault("versions", {}).setdefault(to_quoted_string(here), {})
        for key, value in fresh.items():
            place[key] = _merge_setting(place.get(key), _style_value(value))
        if not own:
            del components[component]
        if not components:
            del data["components"]

    return _move_blank_lines(edit_yaml(text, edit, "edit a target"), text)


def _move_blank_lines(text: str, before: str) -> str:
    """Put blank lines that stand before new ranges behind them: they belong to what comes next."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        start = index
        while start and not lines[start - 1]:
            start -= 1
        if start == index or not RANGE.fullmatch(line) or f"\n{line}\n" in before:
            continue
        depth = len(line) - len(line.lstrip())
        inside = (len(each) - len(each.lstrip()) >= depth for each in lines[index:])
        end = index + next((at for at, inner in enumerate(inside) if not inner), len(lines) - index)
        lines[start:end] = [*lines[index:end], *lines[start:index]]
    return "\n".join(lines)


def _build_version_ranges(version: str, others: Sequence[str]) -> tuple[str, list[str]]:
    """Return the range of versions that a new one begins, and the ranges around it."""
    number = version.removeprefix("v")
    if not (newer := [each for each in others if version_key(each) > version_key(version)]):
        return f">={number}", [f"<{number}"]
    following = min(newer, key=version_key).removeprefix("v")
    return f">={number} <{following}", [f"<{number}", f">={following}"]


def _is_already_set(data: Any, own: Any, key: str, value: Json, version: str) -> bool:
    """Return whether a target says a setting for all versions, and nothing else for this one."""
    whole = data if key == NAMESPACE and key not in own else own
    blocks = dict(own.get("versions") or {}).items()
    narrower = any(key in each and is_in_range(version, span) for span, each in blocks)
    return whole.get(key) == value and not narrower


def _drop_set_values(own: Any, key: str, version: str, value: Json) -> Json:
    """Return the part of a setting that a target does not say yet."""
    for span, block in ("", own), *dict(own.get("versions") or {}).items():
        if key in block and is_in_range(version, span):
            value = _subtract_values(value, block[key])
    return value


def _subtract_values(value: Json, less: Any) -> Json:
    """Return a list or a map without what stands in another one too; None for what is the same."""
    if isinstance(value, list) and isinstance(less, list):
        return [each for each in value if each not in less]
    if isinstance(value, dict) and isinstance(less, dict):
        return {key: each for key, each in value.items() if key not in less or less[key] != each}
    return None if value == less else value


def _move_to_other_versions(
    own: Any,
    key: str,
    version: str,
    away: Sequence[str],
    others: Sequence[str],
    names: Collection[str] | None,
    wanted: Json,
) -> None:
    """Leave what a target says for a new version to those around it: all of a key, or some things by name.

    What the new version wants as it is stays where it stands.
    """
    for span, block in [("", own), *dict(own.get("versions") or {}).items()]:
        if key not in block or not is_in_range(version, span):
            continue
        if not (gone := _remove_entries(block, key, names, wanted)):
            continue
        versions = own.setdefault("versions", {})
        for more in away:
            narrow = intersect_ranges(span, more)
            if any(is_in_range(each, narrow) for each in others):
                kept = versions.setdefault(to_quoted_string(narrow), {})
                kept[key] = _merge_setting(
                    kept.get(key), deepcopy(gone)
                )  # one object in two places is an anchor
        if span and not block:
            del versions[span]


def _remove_entries(block: Any, key: str, names: Collection[str] | None, wanted: Json) -> Any:
    """Take things out of a list or a map, which goes when it is empty; return them.

    They go by name, or are all that is not wanted.
    """
    given = block[key]
    if names is None and (wanted is None or not isinstance(given, dict | list)):
        return block.pop(key) if wanted is None or given != wanted else None
    if isinstance(given, dict):
        less = (
            _subtract_values(dict(given), wanted)
            if names is None
            else [each for each in given if each in names]
        )
        gone: Any = {name: given.pop(name) for name in list(given) if name in less}
    else:
        called = [each["name"] if isinstance(each, dict) and names is not None else each for each in given]
        keep = wanted if isinstance(wanted, list) else ()
        out = [name not in keep if names is None else name in names for name in called]
        gone = [each for each, goes in zip(given, out, strict=True) if goes]
        for index in reversed([index for index, goes in enumerate(out) if goes]):
            del given[index]
    if not given:
        del block[key]
    return _style_value(gone) if gone else None


def _merge_setting(have: Any, value: Json) -> Any:
    """Return what was set with more of it."""
    if have is None:
        return value
    if isinstance(have, dict) and isinstance(value, dict | list):
        for key, each in (value if isinstance(value, dict) else dict.fromkeys(value, True)).items():
            have[key] = each
        return have
    if isinstance(have, list) and isinstance(value, list):
        have += [each for each in value if each not in have]
        if len(str(list(have))) >= SMALL and hasattr(have, "fa"):
            have.fa.set_block_style()
        return have
    return (
        {**dict.fromkeys(have, True), **value}
        if isinstance(have, list) and isinstance(value, dict)
        else value
    )


def _style_value(value: Json) -> Any:
    """Return a value that is written as people write it: what is small, on one line."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq
    from ruamel.yaml.scalarstring import LiteralScalarString

    if isinstance(value, dict | list):
        made: Any = CommentedSeq(map(_style_value, value))
        if isinstance(value, dict):
            made = CommentedMap({key: _style_value(each) for key, each in value.items()})
        # Values of one line each, if they are few, stand on one line together.
        each_value = value.values() if isinstance(value, dict) else value
        flat = not any(isinstance(each, dict | list) or "\n" in str(each) for each in each_value)
        if flat and len(str(value)) < SMALL:
            made.fa.set_flow_style()
        return made
    if isinstance(value, str) and "\n" in value and value.strip() and not NOT_LITERAL.search(value):
        return LiteralScalarString(value)
    return to_quoted_string(value) if isinstance(value, str) and not value else value
