"""The tree that the ODH operator mounts: each component's folder stands by itself."""

from __future__ import annotations

from kitgen.compile import Session
from kitgen.emit.base import base_files, crd_files
from kitgen.emit.overlay import Layout, overlay_files, params_files
from kitgen.emit.tree import Plan, apart_note


def export_tree(session: Session, plan: Plan) -> dict[str, str]:
    """Return every file of the export, by its path below the folder that the operator mounts."""
    tree: dict[str, str] = {}
    for unit in plan.units:
        export = unit.context.settings.export
        if export is None:
            continue
        component = unit.context.component
        holders = session.beside(plan.target, plan.release, component)
        apart = unit.params is not None and export.params != export.build
        layout = Layout(
            note=apart_note(session, plan, component),
            base="../base",
            crds=tuple(f"../crds/{holder.name}" for holder in holders),
            params=f"../{export.params}" if apart else "",
        )
        base = session.base(component)
        files = {f"{export.build}/{path}": text for path, text in overlay_files(unit, base, layout).items()}
        files |= {f"base/{path}": text for path, text in base_files(base).items()}
        for holder in holders:
            crds = crd_files(holder, session.crds(holder).value)
            files |= {f"crds/{holder.name}/{path}": text for path, text in crds.items()}
        if apart:
            files |= {f"{export.params}/{path}": text for path, text in params_files(unit).items()}
        tree |= {f"{export.folder}/{path}": text for path, text in files.items()}
    return tree
