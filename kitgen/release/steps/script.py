"""A shell script that does what is left of a release, and nothing twice: it looks before it acts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from shlex import join, quote

from kitgen.files.atomic import edit_files
from kitgen.files.read import MAX_BYTES, read_file
from kitgen.findings.errors import KitgenError, UsageError
from kitgen.release.steps import commands
from kitgen.release.steps.facts import TRACKED
from kitgen.release.steps.plan import ReleasePlan
from kitgen.release.steps.step import ReleaseStep, StepKey, StepState
from kitgen.text.wording import escape_unprintable

MADE = "Made by kitgen release plan."
HEAD = """\
#!/bin/sh
# {title}
# {made} Run it with sh in the folder of the kit, with your own logins to GitHub and registries.
# It looks before it acts, so that running it again does nothing twice, and stops at what fails.
set -eu

say() {{ printf '%s\\n' "$*"; }}
stop() {{
    printf 'stopped: %s\\n' "$*" >&2
    exit 1
}}
"""
IMAGES = """\
has_image() {
    seen=$(skopeo inspect --raw "docker://$1" 2>&1 >/dev/null) && return 0
    case $seen in
    *timeout* | *"dial tcp"* | *"connection re"* | *"status: 5"* | *toomanyrequests*) stop "$seen" ;;
    esac
    return 1
}
same_image() {
    one=$(skopeo inspect --raw "docker://$1") || stop "found no image $1"
    other=$(skopeo inspect --raw "docker://$2" 2>/dev/null) || return 1
    [ "$one" = "$other" ]
}
"""
WORK = """\
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
"""
BUILD_IMAGE = """\
if has_image {image}; then
    say {there}
elif [ -f Containerfile ] || [ -f Dockerfile ]; then
    {build}
    {push}
else
    stop {missing}
fi"""
PUSH_TAG = """\
theirs=$(git ls-remote origin {ref})
theirs=${{theirs%%[!0-9a-f]*}}
ours=$(git rev-parse -q --verify {ref}) || ours=$theirs
if [ -n "$theirs" ]; then
    [ "$ours" = "$theirs" ] || stop {other}
    say {there}
else
    if [ -z "$ours" ]; then
        {committed}
        {tag}
    fi
    {push}
fi"""
"""A tag that others have is never moved."""
MAKE_RELEASE = """\
if {view} >/dev/null 2>&1; then
    say {there}
else
    {notes} >"$work/{file}"
    {create} --notes-file "$work/{file}"
fi"""
OPEN_PULL_REQUEST = """\
pull=$({listed})
case $pull in
*MERGED* | *OPEN*)
    say 'the pull request is there'
    ;;
*)
    if {branch} >/dev/null; then
        say 'the branch is there'
    else
{commands}
    fi
    {create}
    ;;
esac
case $pull in
*MERGED*) ;;
*)
    say 'the rest waits until the pull request of the catalog is merged: run this again then'
    exit 0
    ;;
esac"""
FOLDER = '"$work/catalog"'
"""Where the catalog is checked out, as the shell reads it."""
MOVE_TAG = """\
if same_image {image} {stable}; then
    say {there}
else
    {copy}
