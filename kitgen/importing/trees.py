"""A real tree of an import: its owner, what its objects share, and its values for the component."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.compare.objects.compare import compare_object_sets
from kitgen.findings import Path
from kitgen.importing.features import switch_features
from kitgen.importing.inversion import InvertedSpec, invert_objects
from kitgen.importing.normal_form import build_tree_objects, normalize_objects
from kitgen.importing.older_spec import SpecLayer, build_spec_layers, merge_layers
from kitgen.importing.patch_reversal import reverse_patches, reverse_settings
from kitgen.importing.places import COMPONENT, flatten_sections, nest_places
from kitgen.importing.solver import SolvedTree
from kitgen.importing.survey import (
    TreeSurvey,
    can_use_rules,
    drop_known_labels,
    find_unlabelled_objects,
    survey_objects,
)
from kitgen.kit.apis import Apis
from kitgen.kit.crd_names import DeclaredResources
from kitgen.kit.model import LabelRule, LabelScope
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.quantities import is_same_quantity
from kitgen.render.context import RenderContext
from kitgen.render.families.table import get_families
from kitgen.render.labels import apply_operator_labels, find_unlabelled
from kitgen.render.role_labels import label_roles
from kitgen.render.withheld_permissions import withhold_permissions
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
    def solved_tree(self) -> SolvedTree:
        """Return what has to be decided on."""
        said = [(each.owner, each.places) for each in self.layers]
        return SolvedTree(who=self.given.who, wanted=self.wanted, said=said, namespace=self.found.namespace)


def invert_tree(given: GivenTree, resources: DeclaredResources, apis: Apis | None) -> InvertedTree:
    """Take a tree apart."""
    found, context = survey_tree(given), given.older
    typed = context.component.config_type if context else None
    images = {image: name for name, (image, _) in context.images.items()} if context else {}
    scene = build_tree_objects(
        given.bodies, found, resources, images=images, config_type=typed[1] if typed else None
    )
    scene = replace(scene, crds=given.crds, apis=apis)
    layers, stale, switches = list[SpecLayer](), list[str](), dict[str, bool]()
    if context is not None:
        layers = build_spec_layers(context)
        names = {str(ObjectId.of(body)) for body in given.bodies}
        objects, stale = reverse_patches(
            scene.objects, context, _build_unpatched_objects(context, found), names
        )
        scene = replace(scene, objects=objects, everything=objects, older=nest_places(merge_layers(layers)))
    verbatim = given.plainness is FamilyCoverage.VERBATIM
    taken = invert_objects(scene, verbatim=verbatim, untyped=given.plainness >= FamilyCoverage.UNTYPED)
    taken = _drop_namespace_object(taken, found)
    wanted = flatten_sections(taken.sections)
    if context is not None and given.full is not None:
        layers, every = (
            [_remove_layer_labels(each, found) for each in some]
            for some in (layers, build_spec_layers(given.full))
        )
        owners = {each.owner for each in layers}
        others = [each for each in every if each.owner not in owners]
        said = merge_layers([*others, *layers])
        wanted = _move_namespace_object(wanted, said, found.namespace, given.was)
        wanted = {path: _prefer_older_value(value, said.get(path)) for path, value in wanted.items()}
        wanted = reverse_settings(wanted, merge_layers(layers), context)
        layers, switches = switch_features(wanted, layers, others, stale)
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


def _move_namespace_object(
    wanted: Mapping[Path, Json], said: Mapping[Path, Json], now: str, before: str
) -> dict[Path, Json]:
    """Return what a tree wants, with the Namespace of the component in the place where it was before."""
    new, old = ("objects", f"Namespace//{now}"), ("objects", f"Namespace//{before}")
    made = dict(wanted)
    if new != old and new in made and old in said and old not in made:
        body = made.pop(new)
        made[old] = {**body, "metadata": {**body["metadata"], "name": before}}
    return made


def _prefer_older_value(value: Json, said: Json) -> Json:
    """Return the value of an older spec, where it means the same to a cluster as that of the tree."""
    if isinstance(value, dict) and isinstance(said, dict) and value.get("kind") and value != said:
        return value if compare_object_sets([said], [value]).differences else said
    return said if value != said and is_same_quantity(value, said) else value


def survey_tree(given: GivenTree) -> TreeSurvey:
    """Survey a tree; label rules of the older spec are kept if they fit."""
    if given.plainness is FamilyCoverage.VERBATIM:
        return TreeSurvey()
    if given.older is None:
        found = survey_objects(given.bodies, given.prefix)
        plain = given.plainness is FamilyCoverage.UNLABELLED
        return replace(found, labels=(), spared=frozenset()) if plain else found
    found = survey_objects(given.bodies, given.older.component.prefix)
    rules = collect_label_rules(given.older)
    if not can_use_rules(rules, given.bodies):
        return found
    wide = [rule for rule in rules if rule.scope is LabelScope.ALL]
    before = {each for each in map(ObjectId.of, given.bodies) if str(each) in find_unlabelled(given.older)}
    fresh = drop_known_labels(
        found.labels, {*given.common, *(pair for rule in rules for pair in rule.pairs.items())}
    )
    return replace(
        found, labels=(*rules, *fresh), spared=find_unlabelled_objects(wide, given.bodies) | before
    )


def collect_label_rules(context: RenderContext) -> tuple[LabelRule, ...]:
    """Return all label rules of a component for a target."""
    return (*context.component.labels, *context.settings.labels)


def _build_unpatched_objects(context: RenderContext, found: TreeSurvey) -> list[Manifest]:
    """Return what the families make of an older spec, before patches, as it looks in a scene."""
    layers = (family.layer(context) for family in reversed(get_families().values()))
    context = replace(context, additions=tuple(layer for layer in layers if layer is not None))
    made = [each for family in get_families().values() for each in family.objects(context)]
    less = withhold_permissions(
        context, label_roles(context, apply_operator_labels(context, made)).value
    ).value
    bare = normalize_objects([each.body for each in less], replace(found, namespace=""))
    return [replace(each, body=body) for each, body in zip(less, bare, strict=True)]


def _drop_namespace_object(taken: InvertedSpec, found: TreeSurvey) -> InvertedSpec:
    """Return a tree without the Namespace object, which the target or the component creates."""
    if not isinstance(objects := taken.sections.get("objects"), dict) or found.created is None:
        return taken
    rest = {key: body for key, body in objects.items() if key != f"Namespace//{found.namespace}"}
    sections = {key: each for key, each in {**taken.sections, "objects": rest}.items() if each != {}}
    created = ObjectId("", "Namespace", "", found.namespace)
    made = {at: "namespace" if at == created else key for at, key in taken.made.items()}
    return replace(taken, sections=sections, made=made)


def _remove_layer_labels(layer: SpecLayer, found: TreeSurvey) -> SpecLayer:
    """Return a layer whose objects stand without the labels that rules give, as in a scene."""
    objects = (
        {"objects": normalize_objects(layer.words["objects"], found)} if "objects" in layer.words else {}
    )
    return replace(layer, words={**layer.words, **objects})
