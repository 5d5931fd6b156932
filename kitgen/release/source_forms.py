"""Manifest sources for people as tables, and as the ODH operator has them: lines of its script, or YAML.

In: the sources of one target or more. Out: text. To 2024 a line of the script says the folder, in 2025 its
key is the folder, since 2026 each platform has an array of its own, and later that year a YAML file came
instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kitgen.findings.errors import UsageError
from kitgen.kube.image_reference import parse_image_reference
from kitgen.release.sources import (
    ManifestSources,
    SourceEntry,
    SourceImage,
    SourcesEntry,
    SourcesForm,
    SourcesReport,
)
from kitgen.report.table import render_table
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import Json, JsonObject, dump_yaml

PLATFORM = compile_late(r"[a-z][a-z0-9]*")
ARRAY = "COMPONENT_MANIFESTS"
NONE = "-"
MANIFESTS = ("key", "component", "version", "repository", "ref", "path")
IMAGES = ("key", "params key", "variable", "image")
TESTED = ("tested with", "version", "images")


def as_table(report: SourcesReport, *, width: int, colour: bool) -> str:
    """Write for each target where manifests come from, then images, then what the release was tested with."""
    made = []
    for each in report.targets:
        manifests = [
            (one.key, one.component, one.version, one.repository, one.ref, one.path) for one in each.sources
        ]
        images = [
            (one.key, image.params_key, image.variable or NONE, image.image)
            for one in each.sources
            for image in one.images
        ]
        tested = [(one.name, one.version, ", ".join(one.images) or NONE) for one in each.tested]
        parts = (
            (f"{each.target} {each.release}", MANIFESTS, manifests),
            ("", IMAGES, images),
            ("", TESTED, tested),
        )
        made += [
            render_table(title, head, rows, width=width, colour=colour) for title, head, rows in parts if rows
        ]
    return "\n".join(made)


def render_form(form: SourcesForm, made: ManifestSources) -> str:
    """Write sources as the platform's operator has them; older forms know no platforms."""
    targets = made.report.targets
    if form in (SourcesForm.SCRIPT_2024, SourcesForm.SCRIPT_2025):
        if len(targets) > 1:
            raise UsageError(f"{form} has no platforms", hint="name one target")
        return _render_array(ARRAY, targets[0].sources, with_folder=form is SourcesForm.SCRIPT_2024)
    platforms = _sources_by_platform(targets)
    if form is SourcesForm.CONFIG:
        return _render_manifests_config(platforms, made.templates)
    return "".join(
        _render_array(f"{platform.upper()}_{ARRAY}", each.sources, with_folder=False)
        for platform, each in platforms.items()
    )


def _sources_by_platform(targets: Iterable[SourcesEntry]) -> dict[str, SourcesEntry]:
    """Return the sources by what their platforms are called."""
    found: dict[str, SourcesEntry] = {}
    for each in targets:
        if not PLATFORM.fullmatch(each.platform):
            raise UsageError(
                f"the target {each.target} has no platform that a script can name",
                hint=f"say platform in targets/{each.target}.yaml",
            )
        if found.setdefault(each.platform, each) is not each:
            raise UsageError(f"two targets are of the platform {each.platform}", hint="name one of them")
    return found


def _render_array(name: str, sources: Iterable[SourceEntry], *, with_folder: bool) -> str:
    """Write an array of bash; no part of an entry holds what a shell reads in quotes."""
    lines = []
    for each in sources:
        where = ":".join((each.repository.replace("/", ":", 1), each.ref, each.path))
        lines.append(f'    ["{each.folder}"]="{where}{f":{each.folder}" if with_folder else ""}"\n')
    return f"declare -A {name}=(\n{''.join(lines)})\n"


def _render_manifests_config(
    platforms: Mapping[str, SourcesEntry], templates: Mapping[tuple[str, str], str]
) -> str:
    """Write manifests-config.yaml: the sources, and the images behind each variable."""
    components: dict[str, JsonObject] = {}
    images: dict[str, JsonObject] = {}
    for platform, target in platforms.items():
        for each in target.sources:
            components.setdefault(each.folder, {})[platform] = {
                "repo": each.repository,
                "ref": each.ref,
                "sourcePath": each.path,
            }
            for image in (image for image in each.images if image.variable):
                own = {"component": each.folder, "paramsEnvKey": image.params_key}
                template = {"tagTemplate": templates[target.target, each.folder]}
                entry = images.setdefault(str(image.variable), own | template)
                if entry.items() >= own.items():
                    entry[platform] = _build_image(image, [*platforms], entry)
    made: dict[str, Json] = {"components": components, "imageOverrides": images}
    return dump_yaml({key: value for key, value in made.items() if value})


def _build_image(image: SourceImage, platforms: Sequence[str], entry: JsonObject) -> JsonObject:
    """Return the image of a platform; one that has it from another takes that one's commit, too."""
    parts = parse_image_reference(image.image)
    base = image.image.partition("@")[0].removesuffix(f":{parts.tag}" if parts and parts.tag else "")
    source = next((each for each in platforms if each in entry and entry[each]["base"] == base), "")
    made = {"shaFrom": source, "base": base, "digest": parts.digest if parts else ""}
    return {key: value for key, value in made.items() if value or key == "base"}
