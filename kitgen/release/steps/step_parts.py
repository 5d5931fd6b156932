"""The parts of each step: what is done and by which file, what is to do and how."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import join

from kitgen.kit.model import ITSELF, STABLE
from kitgen.release.steps import commands
from kitgen.release.steps.facts import ReleaseBundle, ReleaseFacts
from kitgen.release.steps.step import StepPart, StepState, done, done_or_todo, nothing, todo
from kitgen.text.semver import in_range, is_final
from kitgen.text.wording import counted

NO_MATRIX = "kit.yaml has no matrix"


def components(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield the rows of the matrix: each has its tag in its repository."""
    if facts.kit.matrix is None:
        yield nothing(f"{NO_MATRIX}, which says where components are released")
        return
    for row in facts.kit.matrix.rows:
        version, repository = facts.release.version_of(row.of), row.repository(facts.name)
        what = f"{row.label} {version}"
        if row.of in (ITSELF, facts.kit.project) or not version:
            continue
        if mark := facts.marked("components"):
            yield done(what, mark)
        elif not repository:
            yield nothing(f"{what}: the matrix does not say where it is released")
        elif known := facts.tags.has(repository, version):
            yield done(what, facts.tags.origin.file)
        else:
            file = facts.tags.origin.file
            why = (
                f"not among the tags in {file}" if known is False else f"{file} knows nothing of {repository}"
            )
            yield todo(what, commands.known_tag(repository, version), by=why)


