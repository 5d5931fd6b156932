"""Put together what OLM needs of a target: its bundle, and what has that installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kitgen.files.root import INSTALL
from kitgen.kit.model import Install, SettingsBlock
from kitgen.olm.bundle import Package, build_package, package_of
from kitgen.olm.install import build_install_objects, check_install
from kitgen.render.image_places import ImageNaming, find_object_images
from kitgen.render.images import ImageUse, classify_bundle_use
from kitgen.render.plan import Extra, SeparateObjects, TargetPlan

if TYPE_CHECKING:
    from kitgen.render.placement import Placement
    from kitgen.render.session import Session


def build_bundle_extra(session: Session, placement: Placement, plan: TargetPlan) -> Extra | None:
    """Return the OLM bundle of a target and its installation, if the release builds the component."""
    if (made := _build_package(session, placement, plan)) is None:
        return None
    install = plan.target.install or Install(origin=made.settings.origin)
    return Extra(
        made=made,
        apart=SeparateObjects(
            name=f"{plan.target.name}/{INSTALL}",
            objects=build_install_objects(made, install),
            component=made.settings.component,
        ),
        carried=made.unit.final,
        manifests=made.manifests,
        findings=(*made.findings, *check_install(made, install)),
    )


def _build_package(session: Session, placement: Placement, plan: TargetPlan) -> Package | None:
    said, target = placement.target.bundle, placement.target
    unit = next((each for each in plan.units if said and each.context.component.name == said.component), None)
    if said is None or unit is None:
        return None
    component = unit.context.component
    if said.settings.has_values:
        blocks = target.settings.get(component.name, target.settings[""])
        own = {**target.settings, component.name: (*blocks, SettingsBlock(settings=said.settings))}
        placement = replace(placement, target=replace(target, settings=own))
        unit = session.compile_component(placement, component)
    minors = session.kit.minors_for(placement.release, (component,))
    carried = [each for each in placement.bundled_components if placement.carrier_of(each) is component]
    outside = [crd for each in carried for crd in session.compile_labelled_crds(placement, each)]
    return build_package(said, unit, placement.release, minors, plan.crds, outside)


def list_bundle_images(plan: TargetPlan, known: frozenset[str]) -> Iterator[ImageUse]:
    """Yield what the bundle names that is not known, what tests it, and the catalog that offers it."""
    if (made := package_of(plan)) is None:
        return
    component = made.unit.context.component.name
    for image, place, _, origin in find_object_images(made.csv):
        if image not in known:
            use = classify_bundle_use(place, ImageNaming.BUNDLE)
            yield ImageUse(image=image, use=use, component=component, place=place, origin=origin)
    yield ImageUse(
        image=made.settings.scorecard,
        use=ImageNaming.TEST,
        component=component,
        place="scorecard",
        origin=made.settings.origin,
    )
    for each in plan.extras["olm"].apart.objects:
        for image, place, _, origin in find_object_images(each):
            yield ImageUse(image=image, use=ImageNaming.CATALOG, component="", place=place, origin=origin)
