"""Find the target that a tree says it belongs to: by its repository, branch, folder, labels or images.

Find out whose tree it is: the component's own, or that of a target that the kit has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath

from msgspec.structs import replace

from kitgen.compare.objects.compare import compare
from kitgen.importing.survey import main_namespace
from kitgen.kit.crd_names import declarations, resources
from kitgen.kit.manifests import STDIN
from kitgen.kit.model import Component, NamespaceSetting, PlatformSource, Setting, Settings, Target
from kitgen.kit.repositories import CheckedOutRepository, checkout_of
from kitgen.kube.image_mentions import mappings, mentions
from kitgen.kube.image_reference import reference
from kitgen.render.context import RenderContext
from kitgen.render.settings import resolve
from kitgen.render.unit import Unit
from kitgen.text.yaml import JsonObject
from kitgen.workspace.compiled import compiled, placement_of
from kitgen.workspace.kit import Opened
from kitgen.workspace.sources import SourceKind, SourceName

CRD = "CustomResourceDefinition"
WHOLE = 10
"""How many fields an object counts for that only one side has."""


def contexts_of(
    opened: Opened, component: Component, version: str, who: str, prefix: str, namespace: str
) -> tuple[RenderContext, RenderContext]:
    """Return a component as a target has it, or by itself, and the same with all features on.

    It is as a new version of it would be that changes nothing but the prefix and the namespace: settings and
    expressions go by the version.
    """
    names = resources(declarations(opened.kit))
    newer = replace(component, version=version, prefix=prefix)
    settings, of = Settings(origin=component.origin), None
    if who:
        placement = placement_of(opened, opened.target(who), {component.name: component.version})
        settings, of = placement.settings(newer), (placement.target, placement.release)
        place = settings.namespace or Setting(value=NamespaceSetting(name=""), origin=component.origin)
        if namespace and namespace != (place.value.name or component.namespace):
            settings = replace(settings, namespace=replace(place, value=replace(place.value, name=namespace)))
    elif namespace:
        newer = replace(newer, namespace=namespace)
    every = {name: Setting(value=True, origin=component.origin) for name in component.features}
    full = replace(settings, features=every)
    return resolve(newer, settings, of, names).value, resolve(newer, full, of, names).value


def home_of(opened: Opened, name: str, version: str, who: str) -> str:
    """Return the namespace that a target says for a version of a component; empty if it says none."""
    target = opened.target(who)
    first, *more = target.settings.get(name, target.settings[""])
    said = [first, *(each for each in more if each.fits(version, target.release))]
    found = [each.settings.namespace.value.name for each in said if each.settings.namespace]
    return found[-1] if found else ""


def with_prefix(bodies: Sequence[JsonObject], now: str, before: str) -> Sequence[JsonObject]:
    """Return objects that are called as they were with another prefix."""
    return bodies if now == before else [_renamed(each, now, before) for each in bodies]


def _renamed(body: JsonObject, now: str, before: str) -> JsonObject:
    name = str(body["metadata"]["name"])
    new = before + name.removeprefix(now) if name.startswith(now) else name
    return {**body, "metadata": {**body["metadata"], "name": new}}


def whose(bodies: Sequence[JsonObject], opened: Opened, component: Component, among: Iterable[str]) -> str:
    """Return the target whose objects are nearest to a tree; empty for the component by itself."""
    own = [each for each in bodies if each.get("kind") != CRD]
    best, least = "", -1
    for who in among:
        objects = objects_of(opened, component, who)
        if objects is None:
            continue
        theirs = [each for each in objects if each.get("kind") != CRD]
        compared = compare(_anywhere(theirs), _anywhere(own))
        found = sum(1 if each.field else WHOLE for each in compared.differences)
        found += WHOLE * (main_namespace(theirs) != main_namespace(own))
        if least < 0 or found < least:
            best, least = who, found
    return best


def _anywhere(objects: Sequence[JsonObject]) -> list[JsonObject]:
    """Return objects that do not say the namespace in which most of them are."""
    home = ("namespace", main_namespace(objects))
    metas = (dict(each for each in body["metadata"].items() if each != home) for body in objects)
    return [{**body, "metadata": meta} for body, meta in zip(objects, metas, strict=True)]


def objects_of(
    opened: Opened, component: Component, who: str, versions: Mapping[str, str] | None = None
) -> list[JsonObject] | None:
    """Return what a target gets of a component, its CRDs included; None if it does not have it."""
    if not who:
        name = SourceName(kind=SourceKind.COMPONENT, name=component.name, version=component.version)
        return [each.body for each in compiled(opened, name, others=versions).objects]
    wanted = {**(versions or {}), component.name: component.version}
    placement = placement_of(opened, opened.target(who), wanted)
    if not placement.settings(component).managed or placement.carrier(component) is not component:
        if not placement.settings(component).managed:
            return None
        return [each.body for each in opened.session.labelled_crds(placement, component)]
    return [each.body for each in opened.session.unit(placement, component).final]


def unit_of(opened: Opened, component: Component, who: str, versions: Mapping[str, str]) -> Unit | None:
    """Return a component as it is compiled for a target, or by itself; None if it is nothing there."""
    if not who:
        return opened.session.alone(component)
    placement = placement_of(opened, opened.target(who), {**versions, component.name: component.version})
    if not placement.settings(component).managed or placement.carrier(component) is not component:
        return None
    return opened.session.unit(placement, component)


WORD = re.compile(r"[a-z]{3,}")
EXPRESSION = re.compile(r"\{\{.*?\}\}")
COMMON = frozenset({"main", "master", "release", "stable", "dev", "develop", "head", "config"})
"""Words of branches that say nothing of whose they are."""
NEAR = 2
"""How many folders above a tree are looked at: mostly its repository, and the owner of that."""


class Claims:
    """What trees of a component may say of targets."""

    def __init__(self, opened: Opened, component: str, version: str) -> None:
        """Take the targets that say something of the component."""
        self.opened, self.component, self.version = opened, component, version
        self.sources: dict[str, list[PlatformSource]] = {
            name: [*_sources(target, component)]
            for name, target in opened.kit.targets.items()
            if component in target.settings
        }

    def of(self, real: str, bodies: Sequence[JsonObject]) -> dict[str, str]:
        """Return the targets that a tree says it is of, by the best that it says, each with what that is."""
        home = main_namespace(bodies)
        checkout = None if real == STDIN else checkout_of(real)
        if checkout and self.opened.root.is_relative_to(checkout.top):
            checkout = None  # its branch is the kit's
        for way in (
            self._by_checkout(checkout),
            self._by_folder(real),
            self._by_labels(bodies),
            self._by_images(bodies),
        ):
            found = {name: why for name, why in way if home in ("", self._home(name) or home)}
            if found:
                return found
        return {}

    def _home(self, name: str) -> str:
        return home_of(self.opened, self.component, self.version, name)

    def _words(self, name: str) -> set[str]:
        """Return what a target, and branches that its manifests come from, are called."""
        refs = " ".join(EXPRESSION.sub("", each.ref) for each in self.sources[name])
        return {name, *(each for each in WORD.findall(refs.lower()) if each not in COMMON)}

    def _by_checkout(self, checkout: CheckedOutRepository | None) -> Iterator[tuple[str, str]]:
        if checkout is None:
            return
        for name, sources in self.sources.items():
            for each in sources:
                remotes = (url.replace(":", "/").removesuffix(".git") for url in checkout.remotes)
                if any(url.endswith(f"/{each.repository}") for url in remotes):
                    yield name, f"its repository {each.repository}"
            if _tokens(checkout.branch) & self._words(name):
                yield name, f"its branch {checkout.branch}"

    def _by_folder(self, real: str) -> Iterator[tuple[str, str]]:
        if real == STDIN:
            return
        for name, sources in self.sources.items():
            owners = {each.repository.partition("/")[0] for each in sources}
            for part in _above(real, [each.path for some in self.sources.values() for each in some]):
                if part in owners or _tokens(part) & self._words(name):
                    yield name, f"its path {part}"

    def _by_labels(self, bodies: Sequence[JsonObject]) -> Iterator[tuple[str, str]]:
        for name in self.sources:
            words = self._words(name)
            for body in bodies:
                labels = body["metadata"].get("labels")
                for key, value in labels.items() if isinstance(labels, dict) else ():
                    if value in words:
                        yield name, f"its label {key}: {value}"

    def _by_images(self, bodies: Sequence[JsonObject]) -> Iterator[tuple[str, str]]:
        images = (each.image for body in bodies for each in mentions(mappings(body)))
        found = {parts.repository for image in images if (parts := reference(image))}
        for name in self.sources:
            words, own = self._words(name), self._repositories(name)
            for each in sorted(found):
                if each in own or words & {*each.split("/")[:-1]}:
                    yield name, f"its image {each}"

    def _repositories(self, name: str) -> set[str]:
        """Return the repositories of images that a target sets itself."""
        blocks = self.opened.target(name).settings[self.component]
        said = (each.value for block in blocks for each in block.settings.images.values())
        return {parts.repository for image in said if (parts := reference(image))}


def _sources(target: Target, component: str) -> Iterator[PlatformSource]:
    for block in target.settings[component]:
        if block.settings.source:
            yield block.settings.source.value


def _above(real: str, inner: Sequence[str]) -> list[str]:
    """Return the names of the folders that a tree is in, without those inside of its repository."""
    path = PurePath(real) if Path(real).is_dir() else PurePath(real).with_suffix("")
    parts = [each for each in path.parts if each not in ("/", ".", "..")]
    roots = {each.partition("/")[0] for each in inner}
    cut = max((at for at, part in enumerate(parts) if part in roots), default=len(parts))
    return parts[max(0, cut - NEAR) : cut]


def _tokens(text: str) -> set[str]:
    return {*re.split(r"[^a-z0-9]+", text.lower())}