def specs(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield the specs, the overlays of targets that pin the release, and the images to build."""
    if facts.errors:
        yield StepPart(
            what=f"kitgen check finds {counted(facts.errors, 'error')}",
            state=StepState.BLOCKED,
            commands=(join(["kitgen", "check", "--release", facts.name]),),
        )
    yield from _specs(facts)
    for target, fresh in facts.fresh.items():
        what, folder = f"the overlays of {target}", f"overlays/{target}"
        yield done(what, folder) if fresh else todo(what, "kitgen render", by=f"{folder} is not up to date")
    if not facts.fresh:
        yield nothing("no target pins the release")
    for each in facts.own_images:
        by = facts.marked("image") or facts.is_tagged
        yield done_or_todo(f"the image {each.reference}", by, *commands.image_commands(each))
    if not facts.own_images:
        yield nothing("publishing in kit.yaml names no image of the release")


def _specs(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield the specs; a copy of the version before is one only once somebody has looked."""
    folders = [f"components/{name}/{version}" for name, version in facts.release.components.items()]
    copied = {} if facts.marked("specs") or facts.is_tagged else facts.copied
    if own := [each for each in folders if each not in copied]:
        yield done(counted(len(own), "spec"), ", ".join(own))
    for folder, parent in copied.items():
        how = f"compare it with upstream's manifests, then say in {facts.file} that specs are done"
        yield todo(f"the spec {folder}", by=f"it is {parent} with another image; {how}")


def bundle(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield the bundles, and the README with the matrix."""
    yield from (_bundle(facts, each) for each in facts.bundles)
    if not facts.bundles:
        yield nothing("no target makes a bundle of it")
    what, shown = "the matrix in README.md", facts.readme
    if facts.kit.matrix is None:
        yield nothing(NO_MATRIX)
    elif shown is None:
        yield nothing("README.md has no matrix")
    elif shown.fresh:
        yield done(what, "README.md")
    elif shown.release and facts.is_newer(shown.release):
        yield nothing(f"README.md shows {shown.release}, which is newer")
    else:
        yield todo(
            what,
            commands.matrix_command(facts.name, "README.md"),
            by="it is not up to date" if shown.release in ("", facts.name) else f"it shows {shown.release}",
        )


def _bundle(facts: ReleaseFacts, made: ReleaseBundle) -> StepPart:
    what, pin = f"the bundle of {made.target}", facts.kit.targets[made.target].release
    if facts.is_newer(pin):
        return nothing(f"{made.target} pins {pin}, which is newer")
    if pin != facts.name:
        return todo(what, *commands.pin_commands(made.target, facts.name), by=f"{made.target} pins {pin}")
    if facts.fresh.get(made.target):
        return done(what, f"overlays/{made.target}/bundle")
    return todo(what, "kitgen render", by=f"overlays/{made.target} is not up to date")


def tag(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield the tag, and the release on GitHub with its notes."""
    what, release = f"the tag {facts.name}", f"the GitHub release {facts.name} with its notes"
    if by := facts.is_tagged:
        yield from (done(what, by), done(release, by))
        return
    if facts.git is None:
        yield nothing("this kit is in no git repository")
    elif facts.git.tagged:
        yield done(what, "git has it")
    elif facts.git.changed:
        first = commands.commit_commands(facts, [*facts.git.changed])
        yield StepPart(
            what=what,
            state=StepState.BLOCKED,
            by=f"{counted(sum(facts.git.changed.values()), 'file')} of the kit not committed",
            commands=(*first, commands.tag_command(facts)),
        )
    else:
        yield todo(what, commands.tag_command(facts))
    if facts.git or facts.repository:
        yield todo(release, *commands.release_commands(facts))
    else:
        yield nothing("neither git nor the matrix says where the release is")


def catalog(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield the catalog's pull request."""
    if (request := facts.request) is None:
        yield nothing("publishing in kit.yaml names no catalog")
    elif not facts.bundles:
        yield nothing("no target makes a bundle of it")
    else:
        what = f"the pull request to {request.repository}"
        here = ", ".join(f"{facts.catalog}/{each.folder}" for each in facts.bundles)
        by = facts.marked("catalog") or (here if all(each.listed for each in facts.bundles) else "")
        needed = commands.catalog_commands(facts, request)
        yield done_or_todo(what, by, *needed, why=f"from {commands.head(request)}")


def stable(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield the images whose stable tag moves."""
    for each in facts.tagged:
        if each.stable:
            yield done_or_todo(each.stable, facts.marked("stable"), commands.copy(each))
        elif STABLE in each.moving:
            yield nothing(f"{each.published.image}:{STABLE} stays with {each.newer}")
    if not any(STABLE in each.moving for each in facts.tagged):
        final = is_final(facts.name)
        yield nothing("no image has a stable tag" if final else "a pre-release never is the stable one")


def announce(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield where the release is announced."""
    yield from (done_or_todo(each, facts.marked("announce")) for each in facts.kit.publishing.announce)
    if not facts.kit.publishing.announce:
        yield nothing("publishing in kit.yaml names nobody to tell")


def downstream(facts: ReleaseFacts) -> Iterator[StepPart]:
    """Yield what others do: their images, their READMEs, their targets."""
    mark = facts.marked("downstream")
    images = (
        todo(f"the image {each.reference}", join(["skopeo", "inspect", f"docker://{each.reference}"]))
        for each in facts.other_images
    )
    parts = [*_forks(facts), *images, *_updates(facts), *_readmes(facts), *_targets(facts)]
    for each in parts:
        yield done(each.what, mark) if mark and each.state is not StepState.DONE else each
    if not parts:
        yield nothing("nobody downstream is behind")


def _forks(facts: ReleaseFacts) -> Iterator[StepPart]:
    for each in facts.kit.publishing.forks:
        if in_range(facts.name, each.releases):
            what = f"the sync of {each.repository} with {each.source}"
            known = facts.tags.origin.file if facts.tags.has(each.repository, facts.name) else ""
            sync = ["gh", "repo", "sync", each.repository, "--source", each.source, "--branch", each.branch]
            yield done_or_todo(what, facts.marked("forks") or known, join(sync))


def _updates(facts: ReleaseFacts) -> Iterator[StepPart]:
    for each in facts.kit.publishing.updates:
        if (version := facts.release.version_of(each.of)) and in_range(facts.name, each.releases):
            name = facts.kit.project if each.of == ITSELF else each.of
            what = f"the pull request to {each.repository} for {name} {version}"
            search = ["--state", "all", "--search", f"{name} {version.removeprefix('v')}"]
            look = join(["gh", "pr", "list", "--repo", each.repository, *search])
            yield done_or_todo(what, facts.marked("updates"), look)


def _readmes(facts: ReleaseFacts) -> Iterator[StepPart]:
    for each in facts.kit.publishing.readmes if facts.kit.matrix else ():
        if in_range(facts.name, each.releases):
            folder = each.repository.rpartition("/")[2]
            clone = join(["gh", "repo", "clone", each.repository, folder])
            write = commands.matrix_command(facts.name, f"{folder}/{each.path}")
            yield todo(f"{each.path} of {each.repository}", clone, write)


def _targets(facts: ReleaseFacts) -> Iterator[StepPart]:
    bundling = {each.target for each in facts.bundles}
    for name, target in facts.kit.targets.items():
        if facts.is_newer(target.release):
            continue
        shipped = _shipped(facts, name)
        if target.release != facts.name and name not in bundling:
            pin = commands.pin_commands(name, facts.name)
            yield todo(f"the target {name}", *pin, *shipped, by=f"it pins {target.release}")
        elif shipped:
            yield todo(f"the manifests of {name}", *shipped)


def _shipped(facts: ReleaseFacts, target: str) -> tuple[str, ...]:
    """Return what writes the files that a platform needs of a target."""
    if target not in facts.exporting:
        return ()
    export = join(["kitgen", "export", target, f"../{target}-manifests"])
    return (export, join(["kitgen", "sources", target])) if facts.exporting[target] else (export,)
