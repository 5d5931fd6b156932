"""Compile a kit's targets, and do what they have in common only once."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.context import Context
from kitgen.compile.datascience import data_science_cluster
from kitgen.compile.finish import finish
from kitgen.compile.made import Made, together
from kitgen.compile.resolve import resolve, settle
from kitgen.compile.unit import Unit, compile_unit
from kitgen.compile.unused import unused_of_carried
from kitgen.crds import Home, expand
from kitgen.crds.declared import declarations
from kitgen.crds.types.names import resources
from kitgen.findings import Finding, Origin, Path
from kitgen.kubernetes import minors
from kitgen.model import Component, CrdPlace, Kit, Release, Settings, Target
from kitgen.objects import Manifest, Source
from kitgen.yamlio import JsonObject


class Session:
    """One run over a kit; expanded CRDs and bases are kept."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self._crds: dict[tuple[str, str], Made[tuple[Manifest, ...]]] = {}
        self._bases: dict[tuple[str, str], Unit] = {}
        self._resources = resources(declarations(kit))

    def shipped(self, target: Target) -> list[Release]:
        """Return every release that a target ships, the pinned one first.

        A target that does not list them ships those whose components it names. What builds a component
        that it says nothing of was hardly made for it.
        """
        names = target.releases or [
            name for name, release in self.kit.releases.items() if self._is_named(target, release)
        ]
        return [self.kit.releases[name] for name in dict.fromkeys([target.release, *names])]

    def _is_named(self, target: Target, release: Release) -> bool:
        built = self.components(release)
        carried = {name for component in built for name in component.carries}
        return bool(built) and all(each.name in target.settings for each in built if each.name not in carried)

    def components(self, release: Release) -> list[Component]:
        """Return what a release builds, in the order in which a cluster should get it."""
        names = sorted(release.components)
        found = {name: self.kit.components[name][release.components[name]] for name in names}
        ordered: dict[str, Component] = {}

        def visit(name: str) -> None:
            for other in sorted(found[name].after):
                if other in found:
                    visit(other)
            ordered.setdefault(name, found[name])

        for name in names:
            visit(name)
        return list(ordered.values())

    def units(self, target: Target, release: Release) -> list[Unit]:
        """Compile every component that the target manages and that no other one carries."""
        return [
            self.unit(target, release, component)
            for component in self.components(release)
            if settle(target, component).managed and self.holder(target, release, component) is component
        ]

    def unit(self, target: Target, release: Release, component: Component) -> Unit:
        """Compile one component for a target."""
        resolved = self.context(component, settle(target, component), target.name, release)
        beside = together(self.crds(each) for each in self.beside(target, release, component))
        crds = (crd for made in beside.value for crd in made)
        unused: list[Finding] = []
        for name in component.carries:
            other = self.kit.components[name].get(release.components.get(name, ""))
            if other and self.holder(target, release, other) is component:
                unused += unused_of_carried(settle(target, other), component.name)
        return compile_unit(resolved, crds, *beside.findings, *unused)

    def base(self, component: Component) -> Unit:
        """Compile what all targets start from: the component by itself."""
        key = (component.name, component.version)
        if key not in self._bases:
            settings = Settings(origin=component.origin)
            self._bases[key] = compile_unit(self.context(component, settings, "base", None))
        return self._bases[key]

    def bundled(self, target: Target, release: Release) -> dict[str, Context]:
        """Return the components whose CRDs the target keeps apart, each with who labels them."""
        found = {}
        for component in self.components(release):
            settings = settle(target, component)
            if settings.managed and settings.crd_place is CrdPlace.BUNDLE and component.crds:
                found[component.name] = self._labeller(target, release, component)
        return found

    def apart(self, target: Target, release: Release) -> list[Manifest]:
        """Return what is rendered for a target beside its kustomization."""
        components = self.components(release)
        cluster = data_science_cluster(target, components)
        bundled = self.bundled(target, release)
        crds = [
            manifest
            for component in components
            if component.name in bundled
            for manifest in self.labelled_crds(target, release, component)
        ]
        return [*([cluster] if cluster else []), *crds]

    def holder(self, target: Target, release: Release, component: Component) -> Component:
        """Return the managed component that carries this one; itself when there is none to carry."""
        if not settle(target, component).managed:
            return component
        carriers = (
            other
            for other in self.components(release)
            if component.name in other.carries and settle(target, other).managed
        )
        return next(carriers, component)

    def beside(self, target: Target, release: Release, component: Component) -> list[Component]:
        """Return the components whose CRDs stand beside this one, itself last."""
        names = [name for name in component.carries if name in release.components]
        found = [*(self.kit.components[name][release.components[name]] for name in names), component]
        return [
            each
            for each in found
            if each.crds
            and (settings := settle(target, each)).managed
            and settings.crd_place is CrdPlace.BESIDE
            and self.holder(target, release, each) is component
        ]

    def _labeller(self, target: Target, release: Release, component: Component) -> Context:
        holder = self.holder(target, release, component)
        return self.context(holder, settle(target, holder), target.name, release).value

    def context(
        self, component: Component, settings: Settings, target: str, release: Release | None
    ) -> Made[Context]:
        """Return what the families work on, with the names of the kit's resources."""
        return resolve(component, settings, target, release, self._resources)

    def labelled_crds(self, target: Target, release: Release, component: Component) -> list[Manifest]:
        """Return a component's CRDs with the labels of the component that carries them."""
        return finish(self._labeller(target, release, component), self.crds(component).value)

    def crds(self, component: Component) -> Made[tuple[Manifest, ...]]:
        """Expand a component's CRD declarations, once."""
        key = (component.name, component.version)
        if key not in self._crds:
            home = Home(prefix=component.prefix, namespace=component.namespace)
            # Without a minor no type is named, so any of them gives the same.
            minor = minors()[-1] if component.minor is None else component.minor
            expansion = expand(component.crds, minor=minor, home=home)
            made = tuple(
                Manifest(body=body, sources=tuple(_crd_sources(origin, declared, body)))
                for (origin, declared), body in zip(component.crds, expansion.bodies, strict=False)
            )
            self._crds[key] = Made(made, expansion.findings)
        return self._crds[key]


def _crd_sources(origin: Origin, declared: JsonObject, body: JsonObject) -> Iterator[Source]:
    """Yield where a CRD and the parts of each of its versions are declared."""
    yield Source(path=(), rule="crd declaration", origin=origin)
    for key in ("group", "names", "scope"):
        if key in declared:
            yield Source(path=("spec", key), rule="crd declaration", origin=origin.at(key), verbatim=True)
    for index, version in enumerate(body["spec"]["versions"]):
        place: Path = ("spec", "versions", index)
        at = origin.at("versions", version["name"])
        yield Source(path=place, rule="crd declaration", origin=at)
        schema: Path = (*place, "schema", "openAPIV3Schema")
        yield Source(path=schema, rule="crd declaration", origin=at.at("schema"), verbatim=True)
        columns = declared["versions"][version["name"]].get("columns", ())
        if len(columns) == len(version.get("additionalPrinterColumns", ())):
            path = (*place, "additionalPrinterColumns")
            yield Source(path=path, rule="crd declaration", origin=at.at("columns"), verbatim=True)
