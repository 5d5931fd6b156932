"""CRDs that differ between trees of one version: what each fork changes in the component's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from kitgen.compare.objects.compare import compare_object_sets
from kitgen.compare.objects.difference import Difference
from kitgen.crd.declaration import (
    NOWHERE,
    Expansion,
    ServiceNaming,
    crd_full_name,
    crd_plural,
    expand_crds,
    list_crd_aliases,
)
from kitgen.crd.definition import is_crd
from kitgen.crd.importer.declaration_fields import to_canonical_form
from kitgen.crd.importer.importer import import_crds
from kitgen.crd.schema_edits import Action
from kitgen.findings import Finding, Origin, make_problem
from kitgen.importing.crd_changes import ValueNumbers, apply_changes, build_changes
from kitgen.importing.declaration_reuse import reuse_older_declarations
from kitgen.importing.tree_reader import raise_findings
from kitgen.importing.trees import GivenTree
from kitgen.kit.model import Feature
from kitgen.kit.shipped_trees import ShippedTree
from kitgen.kube.schema_interning import Interner
from kitgen.render.families.containers_inverse import drop_keys
from kitgen.render.settings import is_feature_on
from kitgen.text.yaml import JsonObject, read_yaml


class ForkForms(Struct, frozen=True, kw_only=True):
    """The CRDs of all trees, each in the form of the first tree that has it, and the forms of forks."""

    own: Mapping[str, JsonObject]
    """Name of a CRD → its body in the first tree that has it."""
    forks: Mapping[str, Mapping[str, JsonObject]]
    """Target → name of a CRD → its body, where its tree has another form."""


def collect_fork_forms(givens: Sequence[GivenTree]) -> ForkForms:
    """Return the CRDs of all trees; labels, annotations and conversion do not make another form.

    Trees of targets that an older version has no forks for come first: theirs is the component's own form. If
    there is none, what the features of the first target change is taken back.
    """
    trees = sorted(givens, key=lambda given: bool(_list_crd_features(given)))
    own = _undo_crd_features(trees[0]) if _list_crd_features(trees[0]) else {}
    forks: dict[str, dict[str, JsonObject]] = {}
    for given in trees:
        for body in filter(is_crd, given.bodies):
            name = str(body["metadata"]["name"])
            if own.setdefault(name, body) is not body and _compare_crds(own[name], body):
                forks.setdefault(given.who, {})[name] = body
    return ForkForms(own=own, forks=forks)


def _list_crd_features(given: GivenTree) -> list[Feature]:
    """Return the features of the older version that change CRDs for the target of a tree."""
    if given.older is None:
        return []
    every = given.older.component.features.values()
    return [each for each in every if each.crds and is_feature_on(each, given.older.settings)]


def _undo_crd_features(given: GivenTree) -> dict[str, JsonObject]:
    """Return the CRDs of a fork's tree without what features of the older version changed in them.

    A CRD in which that cannot be taken back stays as it is.
    """
    bodies = {str(body["metadata"]["name"]): body for body in filter(is_crd, given.bodies)}
    component = given.older.component if given.older else None
    if component is None or not component.minor:
        return {}
    # Where the component runs is no part of the form.
    before = {crd_full_name(data): drop_keys(data, "conversion", "metadata") for _, data in component.crds}
    forked, names = dict(before), list_crd_aliases(component.crds)
    for name, layer in (each for feature in _list_crd_features(given) for each in feature.crds.items()):
        if (full := names.get(name)) in forked:
            forked[full] = apply_changes(forked[full], layer.data, "crd") or forked[full]
    known = [_normalize_crd(body) for name, body in bodies.items() if name in before]
    made = import_crds(known, prefer=component.minor)
    wanted = [read_yaml(each.text) for each in made.files]
    real = expand_declarations(wanted, made.minor).bodies
    plain = []
    for data in reuse_older_declarations([*forked.values()], wanted, real, made.minor, NOWHERE):
        undo = build_changes(forked[crd_full_name(data)], before[crd_full_name(data)], "crd")
        plain.append(apply_changes(data, undo, "crd") or data if undo else data)
    made_plain = expand_declarations(plain, made.minor)
    found = {} if made_plain.findings else {str(body["metadata"]["name"]): body for body in made_plain.bodies}
    return {name: as_fork(bodies[name], body) for name, body in found.items()}


def _normalize_crd(body: JsonObject) -> JsonObject:
    """Return a CRD without labels, annotations and conversion, which do not make another form."""
    return {
        **body,
        "metadata": {"name": body["metadata"]["name"]},
        "spec": drop_keys(body["spec"], "conversion"),
    }


def refuse_forks(
    forms: ForkForms, others: Mapping[str, Mapping[str, JsonObject]], reals: Mapping[str, ShippedTree]
) -> None:
    """Raise if a tree has another form of a CRD that another component declares than its target gets.

    `others` has the CRDs of other components as each target gets them.
    """
    wrong: list[Finding] = []
    for who, name, body in ((who, *each) for who, some in forms.forks.items() for each in some.items()):
        if name in others[who] and (found := _compare_crds(others[who][name], body)):
            given = ((real, each) for real, tree in reals.items() for each in tree.objects)
            real, origin = next((real, each.origin) for real, each in given if each.body is body)
            wrong.append(
                make_problem(
                    "tree-contradiction",
                    f"found another form of {name!r} in {real} than {who} gets, first in {found[0].field}",
                    found[0].path,
                    "import the component that declares this CRD from both trees first",
                ).to_finding(origin)
            )
    raise_findings(wrong, reals)


def _compare_crds(first: JsonObject, body: JsonObject) -> tuple[Difference, ...]:
    return compare_object_sets([_normalize_crd(first)], [_normalize_crd(body)]).differences


def as_fork(own: JsonObject, fork: JsonObject) -> JsonObject:
    """Return a CRD in a fork's form, with the metadata and the conversion that the component gives it."""
    conversion = {key: value for key, value in own["spec"].items() if key == "conversion"}
    return {**own, "spec": {**drop_keys(fork["spec"], "conversion"), **conversion}}


