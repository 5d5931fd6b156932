"""The files of a new release: its own, and a spec for each version of a component that has none yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kitgen.findings import Finding, pointer
from kitgen.model import Component, Kit
from kitgen.pipeline.releases.versions import Chosen, refused
from kitgen.semver import is_version, version_key
from kitgen.yamlio import JsonObject, dump

HEAD = "# yaml-language-server: $schema={}schemas/{}.json\n"


def release_text(made: Chosen, date: str, accepted: Sequence[Finding] = (), reason: str = "") -> str:
    """Return the file of a release, which says only what is different from the one that it builds on."""
    data: JsonObject = {"release": made.version, "from": made.base.name}
    data |= {"remove": [pointer(each) for each in made.gone]} if made.gone else {}
    data |= {"date": date} if date else {}
    data["replaces"] = made.replaces
    data |= {"components": dict(made.components)} if made.components else {}
    data |= {"records": dict(made.records)} if made.records else {}
    if accepted:
        places = dict.fromkeys((each.rule.id, pointer(each.origin.path)) for each in accepted)
        data["exceptions"] = [{"rule": rule, "pointer": at, "reason": reason} for rule, at in places]
    return HEAD.format("../", "release") + dump(data)


def component_texts(kit: Kit, made: Chosen) -> dict[str, str]:
    """Return a spec for each version that there is none of: the one before, with its image."""
    texts = {}
    for name, version in made.components.items():
        if version not in kit.versions[name]:
            older = _older(kit, name, made)
            data: JsonObject = {"version": version, "from": older.version}
            data |= {"images": images} if (images := moved_images(older, version)) else {}
            texts[f"components/{name}/{version}/component.yaml"] = HEAD.format(
                "../../../", "component"
            ) + dump(data)
    return texts


def _older(kit: Kit, name: str, made: Chosen) -> Component:
    """Return the version that a new one builds on: that of the release before, or the newest below it."""
    version, wanted, release = made.components[name], made.base.components.get(name, ""), made.version
    versions = kit.components[name]
    if wanted in versions and version_key(wanted) < version_key(version):
        return versions[wanted]
    below = [each for each in versions if version_key(each) < version_key(version)]
    if not below:
        hint = f"kitgen import makes the spec of {name}@{version}"
        raise refused(release, f"found no version of {name} before {version}", hint)
    return versions[max(below, key=version_key)]


def moved_images(component: Component, version: str) -> Mapping[str, str]:
    """Return the images that carry the version of a component, with the new one."""
    found = {}
    for name, image in component.images.items():
        repository, colon, tag = image.rpartition(":")
        if colon and "/" not in tag and is_version(tag) and tag == component.version:
            found[name] = f"{repository}:{version}"
    return found
