"""A real tree of an import: its owner, what its objects share, and its values for the component."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.compare.objects.compare import compare
from kitgen.findings import Path
from kitgen.importing.features import switched
from kitgen.importing.inversion import InvertedSpec, take
from kitgen.importing.normal_form import scene_of, taken_off
from kitgen.importing.older_spec import SpecLayer, layers_of, together
from kitgen.importing.patch_reversal import unpatched, unset
from kitgen.importing.places import COMPONENT, flatten, nested
from kitgen.importing.solver import SolvedTree
from kitgen.importing.survey import TreeSurvey, fits, lacking, survey, without
from kitgen.kit.apis import Apis
from kitgen.kit.crd_names import DeclaredResources
from kitgen.kit.model import LabelRule, LabelScope
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.quantities import same_amount
from kitgen.render.context import RenderContext
from kitgen.render.families.table import families
from kitgen.render.labels import own_labels, spared
from kitgen.render.role_labels import label_roles
from kitgen.render.withheld_permissions import withhold
from kitgen.text.yaml import Json, JsonObject


class FamilyCoverage(IntEnum):
    """How much of a tree is said in the words of families; what is plainer is longer, and surer."""

    SHORT = 0
    UNTYPED = 1
    """The configuration of the operator as an object."""
    UNLABELLED = 2
    """No rules for labels either: every object says its own."""
    VERBATIM = 3
    """All objects as they are."""


class GivenTree(Struct, frozen=True, kw_only=True):
    """A tree as it was read."""

    who: str
    """The target that it is for; empty for the component by itself."""
    name: str
    """What people call it: its path."""
    bodies: tuple[JsonObject, ...]
    home: str = ""
    """Where the target says that the component runs; empty if it does not."""
    was: str = ""
    """Where it ran before, as an older spec has it."""
    older: RenderContext | None = None
    """The component for this target, as an older spec has it."""
    common: frozenset[tuple[str, str]] = frozenset()
    """Labels that most of its objects carry there, whoever says them."""
    full: RenderContext | None = None
    """The same with all features on."""
    crds: Mapping[str, JsonObject] = field(default_factory=dict)
    """Plural of a CRD → what the tree's form changes in the component's own."""
    prefix: str | None = None
    """The prefix of all trees together, if no older spec says one."""
    plainness: FamilyCoverage = FamilyCoverage.SHORT
    because: str = ""
    """Why it is for this target, if nobody named that."""


class InvertedTree(Struct, frozen=True, kw_only=True):
    """A tree that was taken apart."""

    given: GivenTree
    found: TreeSurvey
    taken: InvertedSpec
    wanted: Mapping[Path, Json]
    layers: Sequence[SpecLayer] = ()
    stale: tuple[str, ...] = ()
    """Patches of the older spec that fit no longer."""
    switches: Mapping[str, bool] = field(default_factory=dict)
    """Features of the older spec that the target turns on or off now."""

    @property
    def tree(self) -> SolvedTree:
        """Return what has to be decided on."""
        said = [(each.owner, each.places) for each in self.layers]
        return SolvedTree(who=self.given.who, wanted=self.wanted, said=said, namespace=self.found.namespace)


def read_tree(given: GivenTree, resources: DeclaredResources, apis: Apis | None) -> InvertedTree:
    """Take a tree apart."""
    found, context = survey_of(given), given.older
    typed = context.component.config_type if context else None
    images = {image: name for name, (image, _) in context.images.items()} if context else {}
    scene = scene_of(given.bodies, found, resources, images=images, config_type=typed[1] if typed else None)
    scene = replace(scene, crds=given.crds, apis=apis)
    layers, stale, switches = list[SpecLayer](), list[str](), dict[str, bool]()
    if context is not None:
        layers = layers_of(context)
        names = {str(ObjectId.of(body)) for body in given.bodies}
        objects, stale = unpatched(scene.objects, context, _unpatched(context, found), names)
        scene = replace(scene, objects=objects, everything=objects, older=nested(together(layers)))
    verbatim = given.plainness is FamilyCoverage.VERBATIM
    taken = take(scene, verbatim=verbatim, untyped=given.plainness >= FamilyCoverage.UNTYPED)
    taken = _without_namespace(taken, found)
    wanted = flatten(taken.sections)
    if context is not None and given.full is not None:
        layers, every = (
            [_unlabelled(each, found) for each in some] for some in (layers, layers_of(given.full))
        )
        owners = {each.owner for each in layers}
        others = [each for each in every if each.owner not in owners]
        said = together([*others, *layers])
        wanted = _moved(wanted, said, found.namespace, given.was)
        wanted = {path: _as_said(value, said.get(path)) for path, value in wanted.items()}
        wanted = unset(wanted, together(layers), context)
        layers, switches = switched(wanted, layers, others, stale)
        order = [COMPONENT, *context.component.features]
        layers.sort(key=lambda each: order.index(each.owner))
    return InvertedTree(
        given=given,
        found=found,
        taken=taken,
        wanted=wanted,
        layers=layers,
        stale=tuple(stale),
        switches=switches,
    )


def _moved(wanted: Mapping[Path, Json], said: Mapping[Path, Json], now: str, before: str) -> dict[Path, Json]:
    """Return what a tree wants, with the Namespace of the component in the place where it was before."""
    new, old = ("objects", f"Namespace//{now}"), ("objects", f"Namespace//{before}")
    made = dict(wanted)
    if new != old and new in made and old in said and old not in made:
        body = made.pop(new)
        made[old] = {**body, "metadata": {**body["metadata"], "name": before}}
    return made


def _as_said(value: Json, said: Json) -> Json:
    """Return the value of an older spec, where it means the same to a cluster as that of the tree."""
    if isinstance(value, dict) and isinstance(said, dict) and value.get("kind") and value != said:
        return value if compare([said], [value]).differences else said
    return said if value != said and same_amount(value, said) else value


def survey_of(given: GivenTree) -> TreeSurvey:
    """Survey a tree; label rules of the older spec are kept if they fit."""
    if given.plainness is FamilyCoverage.VERBATIM:
        return TreeSurvey()
    if given.older is None:
        found = survey(given.bodies, given.prefix)
        plain = given.plainness is FamilyCoverage.UNLABELLED
        return replace(found, labels=(), spared=frozenset()) if plain else found
    found = survey(given.bodies, given.older.component.prefix)
    rules = rules_of(given.older)
    if not fits(rules, given.bodies):
        return found
    wide = [rule for rule in rules if rule.scope is LabelScope.ALL]
    before = {each for each in map(ObjectId.of, given.bodies) if str(each) in spared(given.older)}
    fresh = without(found.labels, {*given.common, *(pair for rule in rules for pair in rule.pairs.items())})
    return replace(found, labels=(*rules, *fresh), spared=lacking(wide, given.bodies) | before)


def rules_of(context: RenderContext) -> tuple[LabelRule, ...]:
    """Return all label rules of a component for a target."""
    return (*context.component.labels, *context.settings.labels)


def _unpatched(context: RenderContext, found: TreeSurvey) -> list[Manifest]:
    """Return what the families make of an older spec, before patches, as it looks in a scene."""
    layers = (family.layer(context) for family in reversed(families().values()))
    context = replace(context, additions=tuple(layer for layer in layers if layer is not None))
    made = [each for family in families().values() for each in family.objects(context)]
    less = withhold(context, label_roles(context, own_labels(context, made)).value).value
    bare = taken_off([each.body for each in less], replace(found, namespace=""))
    return [replace(each, body=body) for each, body in zip(less, bare, strict=True)]


def _without_namespace(taken: InvertedSpec, found: TreeSurvey) -> InvertedSpec:
    """Return a tree without the Namespace object, which the target or the component creates."""
    if not isinstance(objects := taken.sections.get("objects"), dict) or found.created is None:
        return taken
    rest = {key: body for key, body in objects.items() if key != f"Namespace//{found.namespace}"}
    sections = {key: each for key, each in {**taken.sections, "objects": rest}.items() if each != {}}
    created = ObjectId("", "Namespace", "", found.namespace)
    made = {at: "namespace" if at == created else key for at, key in taken.made.items()}
    return replace(taken, sections=sections, made=made)


def _unlabelled(layer: SpecLayer, found: TreeSurvey) -> SpecLayer:
    """Return a layer whose objects stand without the labels that rules give, as in a scene."""
    objects = {"objects": taken_off(layer.words["objects"], found)} if "objects" in layer.words else {}
    return replace(layer, words={**layer.words, **objects})
