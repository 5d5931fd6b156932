"""CRDs of an import: the target or component that owns each, and the declarations of the new version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.compare.bundled_versions import carried_fits
from kitgen.crd import format as layout
from kitgen.crd.declaration import ServiceNaming, full_name
from kitgen.crd.importer.component_metadata import CrdMetadata, take_out
from kitgen.crd.importer.importer import Declaration, Import, import_crds
from kitgen.findings import Origin
from kitgen.importing.crd_changes import ValueNumbers, changed, changes_of
from kitgen.importing.declaration_reuse import in_older_words
from kitgen.importing.forks import as_fork, expansion, fork_changes, forms_of, refuse_forks, same_crds
from kitgen.importing.survey import TreeSurvey
from kitgen.importing.trees import GivenTree, survey_of
from kitgen.kit.model import Component, LabelRule, LabelScope
from kitgen.kit.shipped_trees import ShippedTree
from kitgen.render.crd_additions import surroundings_of
from kitgen.text.yaml import JsonObject, read
from kitgen.workspace.compilation import placement_of
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
    def carried(self) -> dict[str, str]:
        """Return the version of each component that this one carries to compile with."""
        return {name: versions[0] for name, versions in self.fitting.items()}

    def left_behind(self, older: Component | None) -> list[str]:
        """Return what a spec removes in order to carry these no more."""
        if older is not None and len(self.without) == len(older.carries):
            return ["/carries"] if self.without else []
        return [f"/carries/{name}" for name in self.without]


def declare(
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
    forms, found, alone = forms_of(givens), survey_of(givens[0]), not givens[0].who
    fits = carried_fits(opened, before, forms.own) if (before := older or like) else {}
    carried = {name: fit.versions for name, fit in fits.items() if fit.versions}
    missing = tuple((name, crd) for name, fit in fits.items() if not fit.versions for crd in sorted(fit.crds))
    others = {crd for fit in fits.values() for crd in fit.crds}
    # By itself, a component has no CRDs of others.
    without = () if alone else tuple(name for name, fit in fits.items() if not fit.crds)
    if older is None and (missing or without):  # a spec of its own has what others do not
        carried, missing, without, others = {}, (), (), set()
    refuse_forks(forms, {who: _gets(opened, who, carried) for who in forms.forks}, reals)
    own = {name: body for name, body in forms.own.items() if name not in others}
    made = ImportedDeclarations(fitting=carried, missing=missing, without=without)
    if not own:
        return replace(made, gone=tuple(_file(origin) for origin, _ in older.crds) if older else ())
    if older is not None and not (alone and _wide(found.labels) != _wide(older.labels)):
        around = surroundings_of(opened.session, replace(older, version=version))
        surroundings = replace(around, labels={**_guessed(found).labels, **({} if alone else around.labels)})
    else:
        surroundings = _guessed(found)
    home, prefer = surroundings.home, older.minor or 0 if older else 0
    imported = import_crds(take_out([*own.values()], surroundings).bodies, prefer=prefer, home=home)
    texts, gone, data = _changed(imported, older, home)
    forks: dict[str, JsonObject] = {}
    for given in (each for each in givens if each.who in forms.forks):
        theirs = forms.forks[given.who]
        bodies = [as_fork(body, theirs.get(name, body)) for name, body in own.items()]
        bare = take_out(bodies, surroundings).bodies
        forks[given.who] = fork_changes(data, bare, given, imported.minor, home)
    return replace(made, texts=texts, gone=gone, minor=imported.minor, forks=forks)


def _gets(opened: OpenedKit, who: str, fitting: Mapping[str, Sequence[str]]) -> dict[str, JsonObject]:
    """Return the CRDs that a target gets of some components."""
    versions = {name: each[0] for name, each in fitting.items()}
    placement = placement_of(opened, opened.target(who), versions)
    some = [opened.kit.components[name][version] for name, version in versions.items()]
    crds = (each for component in some for each in opened.session.crds(component, placement).value)
    return {each.id.name: each.body for each in crds}


def _guessed(found: TreeSurvey) -> CrdMetadata:
    return CrdMetadata(
        home=ServiceNaming(prefix=found.prefix, namespace=found.namespace),
        labels=dict.fromkeys(sorted(_wide(found.labels)), ("component.yaml",)),
    )


def _wide(rules: Sequence[LabelRule]) -> set[tuple[str, str]]:
    """Return the labels that CRDs get from rules."""
    return {pair for rule in rules if rule.scope is LabelScope.ALL for pair in rule.pairs.items()}


def _changed(
    made: Import, older: Component | None, home: ServiceNaming
) -> tuple[dict[str, str], tuple[str, ...], list[JsonObject]]:
    """Return the files that are not as before, those that go, and what all say in the end."""
    known = {full_name(data): (_file(origin), data) for origin, data in older.crds} if older else {}
    wanted = [read(each.text) for each in made.files]
    files = [known.get(each.crd, (f"{each.name}.yaml", None)) for each in made.files]
    befores = [before for _, before in files]
    chosen = [(data, each.text) for data, each in zip(wanted, made.files, strict=True)]
    if known:
        real = expansion(wanted, made.minor, home).bodies
        kept = in_older_words([data for _, data in known.values()], wanted, real, made.minor, home)
        tries = [[*map(_meant, befores, some, made.files)] for some in (kept, wanted)]
        for some in sorted(tries, key=lambda some: sum(text.count("\n") for _, text in some)):
            if same_crds(expansion([data for data, _ in some], made.minor, home), real):
                chosen = some
                break
    fresh = {each.crd for each in made.files}
    gone = tuple(file for name, (file, _) in known.items() if name not in fresh)
    texts = {file: text for (file, _), (_, text) in zip(files, chosen, strict=True) if text}
    return texts, gone, [data for data, _ in chosen]


def _meant(before: JsonObject | None, data: JsonObject, whole: Declaration) -> tuple[JsonObject, str]:
    """Return a declaration as it is in the end, and the file that this takes; none if it is as before.

    A file that only says what changes is taken if it is much shorter.
    """
    if before is None:
        return data, whole.text
    if ValueNumbers().same(before, data):
        return before, ""
    found = changes_of(before, data, "crd")
    made = changed(before, found, "crd") if found else None
    if found is not None and made is not None:
        text = layout.write(found)
        if text.count("\n") <= MAX_SHARE * whole.text.count("\n") and read(text) == found:
            return made, text
    return read(whole.text), whole.text


def _file(origin: Origin) -> str:
    return origin.file.rpartition("/")[2]
