"""What the inverse of a family is: from the objects of a real tree to what a spec says under its key.

An inverse has a normal form of its key: mappings all the way down, with things that have names by their
names, so that two of them can be compared place by place. What is no mapping, such as a list of arguments,
counts as one value. `Path` steps of a normal form never lead into a list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from kitgen.findings import Path
from kitgen.kit.apis import Apis
from kitgen.kit.crd_names import DeclaredResources
from kitgen.kube.identity import ObjectId
from kitgen.text.yaml import Json, JsonObject


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

    def short(self, name: str) -> str | None:
        """Return a name without the prefix; None if it does not start with it."""
        return name.removeprefix(self.prefix) if name.startswith(self.prefix) else None


class Recognised(Struct, frozen=True, kw_only=True):
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


def _same(section: Json) -> Json:
    return section


def plain_terms(change: SectionChange) -> SectionWords:
    """Say a change of a key whose normal form is how specs write it."""
    remove = tuple("/".join(map(str, path)) for path in change.gone)
    return SectionWords(section=change.new or None, remove=remove)


class Inverse(Struct, frozen=True, kw_only=True):
    """The inverse of one family."""

    recognise: Callable[[TreeObjects], Recognised | None]
    """Find what the family could have made; None if there is nothing."""
    normal: Callable[[Json], Json] = _same
    """Turn what a spec says under the key, expressions computed, into the normal form."""
    terms: Callable[[SectionChange], SectionWords] = plain_terms
    """Say a change in the words of specs, shorthands included."""
