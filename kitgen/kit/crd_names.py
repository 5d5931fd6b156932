"""Names of the CRDs of a kit: declared ones, and those among its whole objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from kitgen.crd.declaration import crd_full_name, list_crd_aliases
from kitgen.crd.definition import check_crd_shape, is_crd
from kitgen.crd.schema_edits import Action
from kitgen.crd.types import derive_crd_names, plural_of, singular_of
from kitgen.findings import Origin
from kitgen.kit.model import Component, Kit
from kitgen.text.yaml import JsonObject


class DeclaredCrd(Struct, frozen=True):
    """Group, names and versions of a CRD."""

    group: str
    names: JsonObject
    versions: tuple[str, ...]
    scope: str = ""


def list_declared_crds(kit: Kit) -> list[DeclaredCrd]:
    """Return what every CRD of every component is called; a declaration counts before a whole CRD."""
    components = kit.every_component
    whole = [spec for component in components for spec in _list_crd_objects(component)]
    return [*whole, *(each for component in components for each in _list_declarations(component))]


def list_component_crds(component: Component) -> list[DeclaredCrd]:
    """Return what the CRDs of a component are called."""
    return [*_list_crd_objects(component), *_list_declarations(component)]


def _list_declarations(component: Component) -> Iterator[DeclaredCrd]:
    known = list_crd_aliases(component.crds) if any(each.crds for each in component.features.values()) else {}
    for _, data in component.crds:
        changed = [
            layer.data
            for feature in component.features.values()
            for name, layer in feature.crds.items()
            if known.get(name) == crd_full_name(data)
        ]
        # A path without a slash or a sign leads to a version.
        added = [path for each in changed for path in each.get(Action.ADD, ()) if not {*path} & {"/", "#"}]
        yield DeclaredCrd(
            data["group"], data["names"], tuple(dict.fromkeys((*data["versions"], *added))), data["scope"]
        )


def _list_crd_objects(component: Component) -> Iterator[DeclaredCrd]:
    """Yield every CRD that stands among the objects of a component, if it has the shape of one."""
    for item in (item for part in component.parts for item in part["objects"]):
        body = item.layers[0].data
        if is_crd(body) and not check_crd_shape(body, Origin("")):
            spec = body["spec"]
            yield DeclaredCrd(
                spec["group"],
                spec["names"],
                tuple(version["name"] for version in spec["versions"]),
                spec.get("scope", ""),
            )


class DeclaredResources(Struct, frozen=True):
    """Names of resources: those that declarations say, else those that follow from the kind."""

    plurals: dict[tuple[str, str], str] = field(default_factory=dict)
    """Group and kind → plural."""
    singulars: dict[tuple[str, str], str] = field(default_factory=dict)
    """Group and plural → singular."""

    @property
    def irregular(self) -> tuple[tuple[tuple[str, str], str], ...]:
        """Return what is said of names that do not follow from the kind: nothing depends on the others."""
        plurals = (item for item in self.plurals.items() if item[1] != plural_of(item[0][1]))
        singulars = (item for item in self.singulars.items() if item[1] != singular_of(item[0][1]))
        return (*sorted(plurals), *sorted(singulars))

    def plural(self, group: str, kind: str) -> str:
        """Return the plural of a kind."""
        return self.plurals.get((group, kind)) or plural_of(kind)

    def singular(self, group: str, plural: str) -> str:
        """Return the singular of a plural."""
        return self.singulars.get((group, plural)) or singular_of(plural)


def collect_resource_names(declared: Iterable[DeclaredCrd]) -> DeclaredResources:
    """Collect the names that CRDs say; a later one replaces an earlier one."""
    said = ((each.group, {key: value for key, value in each.names.items() if value}) for each in declared)
    named = [(group, derive_crd_names(names["kind"]) | names) for group, names in said]
    return DeclaredResources(
        plurals={(group, names["kind"]): names["plural"] for group, names in named},
        singulars={(group, names["plural"]): names["singular"] for group, names in named},
    )
