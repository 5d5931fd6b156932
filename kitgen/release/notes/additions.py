"""What to do before the upgrade about what comes: schemas, images, large CRDs, and older bundles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kitgen.check.limits import SIZE_APPLY
from kitgen.compare.change import Risk
from kitgen.compare.review import rules
from kitgen.compare.review.change import Hold, Reviewed
from kitgen.compare.upgrade.rules import UPGRADE_VERSION_BACK
from kitgen.kit.model import Target
from kitgen.release.notes.changes import only
from kitgen.release.notes.kinds import STATUS, former, is_schema, kind
from kitgen.release.notes.model import ChangedImage, NotedCrd, StepItem, UpgradeStep
from kitgen.release.notes.steps import ChangeGroup, Line, StepContext


def manifests_step(changes: Sequence[Reviewed], scene: StepContext) -> Iterator[UpgradeStep]:
    """Yield that manifests of users no longer fit, by the kinds that they are of."""
    broken = [
        each for each in changes if is_schema(each) and each.risk is Risk.BREAKING and _is_written(each)
    ]
    if not broken:
        return
    # To OLM, a kind that comes from another group is new, and has no resources yet.
    there = [each for each in broken if former(each.change.object, scene.crds) == each.change.object]
    olm = " OLM holds the upgrade back while one on the cluster does not fit." if scene.by_olm(there) else ""

    def kinds(_: Reviewed, hold: Hold) -> Iterator[Line]:
        yield kind(hold.object.name, scene.crds), ()

    text = f"Bring manifests of these kinds in line with what is told to users below.{olm}"
    yield from ChangeGroup(some=tuple(broken), scene=scene).step(text, kinds)


def _is_written(each: Reviewed) -> bool:
    """Tell whether a change is in what users write."""
    return any(place.path and not place.path.startswith(STATUS) for place in each.change.places)


def _reach(items: Iterable[ChangedImage | NotedCrd], targets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the targets that some things are in, none if they are all."""
    return only((name for each in items for name in each.only or targets), targets)


def images_step(images: Iterable[ChangedImage], targets: tuple[str, ...]) -> Iterator[UpgradeStep]:
    """Yield that images come from elsewhere, which clusters must be let to or have mirrored."""
    found = [each for each in images if each.risk is Risk.SECURITY and each.after]
    if found:
        yield UpgradeStep(
            risk=Risk.SECURITY,
            rule=rules.IMAGE_SOURCE.id,
            text="Let clusters pull these images, or mirror them: they come from elsewhere than before.",
            items=tuple(StepItem(text=str(each.after), only=each.only) for each in found),
            only=_reach(found, targets),
        )


def large_step(crds: Iterable[NotedCrd], targets: tuple[str, ...]) -> Iterator[UpgradeStep]:
    """Yield that some CRDs are too large for the annotation that `kubectl apply` writes."""
    if large := [each for each in crds if each.large]:
        yield UpgradeStep(
            risk=Risk.BEHAVIOUR,
            rule=SIZE_APPLY.id,
            text="Apply these CRDs with `kubectl apply --server-side`, or with `ServerSideApply=true` in "
            "Argo CD: they are too large for the annotation that is written otherwise.",
            items=tuple(StepItem(text=each.name, only=each.only) for each in large),
            only=_reach(large, targets),
        )


def olm_step(targets: Mapping[str, Target], release: str) -> Iterator[UpgradeStep]:
    """Yield that OLM goes forward only."""
    bundles = {name: each.bundle for name, each in targets.items() if each.bundle}
    if bundles:
        several = len(targets) > 1
        yield UpgradeStep(
            risk=Risk.BREAKING,
            rule=UPGRADE_VERSION_BACK.id,
            text="Uninstall these operators where OLM installed them, and install the older version: OLM "
            "goes forward only.",
            items=tuple(
                StepItem(text=f"{bundle.package}.{release}", only=(name,) if several else ())
                for name, bundle in bundles.items()
            ),
            only=tuple(bundles) if len(bundles) < len(targets) else (),
        )
