"""CRDs of an import: the target or component that owns each, and the declarations of the new version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.compare.bundled_versions import match_bundled_versions
from kitgen.crd import format as layout
from kitgen.crd.declaration import ServiceNaming, crd_full_name
from kitgen.crd.importer.component_metadata import CrdMetadata, strip_component_metadata
from kitgen.crd.importer.importer import Declaration, Import, import_crds
from kitgen.findings import Origin
from kitgen.importing.crd_changes import ValueNumbers, apply_changes, build_changes
from kitgen.importing.declaration_reuse import reuse_older_declarations
from kitgen.importing.forks import (
    as_fork,
    build_fork_changes,
    collect_fork_forms,
    expand_declarations,
    matches_crds,
    refuse_forks,
)
from kitgen.importing.survey import TreeSurvey
from kitgen.importing.trees import GivenTree, survey_tree
from kitgen.kit.model import Component, LabelRule, LabelScope
from kitgen.kit.shipped_trees import ShippedTree
from kitgen.render.crd_additions import collect_crd_metadata
from kitgen.text.yaml import JsonObject, read_yaml
from kitgen.workspace.compilation import build_target_placement
from kitgen.workspace.kit import OpenedKit

MAX_SHARE = 2 / 3
"""How many lines of a whole declaration a file may have that only says what changes."""


class ImportedDeclarations(Struct, frozen=True, kw_only=True):
    """The declarations of the new version."""

    texts: Mapping[str, str] = field(default_factory=dict)
    """Name of a file below crds/ → its text, where it is not as in the older version."""
    gone: tuple[str, ...] = ()
    """Files of the older version that are there no more."""
    minor: int = 0
    """The minor of Kubernetes whose types they name; 0 if there are none."""
    fitting: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Component that this one carries → its versions that have the CRDs of the tree, the newest first."""
    missing: tuple[tuple[str, str], ...] = ()
    """Component that this one carries, and a CRD of its that no version in the kit has as it is."""
    without: tuple[str, ...] = ()
    """Components that the older version carries, of whose CRDs the trees have none."""
    forks: Mapping[str, JsonObject] = field(default_factory=dict)
    """Target → the `crds` of a feature that turns the declared CRDs into those of its tree."""

    @property
    def carried_versions(self) -> dict[str, str]:
        """Return the version of each component that this one carries to compile with."""
        return {name: versions[0] for name, versions in self.fitting.items()}

    def list_removed_carries(self, older: Component | None) -> list[str]:
        """Return what a spec removes in order to carry these no more."""
        if older is not None and len(self.without) == len(older.carries):
            return ["/carries"] if self.without else []
        return [f"/carries/{name}" for name in self.without]


def declare_component_crds(
    givens: Sequence[GivenTree],
    reals: Mapping[str, ShippedTree],
    opened: OpenedKit,
    older: Component | None,
    version: str,
    *,
    like: Component | None = None,
) -> ImportedDeclarations:
    """Declare the CRDs that are the component's own, in the form of the first tree, and what forks change.

    A spec of its own may carry what another version of the component, which it is `like`, does.
    """
    forms, found, alone = collect_fork_forms(givens), survey_tree(givens[0]), not givens[0].who
    fits = match_bundled_versions(opened, before, forms.own) if (before := older or like) else {}
    carried = {name: fit.versions for name, fit in fits.items() if fit.versions}
    missing = tuple((name, crd) for name, fit in fits.items() if not fit.versions for crd in sorted(fit.crds))
    others = {crd for fit in fits.values() for crd in fit.crds}
    # By itself, a component has no CRDs of others.
    without = () if alone else tuple(name for name, fit in fits.items() if not fit.crds)
    if older is None and (missing or without):  # a spec of its own has what others do not
        carried, missing, without, others = {}, (), (), set()
    refuse_forks(forms, {who: _list_target_crds(opened, who, carried) for who in forms.forks}, reals)
    own = {name: body for name, body in forms.own.items() if name not in others}
    made = ImportedDeclarations(fitting=carried, missing=missing, without=without)
    if not own:
        return replace(made, gone=tuple(_file_name_of(origin) for origin, _ in older.crds) if older else ())
    if older is not None and not (
        alone and _collect_crd_labels(found.labels) != _collect_crd_labels(older.labels)
    ):
        around = collect_crd_metadata(opened.session, replace(older, version=version))
        surroundings = replace(
            around, labels={**_guess_metadata(found).labels, **({} if alone else around.labels)}
        )
    else:
        surroundings = _guess_metadata(found)
    home, prefer = surroundings.home, older.minor or 0 if older else 0
    imported = import_crds(
        strip_component_metadata([*own.values()], surroundings).bodies, prefer=prefer, home=home
    )
    texts, gone, data = _select_changed_files(imported, older, home)
    forks: dict[str, JsonObject] = {}
    for given in (each for each in givens if each.who in forms.forks):
        theirs = forms.forks[given.who]
        bodies = [as_fork(body, theirs.get(name, body)) for name, body in own.items()]
        bare = strip_component_metadata(bodies, surroundings).bodies
        forks[given.who] = build_fork_changes(data, bare, given, imported.minor, home)
    return replace(made, texts=texts, gone=gone, minor=imported.minor, forks=forks)


