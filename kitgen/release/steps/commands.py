"""The commands that do the steps, as a shell reads them; values may be anybody's, and are quoted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from shlex import join, quote

from kitgen.kit.model import PublishedCatalog
from kitgen.release.publishing import PublishedTag
from kitgen.release.steps.facts import ReleaseFacts, build_git_url
from kitgen.text.semver import is_final_version

NOTES = "notes.md"
CHECKOUT = "catalog"
"""Where the catalog's repository goes, if no checkout of it is given."""


def find_tag_command(repository: str, tag: str) -> str:
    """Return what tells whether a repository has a tag."""
    return join(["git", "ls-remote", "--exit-code", build_git_url(repository), f"refs/tags/{tag}"])


def image_commands(tagged: PublishedTag) -> tuple[str, ...]:
    """Return what builds an image and pushes it."""
    return join(["podman", "build", "--tag", tagged.reference, "."]), join(
        ["podman", "push", tagged.reference]
    )


def pin_commands(target: str, release: str) -> tuple[str, ...]:
    """Return what moves a target to the release."""
    return join(["kitgen", "pin", target, release]), "kitgen render"


def matrix_command(release: str, *files: str) -> str:
    """Return what brings the matrix of READMEs up to date."""
    return join(
        ["kitgen", "matrix", "--release", release, *(each for file in files for each in ("--write", file))]
    )


def commit_commands(facts: ReleaseFacts, paths: Sequence[str]) -> tuple[str, ...]:
    """Return what shows the changes of a release, and commits them."""
    commands = (
        ["status", "--short"],
        ["add"],
        ["commit", "--message", f"{facts.kit.name} {facts.name}"],
    )
    return tuple(join(["git", *each, "--", *paths]) for each in commands)


def tag_command(facts: ReleaseFacts) -> str:
    """Return what tags the release; git signs the tag, if it is told to sign all."""
    return join(["git", "tag", "--annotate", "--message", f"{facts.kit.name} {facts.name}", facts.name])


def push_command(facts: ReleaseFacts) -> str:
    """Return what brings the tag to those who look at the repository."""
    return join(["git", "push", "origin", f"refs/tags/{facts.name}"])


def notes_command(facts: ReleaseFacts) -> str:
    """Return what writes the notes."""
    return join(["kitgen", "notes", facts.name])


def repository_options(facts: ReleaseFacts) -> list[str]:
    """Return how gh is told where the release is made; it looks at the kit's repository else."""
    return ["--repo", facts.repository] if facts.repository else []


def release_options(facts: ReleaseFacts) -> list[str]:
    """Return how gh makes the release; the notes are named behind it."""
    options = [facts.name, *repository_options(facts), "--title", facts.name]
    options += ["--verify-tag"] if facts.git else []  # or gh would tag whatever the branch holds
    if not is_final_version(facts.name):
        return [*options, "--prerelease"]
    later = (each for each in facts.kit.releases.values() if each.date and is_final_version(each.name))
    return [*options, "--latest=false"] if any(facts.is_newer(each.name) for each in later) else options


def release_commands(facts: ReleaseFacts) -> Iterator[str]:
    """Yield what makes the release on GitHub, with its notes."""
    if facts.git:
        yield push_command(facts)
    yield f"{notes_command(facts)} > {NOTES}"
    yield join(["gh", "release", "create", *release_options(facts), "--notes-file", NOTES])


def catalog_commands(facts: ReleaseFacts, request: PublishedCatalog) -> Iterator[str]:
    """Yield what brings the bundles into the catalog."""
    folder = quote(facts.catalog or CHECKOUT)
    if not facts.catalog:
        yield clone_command(request, folder)
    if not facts.switched:
        yield branch_command(request, folder)
    yield from bundle_commands(facts, request, folder)
    yield pull_request_command(request)


def clone_command(request: PublishedCatalog, folder: str) -> str:
    """Return what checks the catalog's repository out into a folder, without all that it ever held."""
    options = ["--filter=blob:none", "--single-branch", "--branch", request.base]
    return f"{join(['git', 'clone', *options, build_git_url(request.repository)])} {folder}"


def branch_command(request: PublishedCatalog, folder: str) -> str:
    """Return what makes the branch of the pull request in a checkout."""
    return f"git -C {folder} switch --create {quote(request.branch)}"


def bundle_commands(facts: ReleaseFacts, request: PublishedCatalog, folder: str) -> Iterator[str]:
    """Yield what writes the bundles into a checkout, commits them, and pushes them to the fork."""
    for bundle in facts.bundles:
        of = ["--target", bundle.target] if len(facts.bundles) > 1 else []
        yield f"{join(['kitgen', 'bundle', 'write', '--release', facts.name, *of])} {folder}"
    packages = dict.fromkeys(f"operators/{each.package}" for each in facts.bundles)
    branch = f"HEAD:refs/heads/{request.branch}"
    for command in (
        ["add", *packages],
        ["commit", "--signoff", "--message", request.commit],
        ["push", build_git_url(request.fork), branch],
    ):
        yield f"git -C {folder} {join(command)}"


def pull_request_command(request: PublishedCatalog) -> str:
    """Return what opens the pull request."""
    said = {
        "--repo": request.repository,
        "--base": request.base,
        "--head": pull_request_head(request),
        "--title": request.title,
        "--body": request.body,
    }
    return join(["gh", "pr", "create", *(word for option in said.items() for word in option)])


def pull_request_head(request: PublishedCatalog) -> str:
    """Return the branch with whose it is."""
    return f"{request.fork.partition('/')[0]}:{request.branch}"


def copy_command(tagged: PublishedTag) -> str:
    """Return what moves a stable tag."""
    return join(
        ["skopeo", "copy", "--all", f"docker://{tagged.reference}", f"docker://{tagged.stable_reference}"]
    )
