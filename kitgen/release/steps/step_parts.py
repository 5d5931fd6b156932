"""The parts of each step: what is done and by which file, what is to do and how."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import join

from kitgen.kit.model import ITSELF, STABLE
from kitgen.release.steps import commands
from kitgen.release.steps.facts import ReleaseBundle, ReleaseFacts
from kitgen.release.steps.step import (
    StepPart,
    StepState,
    make_done_part,
    make_empty_part,
    make_part,
    make_todo_part,
)
from kitgen.text.semver import is_final_version, is_in_range
from kitgen.text.wording import format_count

NO_MATRIX = "kit.yaml has no matrix"


def list_component_parts(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield the rows of the matrix: each has its tag in its repository."""
    if facts.kit.matrix is None:
        yield make_empty_part(f"{NO_MATRIX}, which says where components are released")
        return
    for row in facts.kit.matrix.rows:
        version, repository = facts.release.version_of(row.of), row.repository(facts.name)
        what = f"{row.label} {version}"
        if row.of in (ITSELF, facts.kit.project) or not version:
            continue
        if mark := facts.mark_of("components"):
            yield make_done_part(what, mark)
        elif not repository:
            yield make_empty_part(f"{what}: the matrix does not say where it is released")
        elif known := facts.tags.has_tag(repository, version):
            yield make_done_part(what, facts.tags.origin.file)
        else:
            file = facts.tags.origin.file
            why = (
                f"not among the tags in {file}" if known is False else f"{file} knows nothing of {repository}"
            )
            yield make_todo_part(what, commands.find_tag_command(repository, version), by=why)


