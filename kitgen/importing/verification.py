"""Verify an import: compile what would be written, and compare it with the trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compare.objects.compare import Comparison, compare_object_sets
from kitgen.files.tree import Disk
from kitgen.findings import Finding, Origin, deduplicate_findings, format_pointer, make_problem
from kitgen.findings.errors import FindingsError
from kitgen.importing.crds import ImportedDeclarations
from kitgen.importing.files import render_files
from kitgen.importing.leftovers import Made
from kitgen.importing.ownership import compile_objects, compile_unit
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
from kitgen.report.text import locate_findings
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
        return render_files(self.request, self.opened, self.spec, self.declared, self.older, self.reads)

    @cached_property
    def kit(self) -> OpenedKit:
        """Return the kit as it would be with these files.

        What is wrong with them is a FindingsError about the tree: nobody has seen the spec.
        """
        files = SpecFiles(OverlaidFiles(Disk(self.opened.root), self.texts))
        try:
            kit = load_kit(files)
        except FindingsError as error:
            raise FindingsError(self._to_tree_findings(error.findings)) from error
        return OpenedKit(root=self.opened.root, kit=kit, texts=files.texts)

    @property
    def component(self) -> Component:
        """Return the new version."""
        return self.kit.kit.components[self.request.component][self.request.version]

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Return each tree compared with what the kit builds for it."""
        carried = self.declared.carried_versions
        builds = (compile_objects(self.kit, self.component, each.given.who, carried) for each in self.reads)
        return [
            compare_object_sets(made or [], each.given.bodies)
            for made, each in zip(builds, self.reads, strict=True)
        ]

    @property
    def component_comparisons(self) -> list[Comparison]:
        """Return the comparisons without CRDs of other components, which these have to declare."""
        others = {crd for _, crd in self.declared.missing}
        return [
            replace(each, differences=tuple(one for one in each.differences if one.object.name not in others))
            for each in self.comparisons
        ]

    @property
    def difference_count(self) -> int:
        """Return how many differences there are."""
        return sum(len(each.differences) for each in self.component_comparisons)

    @cached_property
    def _units(self) -> list[Unit | None]:
        """Return the version as it is compiled for each tree; None where it is nothing."""
        carried = self.declared.carried_versions
        return [compile_unit(self.kit, self.component, each.given.who, carried) for each in self.reads]

    def assemble_objects(self) -> list[Made]:
        """Return the objects of each tree as patches find them."""
        return [_index_objects((*unit.assembled, *unit.crds) if unit else ()) for unit in self._units]

    @property
    def base_objects(self) -> Made:
        """Return the new version by itself, as patches find it."""
        made = self.kit.session.compile_alone(self.component)
        return _index_objects((*made.assembled, *made.crds))

    @property
    def patch_names(self) -> list[str]:
        """Return how patches of the older spec are called."""
        if self.older is None:
            return []
        parts = (self.older.part, *(each.part for each in self.older.features.values()))
        return [item.layers[0].data["name"] for part in parts for item in part["patches"]]

    def find_idle_patches(self) -> list[str]:
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

    def require_compilation(self) -> None:
        """Raise if the new version does not compile, as a target has it or by itself."""
        for unit in filter(None, self._units):
            if wrong := self._to_tree_findings(self.kit.apply_exceptions(unit.findings)):
                raise FindingsError(wrong)

    def check_targets(self) -> list[FoundIn]:
        """Check the new version as if each target took it."""
        known = self.opened.apply_exceptions(self.opened.kit.warnings)
        return check_version(self.kit, self.component, self.declared.carried_versions, known)

    def _to_tree_findings(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return errors as findings about the tree, with the place in the spec that is not written yet."""
        return deduplicate_findings(
            make_problem(
                "import-refused",
                f"the import cannot be made: {_describe_fault(each.origin, self.request, self.texts)}: "
                f"{each.rule.id}: {each.message}",
                hint=each.hint,
            ).to_finding(Origin(self.request.real))
            for each in locate_findings([each for each in findings if each.is_blocking], self.texts.get)
        )


def _index_objects(objects: Iterable[Manifest]) -> Made:
    """Return objects by what patches call them."""
    return {(each.id.group, each.id.kind, each.id.name): each.body for each in objects}


def _describe_fault(origin: Origin, request: ImportRequest, texts: Mapping[str, str]) -> str:
    """Return what would be wrong; files that would not be written are right as they are."""
    if origin.file in texts:
        line = f":{origin.line}" if origin.line else ""
        return f"{origin.file}{line} would be wrong"
    place = f" at {format_pointer(origin.path)}" if origin.path else ""
    return f"{request.component}@{request.version} would be wrong{place} (said in {origin.file})"
