"""Say what a person should look at after an import: what is new, and what only people know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.importer.places import is_permission
from kitgen.importer.solve import COMPONENT, Solution
from kitgen.importer.spec import Spec
from kitgen.importer.trees import Read
from kitgen.model import Component
from kitgen.pipeline.imports.crds import Declared
from kitgen.yamlio import JsonObject


def looks(
    reads: Sequence[Read], solution: Solution, spec: Spec, declared: Declared, older: Component | None
) -> Iterator[str]:
    """Yield one line for everything that is worth a look."""
    if older is not None:
        yield from _permissions(reads, solution)
    yield from _images(spec)
    for read in reads:
        for name in read.taken.config_fields.get("fields", {}) if older and older.config_type else ():
            yield f"new in the configuration: {name} (its type is a guess; see config.yaml)"
        break
    for crd in declared.missing:
        yield f"{crd} belongs to a component that this one carries, and no version of it in the kit has it so"
    for feature in spec.data.get("features", {}).items():
        if feature[1].get("about") == "":
            yield f"feature {feature[0]} says no reason: about is empty, and its name is only the targets'"
    for patch in spec.data.get("patches", ()):
        yield f"patch {patch['name']} says no reason: why is empty"
    for who, settings in spec.settings.items():
        for key in ("patches", "withhold"):
            for each in settings.get(key, ()):
                yield f"{who}: {key} {each.get('name') or each.get('role')} says no reason: why is empty"


def _permissions(reads: Sequence[Read], solution: Solution) -> Iterator[str]:
    before: dict[tuple[str | int, ...], set[str]] = {}
    for read in reads:
        for layer in read.layers:
            for path, verbs in layer.places.items():
                if is_permission(path):
                    before.setdefault(path, set()).update(str(verbs).split())
    for owner, edit in solution.edits.items():
        for path, verbs in edit.new.items():
            if is_permission(path) and (more := set(str(verbs).split()) - before.get(path, set())):
                where = (
                    ""
                    if owner == COMPONENT
                    else f" ({owner if isinstance(owner, str) else ', '.join(sorted(owner))})"
                )
                yield f"new permission: {path[1]} may {' '.join(sorted(more))} {path[3]}{where}"


def _images(spec: Spec) -> Iterator[str]:
    images: JsonObject = spec.data.get("images", {})
    for name, image in images.items():
        yield f"image {name}: {image}"
    for who, settings in spec.settings.items():
        for name, image in settings.get("images", {}).items():
            yield f"image {name} of {who}: {image}"
