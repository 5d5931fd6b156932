"""What `kitgen notes` does: tell what a release brings, held against another one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compare.review.change import Diffed
from kitgen.compare.run.diff import compare_states
from kitgen.files.tree import Disk, decoded
from kitgen.findings import Finding, Origin, Problem
from kitgen.findings.errors import FindingsError, UsageError
from kitgen.kit.model import Kit, Release, Target
from kitgen.release.matrix.writing import block_of
from kitgen.release.notes.facts import NotesFacts, tell
from kitgen.release.notes.model import ReleaseNotes
from kitgen.text.semver import version_key
from kitgen.text.wording import choice
from kitgen.workspace.checks import shipped_by
from kitgen.workspace.kit import Opened, known, open_kit, pick
from kitgen.workspace.states import SourceState, state_of_plans


class NotesRequest(Struct, frozen=True, kw_only=True):
    """The release that notes are of, and what it is held against."""

    root: Path | None = None
    release: str
    since: str | None = None
    """What it replaces, or the newest before it that builds, when absent."""
    targets: tuple[str, ...] = ()
    """Those alone; all that ship both releases when empty."""


class NotesResult(Struct, frozen=True, kw_only=True):
    """The notes, and the kit's own template if it has one."""

    root: Path
    notes: ReleaseNotes
    template: str | None = None
    findings: tuple[Finding, ...] = ()
    """Migrations that do not count, since they are wrong."""


def notes(request: NotesRequest, template: str = "") -> NotesResult:
    """Tell what a release brings; `template` names the kit's own, below its root."""
    opened = open_kit(request.root)
    release = pick(opened.kit.releases, "release", request.release)
    since = _since(opened.kit, release, request.since)
    passed = _passed(opened.kit, release, since) if request.since is None else []
    wanted = [opened.target(each) for each in dict.fromkeys(request.targets)]
    text = _template(opened.root, template) if template else None
    targets, remarks = _compared(opened, release, since, wanted)
    matrix = opened.kit.matrix
    facts = NotesFacts(
        kit=opened.kit,
        release=release,
        since=since,
        matrix="\n".join(block_of(matrix, release).splitlines()[1:-1]) or None if matrix else None,
        diffed=_diffed(opened, targets, since, release) if since and targets else None,
        targets={each.name: each for each in targets},
        moves=opened.moves(),
        remarks=(*passed, *remarks),
    )
    unread = opened.declared().unread
    return NotesResult(root=opened.root, notes=tell(facts), template=text, findings=unread)


def _since(kit: Kit, release: Release, named: str | None) -> Release | None:
    """Return what a release is held against: if nobody says it, one before it of which as much is known."""
    if named is not None:
        found = pick(kit.releases, "release", named)
        if found is release:
            others = [each for each in kit.release_names if each != release.name]
            raise UsageError(f"{named} is the release itself, expected another one", hint=known(others))
        return found
    older = [each for each in kit.releases.values() if version_key(each.name) < version_key(release.name)]
    fitting = [each for each in older if each.components or not release.components] or older
    return next((each for each in fitting if each.name == release.replaces), fitting[-1] if fitting else None)


def _passed(kit: Kit, release: Release, since: Release | None) -> list[str]:
    """Say why a release is not held against the one that it replaces."""
    if since is None or release.replaces in ("", since.name):
        return []
    why = (
        "of which only the versions are recorded"
        if release.replaces in kit.releases
        else "which is not known"
    )
    return [f"{release.name} replaces {release.replaces}, {why}. So this is what changes since {since.name}."]


def _compared(
    opened: Opened, release: Release, since: Release | None, wanted: Sequence[Target]
) -> tuple[list[Target], list[str]]:
    """Return the targets that ship both releases, and what cannot be told."""
    if since is None:
        return [], [f"There is no release before {release.name} to hold it against."]
    for each in (release, since):
        if not each.components:
            return [], [
                f"Only the versions of {each.name} are recorded, so what changes on a cluster cannot be told."
            ]
    asked = list(wanted) or list(opened.kit.targets.values())
    shipping = {each.name: shipped_by(opened, each) for each in asked}
    ships = [each for each in asked if release.name in shipping[each.name]]
    both = [each for each in ships if since.name in shipping[each.name]]
    if not ships:
        who = choice([each.name for each in asked], last="and") if wanted else "no target"
        verb = "does not ship" if wanted and len(asked) == 1 else "do not ship" if wanted else "ships"
        return [], [f"What changes on a cluster cannot be told: {who} {verb} {release.name}."]
    first = [each.name for each in ships if each not in both]
    return both, (
        [f"Not told of {choice(first, last='and')}, which did not ship {since.name}."] if first else []
    )


def _diffed(opened: Opened, targets: Sequence[Target], since: Release, release: Release) -> Diffed:
    before, after = (_state(opened, targets, each) for each in (since, release))
    return compare_states(before, after, opened.declared())


def _state(opened: Opened, targets: Sequence[Target], release: Release) -> SourceState:
    """Return what targets hold in a release, without what has OLM install it."""
    plans = [opened.plan(each, release.name) for each in targets]
    state = state_of_plans(release.name, opened, plans)
    names = {each.name for each in targets}
    return replace(state, parts={name: part for name, part in state.parts.items() if name in names})


def _template(root: Path, file: str) -> str | None:
    """Return the kit's own template, None if it has none; what is no text there is a FindingsError."""
    files = Disk(root)
    if not files.exists(file):
        return None
    data = files.read(file)
    text = data if isinstance(data, Problem) else decoded(data)
    if isinstance(text, Problem):
        raise FindingsError([_at(text, file)], root)
    return text


def _at(problem: Problem, file: str) -> Finding:
    return problem.at(Origin(file, (), problem.line or 1))
