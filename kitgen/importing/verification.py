"""Verify an import: compile what would be written, and compare it with the trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compare.objects.compare import Comparison, compare
from kitgen.files.tree import Disk
from kitgen.findings import Finding, Origin, pointer, problem, unique
from kitgen.findings.errors import FindingsError
from kitgen.importing.crds import ImportedDeclarations
from kitgen.importing.files import texts_of
from kitgen.importing.leftovers import Made
from kitgen.importing.ownership import objects_of, unit_of
from kitgen.importing.request import ImportRequest
from kitgen.importing.spec import Spec
from kitgen.importing.target_checks import FoundIn, check_version
from kitgen.importing.trees import InvertedTree
from kitgen.kit.load import load_kit
from kitgen.kit.model import Component
from kitgen.kit.spec_files import SpecFiles
from kitgen.kube.manifest import Manifest
from kitgen.render.kustomize.merge_patch import PATCH_NOTHING
from kitgen.render.unit import Unit
from kitgen.report.text import locate
from kitgen.workspace.kit import OpenedKit, OverlaidFiles


class SpecTrial(Struct, frozen=True, kw_only=True, dict=True):
    """A spec that may be written: the kit with it, and how near it comes to the trees."""

    request: ImportRequest
    opened: OpenedKit
    """The kit as it is."""
    older: Component | None
    declared: ImportedDeclarations
    reads: Sequence[InvertedTree]
    spec: Spec

    @cached_property
    def texts(self) -> dict[str, str]:
        """Return the files that would be written."""
        return texts_of(self.request, self.opened, self.spec, self.declared, self.older, self.reads)

    @cached_property
    def kit(self) -> OpenedKit:
        """Return the kit as it would be with these files.

        What is wrong with them is a FindingsError about the tree: nobody has seen the spec.
        """
        files = SpecFiles(OverlaidFiles(Disk(self.opened.root), self.texts))
        try:
            kit = load_kit(files)
        except FindingsError as error:
            raise FindingsError(self._refused(error.findings)) from error
        return OpenedKit(root=self.opened.root, kit=kit, texts=files.texts)

    @property
    def component(self) -> Component:
        """Return the new version."""
        return self.kit.kit.components[self.request.component][self.request.version]

    @cached_property
    def found(self) -> list[Comparison]:
        """Return each tree compared with what the kit builds for it."""
        carried = self.declared.carried
        builds = (objects_of(self.kit, self.component, each.given.who, carried) for each in self.reads)
        return [compare(made or [], each.given.bodies) for made, each in zip(builds, self.reads, strict=True)]

    @property
    def own_found(self) -> list[Comparison]:
        """Return the comparisons without CRDs of other components, which these have to declare."""
        others = {crd for _, crd in self.declared.missing}
        return [
            replace(each, differences=tuple(one for one in each.differences if one.object.name not in others))
            for each in self.found
        ]

    @property
    def left(self) -> int:
        """Return how many differences there are."""
        return sum(len(each.differences) for each in self.own_found)

    @cached_property
    def _units(self) -> list[Unit | None]:
        """Return the version as it is compiled for each tree; None where it is nothing."""
        carried = self.declared.carried
        return [unit_of(self.kit, self.component, each.given.who, carried) for each in self.reads]

    def assembled(self) -> list[Made]:
        """Return the objects of each tree as patches find them."""
        return [_by_name((*unit.assembled, *unit.crds) if unit else ()) for unit in self._units]

    @property
    def base(self) -> Made:
        """Return the new version by itself, as patches find it."""
        made = self.kit.session.alone(self.component)
        return _by_name((*made.assembled, *made.crds))

    @property
    def patch_names(self) -> list[str]:
        """Return how patches of the older spec are called."""
        if self.older is None:
            return []
        parts = (self.older.part, *(each.part for each in self.older.features.values()))
        return [item.layers[0].data["name"] for part in parts for item in part["patches"]]

    def idle_patches(self) -> list[str]:
        """Return the paths of patches of older versions that change nothing any more, in no tree."""
        features = self.component.features.items()
        parts = {"": self.component.part, **{f"/features/{name}": each.part for name, each in features}}
        found = (each for unit in self._units if unit for each in unit.findings)
        idle = {each.origin for each in found if each.rule is PATCH_NOTHING}
        paths = {
            layer.origin: f"{where}/patches/{layer.data['name']}"
            for where, part in parts.items()
            for layer in part.layers("patches")
        }
        return [path for origin, path in paths.items() if origin in idle]

    def refuse_unsound(self) -> None:
        """Raise if the new version does not compile, as a target has it or by itself."""
        for unit in filter(None, self._units):
            if wrong := self._refused(self.kit.judged(unit.findings)):
                raise FindingsError(wrong)

    def checks(self) -> list[FoundIn]:
        """Check the new version as if each target took it."""
        known = self.opened.judged(self.opened.kit.warnings)
        return check_version(self.kit, self.component, self.declared.carried, known)

    def _refused(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return errors as findings about the tree, with the place in the spec that is not written yet."""
        return unique(
            problem(
                "import-refused",
                f"the import cannot be made: {_wrong(each.origin, self.request, self.texts)}: "
                f"{each.rule.id}: {each.message}",
                hint=each.hint,
            ).at(Origin(self.request.real))
            for each in locate([each for each in findings if each.blocks], self.texts.get)
        )


def _by_name(objects: Iterable[Manifest]) -> Made:
    """Return objects by what patches call them."""
    return {(each.id.group, each.id.kind, each.id.name): each.body for each in objects}


def _wrong(origin: Origin, request: ImportRequest, texts: Mapping[str, str]) -> str:
    """Return what would be wrong; files that would not be written are right as they are."""
    if origin.file in texts:
        line = f":{origin.line}" if origin.line else ""
        return f"{origin.file}{line} would be wrong"
    place = f" at {pointer(origin.path)}" if origin.path else ""
    return f"{request.component}@{request.version} would be wrong{place} (said in {origin.file})"
