"""Edit the files of targets: settings for a new version, and features that only older ones have."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Any

from kitgen.errors import KitgenError
from kitgen.yamlio import Json, JsonObject

FEATURES = "features"
SMALL = 80
"""How many characters fit on one line."""


def with_settings(
    text: str, component: str, version: str, settings: JsonObject, dropped: Sequence[str], *, ranged: bool
) -> str:
    """Return a target's text with settings for a version of a component; comments and layout stay.

    With `ranged`, they are for this version and newer ones. Features that the version does not have are
    left to those before it.
    """
    yaml, data = _loaded(text)
    components = data.setdefault("components", {})
    if components is None:
        components = data["components"] = {}
    own = components.get(component)
    if own is None:
        own = components[component] = {}
    number = version.removeprefix("v")
    for name in dropped:
        _until(own, name, number)
    place = own
    if ranged and settings:
        versions = own.setdefault("versions", {})
        place = versions.setdefault(_quoted(f">={number}"), {})
    for key, value in settings.items():
        place[key] = _joined(place.get(key), _styled(value))
    if not own:
        del components[component]
    if not components:
        del data["components"]
    return _dumped(yaml, data)


def _until(own: Any, feature: str, number: str) -> None:
    """Leave a feature to the versions before a new one, wherever the target turns it on or off."""
    blocks = [("", own), *dict(own.get("versions") or {}).items()]
    for span, block in blocks:
        given = block.get(FEATURES)
        if not given or feature not in given:
            continue
        value: Json = True
        if isinstance(given, list):
            given.remove(feature)
        else:
            value = given.pop(feature)
        if not given:
            del block[FEATURES]
        before = f"{span} <{number}".strip()
        versions = own.setdefault("versions", {})
        kept = versions.setdefault(_quoted(before), {})
        kept[FEATURES] = _joined(
            kept.get(FEATURES), _styled([feature] if value is True else {feature: value})
        )
        if span and not block:
            del versions[span]


def _joined(have: Any, value: Json) -> Any:
    """Return what was set with more of it."""
    if have is None:
        return value
    if isinstance(have, dict) and isinstance(value, dict):
        for key, each in value.items():
            have[key] = each
        return have
    if isinstance(have, list) and isinstance(value, list):
        have += [each for each in value if each not in have]
        return have
    if isinstance(have, list) and isinstance(value, dict):
        return {**dict.fromkeys(have, True), **value}
    if isinstance(have, dict) and isinstance(value, list):
        for each in value:
            have[each] = True
        return have
    return value


def _quoted(text: str) -> Any:
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    return DoubleQuotedScalarString(text)


def _styled(value: Json) -> Any:
    """Return a value that is written as people write it: what is small, on one line."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    if isinstance(value, list):
        items = CommentedSeq(map(_styled, value))
        if all(not isinstance(each, dict | list) for each in value) and len(str(value)) < SMALL:
            items.fa.set_flow_style()
        return items
    if isinstance(value, dict):
        made = CommentedMap({key: _styled(each) for key, each in value.items()})
        if all(not isinstance(each, dict | list) for each in value.values()) and len(str(value)) < SMALL:
            made.fa.set_flow_style()
        return made
    return _quoted(value) if isinstance(value, str) and not value else value


def _loaded(text: str) -> tuple[Any, Any]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    try:
        return yaml, yaml.load(text)
    except YAMLError as error:
        message = f"cannot edit a target of so unusual a layout: {str(error).splitlines()[0]}"
        raise KitgenError(message, hint="write it in a plainer way") from error


def _dumped(yaml: Any, data: Any) -> str:
    out = StringIO()
    yaml.dump(data, out)
    return out.getvalue()
