"""The images that a Dockerfile builds upon.

Templates of OpenShift, with the values that their parameters have by default.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kitgen.kube.image_mentions import is_named
from kitgen.text.yaml import Json, JsonObject

NAMES = ("dockerfile", "containerfile")
FROM = re.compile(
    r"^[ \t]*FROM[ \t]+(?:--platform=\S+[ \t]+)?(\S+)(?:[ \t]+AS[ \t]+(\S+))?",
    re.ASCII | re.IGNORECASE | re.MULTILINE,
)
EMPTY = "scratch"
"""What has no image."""


def is_dockerfile(name: str) -> bool:
    """Tell whether a key or field has a Dockerfile, by its name."""
    return name.lower().startswith(NAMES) or name.lower().endswith(NAMES)


def built_upon(text: str) -> Iterator[str]:
    """Yield the images that a Dockerfile starts from, and none of its own stages."""
    stages = {EMPTY}
    for match in FROM.finditer(text):
        if match[1].lower() not in stages and is_named(match[1], sure=True):
            yield match[1]
        if match[2]:
            stages.add(match[2].lower())


NAMED = re.compile(r"\$\{\{?(\w+)\}?\}", re.ASCII)


def filled(template: JsonObject) -> JsonObject:
    """Return a template whose objects have the values of parameters, and not those parameters themselves."""
    given: Json = template.get("parameters")
    values = {
        each["name"]: each["value"]
        for each in (given if isinstance(given, list) else ())
        if isinstance(each, dict) and isinstance(each.get("name"), str) and isinstance(each.get("value"), str)
    }
    if not values:
        return template
    used: set[str] = set()
    objects = _filled(template.get("objects"), values, used)
    left = [{} if isinstance(each, dict) and each.get("name") in used else each for each in given]
    return {**template, "objects": objects, "parameters": left}


def _filled(value: Json, values: Mapping[str, str], used: set[str]) -> Json:
    if isinstance(value, str) and "${" in value:
        used |= values.keys() & set(NAMED.findall(value))
        return NAMED.sub(lambda match: values.get(match[1], match[0]), value)
    if isinstance(value, dict):
        return {key: _filled(each, values, used) for key, each in value.items()}
    return [_filled(each, values, used) for each in value] if isinstance(value, list) else value
