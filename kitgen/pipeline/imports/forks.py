"""CRDs that trees of one version have in different forms: what each fork changes in the component's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from kitgen.crds.declare.conversion import Home
from kitgen.crds.declare.declaration import Expansion, expand, full_name, plural
from kitgen.crds.importer.importer import import_crds
from kitgen.crds.importer.undeclare import canonical
from kitgen.crds.schema.crd import is_crd
from kitgen.crds.schema.intern import Interner
from kitgen.diff.objects import Difference, compare
from kitgen.errors import FindingsError
from kitgen.findings import Chapter, Finding, Origin, Rule
from kitgen.importer.crd_changes import changed, changes_of
from kitgen.importer.crd_words import in_older_words
from kitgen.importer.meanings import Meanings
from kitgen.importer.survey import main_namespace
from kitgen.importer.trees import Given
from kitgen.kustomize import ways
from kitgen.kustomize.namespace import CONVERSION
from kitgen.load.real import Real
from kitgen.yamlio import JsonObject, read

TREE_CONTRADICTION = Rule(
    id="tree-contradiction",
    chapter=Chapter.CRD,
    checks="Trees that are imported together have the same form of CRDs that another component declares.",
    fix="Import the component that declares the CRD from both trees first.",
)


class Forms(Struct, frozen=True, kw_only=True):
    """The CRDs of all trees, each in the form of the first tree that has it, and the forms of forks."""

    own: Mapping[str, JsonObject]
    """Name of a CRD → its body in the first tree that has it."""
    forks: Mapping[str, Mapping[str, JsonObject]]
    """Target → name of a CRD → its body, where its tree has another form."""


def forms_of(givens: Sequence[Given]) -> Forms:
    """Return the CRDs of all trees; labels, annotations and conversion do not make another form."""
    own: dict[str, tuple[JsonObject, str]] = {}
    forks: dict[str, dict[str, JsonObject]] = {}
    for given in givens:
        home = main_namespace(given.bodies)
        for body in filter(is_crd, given.bodies):
            name = str(body["metadata"]["name"])
            first, there = own.setdefault(name, (body, home))
            if first is not body and _differences(first, there, body, home):
                forks.setdefault(given.who, {})[name] = body
    return Forms(own={name: body for name, (body, _) in own.items()}, forks=forks)


def refuse_forks(
    forms: Forms, others: Collection[str], givens: Sequence[Given], reals: Mapping[str, Real]
) -> None:
    """Raise if a tree has another form of a CRD that another component declares."""
    origins = {id(each.body): each.origin for real in reals.values() for each in real.objects}
    wrong: list[Finding] = []
    for given in givens:
        for name, body in forms.forks.get(given.who, {}).items():
            if name in others:
                first = forms.own[name]
                at = _differences(first, "", body, "")[0]
                message = f"found {name!r} in another form than in {givens[0].name}, first in {at.field}"
                hint = "import the component that declares this CRD from both trees first"
                origin = origins.get(id(body), Origin(given.name))
                wrong.append(TREE_CONTRADICTION(message, hint=hint).at(origin.at(*at.path)))
    if wrong:
        texts = {file: text for real in reals.values() for file, text in real.texts.items()}
        raise FindingsError(wrong, texts=texts)


def _differences(first: JsonObject, there: str, body: JsonObject, here: str) -> list[Difference]:
    found = compare([_homeless(first, there)], [_homeless(body, here)]).differences
    return [each for each in found if each.path[:2] != ("spec", "conversion")]


def _homeless(body: JsonObject, home: str) -> JsonObject:
    """Return a CRD as it is wherever it runs: without its labels, and its Service in no namespace."""
    body = {**body, "metadata": {"name": body["metadata"]["name"]}}
    for path, service in ways.places(body, CONVERSION):
        if isinstance(service, dict) and service.get("namespace") == home:
            body = ways.changed(body, path, lambda each: {**each, "namespace": ""})
    return body


def as_fork(own: JsonObject, fork: JsonObject) -> JsonObject:
    """Return a CRD in a fork's form, with the metadata and the conversion that the component gives it."""
    spec = {key: value for key, value in fork["spec"].items() if key != "conversion"}
    if "conversion" in own["spec"]:
        spec["conversion"] = own["spec"]["conversion"]
    return {**own, "spec": spec}


def fork_changes(
    declared: Sequence[JsonObject], bodies: Sequence[JsonObject], minor: int, home: Home
) -> JsonObject:
    """Return what makes a fork's CRDs of declarations: `$set`, `$add` and `$remove` by plural.

    `bodies` are all CRDs of the component, in the fork's form. What is declared in the types of one Kubernetes
    minor is changed in those too, so that a fork that was generated with newer ones says what they add.
    """
    made = import_crds(bodies, only=minor, home=home)
    wanted = [read(each.text) for each in made.files]
    real = expansion(wanted, minor, home).bodies
    before = {full_name(data): data for data in declared}
    olds = [before[each.crd] for each in made.files]
    tries = []
    for some in (in_older_words(declared, wanted, real, minor, home), wanted):
        for whole in (False, True):
            found = [_changes(old, new, whole=whole) for old, new in zip(olds, some, strict=True)]
            result = [changed(old, each, "crd") if each else old for old, each in zip(olds, found, strict=True)]
            if all(result) and same_crds(expansion([each for each in result if each], minor, home), real):
                tries.append(found)
                break
    best = min(tries, key=lambda found: sum(len(str(each)) for each in found))
    return {_called(old, declared): each for old, each in zip(olds, best, strict=True) if each}


def _changes(old: JsonObject, new: JsonObject, *, whole: bool) -> JsonObject:
    """Return the changes of one CRD; as a `whole`, each key that is another one now is set."""
    if Meanings().same(old, new):
        return {}
    found = None if whole else changes_of(old, new, "crd")
    if found is None:
        keys = {
            "$set": {f"#{key}": value for key, value in new.items() if key in old and old[key] != value},
            "$add": {f"#{key}": value for key, value in new.items() if key not in old},
            "$remove": [f"#{key}" for key in old if key not in new],
        }
        found = {action: each for action, each in keys.items() if each}
    return found


def _called(data: JsonObject, all_data: Sequence[JsonObject]) -> str:
    """Return what a feature calls a CRD: its plural, with the group if two have the same."""
    plurals = Counter(map(plural, all_data))
    return plural(data) if plurals[plural(data)] == 1 else full_name(data)


def expansion(files: Sequence[JsonObject], minor: int, home: Home) -> Expansion:
    """Expand declarations."""
    return expand([(Origin(full_name(data)), data) for data in files], minor=minor, home=home)


def same_crds(made: Expansion, real: Sequence[JsonObject]) -> bool:
    """Tell whether declarations stand for real CRDs, descriptions aside."""
    interner = Interner()
    seen = [[canonical(body, interner) for body in bodies] for bodies in (made.bodies, real)]
    return not made.findings and seen[0] == seen[1]
