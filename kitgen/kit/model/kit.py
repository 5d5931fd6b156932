"""The loaded kit: components, targets, releases, and the lookups between them."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from kitgen.findings import NO_GRADES, AcceptedException, Finding, Grades
from kitgen.kit.model.argocd import Fleet
from kitgen.kit.model.component import Component
from kitgen.kit.model.publishing import Publishing
from kitgen.kit.model.release import Matrix
from kitgen.kit.model.target import Release, Target
from kitgen.kube.definitions import select_minors


class Kit(Struct, frozen=True, kw_only=True):
    """One kit of specs."""

    name: str
    about: str
    minors: tuple[int, ...]
    """Minors of Kubernetes that every rendered object must be valid on."""
    components: dict[str, dict[str, Component]]
    """Name → version → component, of those that were wanted; versions in semantic order."""
    versions: dict[str, tuple[str, ...]]
    """Name → every version that there is."""
    targets: dict[str, Target]
    releases: dict[str, Release]
    """Those that were wanted, the oldest first."""
    project: str = ""
    """The component whose version is that of a release, if the kit says so."""
    matrix: Matrix | None = None
    """How READMEs show which versions belong together, if the kit says so."""
    publishing: Publishing = Publishing()
    fleet: Fleet | None = None
    """How Argo CD brings targets to many clusters, if the kit says so."""
    target_names: tuple[str, ...] = ()
    """Every target that there is."""
    release_names: tuple[str, ...] = ()
    """Every release that there is."""
    exceptions: tuple[AcceptedException, ...] = ()
    """Findings that are accepted, with reasons."""
    grades: Grades = NO_GRADES
    """How bad the kit says that it is to break some rules."""
    warnings: tuple[Finding, ...] = ()
    """What is odd about the specs, but no error."""
    accepted: tuple[Finding, ...] = ()
    """Errors in the specs that are accepted, and that no object comes from."""

    def minors_for(self, release: Release | None, components: Iterable[Component] = ()) -> tuple[int, ...]:
        """Return the minors that a release, or the kit, is for and that some components run on."""
        found = release.minors if release and release.minors else self.minors
        for component in components:
            found = select_minors(found, component.clusters) if component.clusters else found
        return found

    def parent(self, component: Component) -> Component | None:
        """Return the version that a component builds on, if it does."""
        return self.components[component.name][component.parent] if component.parent else None

    @property
    def target_exceptions(self) -> list[AcceptedException]:
        """Return what targets accept of their own moves, each once: others may take it over."""
        files = ((each, each.origin.file) for each in self.targets.values())
        return [own for each, file in files for own in each.exceptions if own.origin.file == file]

    @property
    def is_whole(self) -> bool:
        """Return whether all targets and releases are here that there are."""
        return len(self.targets) >= len(self.target_names) and len(self.releases) >= len(self.release_names)

    @property
    def buildable_releases(self) -> list[Release]:
        """Return the releases that build something; others are there to be remembered."""
        return [each for each in self.releases.values() if each.components]

    @property
    def every_component(self) -> list[Component]:
        """Return all components in all versions."""
        return [each for versions in self.components.values() for each in versions.values()]
