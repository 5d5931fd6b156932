"""Inverse of the family of parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kitgen.findings import Path
from kitgen.kube.manifest import existing_value
from kitgen.kube.names import HASHED, content_hash
from kitgen.render.families.containers_inverse import (
    find_config_maps,
    find_operator,
    index_by,
    maps_at,
    repository_of,
)
from kitgen.render.families.params import CONTRACT, check_param_value
from kitgen.render.inverse import Inverse, RecognisedSection, TreeObjects
from kitgen.render.kustomize.field_paths import resolve_field_path
from kitgen.render.section_changes import make_change_converter
from kitgen.text.patterns import compile_late
from kitgen.text.values import list_at, map_at, text_at, value_at
from kitgen.text.yaml import Json, JsonObject, walk_values

KEY = compile_late(r"\.?[-_a-zA-Z0-9][-._a-zA-Z0-9]{0,250}$")
IMAGE = compile_late(r"[^\s/]+/\S+[:@]\S+$")
ACCOUNT = compile_late(r"system:serviceaccount:([^:]+):[^:]+$")
PLAIN = compile_late(r"[A-Za-z0-9_-]+$")
WORDS = compile_late(r"^(related-)?images?-|-image$")
"""What names of parameters say besides what the image is of."""
LONGEST = 1000
"""What is longer is neither an image nor an account."""
FIELD = compile_late(r"[\w.\\=^$\[\]/-]+$", re.ASCII)
NAMESPACE, IMAGES = "namespace", "image"
Followers = dict[tuple[str, str], list[JsonObject]]


def recognise_params(scene: TreeObjects) -> RecognisedSection | None:
    """Take the ConfigMap that kustomize generated: its hash fits, or it holds the image of a container."""
    own, followers = map_at(scene.found, "deployment", "containers"), _find_followers(scene)
    real = {str(each.get("image")): name for name, each in find_operator(scene).containers.items()}
    images = {image: text for image, name in real.items() if (text := text_at(own, name, "image"))}
    found: list[tuple[bool, RecognisedSection]] = []
    for identity, body, data in find_config_maps(scene):
        bare = HASHED.sub("", identity.name)
        name, certain = scene.strip_prefix(bare), identity.name == f"{bare}-{content_hash(data)}"
        known = name == value_at(scene.older, "params", "configMap")
        noted = value_at(body, "metadata", "labels") or value_at(body, "metadata", "annotations")
        if not name or noted or (identity in scene.labelled and not known):
            continue  # a ConfigMap that is generated has none of its own
        if not certain and not any(value in images for value in data.values()):
            continue
        keys = {key: _recognise_key(scene, key, value, images, followers) for key, value in data.items()}
        if all(keys.values()):
            operands = _name_operand_images(scene, keys, images.values())
            hashed = {} if bare != identity.name else {"hash": False}
            section = {"configMap": name, **hashed, "keys": keys}
            made = RecognisedSection(section=section, objects=frozenset({identity}), images=operands)
            found.append((certain, made))
    return max(found, key=lambda each: each[0])[1] if found else None


def is_image(text: str) -> bool:
    """Return whether a text is an image with a tag or a digest."""
    return len(text) < LONGEST and bool(IMAGE.fullmatch(text))


def _recognise_key(
    scene: TreeObjects, key: str, value: str, images: dict[str, str], followers: Followers
) -> JsonObject:
    """Return what a key of params.env holds; empty if no spec could say it."""
    if not KEY.fullmatch(key) or not value or any(check_param_value(key, value)):
        return {}
    known = maps_at(scene.older, "params", "keys", key, "fills")
    fills = known if all(_is_field_value(scene, fill, value) for fill in known) else []
    if value in images:  # it is the container that follows
        return {"image": images[value], **({"fills": fills} if fills else {})}
    if not fills and (name := _find_variable_container(scene, key, value)):
        return {"value": value, "env": name}
    fills = (
        fills
        or _find_variable_fills(scene, key, value)
        or followers.get((NAMESPACE if key == NAMESPACE else IMAGES, value), [])
    )
    if not fills and key not in CONTRACT:
        return {}  # a parameter that nothing follows is none
    return {"value": value, **({"fills": fills} if fills else {})}


def _name_operand_images(
    scene: TreeObjects, keys: dict[str, JsonObject], taken: Iterable[str]
) -> dict[str, str]:
    """Give the images that variables follow a name, that of an older spec or of the parameter; return them.

    What an older spec says by its value stays so.
    """
    older = map_at(scene.older, "params", "keys")
    last = {name: repository_of(image).rpartition("/")[2] for image, name in scene.images.items()}
    named = {*taken}
    found: dict[str, str] = {}
    for key, content in keys.items():
        before, value = map_at(older, key), content.get("value", "")
        if "env" not in content or not is_image(value) or "value" in before:
            continue
        plain = re.sub(r"[_.]", "-", key.lower()).strip("-") or "operand"
        likely = [before.get("image"), scene.images.get(value), WORDS.sub("", plain), plain]
        same = repository_of(value).rpartition("/")[2]
        name = next(
            each
            for each in (*likely, *(f"{plain}-{number}" for number in range(2, len(keys) + len(last) + 4)))
            if each and each not in named and (each == likely[0] or last.get(each, same) == same)
        )
        named.add(name)
        found[name] = value
        keys[key] = {"image": name, "env": content["env"]}
    return found


def _find_variable_container(scene: TreeObjects, key: str, value: str) -> str:
    """Return the container of the operator that has the value of a parameter in a variable of its name."""
    for name, container in find_operator(scene).containers.items():
        variables = index_by("name", container.get("env")) or {}
        if variables.get(key, {}).get("value") == value and FIELD.fullmatch(f"{name}{key}"):
            return name
    return ""


def _find_variable_fills(scene: TreeObjects, key: str, value: str) -> list[JsonObject]:
    """Return the variable of the operator that a parameter such as log-level evidently fills: LOG_LEVEL."""
    variable = re.sub(r"[-.]", "_", key).upper()
    if not (name := _find_variable_container(scene, variable, value)):
        return []
    field = f"spec.template.spec.containers.[name=^{name}$].env.[name=^{variable}$].value"
    return [{"object": f"Deployment/{find_operator(scene).id.name}", "field": field}]


def _is_field_value(scene: TreeObjects, fill: JsonObject, value: str) -> bool:
    """Return whether a field holds the value of a parameter."""
    bodies = (
        body for each, body in scene.everything.items() if f"{each.kind}/{each.name}" == fill.get("object")
    )
    try:
        body = next(bodies)
        found = existing_value(body, resolve_field_path(body, str(fill.get("field"))))
    except (LookupError, StopIteration):
        return False
    parts = str(found).split(fill["delimiter"]) if fill.get("delimiter") else [found]
    return value in parts[fill.get("index", 0) : fill.get("index", 0) + 1]


def _find_followers(scene: TreeObjects) -> Followers:
    """Return the fields that evidently follow a parameter: images, and accounts' namespaces."""
    found: Followers = {}
    for at, field, text, part in _list_text_fields(scene):
        place = {"object": at, "field": field, **part}
        if len(text) > LONGEST or not FIELD.fullmatch(field):
            continue
        if account := ACCOUNT.fullmatch(text):
            found.setdefault((NAMESPACE, account[1]), []).append({**place, "delimiter": ":", "index": 2})
        elif IMAGE.fullmatch(text):
            found.setdefault((IMAGES, text), []).append(place)
    return found


