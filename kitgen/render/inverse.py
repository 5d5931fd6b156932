"""The interface of an inverse: from the objects of a real tree to a section of a spec.

The objects are foreign: any value may have any type, and no reader raises. Each inverse has a normal form of
its section: nested mappings with named entries by name, so that two can be compared path by path. A list,
such as arguments, counts as one value; a `Path` of a normal form never leads into a list.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from msgspec import Struct, field

from kitgen.findings import Path
from kitgen.kit.apis import Apis
from kitgen.kit.crd_names import DeclaredResources
from kitgen.kube.identity import ObjectId, split_api_version
from kitgen.text.patterns import compile_late
from kitgen.text.values import map_at
from kitgen.text.yaml import Json, JsonObject, find_lost_character

NAME = compile_late(r"[A-Za-z0-9]([A-Za-z0-9.:_-]*[A-Za-z0-9])?")
"""What the name of a role, a binding or an account looks like that a spec can say."""
NOTES = ("controller-gen.kubebuilder.io/version",)
"""Annotations that tell of a tool and of nothing else."""


class TreeObjects(Struct, frozen=True, kw_only=True):
    """What a real tree holds, without what all of its objects have in common."""

    prefix: str
    objects: Mapping[ObjectId, JsonObject]
    """Those that no inverse has taken yet, called in full. The labels that rules give, the namespace of the
    component and what kustomize puts into references with it are taken off; another namespace stays."""
    everything: Mapping[ObjectId, JsonObject]
    """All objects, taken or not, CRDs aside."""
    account: str = ""
    """The name in full of the operator's service account; empty until it is found."""
    images: Mapping[str, str] = field(default_factory=dict)
    """Image → the name that the spec has for it."""
    config_type: JsonObject | None = None
    """The config.yaml of the component, if it has one already."""
    found: Mapping[str, Json] = field(default_factory=dict)
    """What the inverses before this one recognised, by key, in their normal forms."""
    resources: DeclaredResources
    """Plurals and singulars, as the CRDs of the kit and of the tree declare them."""
    older: Mapping[str, Json] = field(default_factory=dict)
    """What the older spec says for this tree, by key, in the normal forms: where a tree can be said in
    more than one way, its way is kept."""
    labelled: frozenset[ObjectId] = frozenset()
    """Objects that carry labels which only the operator's own do: nothing that is generated has any."""
    crds: Mapping[str, JsonObject] = field(default_factory=dict)
    """Plural of a CRD → what the tree's form changes in the component's own."""
    apis: Apis | None = None
    """What the kit knows of APIs, with the CRDs of the tree; None if nothing is held against them."""

    def strip_prefix(self, name: str) -> str | None:
        """Return a name without the prefix; None if it does not start with it."""
        return name.removeprefix(self.prefix) if name.startswith(self.prefix) else None

    def short_name(self, identity: ObjectId) -> str:
        """Return what an object is called without the prefix; empty if no family makes it."""
        return (self.strip_prefix(identity.name) or "") if not identity.namespace else ""

    def find_family_objects(
        self, api: str, kinds: Collection[str], keys: Collection[str], meta: Collection[str] = ()
    ) -> Iterator[tuple[ObjectId, str, JsonObject]]:
        """Yield objects left that have what a family gives some kinds, and nothing else.

        Each comes with its name without the prefix, and its bare body. Parts of its metadata are texts.
        """
        group = split_api_version(api)[0]
        for at, given in self.objects.items():
            if at.group == group and at.kind in kinds and (name := self.strip_prefix(at.name)):
                body = normalize_body(given)
                notes = (body["metadata"].get(key, {}) for key in meta)
                if is_family_object(body, api, at.kind, keys, meta) and all(map(is_literal_map, notes)):
                    yield at, name, body


