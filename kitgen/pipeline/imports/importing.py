"""Import a whole component: read trees, decide, write the specs, all of them or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from kitgen.crds.declare.names import Declared as DeclaredNames
from kitgen.crds.declare.names import declarations, resources
from kitgen.crds.schema.crd import crd_faults, is_crd
from kitgen.diff.objects import ABSENT, Comparison, Difference
from kitgen.errors import FindingsError, KitgenError, UsageError
from kitgen.findings import Chapter, Finding, Origin, Rule, unique
from kitgen.importer.config_changes import config_of
from kitgen.importer.patching import patch_of
from kitgen.importer.solve import COMPONENT, Solution, solve
from kitgen.importer.spec import Spec, spec_of
from kitgen.importer.text import write
from kitgen.importer.trees import Given, Read, read_tree
from kitgen.kubernetes import Kind as ApiKind
from kitgen.load.apis import Apis, apis_of
from kitgen.load.real import Real, read_real
from kitgen.model import Component
from kitgen.objects import ObjectId
from kitgen.pipeline.crds.neighbours import version_before
from kitgen.pipeline.imports.crds import Declared, crds_of, declare
from kitgen.pipeline.imports.look import looks
from kitgen.pipeline.imports.request import Imported, ImportRequest, Verified
from kitgen.pipeline.imports.targets import with_settings
from kitgen.pipeline.imports.verify import compared, tried
from kitgen.pipeline.imports.whose import contexts_of, whose
from kitgen.pipeline.opened import Opened, open_kit, pick
from kitgen.write import change
from kitgen.yamlio import JsonObject

SECRET_DATA = Rule(
    id="secret-data",
    chapter=Chapter.FILE,
    checks="No Secret of an imported tree holds data: specs stand in a repository, for all to read.",
    fix="Take the data out of the tree, and let a secret store or an operator put it on the cluster.",
)
SCHEMA = "../../../schemas/component.json"
CONFIG_SCHEMA = "../../../schemas/config.json"
HOLDS = ("data", "stringData")


def import_component(request: ImportRequest) -> Imported:
    """Make the spec of a component from real trees, verify it, and write it."""
    opened = open_kit(request.root)
    older = _older(opened, request)
    _refuse(opened, request)
    reals = _reals(request)
    givens = _givens(request, reals, opened, older)
    reads = _reads(givens, opened)
    declared = declare(crds_of(givens), opened, older, reads[0].found, request.version)
    solution = solve([each.tree for each in reads])
    spec = spec_of(reads, solution, older)
    texts = _texts(request, opened, spec, declared, older, reads)
    found = compared(tried(opened.root, texts), request.component, request.version, givens, declared.carried)

    if any(each.differences for each in found):
        spec = _patched(spec, givens, found, older)
        texts = _texts(request, opened, spec, declared, older, reads)
        kit = tried(opened.root, texts)
        found = compared(kit, request.component, request.version, givens, declared.carried)
    verified = tuple(_verified(read, each) for read, each in zip(reads, found, strict=True))
    new = tuple(path for path in texts if not (opened.root / path).exists())
    if not request.dry_run:
        change(opened.root, texts)
    return Imported(
        root=opened.root,
        request=request,
        older=older.version if older else "",
        texts=texts,
        new=new,
        verified=verified,
        looks=tuple(looks(reads, solution, spec, declared, older)),
    )


def _verified(read: Read, found: Comparison) -> Verified:
    made = read.taken.made
    return Verified(
        who=read.given.who,
        name=read.given.name,
        comparison=found,
        families=sum(key != "objects" for key in made.values()),
        objects=len(made),
    )


def _older(opened: Opened, request: ImportRequest) -> Component | None:
    """Return the version that the new one builds on, if there is one."""
    versions = opened.kit.components.get(request.component, {})
    if request.older is None:
        before = version_before(versions, request.version)
        return versions[before] if before else None
    if not request.older:
        return None
    return pick(versions, f"version of {request.component}", request.older)


def _refuse(opened: Opened, request: ImportRequest) -> None:
    """Raise if the version is there already, or a target is not."""
    if request.version in opened.kit.components.get(request.component, {}):
        name = f"{request.component}@{request.version}"
        raise UsageError(f"the kit has {name} already", hint=f"remove {request.folder} to import it anew")
    for target, _ in request.targets:
        pick(opened.kit.targets, "target", target)
    twice = [name for name, _ in request.targets]
    if len(set(twice)) < len(twice):
        raise UsageError("found a target twice", hint="name one tree for each target")


def _reals(request: ImportRequest) -> dict[str, Real]:
    """Read all trees; whatever is wrong with one is a FindingsError."""
    names = dict.fromkeys((request.real, *(real for _, real in request.targets)))
    found = {name: read_real(name) for name in names}
    wrong = [finding for real in found.values() for finding in (*real.findings, *_held(real))]
    wrong += [
        finding
        for real in found.values()
        for each in real.objects
        if is_crd(each.body)
        for finding in crd_faults(each.body, each.origin)
    ]
    if wrong:
        texts = {file: text for real in found.values() for file, text in real.texts.items()}
        raise FindingsError(unique(wrong), texts=texts)
    return found


def _held(real: Real) -> Iterator[Finding]:
    """Yield a finding for every Secret that holds something."""
    for each in real.objects:
        identity = ObjectId.of(each.body)
        for key in HOLDS:
            if (identity.group, identity.kind) == ("", "Secret") and each.body.get(key):
                message = f"found {key} in the Secret {identity.name!r}, which is never copied into a spec"
                hint = "take it out of the tree, and let a secret store put it on the cluster"
                yield SECRET_DATA(message, hint=hint).at(each.origin.at(key))


def _givens(
    request: ImportRequest, reals: Mapping[str, Real], opened: Opened, older: Component | None
) -> list[Given]:
    """Return the trees, the component's own first, each with the target that it is for."""
    bodies = {name: tuple(each.body for each in real.objects) for name, real in reals.items()}
    named = {real: target for target, real in request.targets}
    trees = [(target, real) for target, real in request.targets if real != request.real]
    if request.real in named:
        main = named[request.real]
    elif older is not None:
        main = whose(bodies[request.real], opened, older, [target for target, _ in request.targets])
    else:
        main = COMPONENT
    same = [(target, real) for target, real in request.targets if real == request.real and target != main]
    made = []
    for who, real in ((main, request.real), *same, *trees):
        own, full = contexts_of(opened, older, who) if older else (None, None)
        made.append(Given(who=who, name=real, bodies=bodies[real], older=own, full=full))
    return made