def _list_target_crds(
    opened: OpenedKit, who: str, fitting: Mapping[str, Sequence[str]]
) -> dict[str, JsonObject]:
    """Return the CRDs that a target gets of some components."""
    versions = {name: each[0] for name, each in fitting.items()}
    placement = build_target_placement(opened, opened.target(who), versions)
    some = [opened.kit.components[name][version] for name, version in versions.items()]
    crds = (each for component in some for each in opened.session.expand_crds(component, placement).value)
    return {each.id.name: each.body for each in crds}


def _guess_metadata(found: TreeSurvey) -> CrdMetadata:
    return CrdMetadata(
        home=ServiceNaming(prefix=found.prefix, namespace=found.namespace),
        labels=dict.fromkeys(sorted(_collect_crd_labels(found.labels)), ("component.yaml",)),
    )


def _collect_crd_labels(rules: Sequence[LabelRule]) -> set[tuple[str, str]]:
    """Return the labels that CRDs get from rules."""
    return {pair for rule in rules if rule.scope is LabelScope.ALL for pair in rule.pairs.items()}


def _select_changed_files(
    made: Import, older: Component | None, home: ServiceNaming
) -> tuple[dict[str, str], tuple[str, ...], list[JsonObject]]:
    """Return the files that are not as before, those that go, and what all say in the end."""
    known = (
        {crd_full_name(data): (_file_name_of(origin), data) for origin, data in older.crds} if older else {}
    )
    wanted = [read_yaml(each.text) for each in made.files]
    files = [known.get(each.crd, (f"{each.name}.yaml", None)) for each in made.files]
    befores = [before for _, before in files]
    chosen = [(data, each.text) for data, each in zip(wanted, made.files, strict=True)]
    if known:
        real = expand_declarations(wanted, made.minor, home).bodies
        kept = reuse_older_declarations([data for _, data in known.values()], wanted, real, made.minor, home)
        tries = [[*map(_choose_declaration_form, befores, some, made.files)] for some in (kept, wanted)]
        for some in sorted(tries, key=lambda some: sum(text.count("\n") for _, text in some)):
            if matches_crds(expand_declarations([data for data, _ in some], made.minor, home), real):
                chosen = some
                break
    fresh = {each.crd for each in made.files}
    gone = tuple(file for name, (file, _) in known.items() if name not in fresh)
    texts = {file: text for (file, _), (_, text) in zip(files, chosen, strict=True) if text}
    return texts, gone, [data for data, _ in chosen]


def _choose_declaration_form(
    before: JsonObject | None, data: JsonObject, whole: Declaration
) -> tuple[JsonObject, str]:
    """Return a declaration as it is in the end, and the file that this takes; none if it is as before.

    A file that only says what changes is taken if it is much shorter.
    """
    if before is None:
        return data, whole.text
    if ValueNumbers().is_equal(before, data):
        return before, ""
    found = build_changes(before, data, "crd")
    made = apply_changes(before, found, "crd") if found else None
    if found is not None and made is not None:
        text = layout.render_declaration(found)
        if text.count("\n") <= MAX_SHARE * whole.text.count("\n") and read_yaml(text) == found:
            return made, text
    return read_yaml(whole.text), whole.text


def _file_name_of(origin: Origin) -> str:
    return origin.file.rpartition("/")[2]
