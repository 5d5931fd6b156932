"""The CRDs of an import: whose they are, and the declarations that the new version needs for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from kitgen.compile.surroundings import surroundings_of
from kitgen.crds.declare import format as layout
from kitgen.crds.declare.conversion import Home
from kitgen.crds.declare.declaration import Expansion, expand, full_name
from kitgen.crds.importer.importer import Declaration, Import, import_crds
from kitgen.crds.importer.surroundings import Surroundings, take_out
from kitgen.crds.importer.undeclare import canonical
from kitgen.crds.schema.crd import is_crd
from kitgen.crds.schema.intern import Interner
from kitgen.diff.objects import compare
from kitgen.errors import FindingsError
from kitgen.findings import Chapter, Finding, Origin, Rule
from kitgen.importer.crd_changes import changed, changes_of
from kitgen.importer.crd_words import in_older_words
from kitgen.importer.meanings import Meanings
from kitgen.importer.survey import Survey, main_namespace
from kitgen.importer.trees import Given
from kitgen.kustomize import ways
from kitgen.kustomize.namespace import CONVERSION
from kitgen.load.real import Real
from kitgen.model import Component, LabelRule, Scope
from kitgen.pipeline.carried import carried_fits
from kitgen.pipeline.opened import Opened
from kitgen.yamlio import JsonObject, read

TREE_CONTRADICTION = Rule(
    id="tree-contradiction",
    chapter=Chapter.CRD,
    checks="Trees of one version that are imported together have the same CRDs.",
    fix="Import trees of one version; a fork with other CRDs is another version, such as v1.4.0-odh.",
)

MAX_SHARE = 2 / 3
"""How many lines of a whole declaration a file may have that only says what changes."""


class Declared(Struct, frozen=True, kw_only=True):
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

    @property
    def carried(self) -> dict[str, str]:
        """Return the version of each component that this one carries to compile with."""
        return {name: versions[0] for name, versions in self.fitting.items()}

    def left_behind(self, older: Component | None) -> list[str]:
        """Return what a spec removes in order to carry these no more."""
        if older is not None and len(self.without) == len(older.carries):
            return ["/carries"] if self.without else []
        return [f"/carries/{name}" for name in self.without]


def crds_of(givens: Sequence[Given], reals: Mapping[str, Real]) -> dict[str, JsonObject]:
    """Return the CRDs of all trees; one that two trees have in different forms is an error."""
    origins = {id(each.body): each.origin for real in reals.values() for each in real.objects}
    found: dict[str, tuple[JsonObject, str]] = {}
    wrong: list[Finding] = []
    homes = {given.name: main_namespace(given.bodies) for given in givens}
    for given in givens:
        for body in filter(is_crd, given.bodies):
            name = str(body["metadata"]["name"])
            first, where = found.setdefault(name, (body, given.name))
            bare = [_homeless(each, homes[at]) for each, at in ((first, where), (body, given.name))]
            found_here = compare(bare[:1], bare[1:]).differences
            if differences := [each for each in found_here if each.path[:2] != ("spec", "conversion")]:
                message = f"found {name!r} in another form than in {where}, first in {differences[0].field}"
                hint = (
                    "import trees of one version together; only labels, annotations and conversion may differ"
                )
                origin = origins.get(id(body), Origin(given.name))
                wrong.append(TREE_CONTRADICTION(message, hint=hint).at(origin.at(*differences[0].path)))
    if wrong:
        texts = {file: text for real in reals.values() for file, text in real.texts.items()}
        raise FindingsError(wrong, texts=texts)
    return {name: body for name, (body, _) in found.items()}


def _homeless(body: JsonObject, home: str) -> JsonObject:
    """Return a CRD as it is wherever it runs: without its labels, and its Service in no namespace."""
    body = {**body, "metadata": {"name": body["metadata"]["name"]}}
    for path, service in ways.places(body, CONVERSION):
        if isinstance(service, dict) and service.get("namespace") == home:
            body = ways.changed(body, path, lambda each: {**each, "namespace": ""})
    return body


def declare(
    bodies: Mapping[str, JsonObject],
    opened: Opened,
    older: Component | None,
    found: Survey,
    version: str,
    *,
    alone: bool = False,
    like: Component | None = None,
) -> Declared:
    """Declare the CRDs that are the component's own; `alone`, its label rules are those of the tree.

    A spec of its own may carry what another version of the component, which it is `like`, does.
    """
    from msgspec.structs import replace

    before = older or like
    fits = carried_fits(opened, before, bodies) if before else {}
    carried = {name: fit.versions for name, fit in fits.items() if fit.versions}
    missing = tuple((name, crd) for name, fit in fits.items() if not fit.versions for crd in sorted(fit.crds))
    without = tuple(name for name, fit in fits.items() if not fit.crds)
    others = {crd for fit in fits.values() for crd in fit.crds}
    without = () if alone else without  # by itself, a component has no CRDs of others
    if older is None and (missing or without):  # a spec of its own has what others do not
        carried, missing, without, others = {}, (), (), set()
    own = [body for name, body in bodies.items() if name not in others]
    if not own:
        gone = tuple(_file(origin) for origin, _ in older.crds) if older else ()
        return Declared(fitting=carried, missing=missing, gone=gone, without=without)
    if older is not None and not (alone and _wide(found.labels) != _wide(older.labels)):
        around = surroundings_of(opened.session, replace(older, version=version))
        labels = {**_guessed(found).labels, **({} if alone else around.labels)}
        surroundings = replace(around, labels=labels)
    else:
        surroundings = _guessed(found)
    prefer = older.minor or 0 if older else 0
    made = import_crds(take_out(own, surroundings).bodies, prefer=prefer, home=surroundings.home)
    texts, gone = _changed(made, older, surroundings.home)
    return Declared(
        texts=texts, gone=gone, minor=made.minor, fitting=carried, missing=missing, without=without
    )


def _guessed(found: Survey) -> Surroundings:
    return Surroundings(
        home=Home(prefix=found.prefix, namespace=found.namespace),
        labels=dict.fromkeys(sorted(_wide(found.labels)), ("component.yaml",)),
    )


def _wide(rules: Sequence[LabelRule]) -> set[tuple[str, str]]:
    """Return the labels that CRDs get from rules."""
    return {pair for rule in rules if rule.scope is Scope.ALL for pair in rule.pairs.items()}


def _changed(made: Import, older: Component | None, home: Home) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the files that are not as before, and those that go."""
    known = {full_name(data): (_file(origin), data) for origin, data in older.crds} if older else {}
    wanted = [read(each.text) for each in made.files]
    files = [known.get(each.crd, (f"{each.name}.yaml", None)) for each in made.files]
    befores = [before for _, before in files]
    texts = [each.text for each in made.files]
    if known:
        real = _expanded(wanted, made.minor, home).bodies
        old = [data for _, data in known.values()]
        kept = in_older_words(old, wanted, real, made.minor, home)
        tries = [[*map(_meant, befores, some, made.files)] for some in (kept, wanted)]
        for some in sorted(tries, key=lambda some: sum(text.count("\n") for _, text in some)):
            if _same_crds(_expanded([data for data, _ in some], made.minor, home), real):
                texts = [text for _, text in some]
                break
    fresh = {each.crd for each in made.files}
    gone = tuple(file for name, (file, _) in known.items() if name not in fresh)
    return {file: text for (file, _), text in zip(files, texts, strict=True) if text}, gone


