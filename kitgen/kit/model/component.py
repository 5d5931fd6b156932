"""A component in one version: its sections, features, images and its listing in catalogs.

A section consists of named items, and an item of layers: first what the component declares, then what each
feature adds. Layers keep their origin, so that a rendered field can be traced back to the line that set it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache, cached_property

from msgspec import Struct, field

from kitgen.findings import Cause, Origin, Path, Reads, Step
from kitgen.text.patterns import compile_late
from kitgen.text.schema_check import read_schema
from kitgen.text.values import group_pairs
from kitgen.text.yaml import Json, JsonObject, walk_values


def list_access_sets(section: JsonObject) -> Iterator[tuple[Step, JsonObject]]:
    """Yield what `accessRoles` says of each set, by its name or by its place in the list."""
    sets: Json = section.get("sets") or ()
    yield from sets.items() if isinstance(sets, dict) else enumerate(sets)


def resource_key(entry: Json) -> str | None:
    """Return the key of a resource in a set: `group/plural`, and `:name` if it declares another name.

    None if it is no resource at all, which the schema says.
    """
    match entry:
        case {"resource": str(resource), "name": str(name)}:
            return f"{resource}:{name}"
    return entry if isinstance(entry, str) else None


def resource_entry(key: str) -> Json:
    """Return a resource as specs write it."""
    resource, colon, name = key.partition(":")
    return {"resource": resource, "name": name} if colon else resource


class Icon(Struct, frozen=True, kw_only=True):
    """A picture."""

    media_type: str
    data: bytes
    origin: Origin


class ListedKind(Struct, frozen=True, kw_only=True):
    """How a kind is shown."""

    display_name: str = ""
    description: str = ""
    example: tuple[Origin, JsonObject] | None = None
    """An object of the kind, and the file that has it."""
    origin: Origin


class Listing(Struct, frozen=True, kw_only=True):
    """What people see of a component before they install it."""

    origin: Origin
    said: JsonObject
    """The texts, lists and links, as they stand in the spec."""
    icon: Icon | None = None
    apis: dict[str, ListedKind] = field(default_factory=dict)
    """Kind → how it is shown."""


ABOUT_FEATURES = ("about", "default", "crds")
"""Keys of a feature that are no sections."""


class LabelScope(StrEnum):
    """Which objects a label rule is for."""

    ALL = "all"
    OPERATOR = "operator"


class LabelRule(Struct, frozen=True, kw_only=True):
    """Labels for the objects, and whether selectors and pod templates take them too."""

    pairs: JsonObject
    selectors: bool = False
    templates: bool = False
    scope: LabelScope = LabelScope.ALL
    origin: Origin


def find_existing_prefix(value: Json, path: Path) -> Path:
    """Return as much of a path as leads to something in a value."""
    for size, step in enumerate(path):
        if isinstance(value, dict) and (key := step if isinstance(step, str) else str(step)) in value:
            value = value[key]
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return path[:size]
    return path


class Layer(Struct, frozen=True, kw_only=True, dict=True):
    """What one place in the specs says of an item."""

    data: JsonObject
    origin: Origin
    cause: Cause | None = None
    """Who says it, if it is not the component itself: a feature, a setting, a patch, or a family."""
    feature: str = ""
    """The one that it stands in, if it does."""
    why: str = ""
    reads: Reads = ()
    """What the expressions in it read, where they were computed."""
    given: JsonObject | None = None
    """What the file really holds at the origin, where a family wrote it out or made it up."""

    def find_existing_path(self, path: Path) -> Path:
        """Return as much of a path in the data as leads to something in the file."""
        return find_existing_prefix(self.data if self.given is None else self.given, path)

    def origin_at(self, path: Path) -> Origin:
        """Return where a value of the data stands in the file, or the nearest thing above it."""
        return self.origin.at(*self.find_existing_path(path))

    def has_path(self, path: Path) -> bool:
        """Return whether the file itself says something at this path."""
        return self.find_existing_path(path) == path

    def reads_below(self, path: Path) -> Reads:
        """Return what expressions at a place of the data or below it read, by their place from there."""
        found = (self.reads[index] for index in self._reads_by_path.get(path, ()))
        return tuple((place[len(path) :], read) for place, read in found)

    @cached_property
    def _reads_by_path(self) -> dict[Path, list[int]]:
        """Return which expressions are at each place or below it; families look up every value."""
        places = enumerate(place for place, _ in self.reads)
        return group_pairs((place[:size], index) for index, place in places for size in range(len(place) + 1))


class SectionItem(Struct, frozen=True, kw_only=True):
    """A named thing of a section, with its layers in order."""

    name: str
    layers: tuple[Layer, ...]


class SectionForm(StrEnum):
    """How a section is written; the value is its type in the schema, where a definition is one thing."""

    NAME = "string"
    """A text that names one thing, so that a later one replaces an earlier one."""
    ONE = ""
    NAMED = "object"
    LISTED = "array"


@cache
def list_section_forms() -> dict[str, SectionForm]:
    """Return the keys of a spec that components and features share, each with its form."""
    shared = read_schema("component")["$defs"]["feature"]["properties"]
    return {k: SectionForm(v.get("type", "")) for k, v in shared.items() if k not in ABOUT_FEATURES}


@cache
def required_keys() -> dict[str, tuple[str, ...]]:
    """Return what a thing of a section must have, for sections whose things must have something."""
    whole = read_schema("component")
    found: dict[str, tuple[str, ...]] = {}
    for key, form in list_section_forms().items():
        thing = whole["$defs"]["feature"]["properties"][key]
        if form is SectionForm.NAMED:
            thing = thing["additionalProperties"]
        definition = whole["$defs"].get(thing.get("$ref", "").rpartition("/")[2], {})
        if "required" in definition:
            found[key] = tuple(definition["required"])
    return found


class ComponentPart(Struct, frozen=True):
    """The sections of a component or of a feature, by their keys in a spec."""

    sections: Mapping[str, tuple[SectionItem, ...]] = field(default_factory=dict)

    def __getitem__(self, key: str) -> tuple[SectionItem, ...]:
        if key not in list_section_forms():
            raise KeyError(key)
        return self.sections.get(key, ())

    def layers(self, key: str) -> Iterator[Layer]:
        """Yield what every place says of the items of a section."""
        return (layer for item in self[key] for layer in item.layers)


def merge_parts(first: ComponentPart, second: ComponentPart) -> ComponentPart:
    """Lay a second part over a first: items of one name become one, with all layers."""
    return ComponentPart(
        {
            key: _merge_items(first[key], second[key], only=form is SectionForm.NAME)
            for key, form in list_section_forms().items()
            if first[key] or second[key]
        }
    )


def _merge_items(
    first: tuple[SectionItem, ...], second: tuple[SectionItem, ...], *, only: bool
) -> tuple[SectionItem, ...]:
    if not second:
        return first
    items = {} if only else {item.name: item for item in first}
    for item in second:
        have = items[item.name].layers if item.name in items else ()
        items[item.name] = SectionItem(name=item.name, layers=(*have, *item.layers))
    return tuple(items.values())


class Feature(Struct, frozen=True, kw_only=True):
    """A part that a target switches on or off."""

    name: str
    about: str
    default: bool
    part: ComponentPart
    crds: dict[str, Layer] = field(default_factory=dict)
    """Plural, or plural and group → what it changes in that CRD of the component."""
    origin: Origin


class RuntimeImage(Struct, frozen=True, kw_only=True):
    """An image that no object names: only code, an SDK or users do."""

    name: str
    image: str
    source: str
    """Who names it, and what for."""
    record: str = ""
    """What has it by default, NAME@VERSION, if that is something that releases record."""
    variable: str = ""
    """The variable of the operator that takes another one instead."""
    origin: Origin


class Component(Struct, frozen=True, kw_only=True):
    """One component in one version."""

    name: str
    version: str
    about: str
    minor: int | None
    """The minor of Kubernetes whose types its CRDs name; None when they name none."""
    clusters: str
    """The range of minors that it runs on; empty when it does not say."""
    prefix: str
    namespace: str
    creates: JsonObject | None = None
    """The labels of its Namespace, if it is rendered where no target says another one."""
    after: tuple[str, ...]
    carries: tuple[str, ...]
    labels: tuple[LabelRule, ...]
    images: dict[str, str]
    runtime_images: tuple[RuntimeImage, ...] = ()
    part: ComponentPart
    features: dict[str, Feature]
    config_type: tuple[Origin, JsonObject] | None
    """The checked config.yaml beside the component, when there is one."""
    crds: tuple[tuple[Origin, JsonObject], ...]
    """The declarations, checked against the schema of their form, in order of their file names."""
    listing: Listing | None = None
    """How a catalog shows it, if it says so."""
    origin: Origin
    parent: str = ""
    """The version that it builds on, if it does."""
    chain: str = ""
    """All that it builds on, for people: kueue@v0.7.2 from v0.7.1 from v0.7.0; empty when that is nothing."""

    @property
    def parts(self) -> tuple[ComponentPart, ...]:
        """Return its own part and those of its features, on or off."""
        return (self.part, *(feature.part for feature in self.features.values()))


IMAGES = compile_late(r"\bimages\b(.?)")


def uses_image(name: str, parts: Iterable[ComponentPart], values: Iterable[Json] = ()) -> bool:
    """Return whether a container runs an image, a parameter holds it, or an expression may read it.

    Expressions stand in the parts, and in further values that a target sets.
    """
    known = list(parts)
    takers = [layer.data.get("containers", {}) for part in known for layer in part.layers("deployment")]
    takers += [layer.data.get("keys", {}) for part in known for layer in part.layers("params")]
    if any(each.get("image") == name for some in takers for each in some.values()):
        return True
    own = (layer.data for part in known for key in part.sections for layer in part.layers(key))
    return any(_reads_image(text, name) for value in (*values, *own) for _, text in walk_values(value))


def _reads_image(text: Json, name: str) -> bool:
    """Return whether an expression in a text says the name of an image, or takes all images."""
    after = IMAGES.findall(text) if isinstance(text, str) and "{{" in text else []
    return bool(after) and (name in text or any(sign not in (".", "[") for sign in after))
