"""OpenShift Templates, processed with the default values of their parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kitgen.text.values import entries_at, list_at, text_at
from kitgen.text.yaml import Json, JsonObject

NAMED = re.compile(r"\$\{\{?(\w+)\}?\}", re.ASCII)


def filled(template: JsonObject) -> JsonObject:
    """Return a template whose objects have the values of parameters, and not those parameters themselves."""
    given = list_at(template, "parameters")
    values = {
        each["name"]: each["value"]
        for _, each in entries_at(given)
        if isinstance(each.get("name"), str) and isinstance(each.get("value"), str)
    }
    if not values:
        return template
    used: set[str] = set()
    objects = _filled(template.get("objects"), values, used)
    left = [{} if text_at(each, "name") in used else each for each in given]
    return {**template, "objects": objects, "parameters": left}


def _filled(value: Json, values: Mapping[str, str], used: set[str]) -> Json:
    if isinstance(value, str) and "${" in value:
        used |= values.keys() & set(NAMED.findall(value))
        return NAMED.sub(lambda match: values.get(match[1], match[0]), value)
    if isinstance(value, dict):
        return {key: _filled(each, values, used) for key, each in value.items()}
    return [_filled(each, values, used) for each in value] if isinstance(value, list) else value