def _meant(before: JsonObject | None, data: JsonObject, whole: Declaration) -> tuple[JsonObject, str]:
    """Return a declaration as it is in the end, and the file that this takes; none if it is as before."""
    if before is None:
        return data, whole.text
    if Meanings().same(before, data):
        return before, ""
    return _shorter(before, data, whole.text) or (data, whole.text)


def _shorter(before: JsonObject, data: JsonObject, whole: str) -> tuple[JsonObject, str] | None:
    """Return what the changes alone make, and the text of their file; None if it is not much shorter."""
    found = changes_of(before, data, "crd")
    made = changed(before, found, "crd") if found else None
    if found is None or made is None:
        return None
    text = layout.write(found)
    much = text.count("\n") > MAX_SHARE * whole.count("\n") or read(text) != found
    return None if much else (made, text)


def _expanded(files: Sequence[JsonObject], minor: int, home: Home) -> Expansion:
    return expand([(Origin(full_name(data)), data) for data in files], minor=minor, home=home)


def _same_crds(made: Expansion, real: Sequence[JsonObject]) -> bool:
    """Tell whether declarations stand for real CRDs, descriptions aside."""
    interner = Interner()
    seen = [[canonical(body, interner) for body in bodies] for bodies in (made.bodies, real)]
    return not made.findings and seen[0] == seen[1]


def _file(origin: Origin) -> str:
    return origin.file.rpartition("/")[2]