def build_fork_changes(
    declared: Sequence[JsonObject],
    bodies: Sequence[JsonObject],
    given: GivenTree,
    minor: int,
    home: ServiceNaming,
) -> JsonObject:
    """Return what makes a fork's CRDs of declarations: `$set`, `$add` and `$remove` by plural.

    `bodies` are all CRDs of the component, in the form of a `given` tree. They are declared with the types of
    the same Kubernetes minor, so that a fork that was generated with newer ones says what they add. What
    features of the older version say is kept where it still fits.
    """
    made = import_crds(bodies, only=minor, home=home)
    wanted = [read_yaml(each.text) for each in made.files]
    real = expand_declarations(wanted, minor, home).bodies
    before = {crd_full_name(data): data for data in declared}
    olds = [before[each.crd] for each in made.files]

    def makes(found: Sequence[JsonObject]) -> bool:
        result = [
            apply_changes(old, each, "crd") if each else old for old, each in zip(olds, found, strict=True)
        ]
        return all(result) and matches_crds(
            expand_declarations([each for each in result if each], minor, home), real
        )

    ways = (reuse_older_declarations(declared, wanted, real, minor, home), wanted)
    tries = [
        [
            {}
            if ValueNumbers().is_equal(old, new)
            else build_changes(old, new, "crd") or _replace_changed_keys(old, new)
            for old, new in zip(olds, some, strict=True)
        ]
        for some in ways
    ]
    tries.sort(key=lambda found: sum(len(str(each)) for each in found))
    whole = [_replace_changed_keys(old, new) for old, new in zip(olds, wanted, strict=True)]
    best = next((found for found in tries if makes(found)), whole)
    said = _collect_feature_changes(given, declared)
    for index, old in enumerate(olds):
        kept = [*best[:index], said.get(crd_full_name(old), {}), *best[index + 1 :]]
        best = kept if kept != best and makes(kept) else best
    # A feature calls a CRD by its plural, with the group if two have the same.
    plurals = Counter(map(crd_plural, declared))
    called = [crd_plural(old) if plurals[crd_plural(old)] == 1 else crd_full_name(old) for old in olds]
    return {name: each for name, each in zip(called, best, strict=True) if each}


def _collect_feature_changes(given: GivenTree, declared: Sequence[JsonObject]) -> dict[str, JsonObject]:
    """Return what features of the older version change for the target of a tree, by the full name of CRDs."""
    names = list_crd_aliases([(Origin(""), data) for data in declared])
    made: dict[str, JsonObject] = {}
    for name, layer in (each for feature in _list_crd_features(given) for each in feature.crds.items()):
        changes = made.setdefault(names.get(name, name), {})
        for action, each in layer.data.items():
            have = changes.get(action, type(each)())
            changes[action] = [*have, *each] if isinstance(each, list) else {**have, **each}
    return made


def _replace_changed_keys(old: JsonObject, new: JsonObject) -> JsonObject:
    """Return the changes of one CRD in which each key that differs is replaced as a whole."""
    keys = {
        Action.SET: {f"#{key}": value for key, value in new.items() if key in old and old[key] != value},
        Action.ADD: {f"#{key}": value for key, value in new.items() if key not in old},
        Action.REMOVE: [f"#{key}" for key in old if key not in new],
    }
    return {str(action): each for action, each in keys.items() if each}


def expand_declarations(files: Sequence[JsonObject], minor: int, home: ServiceNaming = NOWHERE) -> Expansion:
    """Expand declarations."""
    return expand_crds([(Origin(crd_full_name(data)), data) for data in files], minor=minor, home=home)


def matches_crds(made: Expansion, real: Sequence[JsonObject]) -> bool:
    """Return whether declarations stand for real CRDs, descriptions aside."""
    interner = Interner()
    seen = [[to_canonical_form(body, interner) for body in bodies] for bodies in (made.bodies, real)]
    return not made.findings and seen[0] == seen[1]
