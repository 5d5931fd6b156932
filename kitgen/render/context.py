"""The context of a family (component, settings of the target, names) and the result of a compile step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct, field

from kitgen.findings import Cause, CauseKind, Finding, Origin, Path
from kitgen.kit.crd_names import DeclaredResources
from kitgen.kit.model import Component, ComponentPart, Layer, Settings
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.layers import LayerTouch, build_source


class RenderContext(Struct, frozen=True, kw_only=True):
    """One component for one target, or for the base when there is no target."""

    component: Component
    settings: Settings
    target: str
    """Its name; empty for the base."""
    release: str
    """The same."""
    namespace: str
    namespace_origin: Origin
    images: dict[str, tuple[str, Origin]]
    """Image name → the image, and where it is said."""
    renames: dict[str, str] = field(default_factory=dict)
    """Image as specs write it → as it is rendered, of those that get another name."""
    part: ComponentPart
    """The component's part with its features laid over it and expressions computed."""
    additions: tuple[Layer, ...] = ()
    """What families add to the Deployment."""
    resources: DeclaredResources
    """Plurals and singulars, as the kit's CRDs declare them."""

    def full_name(self, name: str) -> str:
        """Return an object's full name; what an expression gave may be a number, and is one in writing."""
        return f"{self.component.prefix}{name}"

    def add_prefix_source(self, manifest: Manifest) -> Manifest:
        """Return an object that a family made, and that is called with the prefix, if there is one."""
        source = FieldSource(
            path=("metadata", "name"),
            cause=Cause(CauseKind.PREFIX),
            origin=self.component.origin.at("prefix"),
            aside=True,
        )
        return manifest.replace_body(manifest.body, source) if self.component.prefix else manifest

    @property
    def account(self) -> str:
        """Return the name of the operator's service account; empty when it has none."""
        return self.full_name(self.part["serviceAccount"][0].name) if self.part["serviceAccount"] else ""

    def account_sources(self, path: Path) -> Iterator[FieldSource]:
        """Return the sources of a field that names the operator's service account, if there is one."""
        for item in self.part["serviceAccount"]:
            yield build_source(LayerTouch((), item.layers[-1], ()), path, "serviceAccount")


T = TypeVar("T")


class ComputedValue(NamedTuple, Generic[T]):
    """A value, and what is wrong with what it was made from."""

    value: T
    findings: tuple[Finding, ...] = ()


def join_computed(parts: Iterable[ComputedValue[T]]) -> ComputedValue[tuple[T, ...]]:
    """Return all values as one, with all findings."""
    known = tuple(parts)
    return ComputedValue(
        tuple(each.value for each in known), tuple(f for each in known for f in each.findings)
    )
