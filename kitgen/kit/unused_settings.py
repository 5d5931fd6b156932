"""Find parts of specs without effect: settings, patches and images that nothing uses.

It also reports empty reasons, and version ranges that decide differently for a version with a suffix, such as
a fork's, than for the one without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import filterfalse

from kitgen.findings import Finding, Origin, attach_chain, get_rule, make_problem, suggest_word
from kitgen.kit.bundle_settings import COMPUTED, METADATA, OPENSHIFT
from kitgen.kit.model import Component, Kit, SectionItem, SettingsBlock, Target
from kitgen.kit.model.component import uses_image
from kitgen.text.semver import is_final_version, is_in_range, is_inverted_range, widen_range
from kitgen.text.wording import join_words
from kitgen.text.yaml import Json


def check_unused_settings(kit: Kit) -> list[Finding]:
    """Return a finding for everything that nothing in the kit takes up, whatever a target ships."""
    return _collect_findings(kit, _check_target, _check_component)


def check_reasons_and_ranges(kit: Kit) -> list[Finding]:
    """Return a warning for every reason that is empty, and every range that a suffix is out of."""
    return [
        *_collect_findings(kit, _check_target_reasons, _check_component_reasons),
        *_collect_findings(kit, _check_suffixes),
    ]


def _collect_findings(
    kit: Kit,
    of_target: Callable[[Kit, Target], Iterator[Finding]],
    of_component: Callable[[Kit, Component], Iterator[Finding]] = lambda *_: iter(()),
) -> list[Finding]:
    """Return what is found of all targets and components, each with the chain of specs that says it."""
    targets, components = kit.targets.values(), kit.every_component
    found = [each for one in targets for each in attach_chain(of_target(kit, one), "targets/", one.chain)]
    for one in components:
        found += attach_chain(of_component(kit, one), f"components/{one.name}/", one.chain)
    return found


def report_unused(message: str, origin: Origin, hint: str = "remove it") -> Finding:
    """Report that something has no effect."""
    return make_problem("setting-unused", message, hint=hint).to_finding(origin)


def _check_target(kit: Kit, target: Target) -> Iterator[Finding]:
    built = {name for release in kit.releases.values() for name in release.components}
    for name, blocks in target.settings.items():
        at = target.origin.at("components", name)
        if name in kit.versions and name not in built:
            yield make_problem(
                "component-unreleased",
                f"found settings of {name!r}, which no release builds",
                hint=_format_add_hint(name),
            ).to_finding(at)
        for block in blocks:
            place = block.settings.namespace
            if place is not None and place.value.labels and not place.value.create:
                yield report_unused(
                    "found labels of a namespace that is not created",
                    place.origin.at("labels"),
                    "say create: true, or remove them",
                )
            yield from _check_ranges(
                list(kit.versions.get(name, ())), [each.name for each in kit.buildable_releases], block
            )
        yield from _check_overrides(kit, target, name)
    bundle = target.bundle
    for key in bundle.annotations if bundle else ():
        if bundle and (key == OPENSHIFT or key.startswith(METADATA)):
            hint = "say openshift instead" if key == OPENSHIFT else "remove it"
            at = bundle.origin.at("annotations", key)
            yield report_unused(f"found the annotation {key!r}, which is computed", at, hint)
    cluster = target.data_science_cluster
    yield from (
        report_unused(
            f"found the component {name!r}, which no release builds",
            cluster.origin.at("components", key),
            _format_add_hint(name),
        )
        for key, name in (cluster.components.items() if cluster else ())
        if cluster and name in kit.versions and name not in built
    )


def _format_add_hint(name: str) -> str:
    return f"add {name} to a release, or remove it here"


def _check_ranges(known: list[str], releases: list[str], block: SettingsBlock) -> Iterator[Finding]:
    """Yield a finding for settings and patches that are for what the kit does not have."""
    settings = block.settings
    fitting = [version for version in known if is_in_range(version, block.versions)]
    shipped = [release for release in releases if is_in_range(release, block.releases)]
    if known and not fitting:
        yield _report_no_match("settings", block.versions, known, settings.origin)
    if not shipped:
        yield _report_no_match("settings", block.releases, releases, settings.origin)
    for layer in (patch.layers[0] for patch in settings.patches if fitting and shipped):
        for key, there in (("versions", fitting), ("releases", shipped)):
            wanted = layer.data.get(key, "")
            if not any(is_in_range(each, wanted) for each in there):
                yield _report_no_match("a patch", wanted, there, layer.origin.at(key))


def _report_no_match(what: str, wanted: str, there: list[str], origin: Origin) -> Finding:
    known = join_words(there, last="and") if there else "none"
    return _report_range(
        what, wanted, f"where the kit has {known}", origin, _suggest_suffix_range(wanted, there)
    )


def _report_range(what: str, wanted: str, why: str, origin: Origin, hint: str) -> Finding:
    reason = "which ends before it begins" if is_inverted_range(wanted) else why
    return report_unused(f"found {what} for {wanted!r}, {reason}", origin, hint or "remove it")


def _check_overrides(kit: Kit, target: Target, component: str) -> Iterator[Finding]:
    """Yield a finding for every other version of a component that no release makes the target take."""
    overrides = target.overrides.get(component, ())
    counts = {
        each.name: target.find_override(component, each.name) for each in kit.buildable_releases if overrides
    }
    for override in overrides:
        fitting = [each for each in kit.buildable_releases if is_in_range(each.name, override.releases)]
        built = [each for each in fitting if component in each.components]
        taken = [each for each in built if counts[each.name] is override]
        names = join_words([each.name for each in taken or built or fitting], last="and")
        if not fitting:
            yield _report_no_match(
                "a version",
                override.releases,
                [each.name for each in kit.buildable_releases],
                override.origin.at("releases"),
            )
        elif not built:
            build = "builds" if len(fitting) == 1 else "build"
            yield report_unused(f"found a version for {names}, which {build} no {component}", override.origin)
        elif not taken:
            yield report_unused(f"found a version for {names}, where a later one counts", override.origin)
        elif all(each.components[component] == override.version for each in taken):
            who = f"release {names} says" if len(taken) == 1 else f"releases {names} say"
            yield report_unused(
                f"found {override.version}, which {who} already", override.origin.at("version")
            )


def _check_component(kit: Kit, component: Component) -> Iterator[Finding]:
    for part in component.parts:
        for layer in part.layers("patches"):
            wanted = layer.data.get("versions", "")
            if not is_in_range(component.version, wanted):
                why, at = f"where the component is {component.version}", layer.origin.at("versions")
                yield _report_range(
                    "a patch", wanted, why, at, _suggest_suffix_range(wanted, [component.version])
                )
        yield from (
            report_unused(
                f"found the {what} of a binding that is not made",
                layer.origin.at(key),
                "remove it, or say bind: operator",
            )
            for layer in part.layers("roles")
            for key, what in (("binding", "name"), ("bindingLabels", "labels"))
            if key in layer.data and layer.data.get("bind") == "none"
        )
        yield from (
            report_unused(
                "found a port for probes that are both written out",
                layer.origin.at("containers", name, "health"),
            )
            for layer in part.layers("deployment")
            for name, content in layer.data.get("containers", {}).items()
            if {"health", "livenessProbe", "readinessProbe"} <= content.keys()
        )
    yield from (
        report_unused(
            f"found the feature {name!r}, which changes nothing", component.origin.at("features", name)
        )
        for name, feature in component.features.items()
        if not feature.part.sections and not feature.crds
    )
    values = _list_target_values(kit, component.name)
    yield from (
        report_unused(
            f"found the image {name!r}, which nothing runs, holds or reads",
            component.origin.at("images", name),
        )
        for name in component.images
        if not uses_image(name, component.parts, values)
    )
    yield from _check_listing(kit, component)


def _check_listing(kit: Kit, component: Component) -> Iterator[Finding]:
    """Yield what a listing says that no bundle has."""
    if (listing := component.listing) is None:
        return
    yield from (
        report_unused(
            f"found the annotation {key!r}, which comes from {COMPUTED[key]}",
            listing.origin.at("annotations", key),
        )
        for key in listing.said.get("annotations", {})
        if key in COMPUTED
    )
    kinds = {data["names"]["kind"]: "" for each in kit.every_component for _, data in each.crds}
    for kind, api in listing.apis.items():
        if kind not in kinds:
            yield report_unused(
                f"found the kind {kind!r}, which no CRD of the kit has",
                api.origin,
                suggest_word(kind, list(kinds)) or "remove it",
            )


def _list_target_values(kit: Kit, component: str) -> list[Json]:
    """Return what targets say of a component where expressions are computed."""
    said = (block for target in kit.targets.values() for block in target.settings.get(component, ()))
    blocks = [block.settings for block in said]
    values: list[Json] = [layer.data for block in blocks for layer in (*block.config, *block.env.values())]
    return values + [patch.layers[0].data for block in blocks for patch in block.patches]


def _suggest_suffix_range(wanted: str, versions: list[str]) -> str:
    """Return the range that has a version with a suffix where the given one has it without; empty if none."""
    found = (widen_range(wanted, each) for each in versions if not is_final_version(each))
    return next((f"write {each!r} to take suffixes too" for each in found if each), "")


def _check_suffixes(kit: Kit, target: Target) -> Iterator[Finding]:
    """Yield ranges that a version with a suffix, such as a fork's, is on the other side of than without.

    That is of ranges of a target that takes such a version, or may: no target does so far.
    """
    for name, blocks in target.settings.items():
        for version in filterfalse(is_final_version, kit.versions.get(name, ())):
            takers = [
                each.name
                for each in kit.targets.values()
                if any(
                    each.component_versions(release).get(name) == version for release in kit.releases.values()
                )
            ]
            if target.name in takers or (kit.is_whole and not takers):
                yield from (odd for block in blocks for odd in _check_block_suffixes(block, version))


def _check_block_suffixes(block: SettingsBlock, version: str) -> Iterator[Finding]:
    ranges: list[tuple[str, str, Origin]] = [("settings", block.versions, block.settings.origin)]
    patches = (patch.layers[0] for patch in block.settings.patches)
    ranges += [("a patch", each.data.get("versions", ""), each.origin.at("versions")) for each in patches]
    for what, wanted, origin in ranges:
        if instead := widen_range(wanted, version):
            plain = version.partition("-")[0]
            has, lacks = (version, plain) if is_in_range(version, wanted) else (plain, version)
            yield make_problem(
                "version-suffix",
                f"found {what} for {wanted!r}, which has {has} and not {lacks}",
                hint=f"{version} comes before {plain}; write {instead!r} to take both alike",
            ).to_finding(origin)


REASON_MISSING = get_rule("reason-missing")


def _report_missing_reason(what: str, origin: Origin, key: str = "why") -> Finding:
    return REASON_MISSING(f"{what} says no reason", hint="write one for the reviewer").to_finding(
        origin.at(key)
    )


def _check_component_reasons(_: Kit, component: Component) -> Iterator[Finding]:
    for part in component.parts:
        yield from _check_patch_reasons(part["patches"])
    yield from (
        _report_missing_reason(f"the feature {feature.name!r}", feature.origin, "about")
        for feature in component.features.values()
        if not feature.about
    )


def _check_target_reasons(_: Kit, target: Target) -> Iterator[Finding]:
    for blocks in target.settings.values():
        for block in blocks:
            yield from _check_patch_reasons(block.settings.patches)
            yield from (
                _report_missing_reason("what is withheld", withheld.origin)
                for withheld in block.settings.withheld
                if not withheld.why
            )
    for overrides in target.overrides.values():
        yield from (
            _report_missing_reason(f"the version {own.version}", own.origin)
            for own in overrides
            if not own.why
        )


def _check_patch_reasons(patches: tuple[SectionItem, ...]) -> Iterator[Finding]:
    yield from (
        _report_missing_reason(f"the patch {layer.data['name']!r}", layer.origin)
        for patch in patches
        for layer in patch.layers
        if layer.data.get("why") == ""
    )