def _reads(givens: Sequence[Given], opened: Opened) -> list[Read]:
    crds = [body["spec"] for given in givens for body in given.bodies if is_crd(body)]
    named = [
        DeclaredNames(spec["group"], spec["names"], tuple(each["name"] for each in spec["versions"]))
        for spec in crds
    ]
    names = resources([*declarations(opened.kit), *named])
    known = apis_of(opened.kit)
    kinds = {ApiKind(each.group, version, each.names["kind"]) for each in named for version in each.versions}
    apis = Apis(known.minors, known.declared | kinds, names)
    return [read_tree(given, names, apis) for given in givens]


def _texts(
    request: ImportRequest,
    opened: Opened,
    spec: Spec,
    declared: Declared,
    older: Component | None,
    reads: Sequence[Read],
) -> dict[str, str]:
    """Return all files to write, by path."""
    folder = request.folder
    fields = next((each.taken.config_fields for each in reads if each.taken.config_fields), {})
    remove = [*spec.remove, *(f"/crds/{name}" for name in declared.gone)]
    head: JsonObject = {"component": request.component, "version": request.version}
    if older is not None:
        head = {"version": request.version, "from": older.version}
    if declared.minor and (older is None or older.minor != declared.minor):
        head["kubernetes"] = f"1.{declared.minor}"
    data = {**head, **({"remove": remove} if remove else {}), **spec.data}
    texts = {f"{folder}/component.yaml": write(data, SCHEMA)}
    texts |= {f"{folder}/crds/{name}": text for name, text in declared.texts.items()}
    known = older.config_type[1] if older and older.config_type else None
    if (content := config_of(fields, known)) is not None:
        texts[f"{folder}/config.yaml"] = write(content, CONFIG_SCHEMA)
    for who in dict.fromkeys((*spec.settings, *(_users(opened, request.component) if spec.dropped else ()))):
        file = f"targets/{who}.yaml"
        text = opened.texts[file]
        others = [each for each in opened.kit.components.get(request.component, {})]
        made = with_settings(
            text,
            request.component,
            request.version,
            dict(spec.settings.get(who, {})),
            spec.dropped,
            ranged=bool(others),
        )
        if made != text:
            texts[file] = made
    return texts


def _users(opened: Opened, component: str) -> list[str]:
    """Return the targets that say something of a component."""
    return [name for name, target in opened.kit.targets.items() if component in target.settings]


def _patched(
    spec: Spec, givens: Sequence[Given], found: Sequence[Comparison], older: Component | None
) -> Spec:
    """Return the spec with patches for what is left, and with the objects that it lacks."""
    patches: dict[str, dict[str, JsonObject]] = {}
    lacking: dict[str, dict[str, JsonObject]] = {}
    for given, each in zip(givens, found, strict=True):
        bodies = {ObjectId.of(body): body for body in given.bodies}
        by_object: dict[ObjectId, list[Difference]] = {}
        for difference in each.differences:
            by_object.setdefault(difference.object, []).append(difference)
        for identity, some in by_object.items():
            if identity.kind == "CustomResourceDefinition":
                continue
            if not some[0].field:
                if some[0].left is ABSENT:
                    lacking.setdefault(str(identity), {})[given.who] = bodies[identity]
                continue
            real = next((b for i, b in bodies.items() if i == identity), None)
            if real is not None and (patch := patch_of(identity, some, real)):
                patches.setdefault(str(identity), {})[given.who] = patch
    data = dict(spec.data)
    features = {name: dict(body) for name, body in data.get("features", {}).items()}
    settings = {who: dict(each) for who, each in spec.settings.items()}
    whos = [given.who for given in givens]
    for needed in patches.values():
        if len(needed) == len(whos) and all(each == needed[whos[0]] for each in needed.values()):
            data.setdefault("patches", []).append(needed[whos[0]])
            continue
        for who, patch in needed.items():
            if who:
                settings.setdefault(who, {}).setdefault("patches", []).append(patch)
            else:
                data.setdefault("patches", []).append(patch)
    if features:
        data["features"] = features
    return replace(spec, data=data, settings=settings)


__all__ = ["ImportRequest", "KitgenError", "Origin", "Solution", "import_component"]
