"""Import a whole component: read trees, decide, write the specs, all of them or none."""

from __future__ import annotations

from collections.abc import Sequence

from kitgen.diff.objects import Comparison
from kitgen.errors import UsageError
from kitgen.importer.config_changes import config_of
from kitgen.importer.expression import Expression
from kitgen.importer.leftover import patched
from kitgen.importer.solve import solve
from kitgen.importer.spec import Spec, spec_of
from kitgen.importer.text import write
from kitgen.importer.trees import Read
from kitgen.model import Component
from kitgen.pipeline.crds.neighbours import version_before
from kitgen.pipeline.imports.crds import Declared, crds_of, declare
from kitgen.pipeline.imports.look import looks
from kitgen.pipeline.imports.reading import read_reals, read_trees, whose_trees
from kitgen.pipeline.imports.request import Imported, ImportRequest, Verified
from kitgen.pipeline.imports.targets import with_settings
from kitgen.pipeline.imports.verify import assembled, compared, tried
from kitgen.pipeline.opened import Opened, open_kit, pick
from kitgen.write import change
from kitgen.yamlio import JsonObject

SCHEMA = "../../../schemas/component.json"
CONFIG_SCHEMA = "../../../schemas/config.json"


def import_component(request: ImportRequest) -> Imported:
    """Make the spec of a component from real trees, verify it, and write it."""
    opened = open_kit(request.root)
    older = _older(opened, request)
    _refuse(opened, request)
    reals = read_reals(request)
    givens = whose_trees(request, reals, opened, older)
    reads = read_trees(givens, opened)
    alone = not reads[0].given.who
    declared = declare(crds_of(givens), opened, older, reads[0].found, request.version, alone=alone)
    solution = solve([each.tree for each in reads])
    spec = spec_of(reads, solution, older)
    texts = _texts(request, opened, spec, declared, older, reads)
    kit = tried(opened.root, texts)
    found = compared(kit, request.component, request.version, givens, declared.carried)
    if any(each.differences for each in found):
        made = assembled(kit, request.component, request.version, givens, declared.carried)
        spec = patched(spec, givens, found, made, _patch_names(older))
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


def _patch_names(older: Component | None) -> list[str]:
    """Return how patches of the older spec are called."""
    if older is None:
        return []
    parts = (older.part, *(each.part for each in older.features.values()))
    return [item.layers[0].data["name"] for part in parts for item in part["patches"]]


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
    remove = [Expression(each) for each in (*spec.remove, *(f"/crds/{name}" for name in declared.gone))]
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
        others = list(opened.kit.components.get(request.component, {}))
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