def list_spec_parts(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield the specs, the overlays of targets that pin the release, and the images to build."""
    if facts.errors:
        yield StepPart(
            what=f"kitgen check finds {format_count(facts.errors, 'error')}",
            state=StepState.BLOCKED,
            commands=(join(["kitgen", "check", "--release", facts.name]),),
        )
    yield from _list_specs(facts)
    for target, fresh in facts.fresh.items():
        what, folder = f"the overlays of {target}", f"overlays/{target}"
        yield (
            make_done_part(what, folder)
            if fresh
            else make_todo_part(what, "kitgen render", by=f"{folder} is not up to date")
        )
    if not facts.fresh:
        yield make_empty_part("no target pins the release")
    for each in facts.images_to_build:
        by = facts.mark_of("image") or facts.tag_evidence
        yield make_part(f"the image {each.reference}", by, *commands.image_commands(each))
    if not facts.images_to_build:
        yield make_empty_part("publishing in kit.yaml names no image of the release")


def _list_specs(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield the specs; a copy of the version before is one only once somebody has looked."""
    folders = [f"components/{name}/{version}" for name, version in facts.release.components.items()]
    copied = {} if facts.mark_of("specs") or facts.tag_evidence else facts.copied
    if own := [each for each in folders if each not in copied]:
        yield make_done_part(format_count(len(own), "spec"), ", ".join(own))
    for folder, parent in copied.items():
        how = f"compare it with upstream's manifests, then say in {facts.file} that specs are done"
        yield make_todo_part(f"the spec {folder}", by=f"it is {parent} with another image; {how}")


def list_bundle_parts(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield the bundles, and the README with the matrix."""
    yield from (_build_bundle_part(facts, each) for each in facts.bundles)
    if not facts.bundles:
        yield make_empty_part("no target makes a bundle of it")
    what, shown = "the matrix in README.md", facts.readme
    if facts.kit.matrix is None:
        yield make_empty_part(NO_MATRIX)
    elif shown is None:
        yield make_empty_part("README.md has no matrix")
    elif shown.fresh:
        yield make_done_part(what, "README.md")
    elif shown.release and facts.is_newer(shown.release):
        yield make_empty_part(f"README.md shows {shown.release}, which is newer")
    else:
        yield make_todo_part(
            what,
            commands.matrix_command(facts.name, "README.md"),
            by="it is not up to date" if shown.release in ("", facts.name) else f"it shows {shown.release}",
        )


def _build_bundle_part(facts: ReleaseFacts, made: ReleaseBundle) -> StepPart:
    what, pin = f"the bundle of {made.target}", facts.kit.targets[made.target].release
    if facts.is_newer(pin):
        return make_empty_part(f"{made.target} pins {pin}, which is newer")
    if pin != facts.name:
        return make_todo_part(
            what, *commands.pin_commands(made.target, facts.name), by=f"{made.target} pins {pin}"
        )
    if facts.fresh.get(made.target):
        return make_done_part(what, f"overlays/{made.target}/bundle")
    return make_todo_part(what, "kitgen render", by=f"overlays/{made.target} is not up to date")


def list_tag_parts(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield the tag, and the release on GitHub with its notes."""
    what, release = f"the tag {facts.name}", f"the GitHub release {facts.name} with its notes"
    if by := facts.tag_evidence:
        yield from (make_done_part(what, by), make_done_part(release, by))
        return
    if facts.git is None:
        yield make_empty_part("this kit is in no git repository")
    elif facts.git.tagged:
        yield make_done_part(what, "git has it")
    elif facts.git.changed:
        first = commands.commit_commands(facts, [*facts.git.changed])
        yield StepPart(
            what=what,
            state=StepState.BLOCKED,
            by=f"{format_count(sum(facts.git.changed.values()), 'file')} of the kit not committed",
            commands=(*first, commands.tag_command(facts)),
        )
    else:
        yield make_todo_part(what, commands.tag_command(facts))
    if facts.git or facts.repository:
        yield make_todo_part(release, *commands.release_commands(facts))
    else:
        yield make_empty_part("neither git nor the matrix says where the release is")


def list_catalog_parts(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield the catalog's pull request."""
    if (request := facts.request) is None:
        yield make_empty_part("publishing in kit.yaml names no catalog")
    elif not facts.bundles:
        yield make_empty_part("no target makes a bundle of it")
    else:
        what = f"the pull request to {request.repository}"
        here = ", ".join(f"{facts.catalog}/{each.folder}" for each in facts.bundles)
        by = facts.mark_of("catalog") or (here if all(each.listed for each in facts.bundles) else "")
        needed = commands.catalog_commands(facts, request)
        yield make_part(what, by, *needed, why=f"from {commands.pull_request_head(request)}")


def list_stable_tag_parts(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield the images whose stable tag moves."""
    for each in facts.tagged:
        if each.stable_reference:
            yield make_part(each.stable_reference, facts.mark_of("stable"), commands.copy_command(each))
        elif STABLE in each.moving:
            yield make_empty_part(f"{each.published.image}:{STABLE} stays with {each.newer}")
    if not any(STABLE in each.moving for each in facts.tagged):
        final = is_final_version(facts.name)
        yield make_empty_part(
            "no image has a stable tag" if final else "a pre-release never is the stable one"
        )


def list_announcement_parts(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield where the release is announced."""
    yield from (make_part(each, facts.mark_of("announce")) for each in facts.kit.publishing.announce)
    if not facts.kit.publishing.announce:
        yield make_empty_part("publishing in kit.yaml names nobody to tell")


def list_downstream_parts(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield what others do: their images, their READMEs, their targets."""
    mark = facts.mark_of("downstream")
    images = (
        make_todo_part(
            f"the image {each.reference}", join(["skopeo", "inspect", f"docker://{each.reference}"])
        )
        for each in facts.downstream_images
    )
    parts = [
        *_list_forks(facts),
        *images,
        *_list_updates(facts),
        *_list_readmes(facts),
        *_list_targets(facts),
    ]
    for each in parts:
        yield make_done_part(each.what, mark) if mark and each.state is not StepState.DONE else each
    if not parts:
        yield make_empty_part("nobody downstream is behind")


def _list_forks(facts: ReleaseFacts) -> Iterator[StepPart]:
    for each in facts.kit.publishing.forks:
        if is_in_range(facts.name, each.releases):
            what = f"the sync of {each.repository} with {each.source}"
            known = facts.tags.origin.file if facts.tags.has_tag(each.repository, facts.name) else ""
            sync = ["gh", "repo", "sync", each.repository, "--source", each.source, "--branch", each.branch]
            yield make_part(what, facts.mark_of("forks") or known, join(sync))


def _list_updates(facts: ReleaseFacts) -> Iterator[StepPart]:
    for each in facts.kit.publishing.updates:
        if (version := facts.release.version_of(each.of)) and is_in_range(facts.name, each.releases):
            name = facts.kit.project if each.of == ITSELF else each.of
            what = f"the pull request to {each.repository} for {name} {version}"
            search = ["--state", "all", "--search", f"{name} {version.removeprefix('v')}"]
            look = join(["gh", "pr", "list", "--repo", each.repository, *search])
            yield make_part(what, facts.mark_of("updates"), look)


def _list_readmes(facts: ReleaseFacts) -> Iterator[StepPart]:
    for each in facts.kit.publishing.readmes if facts.kit.matrix else ():
        if is_in_range(facts.name, each.releases):
            folder = each.repository.rpartition("/")[2]
            clone = join(["gh", "repo", "clone", each.repository, folder])
            write = commands.matrix_command(facts.name, f"{folder}/{each.path}")
            yield make_todo_part(f"{each.path} of {each.repository}", clone, write)


def _list_targets(facts: ReleaseFacts) -> Iterator[StepPart]:
    bundling = {each.target for each in facts.bundles}
    for name, target in facts.kit.targets.items():
        if facts.is_newer(target.release):
            continue
        shipped = _export_commands(facts, name)
        if target.release != facts.name and name not in bundling:
            pin = commands.pin_commands(name, facts.name)
            yield make_todo_part(f"the target {name}", *pin, *shipped, by=f"it pins {target.release}")
        elif shipped:
            yield make_todo_part(f"the manifests of {name}", *shipped)


def _export_commands(facts: ReleaseFacts, target: str) -> tuple[str, ...]:
    """Return what writes the files that a platform needs of a target."""
    if target not in facts.exporting:
        return ()
    export = join(["kitgen", "export", target, f"../{target}-manifests"])
    return (export, join(["kitgen", "sources", target])) if facts.exporting[target] else (export,)
