"""Manifest sources as the ODH operator has them: lines of its script by year, and its configuration.

In: the sources of one platform or more. Out: text. To 2024 a line says the folder, in 2025 its key is the
folder, since 2026 each platform has an array of its own, and later that year a YAML file came instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from kitgen.kube.image_reference import reference
from kitgen.release.manifest_sources import ManifestSource, ParamImage
from kitgen.text.yaml import Json, JsonObject, dump

Platforms: TypeAlias = dict[str, Sequence[ManifestSource]]
"""What a platform is called → its sources."""


def script_2024(sources: Sequence[ManifestSource]) -> str:
    """Write `org:repo:ref:source:target`."""
    return _array("COMPONENT_MANIFESTS", ((each, f"{_line(each)}:{each.folder}") for each in sources))


def script_2025(sources: Sequence[ManifestSource]) -> str:
    """Write `org:repo:ref:source`: the key is the folder."""
    return _array("COMPONENT_MANIFESTS", ((each, _line(each)) for each in sources))


def script_2026(platforms: Platforms) -> str:
    """Write the same, in an array for each platform."""
    return "".join(
        _array(f"{platform.upper()}_COMPONENT_MANIFESTS", ((each, _line(each)) for each in sources))
        for platform, sources in platforms.items()
    )


def _line(each: ManifestSource) -> str:
    owner, _, name = each.source.repository.partition("/")
    return f"{owner}:{name}:{each.source.ref}:{each.source.path}"


def _array(name: str, entries: Iterator[tuple[ManifestSource, str]]) -> str:
    """Write an array of bash; no part of an entry holds what a shell reads in quotes."""
    lines = (f'    ["{each.folder}"]="{text}"\n' for each, text in entries)
    return f"declare -A {name}=(\n{''.join(lines)})\n"


def manifests_config(platforms: Platforms) -> str:
    """Write manifests-config.yaml: the sources, and the images behind each variable."""
    components: dict[str, JsonObject] = {}
    images: dict[str, JsonObject] = {}
    for platform, sources in platforms.items():
        for each in sources:
            said = each.source
            source = {"repo": said.repository, "ref": said.ref, "sourcePath": said.path}
            components.setdefault(each.folder, {})[platform] = source
            for image in (one for one in each.images if one.variable):
                entry = images.setdefault(image.variable, _override(each, image))
                if entry["component"] == each.folder and entry["paramsEnvKey"] == image.key:
                    entry[platform] = _image(image, [*platforms], entry)
    made: dict[str, Json] = {"components": components, "imageOverrides": images}
    return dump({key: value for key, value in made.items() if value})


def _override(each: ManifestSource, image: ParamImage) -> JsonObject:
    template = each.source.tag_template
    return {"component": each.folder, "paramsEnvKey": image.key, "tagTemplate": template}


def _image(image: ParamImage, platforms: Sequence[str], entry: JsonObject) -> JsonObject:
    """Return the image of a platform; one that has it from another takes that one's commit, too."""
    parts = reference(image.image)
    base = image.image.partition("@")[0].removesuffix(f":{parts.tag}" if parts and parts.tag else "")
    others = (each for each in platforms if each in entry and entry[each]["base"] == base)
    digest = {"digest": parts.digest} if parts and parts.digest else {}
    source = next(others, "")
    return {**({"shaFrom": source} if source else {}), "base": base, **digest}
