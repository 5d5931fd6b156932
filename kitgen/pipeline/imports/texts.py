"""The files that an import writes: the new version's specs, and what targets say of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kitgen.importer.config_changes import config_of, learnt_of
from kitgen.importer.expression import Expression
from kitgen.importer.spec import Spec
from kitgen.importer.text import braced, write
from kitgen.importer.trees import Read
from kitgen.model import Component
from kitgen.pipeline.crds.neighbours import version_before
from kitgen.pipeline.imports.crds import Declared
from kitgen.pipeline.imports.request import ImportRequest
from kitgen.pipeline.imports.targets import with_settings
from kitgen.pipeline.opened import Opened
from kitgen.yamlio import JsonObject

SCHEMA = "../../../schemas/component.json"
SETTINGS = (
    *("images", "replicas", "resources", "env", "roles", "labels", "features", "config"),
    *("patches", "withhold"),
)
"""What a target says of a spec, and not of another one that has nothing to do with it."""
CONFIG_SCHEMA = "../../../schemas/config.json"


def version_like(opened: Opened, request: ImportRequest) -> Component | None:
    """Return the version before, whether the new one builds on it or not."""
    versions = opened.kit.components.get(request.component, {})
    before = version_before(versions, request.version)
    return versions[before] if before else None


def texts_of(
    request: ImportRequest,
    opened: Opened,
    spec: Spec,
    declared: Declared,
    older: Component | None,
    reads: Sequence[Read],
    clusters: str = "",
) -> dict[str, str]:
    """Return all files to write, by path."""
    folder = request.folder
    gone = (*(f"/crds/{name}" for name in declared.gone), *declared.left_behind(older))
    remove = [Expression(each) for each in (*spec.remove, *gone)]
    head: JsonObject = {"component": request.component, "version": request.version}
    if older is not None:
        head = {"version": request.version, "from": older.version}
    elif like := version_like(opened, request):
        said = {"about": like.about, "after": [*like.after], "carries": [*declared.carried]}
        head |= {key: value for key, value in said.items() if value}
    if declared.minor and (older is None or older.minor != declared.minor):
        head["kubernetes"] = f"1.{declared.minor}"
    head |= {"clusters": clusters} if clusters else {}
    data = {**head, **({"remove": remove} if remove else {}), **spec.data}
    texts = {f"{folder}/component.yaml": write(data, SCHEMA)}
    texts |= {f"{folder}/crds/{name}": text for name, text in declared.texts.items()}
    known = older.config_type[1] if older and older.config_type else None
    if (content := config_of(learnt_of([each.taken for each in reads], known), known)) is not None:
        texts[f"{folder}/config.yaml"] = write(content, CONFIG_SCHEMA)
    left = _left_to_others(opened, request, spec, older, reads)
    others = list(opened.kit.components.get(request.component, {}))
    for who in dict.fromkeys((*spec.settings, *left)):
        file = f"targets/{who}.yaml"
        text = opened.texts[file]
        settings = braced(spec.settings.get(who, {}))
        made = with_settings(text, request.component, request.version, settings, left.get(who, {}), others)
        if made != text:
            texts[file] = made
    return texts


def _left_to_others(
    opened: Opened, request: ImportRequest, spec: Spec, older: Component | None, reads: Sequence[Read]
) -> dict[str, dict[str, Collection[str] | None]]:
    """Return what targets say that is not for the new version: target → key → things by name, or all."""
    versions = opened.kit.components.get(request.component, {}).values()
    known = dict.fromkeys(name for each in versions for name in each.features)
    have = {*spec.data.get("features", {}), *(older.features if older else ())} - {*spec.dropped}
    dropped = tuple(name for name in known if name not in have)
    made: dict[str, dict[str, Collection[str] | None]] = {}
    for read in reads if dropped else ():  # other targets stay as they are: they do not take this version
        if read.given.who:
            made[read.given.who] = {"features": dropped}
    for who in sorted(spec.relabelled):
        made.setdefault(who, {})["labels"] = None
    for read in reads:
        if read.given.who and older is None:
            made[read.given.who] = dict.fromkeys(SETTINGS)
        elif read.given.who and read.stale:
            made.setdefault(read.given.who, {})["patches"] = read.stale
    return made
