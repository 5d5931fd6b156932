"""What `kitgen mirror` does: write what carries the images of a target into a mirror, and a cluster there."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kitgen.files.apply import apply_tree, recover_write
from kitgen.files.folders import peek_file
from kitgen.files.generated_files import list_generated_files
from kitgen.files.paths import is_in_scope
from kitgen.files.root import BASES, OVERLAYS
from kitgen.files.tree_changes import TreeChanges
from kitgen.findings import Finding, Origin, make_problem
from kitgen.findings.errors import FindingsError, KitgenError, UsageError
from kitgen.images.mirror.contents import MirrorContents
from kitgen.images.mirror.files import render_mirror_files
from kitgen.images.mirror.image_set import OfferedBundle
from kitgen.images.mirror.offered_catalog import (
    find_offered_bundle,
    report_missing_catalog,
    resolve_catalog_image,
)
from kitgen.images.mirror.places import Mirror, assign_places, find_registry_fault
from kitgen.images.mirror.readme import format_readme_title
from kitgen.images.mirror.target import build_mirrored_target, check_unrenamed_images, find_wired_images
from kitgen.kit.load import KitSelection
from kitgen.kit.model import TargetCatalog
from kitgen.olm.bundle import package_of
from kitgen.render.file_tree import FileTree, nest_files
from kitgen.render.image_places import OPTIONAL, ImageNaming
from kitgen.render.images import ImageUse, check_lock_file, list_image_uses
from kitgen.render.outputs import render_outputs
from kitgen.render.placement import build_placement
from kitgen.render.plan import TargetPlan
from kitgen.workspace.checks import check_plans
from kitgen.workspace.kit import OpenedKit, open_kit, raise_on_errors
from kitgen.workspace.planned_files import folders_of
from kitgen.workspace.render import refuse_kit_folder
from kitgen.workspace.render_request import WAITING, Progress

STATE = ".kitgen"
README, HEAD = "README.md", 4096


class MirrorRequest(Struct, frozen=True, kw_only=True):
    """What to mirror, where to, and in which forms."""

    root: Path | None = None
    target: str
    registry: str
    out: Path
    release: str | None = None
    """What the target pins when absent."""
    catalog: str = ""
    """The image of the catalog that offers the bundle; what the target says when empty."""
    scoped: bool = False
    examples: bool = False
    never_source: bool = False
    rewrite: bool = False


class MirrorResult(Struct, frozen=True, kw_only=True):
    """What was written."""

    root: Path
    release: str
    images: int
    there: int
    """Those that are in the mirror already."""
    chosen: OfferedBundle | None
    """What offers the bundle, if nobody named that catalog."""
    changes: TreeChanges
    findings: tuple[Finding, ...]


def write_mirror(request: MirrorRequest, progress: Progress) -> MirrorResult:
    """Write the files of a mirror; nothing while an error stands."""
    if wrong := find_registry_fault(request.registry):
        fault = make_problem("mirror-registry", wrong, hint="such as registry.example.com:5000/mirror")
        raise FindingsError([fault.to_finding(Origin("--registry"))])
    opened = open_kit(request.root, KitSelection(targets=(request.target,), release=request.release))
    target = opened.target(request.target)
    refuse_kit_folder(opened.root, request.out)
    progress(f"compiling {target.name}")
    plan = opened.plan(target, request.release)
    raise_on_errors(opened.apply_exceptions(plan.findings), opened.root)
    carried, findings = _collect_contents(request, plan, opened.kit.minors_for(plan.release))
    raise_on_errors(opened.apply_exceptions(findings), opened.root)
    more: FileTree = {}
    if request.rewrite:
        progress("rendering with the names of the mirror")
        made = _compile_for_mirror(opened, plan, carried)
        more, findings = _render_overlays(made), [*findings, *check_unrenamed_images(made)]
        done = find_wired_images(made)
        left = tuple(
            each for each in carried.uses if each.use is not ImageNaming.RUNTIME or each.origin not in done
        )
        carried = replace(carried, uses=left)
    tree = render_mirror_files(carried) | more
    recover_write(request.out)
    _refuse_foreign_files(request.out, target.name)
    changes = apply_tree(tree, request.out, waiting=lambda: progress(WAITING))
    return MirrorResult(
        root=opened.root,
        release=plan.release.name,
        images=len(carried.places),
        there=len(carried.places) - len(carried.copied),
        chosen=carried.offered if carried.offered and carried.offered.openshift else None,
        changes=changes,
        findings=tuple(opened.apply_exceptions(findings)),
    )


def _collect_contents(
    request: MirrorRequest, plan: TargetPlan, minors: tuple[int, ...]
) -> tuple[MirrorContents, list[Finding]]:
    """Give every image of a target its place, and say how they get there."""
    target = plan.target
    mirror = Mirror(registry=request.registry, scoped=request.scoped)
    uses = _select_uses(plan, examples=request.examples)
    named = [(each.image, each.origin or target.origin) for each in uses]
    catalog = resolve_catalog_image(request.catalog, plan, minors)
    places, wrong = assign_places(
        [*named, *([(catalog.image, target.origin)] if catalog.image else ())], mirror
    )
    if not places and not wrong:
        raise UsageError(f"target {target.name} names no image", hint="it manages no component that runs one")
    findings = [*wrong, *check_lock_file(target, plan.release)]
    if (package := package_of(plan)) and not catalog.image:
        findings.append(report_missing_catalog(package))
    carried = MirrorContents(
        target=target.name,
        release=plan.release.name,
        origins=(target.origin.file, plan.release.origin.file),
        places=places,
        uses=uses,
        mirror=mirror,
        offered=find_offered_bundle(plan, catalog, places),
        never_source=request.never_source,
        rewritten=request.rewrite,
        platform=plan.cluster is not None or any(unit.context.settings.export for unit in plan.units),
    )
    return carried, findings


def _select_uses(plan: TargetPlan, *, examples: bool) -> tuple[ImageUse, ...]:
    """Return all that names images, but the catalog; those of examples alone count where that is wanted."""
    left = {ImageNaming.CATALOG, *(() if examples else OPTIONAL)}
    return tuple(each for each in list_image_uses(plan) if each.use not in left)


def _compile_for_mirror(opened: OpenedKit, plan: TargetPlan, carried: MirrorContents) -> TargetPlan:
    """Compile the target with the names that images have in the mirror."""
    names = {name: each.mirror_reference for each in carried.places for name in each.names}
    catalog = None
    if carried.offered is not None:
        given = carried.offered
        catalog = TargetCatalog(
            name=given.name, namespace=given.namespace, image=given.catalog.copy_reference
        )
    made = opened.session.compile_plan(
        build_placement(opened.kit, build_mirrored_target(plan, names, catalog), plan.release)
    )
    raise_on_errors(opened.apply_exceptions(check_plans(opened, [made])), opened.root)
    return made


def _render_overlays(plan: TargetPlan) -> FileTree:
    """Render a plan, as `kitgen render` would."""
    scope = (BASES, *folders_of(plan.target.name))
    return nest_files(
        OVERLAYS, {path: text for path, text in render_outputs([plan]).items() if is_in_scope(path, scope)}
    )


def _refuse_foreign_files(out: Path, target: str) -> None:
    """Refuse a folder that holds what kitgen did not write there for the mirror of this target."""
    try:
        foreign = out.is_dir() and any(each.name != STATE for each in out.iterdir())
    except OSError as error:
        raise KitgenError(f"cannot read {out}: {error.strerror}") from error
    own = list_generated_files(out)
    if foreign and not own:
        raise UsageError(f"{out} holds other files", hint="choose a new or empty folder")
    # A mirror always lists its README; one that somebody took away says nothing.
    text = peek_file(out, README, HEAD) if README in own else None
    if own and (README not in own or (text and f"\n{format_readme_title(target)}".encode() not in text)):
        raise UsageError(
            f"{out} holds files that kitgen wrote for something else than a mirror of {target}",
            hint="choose another folder: those would be deleted",
        )
