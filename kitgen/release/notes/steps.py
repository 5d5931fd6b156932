"""What to do before an upgrade and after it, as the changes ask for it, the worst first.

Most of it follows from rules, by tables. The rest is about what comes: schemas, images, large CRDs, and older
bundles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from kitgen.compare.change import Risk
from kitgen.compare.review.change import ChangeLocation, ReviewedChange
from kitgen.compare.upgrade.rules import UPGRADE_VERSION_BACK
from kitgen.kit.model import Target
from kitgen.release.notes.changes import find_worst_risk, select_targets
from kitgen.release.notes.kinds import STATUS, Crds, former_name_of, is_schema_change, kind_of
from kitgen.release.notes.model import ChangedImage, NotedCrd, StepItem, UpgradeStep
from kitgen.text.values import group_pairs

Line: TypeAlias = tuple[str, Iterable[str]]
"""Something that a step is about, and the commands for it."""
Lines: TypeAlias = Callable[[ReviewedChange, ChangeLocation, Crds], Iterator[Line]]


class StepContext(Struct, frozen=True, kw_only=True):
    """What steps are told from, besides the changes."""

    targets: tuple[str, ...]
    crds: Crds
    bundled: frozenset[tuple[str, str]] = frozenset()
    """Targets, each with the component that OLM installs there."""
    alone: str = ""
    """The target, where there is only one."""

    def has_olm_changes(self, changes: Iterable[ReviewedChange]) -> bool:
        """Return whether one of some changes is in what OLM installs."""
        return any(
            (hold.scope or self.alone, hold.component) in self.bundled
            for each in changes
            for hold in each.holds
        )


class ChangeGroup(Struct, frozen=True, kw_only=True):
    """Changes of one rule, or that the same is to be done about."""

    some: tuple[ReviewedChange, ...]
    context: StepContext

    def build_steps(self, text: str, lines: Lines | None) -> Iterator[UpgradeStep]:
        """Yield what to do about them, unless it is about nothing; without lines, it is about all at once."""
        holds = [(each, hold) for each in self.some for hold in each.holds]
        found = group_pairs(
            (line, (hold.scope, commands))
            for each, hold in holds
            for line, commands in (lines(each, hold, self.context.crds) if lines else ())
        )
        if lines and not found:
            return
        items = tuple(
            StepItem(
                text=line,
                only=self._select_targets(scope for scope, _ in some),
                commands=tuple(dict.fromkeys(command for _, commands in some for command in commands)),
            )
            for line, some in found.items()
        )
        told = (scope for some in found.values() for scope, _ in some)
        yield UpgradeStep(
            risk=find_worst_risk(self.some),
            rule=self.some[0].change.rule.id,
            text=text,
            items=items,
            only=self._select_targets(told if lines else (hold.scope for _, hold in holds)),
        )

    def _select_targets(self, scopes: Iterable[str]) -> tuple[str, ...]:
        return select_targets(filter(None, scopes), self.context.targets)


Advice: TypeAlias = tuple[str, Lines | None] | Callable[[ChangeGroup], Iterator[UpgradeStep]]
"""What to do, with the lines about each change; or a function, where it depends on more."""


def build_rule_steps(
    changes: Iterable[ReviewedChange], table: Mapping[str, Advice], context: StepContext
) -> Iterator[UpgradeStep]:
    """Yield what changes ask for, in the order of a table of rules."""
    found = group_pairs((each.change.rule.id, each) for each in changes if each.risk is not Risk.COSMETIC)
    for advice, some in ((table[rule], found[rule]) for rule in table if rule in found):
        group = ChangeGroup(some=tuple(some), context=context)
        yield from group.build_steps(*advice) if isinstance(advice, tuple) else advice(group)


def build_manifests_step(changes: Sequence[ReviewedChange], context: StepContext) -> Iterator[UpgradeStep]:
    """Yield that manifests of users no longer fit, by the kinds that they are of."""
    schemas = (each for each in changes if each.risk is Risk.BREAKING and is_schema_change(each))
    if not (broken := [each for each in schemas if _is_spec_change(each)]):
        return
    # To OLM, a kind that comes from another group is new, and has no resources yet.
    there = [
        each for each in broken if former_name_of(each.change.object, context.crds) == each.change.object
    ]
    text = "Bring manifests of these kinds in line with what is told to users below."
    if context.has_olm_changes(there):
        text += " OLM holds the upgrade back while one on the cluster does not fit."
    yield from ChangeGroup(some=tuple(broken), context=context).build_steps(text, _list_kinds)


def _list_kinds(_: ReviewedChange, hold: ChangeLocation, crds: Crds) -> Iterator[Line]:
    yield kind_of(hold.object.name, crds), ()


def _is_spec_change(each: ReviewedChange) -> bool:
    """Return whether a change is in what users write."""
    return any(place.path and not place.path.startswith(STATUS) for place in each.change.places)


def _targets_of_items(items: Iterable[ChangedImage | NotedCrd], targets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the targets that some things are in, none if they are all."""
    return select_targets((name for each in items for name in each.only or targets), targets)


def build_images_step(images: Iterable[ChangedImage], targets: tuple[str, ...]) -> Iterator[UpgradeStep]:
    """Yield that images come from elsewhere, which clusters must be let to or have mirrored."""
    if found := [each for each in images if each.risk is Risk.SECURITY and each.after]:
        yield UpgradeStep(
            risk=Risk.SECURITY,
            rule="image-source",
            text="Let clusters pull these images, or mirror them: they come from elsewhere than before.",
            items=tuple(StepItem(text=str(each.after), only=each.only) for each in found),
            only=_targets_of_items(found, targets),
        )


def build_large_crds_step(crds: Iterable[NotedCrd], targets: tuple[str, ...]) -> Iterator[UpgradeStep]:
    """Yield that some CRDs are too large for the annotation that `kubectl apply` writes."""
    if large := [each for each in crds if each.large]:
        yield UpgradeStep(
            risk=Risk.BEHAVIOUR,
            rule="size-apply",
            text="Apply these CRDs with `kubectl apply --server-side`, or with `ServerSideApply=true` in "
            "Argo CD: they are too large for the annotation that is written otherwise.",
            items=tuple(StepItem(text=each.name, only=each.only) for each in large),
            only=_targets_of_items(large, targets),
        )


def build_olm_step(targets: Sequence[Target], release: str) -> Iterator[UpgradeStep]:
    """Yield that OLM goes forward only."""
    if bundles := {each.name: each.bundle for each in targets if each.bundle}:
        yield UpgradeStep(
            risk=Risk.BREAKING,
            rule=UPGRADE_VERSION_BACK.id,
            text="Uninstall these operators where OLM installed them, and install the older version: OLM "
            "goes forward only.",
            items=tuple(
                StepItem(text=f"{bundle.package}.{release}", only=(name,) if len(targets) > 1 else ())
                for name, bundle in bundles.items()
            ),
            only=tuple(bundles) if len(bundles) < len(targets) else (),
        )