class RecognisedSection(Struct, frozen=True, kw_only=True):
    """What stands under a key, and the objects that it stands for."""

    section: Json
    """In its normal form."""
    objects: frozenset[ObjectId] = frozenset()
    """Those that the family makes of it, as they are or so nearly that a patch does the rest."""
    account: str = ""
    """The operator's service account, if this is what says it."""
    images: Mapping[str, str] = field(default_factory=dict)
    """Name → image, for images that have none yet."""
    config_fields: JsonObject = field(default_factory=dict)
    """What config.yaml must declare besides what it does: all of it if there is none yet."""


class SectionChange(Struct, frozen=True, kw_only=True):
    """What is to be different from what a spec says under a key."""

    new: Json
    """What comes or is another value now, in the normal form."""
    gone: tuple[Path, ...] = ()
    """Places of the normal form that are there no more: of a whole thing that goes, its own place alone."""
    old: Json = None
    """The section that this is laid over, in the words of the older spec; None if there is none."""


class SectionWords(Struct, frozen=True, kw_only=True):
    """A change in the words of a spec that builds on another."""

    section: Json = None
    """What stands under the key; None if nothing has to."""
    remove: tuple[str, ...] = ()
    """Paths below the key that are removed, as `remove` has them; an empty one is the key itself."""


class Inverse(Struct, frozen=True, kw_only=True):
    """The inverse of one family."""

    recognise: Callable[[TreeObjects], RecognisedSection | None]
    """Find what the family could have made; None if there is nothing."""
    normal: Callable[[Json], Json] = lambda section: section
    """Turn what a spec says under the key, expressions computed, into the normal form."""
    terms: Callable[[SectionChange], SectionWords]
    """Say a change in the words of specs, shorthands included."""


def normalize_body(body: Json) -> JsonObject:
    """Return a body without what no cluster sees: empty parts of its metadata, and a status."""
    meta = map_at(body, "metadata")
    if isinstance(notes := meta.get("annotations"), dict):
        meta = {**meta, "annotations": {key: text for key, text in notes.items() if key not in NOTES}}
    left = {
        key: value
        for key, value in meta.items()
        if key != "creationTimestamp" and value not in (None, {}, [])
    }
    return {**{key: value for key, value in map_at(body).items() if key != "status"}, "metadata": left}


def is_family_object(
    body: JsonObject, api: str, kind: str, keys: Collection[str], meta: Collection[str] = ()
) -> bool:
    """Return whether a bare body is of a kind, has a proper name, and nothing besides some keys."""
    metadata = body.get("metadata") or {}
    return (
        (body.get("apiVersion"), body.get("kind")) == (api, kind)
        and body.keys() <= {"apiVersion", "kind", "metadata", *keys}
        and metadata.keys() <= {"name", *meta}
        and is_name(metadata.get("name"))
    )


def is_name(value: Json) -> bool:
    """Return whether a value is a name that specs can say."""
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def is_literal_text(value: Json) -> bool:
    """Return whether a value is a text that specs can say as it is."""
    return value != "" and _is_literal(value)


def _is_literal(value: Json) -> bool:
    """Return whether a value is a text, maybe an empty one, without expressions and lost characters."""
    return isinstance(value, str) and "{{" not in value and not find_lost_character(value)


def is_literal_map(value: Json) -> bool:
    """Return whether a value is a map of texts that specs can say as they are."""
    return isinstance(value, dict) and all(
        is_literal_text(key) and _is_literal(text) for key, text in value.items()
    )


def make_recogniser(
    find: Callable[[TreeObjects], Iterable[tuple[str, Json, *tuple[ObjectId, ...]]]],
) -> Callable[[TreeObjects], RecognisedSection | None]:
    """Return what recognises things by name, each with the objects that it stands for; the first of each."""

    def recognise(scene: TreeObjects) -> RecognisedSection | None:
        things: dict[str, tuple[Json, list[ObjectId]]] = {}
        for name, said, *objects in find(scene):
            things.setdefault(name, (said, objects))
        if not things:
            return None
        return RecognisedSection(
            section={name: said for name, (said, _) in things.items()},
            objects=frozenset(each for _, objects in things.values() for each in objects),
        )

    return recognise
