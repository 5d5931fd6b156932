"""What a component adds to its CRDs in any target, and the objects that it creates beside them."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.crd.declaration import ServiceNaming
from kitgen.crd.importer.component_metadata import CrdMetadata
from kitgen.kit.model import Component
from kitgen.render.context import ComputedValue, RenderContext
from kitgen.render.labels import select_overlay_labels
from kitgen.render.placement import build_placement
from kitgen.render.session import Session
from kitgen.render.unit import compile_unit


def collect_crd_metadata(session: Session, component: Component) -> CrdMetadata:
    """Return labels, namespaces and Services of a component, or of what carries it, over all targets."""
    labels: dict[tuple[str, str], tuple[str, ...]] = {}
    namespaces, services = set(), set()
    for context in _list_contexts(session, component):
        for rule in select_overlay_labels(context):
            for pair in rule.pairs.items():
                labels[pair] = tuple(sorted({*labels.get(pair, ()), rule.origin.file}))
        namespaces.add(context.namespace)
        made = compile_unit(ComputedValue(context)).final
        services |= {manifest.id.name for manifest in made if manifest.id.kind == "Service"}
    return CrdMetadata(
        home=ServiceNaming(prefix=component.prefix, namespace=component.namespace),
        labels=labels,
        namespaces=frozenset(namespaces),
        services=frozenset(services),
    )


def _list_contexts(session: Session, component: Component) -> Iterator[RenderContext]:
    """Yield who labels the CRDs in each target, and the component by itself."""
    for target in session.kit.targets.values():
        release = session.kit.releases.get(target.release)
        placement = build_placement(session.kit, target, release) if release is not None else None
        if placement is not None and placement.settings_for(component).is_managed:
            yield session.context_for(placement.carrier_of(component), placement).value
    yield session.context_for(component).value
