"""A target for a cluster that knows only a mirror: what manifests can name has its name there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from kitgen.findings import Cause, CauseKind, Finding, Origin, make_problem
from kitgen.kit.model import Install, Layer, Settings, SettingsBlock, Target, TargetCatalog
from kitgen.kit.model.component import RuntimeImage
from kitgen.render.environment import container_names, find_operator_containers
from kitgen.render.image_places import OPTIONAL, ImageNaming
from kitgen.render.images import ImageUse, list_image_uses
from kitgen.render.plan import TargetPlan
from kitgen.render.unit import Unit
from kitgen.text.wording import quote_text

ENV = Cause(CauseKind.SETTING, "env")


def build_mirrored_target(
    plan: TargetPlan, names: Mapping[str, str], catalog: TargetCatalog | None
) -> Target:
    """Return the target of a plan with names of a mirror: of images, in variables of operators, of a catalog.

    An image that only the code of an operator names gets the variable that takes another one, where it is
    clear which container reads that.
    """
    target = plan.target
    settings = dict(target.settings)
    for unit in plan.units:
        component = unit.context.component
        if env := dict(_find_missing_variables(unit, names)):
            own = SettingsBlock(settings=Settings(origin=component.origin, env=env))
            settings[component.name] = (*target.settings.get(component.name, target.settings[""]), own)
    install = target.install
    if catalog and target.bundle:
        install = replace(install or Install(origin=target.bundle.origin), catalog=catalog)
    return replace(target, settings=settings, mirrored=dict(names), install=install)


def _find_missing_variables(unit: Unit, names: Mapping[str, str]) -> Iterator[tuple[tuple[str, str], Layer]]:
    """Yield the variables that the operator's container lacks, with the images that it is to take."""
    containers = container_names(unit.context.part)
    for each in unit.context.component.runtime_images:
        image = unit.context.renames.get(each.image, each.image)
        if each.variable and len(containers) == 1 and image in names and not _has_variable(unit, each):
            data = {each.variable: names[image]}
            yield (
                (containers[0], each.variable),
                Layer(data=data, origin=each.origin.at("variable"), cause=ENV, given={}),
            )


def _has_variable(unit: Unit, image: RuntimeImage) -> bool:
    """Tell whether a container of the operator has the variable of an image."""
    for _, _, container in find_operator_containers(unit.context, unit.final):
        variables = container.get("env") or []
        if any(isinstance(each, dict) and each.get("name") == image.variable for each in variables):
            return True
    return False


def find_wired_images(plan: TargetPlan) -> frozenset[Origin]:
    """Return where images are declared that code names, and a variable of the operator sets instead."""
    return frozenset(
        each.origin
        for unit in plan.units
        for each in unit.context.component.runtime_images
        if each.variable and _has_variable(unit, each)
    )


def check_unrenamed_images(plan: TargetPlan) -> Iterator[Finding]:
    """Yield what a cluster would still pull past the mirror that the plan is for."""
    target = plan.target
    known = {*target.mirrored.values(), target.install.catalog.image if target.install else ""}
    for use in list_image_uses(plan):
        if use.use not in {ImageNaming.RUNTIME, *OPTIONAL} and use.image not in known:
            hint = _format_hint(use, target.mirrored.get(use.image, ""))
            yield _report_unrenamed(use.image, use.place, hint, use.origin or target.origin)
    done = find_wired_images(plan)
    for unit in plan.units:
        for each in unit.context.component.runtime_images:
            if each.origin in done:
                continue
            image = unit.context.renames.get(each.image, each.image)
            hint = f"whoever names it has to name {image}"
            if each.variable:
                hint = f"set {each.variable} in the operator's container to {image}"
            yield _report_unrenamed(each.image, each.source, hint, each.origin)


def _format_hint(use: ImageUse, name: str) -> str:
    if use.use is ImageNaming.CONFIG:
        return f"set {use.place} in the config that the target has for {use.component} to {name}"
    return "write it as one word, which kitgen renames"


def _report_unrenamed(image: str, place: str, hint: str, origin: Origin) -> Finding:
    return make_problem(
        "mirror-unrenamed",
        f"found {quote_text(image)}, expected its name in the mirror; named by {place}",
        hint=hint,
    ).to_finding(origin)
