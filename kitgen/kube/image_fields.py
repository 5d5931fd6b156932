"""Find images in fields of certain kinds, in nested documents, and in the defaults of CRDs.

`image_mentions` finds what any pod has. Here are steps and scripts of pipelines, image streams, image
volumes, fields named after images, short names in arguments, and images that are split into registry,
repository, name and tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Path
from kitgen.kube.image_mentions import (
    ARGUMENT,
    MARKS,
    NO_IMAGES,
    OPTION,
    find_images_under_key,
    find_mentions,
    is_full_reference,
    is_image_key,
    is_image_reference,
    is_image_value,
    is_registry_host,
    walk_by_level,
    walk_mappings,
)
from kitgen.kube.image_reference import LONGEST, is_tagged
from kitgen.kube.pods import CONTAINERS
from kitgen.kube.schema_paths import walk_schemas
from kitgen.text.patterns import compile_late
from kitgen.text.values import COLLECTIONS, entries_at, map_at, text_at, text_entries_at
from kitgen.text.yaml import Dialect, Json, JsonObject, YamlError, read_yaml_documents

TAGS = ("tag", "imageTag", "newTag", "imageVersion", "defaultImageVersion")
REPOSITORIES = ("repository", "imageRepository", "imageRepo", "newName", "repo")
NAMES = ("image", "baseImage", "imageName")
PARTS = frozenset({*REPOSITORIES, *NAMES, "name"})
"""Fields that an image can begin in, of which others say the rest."""
RUNNING = frozenset(
    {
        *("imagePullPolicy", "command", "args", "env", "envFrom", "ports", "resources", "volumeMounts"),
        *("securityContext", "workingDir"),
    }
)
"""What stands beside the image of something that runs it."""
VERSION = compile_late(r"v?[0-9]+\.[0-9][\w.-]*|sha256:[0-9a-f]{64}", re.ASCII)
"""A version that may well be the tag, though it can be that of something else."""
SHA = compile_late(r"[0-9a-f]{64}", re.ASCII)


def join_image_parts(parts: JsonObject, *, of_images: bool) -> Iterator[tuple[Path, str]]:
    """Yield the images of fields that are called so, with the parts beside them, or what parts alone make.

    Parts are of images for sure if something above them is called after images.
    """
    tag, version = _find_tag(parts), _to_text(parts, "version")
    repository = next((key for key in REPOSITORIES if _to_text(parts, key)), "")
    names = [key for key in NAMES if isinstance(parts.get(key), str)]
    for name in names:
        if not is_tagged(parts[name]):
            yield from _join_image_name(parts, name, repository, tag or version)
        elif is_image_reference(parts[name]):
            yield (name,), parts[name]
    if names:
        return
    if not repository and of_images and _to_text(parts, "name"):
        repository = "name"
    if repository:
        registry = _to_text(parts, "registry") or _to_text(parts, "imageRegistry")
        whole = _join_reference(registry, _to_text(parts, repository), tag or (version if of_images else ""))
        host = whole.partition("/")[0]
        known = of_images or (tag and is_registry_host(host) and host not in NO_IMAGES)
        if known and (repository != "name" or is_tagged(whole)) and is_image_reference(whole):
            yield (repository,), whole


def _join_image_name(parts: JsonObject, name: str, repository: str, tag: str) -> Iterator[tuple[Path, str]]:
    """Yield an image whose name stands by itself, with what is beside it."""
    said = _to_text(parts, name)
    sure = not RUNNING.isdisjoint(parts) or is_image_value(name, said)
    above = (
        ""
        if is_registry_host(said.partition("/")[0])
        else _to_text(parts, repository) or _to_text(parts, "registry")
    )
    if above and is_image_reference(whole := _join_reference(above, said, tag)):
        said = whole
    elif said in MARKS:
        return
    elif _find_tag(parts) or ("/" in said and VERSION.fullmatch(tag)):
        said = _join_reference("", said, tag)
    if is_image_reference(said, sure=sure):
        yield (name,), said


def is_image_part(parts: JsonObject, key: str) -> bool:
    """Return whether a field has only a part of an image, to which those beside it belong."""
    return key in PARTS and any(
        path == (key,) and whole != parts[key] for path, whole in join_image_parts(parts, of_images=True)
    )


def _find_tag(parts: JsonObject) -> str:
    """Return what says which image it is: a digest, else a tag."""
    digest = _to_text(parts, "digest") or _to_text(parts, "sha")
    if SHA.fullmatch(digest):
        return f"sha256:{digest}"
    return digest or next(filter(None, (_to_text(parts, key) for key in TAGS)), "")


def _join_reference(registry: str, name: str, tag: str) -> str:
    named = f"{registry.rstrip('/')}/{name}" if registry else name
    return f"{named}{'@' if tag.startswith('sha256:') else ':'}{tag}" if tag else named


def _to_text(parts: JsonObject, key: str) -> str:
    """Return a part as text; empty if it is none."""
    found = parts.get(key)
    return str(found) if isinstance(found, str | int | float) and not isinstance(found, bool) else ""


STEPS = ("steps", "sidecars")
"""Lists whose items run an image, in Tekton."""
SINGLE = ("container", "script", "stepTemplate")
"""What runs an image by itself, in Argo Workflows and Tekton."""
SCHEMA = ("schema", "openAPIV3Schema")
VALUES = ("value", "default")
"""Where variables and parameters have what they say."""
REFERENCES = ("ref", "reference", "url", "uri")
LARGEST = 200_000
"""Characters of a text that is read as documents."""
DEEPEST = 3
"""Documents in texts of documents."""


def find_image_fields(body: Json, deepest: int = DEEPEST) -> Iterator[tuple[Path, str]]:
    """Yield images and their places; those in documents have the place of the text."""
    for path, value, of_images in _walk_candidates(body):
        if isinstance(value, str):
            yield path, value
            continue
        yield from (
            ((*path, *steps), image) for steps, image in _find_mapping_images(value, of_images=of_images)
        )
        yield from (
            ((*path, key), image)
            for key, text in value.items()
            if deepest and isinstance(text, str)
            for image in _find_document_images(text, deepest - 1)
        )


def _walk_candidates(body: Json) -> Iterator[tuple[Path, Json, bool]]:
    """Yield every mapping, and texts that are images for sure below what is called after images.

    Each comes with its path and with whether it is below something that is called so.
    """
    todo: list[tuple[Path, Json, bool]] = [((), body, False)]
    for path, value, of_images in todo:  # which grows meanwhile
        if isinstance(value, dict):
            yield path, value, of_images
            for key, each in value.items():
                if isinstance(each, COLLECTIONS):
                    todo.append(((*path, key), each, of_images or is_image_key(key)))
                elif of_images and isinstance(each, str) and is_full_reference(each):
                    yield (*path, key), each, of_images
        elif isinstance(value, list):
            for at, each in enumerate(value):
                if isinstance(each, COLLECTIONS):
                    todo.append(((*path, at), each, of_images))
                elif of_images and is_image_reference(each):
                    yield (*path, at), each, of_images


def _find_mapping_images(mapping: JsonObject, *, of_images: bool) -> Iterator[tuple[Path, str]]:
    """Yield the images of fields, of what runs, of variables and parameters, and of references."""
    yield from join_image_parts(mapping, of_images=of_images)
    for key, value in mapping.items():
        if key in STEPS or key in CONTAINERS:
            yield from _find_container_images(key, value)
        elif key in SINGLE and isinstance(value, dict) and is_image_reference(value.get("image"), sure=True):
            yield (key, "image"), value["image"]
        elif (
            key not in NAMES
            and is_image_key(key)
            and is_image_reference(value, sure=is_image_value(key, value))
        ):
            yield (key,), value
    streamed = ("dockerImageRepository", *(("name",) if mapping.get("kind") == "DockerImage" else ()))
    yield from (((key,), mapping[key]) for key in streamed if is_image_reference(mapping.get(key), sure=True))
    if is_image_key(name := get_variable_name(mapping)):
        yield from (
            ((key,), mapping[key])
            for key in VALUES
            if is_image_reference(mapping.get(key), sure=is_image_value(name, mapping.get(key)))
        )
    if of_images:
        yield from (((key,), mapping[key]) for key in REFERENCES if is_image_reference(mapping.get(key)))


def get_variable_name(mapping: JsonObject) -> str:
    """Return what a variable or parameter is called; empty if it has no name."""
    return text_at(mapping, "name" if "name" in mapping else "key")


def _find_container_images(key: str, items: Json) -> Iterator[tuple[Path, str]]:
    """Yield images of steps, and what containers name in arguments by a short name."""
    for index, each in entries_at(items):
        if key in STEPS and is_image_reference(each.get("image"), sure=True):
            yield (key, index, "image"), each["image"]
        for field in ("command", "args"):
            for at, word in text_entries_at(each, field):
                option = OPTION.fullmatch(text_at(each, field, at - 1)) if at else None
                match = ARGUMENT.fullmatch(word) if len(word) <= LONGEST else None
                if is_image_reference(image := match[1] if match else option and word):
                    yield (key, index, field, at), str(image)


def _find_document_images(text: str, deepest: int) -> Iterator[str]:
    """Yield the images of documents in a text, if it is some and speaks of images."""
    speaks = "mage" in text or "IMAGE" in text
    if len(text) > LARGEST or not speaks or not ("\n" in text or text.lstrip()[:1] in ("{", "[")):
        return
    try:
        documents = read_yaml_documents(text, dialect=Dialect.KUBECTL)
    except YamlError:  # a template of documents: what has a registry or tag is found as a word
        return
    for each in documents:
        if isinstance(each, COLLECTIONS):
            yield from (
                found.image
                for found in find_mentions(walk_mappings(each))
                if is_image_reference(found.image, sure=True)
            )
            yield from (image for _, image in find_image_fields(each, deepest))


def find_default_images(crd: JsonObject) -> Iterator[tuple[Path, str]]:
    """Yield the images in defaults of a CRD's fields; what descriptions say are examples."""
    for index, version in entries_at(crd, "spec", "versions"):
        for steps, schema in walk_schemas(map_at(version, *SCHEMA)):
            value = schema.get("default")
            if steps and isinstance(value, str | dict | list):
                path: Path = ("spec", "versions", index, *SCHEMA, *steps, "default")
                yield from ((path, image) for image in dict.fromkeys(_find_value_images(steps[-1], value)))


def _find_value_images(name: str, value: Json) -> Iterator[str]:
    """Yield the images of what a field has by default."""
    yield from (image for _, image in find_image_fields({name: value}))
    yield from (each.image for each in find_mentions(walk_mappings(value)))
    texts = (text for _, text in walk_by_level(value) if isinstance(text, str))
    yield from (image for text in texts for image in find_images_under_key(name, text))