fi"""
PROGRAMS = {
    StepKey.COMPONENTS: ("git",),
    StepKey.SPECS: ("kitgen", "skopeo"),
    StepKey.BUNDLE: ("kitgen",),
    StepKey.TAG: ("gh", "git", "kitgen"),
    StepKey.CATALOG: ("gh", "git", "kitgen"),
    StepKey.STABLE: ("skopeo",),
}
"""What each step runs."""
UNCOMMITTED = "the kit has changes that are not committed: look at them, commit them, and run this again"
STATUS = join(["git", "status", "--porcelain", "--untracked-files=all", "--", *TRACKED])
COMMITTED = f'[ -z "$({STATUS})" ] || stop {quote(UNCOMMITTED)}'


def render_script(plan: ReleasePlan) -> str:
    """Return the script; the same plan makes the same bytes."""
    needed = sorted({each for step in plan.steps if step.is_open for each in PROGRAMS.get(step.key, ())})
    title = escape_unprintable(f"The release {plan.facts.name} of {plan.facts.kit.name}, step by step.")
    lines = [HEAD.format(title=title, made=MADE) + (IMAGES if "skopeo" in needed else "")]
    lines += ["[ -f kit.yaml ] || stop 'run it in the folder of the kit'"]
    if needed:
        lines += [f"for program in {' '.join(needed)}; do"]
        lines += ['    command -v "$program" >/dev/null || stop "found no $program on PATH"', "done"]
    lines += [WORK.rstrip("\n")] if "gh" in needed else []
    for step in plan.steps:
        lines += ["", *_render_step(plan, step)]
    end = f"{plan.facts.name}: that is all; say in {plan.facts.file} under done what is"
    return "".join(f"{line}\n" for line in [*lines, "", f"say {quote(end)}"])


def _render_step(plan: ReleasePlan, step: ReleaseStep) -> Iterator[str]:
    """Yield the lines of one step; one that is done, or that there is nothing of, is a comment."""
    title = escape_unprintable(f"{step.number}. {step.title}")
    if not step.is_open:
        yield f"# {title}: {'done' if step.state is StepState.DONE else 'nothing to do'}"
        for part in step.parts:
            yield f"#    {escape_unprintable(f'{part.what} ({part.by})' if part.by else part.what)}"
        return
    yield f"# {title}"
    yield f"say {quote(title)}"
    yield from STEPS[step.key](plan, step)


def _render_components(_: ReleasePlan, step: ReleaseStep) -> Iterator[str]:
    for part in step.parts:
        for command in part.commands:
            yield f"{command} >/dev/null || stop {quote(f'{part.what} is not released')}"


def _render_specs(plan: ReleasePlan, step: ReleaseStep) -> Iterator[str]:
    facts = plan.facts
    check = join(["kitgen", "release", "plan", facts.name, "--quiet"])
    yield f"{check} >/dev/null || stop 'the specs have errors'"
    for part in step.parts:
        if part.what.startswith("the spec ") and part.state is StepState.TODO:
            yield f"stop {quote(escape_unprintable(f'{part.what}: {part.by}'))}"
    if not all(facts.fresh.values()):
        yield "kitgen render"
    known = {part.what for part in step.parts if part.state is StepState.DONE}
    for image in facts.images_to_build:
        if f"the image {image.reference}" not in known:
            build, push = commands.image_commands(image)
            yield BUILD_IMAGE.format(
                image=quote(image.reference),
                there=quote(f"{image.reference} is there"),
                build=f"{COMMITTED}\n    {build}" if facts.git else build,
                push=push,
                missing=quote(f"build {image.reference} and push it"),
            )


def _render_bundle(_: ReleasePlan, step: ReleaseStep) -> Iterator[str]:
    yield from dict.fromkeys(command for part in step.parts for command in part.commands)


def _render_tag(plan: ReleasePlan, _: ReleaseStep) -> Iterator[str]:
    facts = plan.facts
    if facts.git:
        yield PUSH_TAG.format(
            ref=quote(f"refs/tags/{facts.name}"),
            other=quote(f"origin has another tag {facts.name}"),
            there=quote(f"the tag {facts.name} is there"),
            committed=COMMITTED,
            tag=commands.tag_command(facts),
            push=commands.push_command(facts),
        )
    if facts.git or facts.repository:
        yield MAKE_RELEASE.format(
            view=join(["gh", "release", "view", facts.name, *commands.repository_options(facts)]),
            there=quote(f"the release {facts.name} is there"),
            notes=commands.notes_command(facts),
            create=join(["gh", "release", "create", *commands.release_options(facts)]),
            file=commands.NOTES,
        )


def _render_catalog(plan: ReleasePlan, _: ReleaseStep) -> Iterator[str]:
    facts, request = plan.facts, plan.facts.request
    assert request is not None  # or there was nothing to do
    owner = request.fork.partition("/")[0]
    only = f'[.[] | select(.headRepositoryOwner.login == "{owner}") | .state] | join(" ")'
    options = ["--repo", request.repository, "--head", request.branch, "--state", "all"]
    branch = [commands.build_git_url(request.fork), f"refs/heads/{request.branch}"]
    needed = [commands.clone_command(request, FOLDER), commands.branch_command(request, FOLDER)]
    needed += commands.bundle_commands(facts, request, FOLDER)
    yield OPEN_PULL_REQUEST.format(
        listed=join(["gh", "pr", "list", *options, "--json", "state,headRepositoryOwner", "--jq", only]),
        branch=join(["git", "ls-remote", "--exit-code", *branch]),
        commands="\n".join(f"        {each}" for each in needed),
        create=commands.pull_request_command(request),
    )


def _render_stable_tags(plan: ReleasePlan, _: ReleaseStep) -> Iterator[str]:
    for image in plan.facts.tagged:
        if image.stable_reference:
            yield MOVE_TAG.format(
                image=quote(image.reference),
                stable=quote(image.stable_reference),
                there=quote(f"{image.stable_reference} is at {image.tag}"),
                copy=commands.copy_command(image),
            )


def _render_announcement(plan: ReleasePlan, step: ReleaseStep) -> Iterator[str]:
    where = ", ".join(part.what for part in step.parts)
    yield f"say {quote(escape_unprintable(f'to do by hand: tell {where}:'))}"
    yield from (f"say {quote(escape_unprintable(line))}" for line in plan.announcement.split("\n"))


def _render_downstream(_: ReleasePlan, step: ReleaseStep) -> Iterator[str]:
    for part in (each for each in step.parts if each.state is not StepState.DONE):
        yield f"say {quote(escape_unprintable(f'to do by those whose it is: {part.what}'))}"
        yield from (f"say {quote(escape_unprintable(f'    {command}'))}" for command in part.commands)


STEPS: Mapping[StepKey, Callable[[ReleasePlan, ReleaseStep], Iterator[str]]] = {
    StepKey.COMPONENTS: _render_components,
    StepKey.SPECS: _render_specs,
    StepKey.BUNDLE: _render_bundle,
    StepKey.TAG: _render_tag,
    StepKey.CATALOG: _render_catalog,
    StepKey.STABLE: _render_stable_tags,
    StepKey.ANNOUNCE: _render_announcement,
    StepKey.DOWNSTREAM: _render_downstream,
}


def write_script(plan: ReleasePlan, file: Path) -> None:
    """Write the script; what is no such script stays."""
    try:
        edit_files(_read_script(file), {file: render_script(plan)})
    except OSError as error:
        raise KitgenError(f"cannot write {file}: {error.strerror}") from error


def _read_script(file: Path) -> dict[Path, str]:
    """Return the script that is there, if any; a file that is no script of a release is wrong usage."""
    try:
        found = read_file(file, MAX_BYTES).decode(errors="replace")
    except FileNotFoundError:
        return {}
    if MADE not in found:
        raise UsageError(f"{file} is there, and no script of a release", hint="name another file")
    return {file: found}
