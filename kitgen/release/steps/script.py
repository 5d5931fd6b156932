"""A shell script that does what is left of a release, and nothing twice: it looks before it acts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from shlex import join, quote

from kitgen.release.steps import commands
from kitgen.release.steps.facts import TRACKED, ReleaseFacts
from kitgen.release.steps.plan import ReleasePlan
from kitgen.release.steps.step import ReleaseStep, StepKey, StepState
from kitgen.text.wording import printable

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


def script_of(plan: ReleasePlan) -> str:
    """Return the script; the same plan makes the same bytes."""
    left = [each for each in plan.steps if each.is_open]
    needed = sorted({program for step in left for program in PROGRAMS.get(step.key, ())})
    title = printable(f"The release {plan.facts.name} of {plan.facts.kit.name}, step by step.")
    lines = [HEAD.format(title=title, made=MADE) + (IMAGES if "skopeo" in needed else "")]
    lines += ["[ -f kit.yaml ] || stop 'run it in the folder of the kit'"]
    if needed:
        lines += [f"for program in {' '.join(needed)}; do"]
        lines += ['    command -v "$program" >/dev/null || stop "found no $program on PATH"', "done"]
    lines += [WORK.rstrip("\n")] if "gh" in needed else []
    for step in plan.steps:
        lines += ["", *_step(plan, step)]
    return "".join(f"{line}\n" for line in [*lines, "", f"say {quote(_end(plan))}"])


def _end(plan: ReleasePlan) -> str:
    return f"{plan.facts.name}: that is all; say in {plan.facts.file} under done what is"


def _step(plan: ReleasePlan, step: ReleaseStep) -> Iterator[str]:
    """Yield the lines of one step; one that is done, or that there is nothing of, is a comment."""
    title = printable(f"{step.number}. {step.title}")
    if not step.is_open:
        yield f"# {title}: {'done' if step.state is StepState.DONE else 'nothing to do'}"
        for part in step.parts:
            yield f"#    {printable(f'{part.what} ({part.by})' if part.by else part.what)}"
        return
    yield f"# {title}"
    yield f"say {quote(title)}"
    yield from STEPS[step.key](plan, step)


def _components(_: ReleasePlan, step: ReleaseStep) -> Iterator[str]:
    for part in step.parts:
        for command in part.commands:
            yield f"{command} >/dev/null || stop {quote(f'{part.what} is not released')}"


def _specs(plan: ReleasePlan, step: ReleaseStep) -> Iterator[str]:
    facts = plan.facts
    check = join(["kitgen", "release", "plan", facts.name])
    yield f"{check} --quiet >/dev/null || stop 'the specs have errors'"
    for part in step.parts:
        if part.what.startswith("the spec ") and part.state is StepState.TODO:
            yield f"stop {quote(printable(f'{part.what}: {part.by}'))}"
    if not all(facts.fresh.values()):
        yield "kitgen render"
    known = {part.what for part in step.parts if part.state is StepState.DONE}
    for image in facts.own_images:
        if f"the image {image.reference}" not in known:
            build, push = commands.image_commands(image)
            yield f"if has_image {quote(image.reference)}; then"
            yield f"    say {quote(f'{image.reference} is there')}"
            yield "elif [ -f Containerfile ] || [ -f Dockerfile ]; then"
            yield from ([f"    {COMMITTED}"] if facts.git else [])
            yield from (f"    {build}", f"    {push}", "else")
            yield from (f"    stop {quote(f'build {image.reference} and push it')}", "fi")


def _bundle(_: ReleasePlan, step: ReleaseStep) -> Iterator[str]:
    yield from dict.fromkeys(command for part in step.parts for command in part.commands)


def _tag(plan: ReleasePlan, _: ReleaseStep) -> Iterator[str]:
    facts = plan.facts
    if facts.git:
        yield from _tagging(facts)
    if facts.git or facts.repository:
        view = join(["gh", "release", "view", facts.name, *commands.in_repository(facts)])
        create = join(["gh", "release", "create", *commands.release_options(facts)])
        yield f"if {view} >/dev/null 2>&1; then"
        yield from (f"    say {quote(f'the release {facts.name} is there')}", "else")
        yield f'    {commands.notes_command(facts)} >"$work/{commands.NOTES}"'
        yield from (f'    {create} --notes-file "$work/{commands.NOTES}"', "fi")


def _tagging(facts: ReleaseFacts) -> Iterator[str]:
    """Yield what tags the release and pushes the tag; one that others have is never moved."""
    ref = quote(f"refs/tags/{facts.name}")
    yield f"theirs=$(git ls-remote origin {ref})"
    yield "theirs=${theirs%%[!0-9a-f]*}"
    yield f"ours=$(git rev-parse -q --verify {ref}) || ours=$theirs"
    yield 'if [ -n "$theirs" ]; then'
    yield f'    [ "$ours" = "$theirs" ] || stop {quote(f"origin has another tag {facts.name}")}'
    yield from (f"    say {quote(f'the tag {facts.name} is there')}", "else")
    yield f'    if [ -z "$ours" ]; then\n        {COMMITTED}\n        {commands.tag_command(facts)}\n    fi'
    yield from (f"    {commands.push_command(facts)}", "fi")


WAITS = "the rest waits until the pull request of the catalog is merged: run this again then"


def _catalog(plan: ReleasePlan, _: ReleaseStep) -> Iterator[str]:
    facts, request = plan.facts, plan.facts.request
    assert request is not None  # or there was nothing to do
    owner = request.fork.partition("/")[0]
    only = f'[.[] | select(.headRepositoryOwner.login == "{owner}") | .state] | join(" ")'
    options = ["--repo", request.repository, "--head", request.branch, "--state", "all"]
    listed = join(["gh", "pr", "list", *options, "--json", "state,headRepositoryOwner", "--jq", only])
    branch = [commands.address(request.fork), f"refs/heads/{request.branch}"]
    folder, create = '"$work/catalog"', join(["gh", "pr", "create", *commands.request_options(request)])
    yield f"pull=$({listed})"
    yield from ("case $pull in", "*MERGED* | *OPEN*)", "    say 'the pull request is there'", "    ;;", "*)")
    yield f"    if {join(['git', 'ls-remote', '--exit-code', *branch])} >/dev/null; then"
    yield from ("        say 'the branch is there'", "    else")
    yield f"        {join(commands.clone(request))} {folder}"
    yield f"        git -C {folder} switch --create {quote(request.branch)}"
    yield from (f"        {join(commands.bundle_write(facts, each))} {folder}" for each in facts.bundles)
    yield f"        git -C {folder} add {join(commands.packages(facts))}"
    yield f"        git -C {folder} {join(commands.commit(request))}"
    yield from (f"        git -C {folder} {join(commands.push(request))}", "    fi")
    yield from (f"    {create}", "    ;;", "esac")
    yield from (
        "case $pull in",
        "*MERGED*) ;;",
        "*)",
        f"    say {quote(WAITS)}",
        "    exit 0",
        "    ;;",
        "esac",
    )


def _stable(plan: ReleasePlan, _: ReleaseStep) -> Iterator[str]:
    for image in plan.facts.tagged:
        if image.stable:
            yield f"if same_image {quote(image.reference)} {quote(image.stable)}; then"
            yield from (f"    say {quote(f'{image.stable} is at {image.tag}')}", "else")
            yield from (f"    {commands.copy(image)}", "fi")


def _announce(plan: ReleasePlan, step: ReleaseStep) -> Iterator[str]:
    where = ", ".join(part.what for part in step.parts)
    yield f"say {quote(printable(f'to do by hand: tell {where}:'))}"
    yield from (f"say {quote(printable(line))}" for line in plan.announcement.split("\n"))


def _downstream(_: ReleasePlan, step: ReleaseStep) -> Iterator[str]:
    for part in (each for each in step.parts if each.state is not StepState.DONE):
        yield f"say {quote(printable(f'to do by those whose it is: {part.what}'))}"
        yield from (f"say {quote(printable(f'    {command}'))}" for command in part.commands)


STEPS: Mapping[StepKey, Callable[[ReleasePlan, ReleaseStep], Iterator[str]]] = {
    StepKey.COMPONENTS: _components,
    StepKey.SPECS: _specs,
    StepKey.BUNDLE: _bundle,
    StepKey.TAG: _tag,
    StepKey.CATALOG: _catalog,
    StepKey.STABLE: _stable,
    StepKey.ANNOUNCE: _announce,
    StepKey.DOWNSTREAM: _downstream,
}
