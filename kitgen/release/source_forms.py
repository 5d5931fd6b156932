"""Manifest sources for people as tables, and as the ODH operator has them: lines of its script, or YAML.

In: the sources of one target or more. Out: text. To 2024 a line of the script says the folder, in 2025 its
key is the folder, since 2026 each platform has an array of its own, and later that year a YAML file came
instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from kitgen.findings.errors import UsageError
from kitgen.kube.image_reference import reference
from kitgen.release.sources import SourceEntry, SourceImage, SourcesForm, SourcesReport, TargetSources
from kitgen.report.table import table
from kitgen.text.yaml import Json, JsonObject, dump

PLATFORM = re.compile(r"[a-z][a-z0-9]*")
ARRAY = "COMPONENT_MANIFESTS"
NONE = "-"
MANIFESTS = ("key", "component", "version", "repository", "ref", "path")
IMAGES = ("key", "params key", "variable", "image")
TESTED = ("tested with", "version", "images")
Platforms: TypeAlias = dict[str, TargetSources]
"""What a platform is called → its sources."""


def as_table(report: SourcesReport, *, width: int, colour: bool) -> str:
    """Write for each target where manifests come from, then images, then what the release was tested with."""
    made = []
    for each in report.targets:
        title = f"{each.target} {each.release}"
        manifests = [
            (one.key, one.component, one.version, one.repository, one.ref, one.path) for one in each.sources
        ]
        images = [
            (one.key, image.params_key, image.variable or NONE, image.image)
            for one in each.sources
            for image in one.images
        ]
        tested = [(one.name, one.version, ", ".join(one.images) or NONE) for one in each.tested]
        parts = ((title, MANIFESTS, manifests), ("", IMAGES, images), ("", TESTED, tested))
        made += [table(said, head, rows, width=width, colour=colour) for said, head, rows in parts if rows]
    return "\n".join(made)


def as_form(form: SourcesForm, targets: Sequence[TargetSources]) -> str:
    """Write sources as the platform's operator has them; older forms know no platforms."""
    if form in (SourcesForm.SCRIPT_2024, SourcesForm.SCRIPT_2025):
        if len(targets) > 1:
            raise UsageError(f"{form} has no platforms", hint="name one target")
        return _array(ARRAY, targets[0].entry.sources, with_folder=form is SourcesForm.SCRIPT_2024)
    platforms = _platforms(targets)
    if form is SourcesForm.CONFIG:
        return _manifests_config(platforms)
    return "".join(
        _array(f"{platform.upper()}_{ARRAY}", each.entry.sources, with_folder=False)
        for platform, each in platforms.items()
    )


def _platforms(targets: Sequence[TargetSources]) -> Platforms:
    found: Platforms = {}
    for each in targets:
        name, platform = each.entry.target, each.entry.platform
        if not PLATFORM.fullmatch(platform):
            hint = f"say platform in targets/{name}.yaml"
            raise UsageError(f"the target {name} has no platform that a script can name", hint=hint)
        if platform in found:
            raise UsageError(f"two targets are of the platform {platform}", hint="name one of them")
        found[platform] = each
    return found


def _array(name: str, sources: Iterable[SourceEntry], *, with_folder: bool) -> str:
    """Write an array of bash; no part of an entry holds what a shell reads in quotes."""
    lines = []
    for each in sources:
        where = ":".join((each.repository.replace("/", ":", 1), each.ref, each.path))
        lines.append(f'    ["{each.folder}"]="{where}{f":{each.folder}" if with_folder else ""}"\n')
    return f"declare -A {name}=(\n{''.join(lines)})\n"


def _manifests_config(platforms: Platforms) -> str:
    """Write manifests-config.yaml: the sources, and the images behind each variable."""
    components: dict[str, JsonObject] = {}
    images: dict[str, JsonObject] = {}
    for platform, target in platforms.items():
        for each in target.entry.sources:
            source = {"repo": each.repository, "ref": each.ref, "sourcePath": each.path}
            components.setdefault(each.folder, {})[platform] = source
            for image in each.images:
                if not image.variable:
                    continue
                own = {"component": each.folder, "paramsEnvKey": image.params_key}
                own["tagTemplate"] = target.templates[each.folder]
                entry = images.setdefault(image.variable, own)
                if entry["component"] == each.folder and entry["paramsEnvKey"] == image.params_key:
                    entry[platform] = _image(image, [*platforms], entry)
    made: dict[str, Json] = {"components": components, "imageOverrides": images}
    return dump({key: value for key, value in made.items() if value})


def _image(image: SourceImage, platforms: Sequence[str], entry: JsonObject) -> JsonObject:
    """Return the image of a platform; one that has it from another takes that one's commit, too."""
    parts = reference(image.image)
    base = image.image.partition("@")[0].removesuffix(f":{parts.tag}" if parts and parts.tag else "")
    others = (each for each in platforms if each in entry and entry[each]["base"] == base)
    digest = {"digest": parts.digest} if parts and parts.digest else {}
    source = next(others, "")
    return {**({"shaFrom": source} if source else {}), "base": base, **digest}
