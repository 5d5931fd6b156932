"""Shell completion of arguments: names of the kit, objects of a target, paths.

Nothing here prints, writes or fails: a broken or missing kit only offers fewer words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from kitgen.findings.errors import KitgenError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from kitgen.kit.model import Kit
    from kitgen.kube.manifest import Manifest

Found: TypeAlias = Callable[[click.Context, str], Iterable[str]]
"""Returns names that may fit what is typed so far."""
Completer: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]"


def make_completer(*sources: Found, paths: bool = False) -> Completer:
    """Return a completer that offers the names of several sources, and paths if they are wanted."""

    def complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        names: dict[str, None] = {}
        for source in sources:
            try:
                names |= dict.fromkeys(source(ctx, incomplete))
            except (KitgenError, OSError, UnicodeError):
                continue
        fitting = [
            CompletionItem(name) for name in names if name.startswith(incomplete) and _is_shell_word(name)
        ]
        # Last: zsh drops a value that is empty, and would take what follows for it.
        return [*fitting, *([CompletionItem(incomplete, type="file")] if paths else [])]

    return complete


def _is_shell_word(name: str) -> bool:
    """Return whether a shell takes a name as it is; the kit may be anybody's."""
    return name.isprintable() and not set(name) & set(" '\"\\$`&|;<>()[]{}*?!#,")


def _find_kit_root(ctx: click.Context) -> Path:
    from kitgen.files.root import find_root

    return find_root(ctx.params.get("root"))


def _list_spec_names(ctx: click.Context, folder: str, suffix: str) -> list[str]:
    """Return the names of specs, without reading any."""
    from kitgen.files.tree import Disk

    found = (name for name in Disk(_find_kit_root(ctx)).list_names(folder) if name.endswith(suffix))
    return [name.removesuffix(suffix) for name in found if not name.startswith(".")]


def _load_kit(ctx: click.Context) -> Kit:
    """Load the kit, and leave alone what a killed run may have left behind."""
    from kitgen.kit.load import load_kit
    from kitgen.kit.spec_files import SpecFiles

    return load_kit(SpecFiles(_find_kit_root(ctx)))


def _make_spec_source(folder: str, suffix: str = "") -> Found:
    """Return what offers the names of specs in a folder."""
    return lambda ctx, _: _list_spec_names(ctx, folder, suffix)


def releases(ctx: click.Context, _: str) -> list[str]:
    """Offer releases; the list of known tags stands beside them."""
    from kitgen.text.semver import is_version

    return list(filter(is_version, _list_spec_names(ctx, "releases", ".yaml")))


targets, components = _make_spec_source("targets", ".yaml"), _make_spec_source("components")
migrations = _make_spec_source("migrations", ".yaml")


def versions(ctx: click.Context, _: str) -> list[str]:
    """Return the versions of the component that is named already."""
    component = ctx.params.get("component")
    return _list_spec_names(ctx, f"components/{component}", "") if component else []


def component_versions(ctx: click.Context, incomplete: str) -> Iterator[str]:
    """Yield the versions of components, as COMPONENT@VERSION."""
    for name in components(ctx, incomplete):
        yield from (f"{name}@{version}" for version in _list_spec_names(ctx, f"components/{name}", ""))


def prefixed_releases(ctx: click.Context, incomplete: str) -> Iterator[str]:
    """Yield the releases as sources."""
    yield from (f"release:{name}" for name in releases(ctx, incomplete))


def sources(ctx: click.Context, incomplete: str) -> Iterator[str]:
    """Yield sources with the prefix that is begun; without one, names by themselves are offered."""
    names = {"target:": targets, "component:": component_versions, "release:": releases}
    for prefix in (*names, "path:", "git:") if incomplete else ():
        if prefix.startswith(incomplete):
            yield prefix
        if prefix in names and (prefix.startswith(incomplete) or incomplete.startswith(prefix)):
            yield from (f"{prefix}{name}" for name in names[prefix](ctx, incomplete))


def crds(ctx: click.Context, _: str) -> list[str]:
    """Return the CRDs, by plural and by full name."""
    from kitgen.crd.declaration import crd_full_name, crd_plural

    every = (each for versions in _load_kit(ctx).components.values() for each in versions.values())
    declared = [crd for component in every for _, crd in component.crds]
    return sorted({name for crd in declared for name in (crd_plural(crd), crd_full_name(crd))})


def rule_names(_ctx: click.Context, _: str) -> Iterable[str]:
    """Return the rules."""
    from kitgen.findings import rules_by_id

    return rules_by_id()


def upgrade_rules(_ctx: click.Context, _: str) -> Iterable[str]:
    """Return the rules of upgrades."""
    from kitgen.findings import Chapter, rules_by_id

    return [name for name, rule in rules_by_id().items() if rule.chapter is Chapter.UPGRADE]


def schemas(_ctx: click.Context, _: str) -> Iterable[str]:
    """Return the schemas."""
    from kitgen.text import schema_check as schemafiles

    return schemafiles.list_schema_names()


def objects(ctx: click.Context, _: str) -> dict[str, Manifest]:
    """Return the objects of the target that is named already, by Kind/name."""
    from kitgen.render.placement import build_placement
    from kitgen.render.session import Session

    kit = _load_kit(ctx)
    target = kit.targets.get(str(ctx.params.get("target")))
    release = kit.releases.get(str(ctx.params.get("release") or (target.release if target else "")))
    if target is None or release is None:
        return {}
    placement = build_placement(kit, target, release)
    units = Session(kit).compile_objects(placement, placement.overlay_components).units
    return {str(manifest.id): manifest for unit in units for manifest in unit.final}