def _list_text_fields(scene: TreeObjects) -> Iterator[tuple[str, str, str, JsonObject]]:
    """Yield texts of objects, each with its object, its field, and what says which part of that it is."""
    for identity, body in scene.objects.items():
        for path, text in walk_values(body) if identity.kind != "ConfigMap" else ():
            if isinstance(text, str) and (field := _format_field_path(path)):
                yield f"{identity.kind}/{identity.name}", field, text, {}
    chosen = find_operator(scene)
    for name, container in chosen.containers.items():
        at, place = f"Deployment/{chosen.id.name}", f"spec.template.spec.containers.[name=^{name}$]"
        for variable in maps_at(container, "env"):
            field = f"{place}.env.[name=^{variable.get('name')}$].value"
            yield at, field, text_at(variable, "value"), {}
        for index, argument in enumerate(list_at(container, "args")):
            flag, _, value = str(argument).partition("=")
            if flag.startswith("-") and "=" not in value and is_image(value):
                yield at, f"{place}.args.{index}", value, {"delimiter": "=", "index": 1}


def _format_field_path(path: Path) -> str:
    """Return a path as kustomize writes it; empty if it has steps that kustomize would not read."""
    steps = [str(step).replace(".", "\\.") for step in path]
    return ".".join(steps) if all(PLAIN.fullmatch(step.replace("\\.", "")) for step in steps) else ""


def normalize_params(section: Json) -> Json:
    """Drop the hash that is there anyway."""
    return {key: value for key, value in section.items() if (key, value) != ("hash", True)}


def _to_section(want: JsonObject, old: Json) -> JsonObject:
    """Write parameters as they are; a hash that an older spec has may stay."""
    return {"hash": True, **want} if want and value_at(old, "hash") is True else want


INVERSE = Inverse(
    recognise=recognise_params,
    normal=normalize_params,
    terms=make_change_converter("params", normalize_params, _to_section),
)
