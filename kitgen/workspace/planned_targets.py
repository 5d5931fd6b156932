"""Targets that are compiled only where an earlier run has not kept what is wanted of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.msgpack import Encoder
from msgspec.structs import replace

from kitgen.files.reads import hash_bytes
from kitgen.files.results import decode_value, encode_value, remember
from kitgen.findings import NO_GRADES, Finding, OriginTrail
from kitgen.findings.records import from_record, to_record
from kitgen.kit.crd_names import DeclaredResources
from kitgen.kit.model import Component, Kit, Release, Target
from kitgen.render.placement import Placement, build_placement
from kitgen.render.plan import TargetPlan
from kitgen.render.size import measure_objects
from kitgen.workspace.kit import OpenedKit


class ModelHashes:
    """Hashes of the parts of a model, each made once."""

    def __init__(self, kit: Kit, resources: DeclaredResources) -> None:
        """Know none yet."""
        others: dict[str, Any] = {"components": {}, "targets": {}, "releases": {}, "versions": {}}
        others |= dict.fromkeys(("target_names", "release_names", "exceptions", "warnings", "accepted"), ())
        self._kit = kit
        self._shared = (replace(kit, **others, grades=NO_GRADES), resources.irregular)
        """What anything may depend on, besides its components."""
        self._known: dict[int, tuple[object, bytes]] = {}

    def join_with_components(self, parts: Iterable[object], components: Iterable[Component]) -> bytes | None:
        """Return a key for what is made of some components with other parts of the model.

        None if there is none, since a number in it is too large, or a text no Unicode.
        """
        above = (each for component in components for each in list_with_parents(self._kit, component))
        try:
            return b"".join(map(self._get, (self._shared, *parts, *above)))
        except (OverflowError, UnicodeEncodeError):
            return None

    def _get(self, part: object) -> bytes:
        if id(part) not in self._known:
            # The part is kept, too, so that its identity is not given to another one.
            self._known[id(part)] = (part, hash_bytes(_ENCODER.encode(part)).encode())
        return self._known[id(part)][1]


MANY = 32
"""So many targets that no earlier run has checked are worth a second process."""


class ComponentSize(NamedTuple):
    """How much a target renders of a component."""

    component: str
    objects: int
    values: int


class PlannedTarget(Struct, frozen=True, kw_only=True, dict=True):
    """A target in one of its releases."""

    opened: OpenedKit
    target: Target
    release: Release

    @cached_property
    def placement(self) -> Placement:
        """Return what the target does with the release."""
        return build_placement(self.opened.kit, self.target, self.release)

    @property
    def plan(self) -> TargetPlan:
        """Return it compiled, which counts for the size of the kit; the kit keeps the last ones."""
        where = (self.target.name, self.release.name)
        if (found := self.opened.plans.get(where)) is None:
            found = self.opened.session.compile_plan(self.placement)
            self.opened.plans.add(where, found)
        return found

    def measure(self) -> list[ComponentSize]:
        """Return how much it renders of each component."""
        units = ((unit.context.component.name, unit.final) for unit in self.plan.units)
        return [ComponentSize(name, len(final), measure_objects(final)) for name, final in units]

    def count_objects(self, sizes: Iterable[ComponentSize]) -> int:
        """Return how many objects it renders, by sizes that count for the kit's from here on."""
        count = 0
        for each in sizes:
            where = (self.target.name, self.release.name, each.component)
            self.opened.session.rendered.add(where, each.values)
            count += each.objects
        return count

    @cached_property
    def key(self) -> bytes | None:
        """Return a hash of all that it is compiled from and checked by; None if something has none."""
        parts = (self.target, self.release)
        return self.opened.model_hashes.join_with_components(parts, self.placement.components)


def plan_target(opened: OpenedKit, target: Target, release: str | None = None) -> PlannedTarget:
    """Return a target in the release that it pins, or in another one."""
    return PlannedTarget(opened=opened, target=target, release=opened.release(target, release))


def list_with_parents(kit: Kit, component: Component) -> Iterator[Component]:
    """Yield a component and what it builds on."""
    here: Component | None = component
    while here is not None:
        yield here
        here = kit.parent(here)


def recall_component_findings(opened: OpenedKit, component: Component) -> list[Finding]:
    """Return what is wrong with a component by itself."""
    return remember(
        "component by itself",
        lambda: [opened.model_hashes.join_with_components((), [component])],
        lambda: [*opened.session.compile_alone(component).findings],
        lambda found: encode_value([to_record(each) for each in found]),
        lambda content: [from_record(each) for each in decode_value(content)],
    )


def _encode_part(value: Any) -> Any:
    if isinstance(value, OriginTrail):
        return value.below
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value)} has no form in the cache")


_ENCODER = Encoder(enc_hook=_encode_part)
