"""Comparable states: the objects of a source, by target."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.findings.errors import UsageError
from kitgen.kit.load import KitSelection
from kitgen.kube.definitions import list_minors
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.render.plan import TargetPlan
from kitgen.workspace.kit import OpenedKit, format_known_names, raise_on_errors
from kitgen.workspace.planned_targets import PlannedTarget
from kitgen.workspace.sources import (
    Kits,
    SourceKind,
    SourceName,
    add_revision_to_errors,
    parse_source,
    to_release_source,
)

HEAD = "HEAD"
PINNED = KitSelection()
NEWEST = 3
"""How many minors of Kubernetes count where no kit says it."""
WHOLE = (SourceKind.KIT, SourceKind.RELEASE)
"""Sources that hold several targets."""


class StateObjects(Struct, frozen=True, kw_only=True):
    """The objects of one target, or of one thing."""

    objects: Sequence[Manifest] = ()
    components: Mapping[ObjectId, str] = field(default_factory=dict)
    """What each object belongs to, where a kit says it."""
    minor: int = 0
    """The oldest minor that it is for; 0 where nobody says it."""


class SourceState(Struct, frozen=True, kw_only=True):
    """What a source holds."""

    name: str
    parts: Mapping[str, StateObjects]
    """By target; one thing alone has no name."""
    revision: str = ""
    texts: Mapping[str, str]
    """What was read, by the names that origins have, for their lines."""


def needs_only_pinned(*sources: str | None) -> bool:
    """Return whether sources need no more of a kit than what its targets pin."""
    named = [parse_source(each) for each in sources if each is not None]
    return all(
        each.kind is SourceKind.KIT
        or (each.kind is SourceKind.TARGET and not (each.version or each.component_version))
        for each in named
    )


def resolve_source_pair(kits: Kits, first: str | None, second: str | None) -> tuple[SourceName, SourceName]:
    """Return the two sources that a command line means: at first the last commit, then the work tree."""
    if first is None:
        return SourceName(kind=SourceKind.KIT, revision=HEAD), SourceName(kind=SourceKind.KIT)
    one = kits.resolve(to_release_source(kits, parse_source(first)))
    if second is None:
        return _pair_with_work_tree(one)
    other = kits.resolve(to_release_source(kits, parse_source(second)))
    if one.kind is other.kind is SourceKind.STDIN:
        raise UsageError("both sides are standard input", hint="name a file for one of them")
    return one, other


def _pair_with_work_tree(one: SourceName) -> tuple[SourceName, SourceName]:
    if one.is_foreign or (one.kind is SourceKind.COMPONENT and not one.revision):
        raise UsageError(
            f"{one} is nothing that the work tree has another state of, expected two sources",
            hint=f"such as kitgen diff {one} target:NAME",
        )
    if one.revision:
        return one, replace(one, revision="")
    if one.kind is SourceKind.RELEASE:
        return one, SourceName(kind=SourceKind.KIT)
    if one.version or one.component_version:
        return one, replace(one, version="", component_version="")
    return replace(one, revision=HEAD), one


def state_of(kits: Kits, name: SourceName, targets: Iterable[str] | None = None) -> SourceState:
    """Return what a source holds; of a whole kit, the given targets alone if it has them."""
    if name.is_foreign:
        from kitgen.kit.shipped_trees import read_shipped_tree  # most sources are of the kit

        real = read_shipped_tree(name.file, kits.intake, most=None)  # a cluster has thousands
        real.raise_on_findings()
        return SourceState(name=str(name), parts={"": StateObjects(objects=real.manifests)}, texts=real.texts)
    opened = kits.open_at(name.revision)
    with add_revision_to_errors(opened):
        parts = _collect_parts(opened, name, targets)
    return _build_state(str(name) or "the work tree", opened, parts)


def state_of_targets(
    name: str, opened: OpenedKit, planned: Sequence[PlannedTarget], changed: Container[str]
) -> SourceState:
    """Return what targets bring to a cluster; nothing for those in which nothing changes."""
    parts = {each.target.name: StateObjects() for each in planned}
    for each in planned:
        if each.target.name in changed:
            parts |= _collect_target_parts(opened, each.plan)
    return _build_state(name, opened, parts)


def state_of_plans(name: str, opened: OpenedKit, plans: Iterable[TargetPlan]) -> SourceState:
    """Return what some plans of a kit bring to a cluster."""
    return _build_state(
        name,
        opened,
        {name: part for plan in plans for name, part in _collect_target_parts(opened, plan).items()},
    )


def _build_state(name: str, opened: OpenedKit, parts: Mapping[str, StateObjects]) -> SourceState:
    prefix = f"{opened.revision}:" if opened.revision else ""
    texts = {f"{prefix}{file}": text for file, text in opened.texts.items()}
    return SourceState(name=name, parts=parts, revision=opened.revision, texts=texts)


def _collect_parts(
    opened: OpenedKit, name: SourceName, targets: Iterable[str] | None
) -> dict[str, StateObjects]:
    if name.kind in WHOLE:
        from kitgen.workspace.checks import list_shipping_targets  # a target by its name needs none of that

        release = name.name if name.kind is SourceKind.RELEASE else None
        found = list_shipping_targets(opened, release) if release else list(opened.kit.targets.values())
        wanted = None if targets is None else {*targets}
        chosen = [each for each in found if wanted is None or each.name in wanted]
        plans = (opened.plan(each, release) for each in chosen)
        return {part: made for plan in plans for part, made in _collect_target_parts(opened, plan).items()}
    if name.kind is SourceKind.TARGET and not name.component:
        return {
            name.name: _collect_plan_objects(
                opened, opened.plan(opened.target(name.name), name.version or None)
            )
        }
    from kitgen.workspace.compilation import compile_source  # of whole targets, the kit itself does that

    made = compile_source(opened, name, checked=False)
    raise_on_errors(made.findings, opened.root)
    called = made.component.name if made.component else ""
    components = {each.id: called for each in made.objects}
    return {"": StateObjects(objects=made.objects, components=components, minor=min(opened.kit.minors))}


def _collect_target_parts(opened: OpenedKit, plan: TargetPlan) -> dict[str, StateObjects]:
    """Return what a target holds: its objects, and apart from them those that have it installed."""
    found = {plan.target.name: _collect_plan_objects(opened, plan)}
    for apart in (each.apart for each in plan.extras.values() if each.apart.component):
        components = {each.id: apart.component for each in apart.objects}
        found[apart.name] = StateObjects(
            objects=apart.objects, components=components, minor=min(opened.kit.minors)
        )
    return found


def _collect_plan_objects(opened: OpenedKit, plan: TargetPlan) -> StateObjects:
    raise_on_errors(plan.findings, opened.root)
    return StateObjects(
        objects=plan.objects,
        components={each.id: unit.context.component.name for unit in plan.units for each in unit.final},
        minor=min(opened.kit.minors),
    )


def oldest_minor(*parts: StateObjects) -> int:
    """Return the oldest minor that any of some parts is for, or of the newest ones if none says it."""
    return min((each.minor for each in parts if each.minor), default=sorted(list_minors())[-NEWEST])


def pair_states(one: SourceState, other: SourceState) -> dict[str, tuple[StateObjects, StateObjects]]:
    """Return the pairs to compare, by target; two single states have no name."""
    if len(one.parts) == len(other.parts) == 1:
        name = next(iter(one.parts)) if one.parts.keys() == other.parts.keys() else ""
        return {name: (next(iter(one.parts.values())), next(iter(other.parts.values())))}
    for lone, some in ((one, other), (other, one)):
        if lone.parts.keys() == {""}:
            raise UsageError(
                f"{lone.name} is one thing, and {some.name} holds several targets",
                hint=format_known_names(f"target:{each}" for each in some.parts),
            )
    names = dict.fromkeys((*one.parts, *other.parts))
    return {
        each: (one.parts.get(each, StateObjects()), other.parts.get(each, StateObjects())) for each in names
    }
