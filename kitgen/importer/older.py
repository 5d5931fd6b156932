"""What an older spec says for a tree: layer by layer, in its own words and in the normal forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.compile.context import Context
from kitgen.compile.families.inverse import INVERSES
from kitgen.compile.resolve import is_on
from kitgen.findings import Path
from kitgen.importer.owners import COMPONENT
from kitgen.importer.places import Merging, flatten, merging
from kitgen.model import Part
from kitgen.model.component import SectionForm, sections
from kitgen.yamlio import Json

NORMAL = {each.key: each.normal for each in INVERSES}


class Layered(Struct, frozen=True, kw_only=True):
    """One layer: the component itself, or a feature."""

    owner: str
    words: Mapping[str, Json]
    """Key → the section, expressions computed."""
    written: Mapping[str, Json] = field(default_factory=dict)
    """The same, expressions as its file has them."""

    @property
    def normal(self) -> dict[str, Json]:
        """Return the sections in their normal forms."""
        return {key: NORMAL[key](section) for key, section in self.words.items() if key in NORMAL}

    @property
    def places(self) -> dict[Path, Json]:
        """Return what it says, place by place."""
        return flatten(self.normal)


def layers_of(context: Context) -> list[Layered]:
    """Return the layers of a component for a target, the component's own first."""
    names = [COMPONENT, *context.component.features]
    found = (
        Layered(owner=name, words=_words(context.part, name), written=_written(context, name))
        for name in names
    )
    found = (_with_crds(each, context) for each in found)
    return [each for each in found if each.words or each.owner == COMPONENT]


def _with_crds(layer: Layered, context: Context) -> Layered:
    """Return a layer with what its feature changes in CRDs, if that is on."""
    feature = context.component.features.get(layer.owner)
    if feature is None or not feature.crds or not is_on(feature, context.settings):
        return layer
    crds = {"crds": {name: each.data for name, each in feature.crds.items()}}
    return replace(layer, words={**layer.words, **crds}, written={**layer.written, **crds})


def _written(context: Context, owner: str) -> dict[str, Json]:
    """Return what an owner says, expressions as they stand in its file."""
    component = context.component
    return _words(component.features[owner].part if owner else component.part, owner)


def _words(part: Part, owner: str) -> dict[str, Json]:
    """Return what one owner says of a part."""
    made: dict[str, Json] = {}
    for key, form in sections().items():
        for item in part[key]:
            for layer in (each for each in item.layers if each.feature == owner):
                match form:
                    case SectionForm.NAME:
                        made[key] = item.name
                    case SectionForm.ONE:
                        made[key] = layer.data
                    case SectionForm.NAMED:
                        made.setdefault(key, {})[item.name] = layer.data
                    case SectionForm.LISTED:
                        made.setdefault(key, []).append(layer.data)
    return made


def together(layers: Iterable[Layered]) -> dict[Path, Json]:
    """Return what layers say in the end."""
    made: dict[Path, Json] = {}
    for layer in layers:
        for path, value in layer.places.items():
            have = made.get(path)
            kind = merging(path, value)
            if kind is Merging.UNION and isinstance(have, str):
                made[path] = " ".join(sorted({*have.split(), *str(value).split()}))
            elif kind is Merging.EXTEND and isinstance(have, list):
                made[path] = [*have, *value]
            else:
                made[path] = value
    return made
