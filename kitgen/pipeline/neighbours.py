"""What a kit knows of a component before CRDs are imported: labels, Services, minors, and the CRDs before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kitgen.check import crd_violations
from kitgen.check.schemas import RULES
from kitgen.compile import Session, surroundings_of
from kitgen.crds.lost import Before
from kitgen.crds.surroundings import Note, Surroundings
from kitgen.errors import KitgenError
from kitgen.findings import Path as Steps
from kitgen.kubernetes import minors as known_minors
from kitgen.kubernetes import parse_range, spans
from kitgen.load import SpecFiles, load_kit
from kitgen.root import MARK
from kitgen.semver import version_key
from kitgen.yamlio import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """What an import goes by."""

    minors: tuple[int, ...]
    """The minors that the kit is for; none if it does not say."""
    surroundings: Surroundings | None = None
    """What the component puts on its CRDs, None if the kit does not know it yet."""
    before: Before | None = None
    """The CRDs of this version, or of the version before."""
    broken: bool = False
    """The component is there, and the kit has errors, so that nothing is known of it."""


def neighbours(root: Path, name: str, version: str) -> Neighbours:
    """Return what a kit knows of a component that CRDs are imported for."""
    minors = _minors(root)
    try:
        kit = load_kit(SpecFiles(root))
    except KitgenError:
        known = any((root / "components" / name).glob("*/component.yaml"))
        return Neighbours(minors=minors, broken=known)
    versions = kit.components.get(name, {})
    chosen = version if version in versions else version_before(versions, version)
    if not chosen:
        return Neighbours(minors=minors)
    session = Session(kit)
    bodies = tuple(manifest.body for manifest in session.crds(versions[chosen], []))
    return Neighbours(
        minors=minors,
        surroundings=surroundings_of(session, replace(versions[chosen], version=version)),
        before=Before(version=chosen, bodies=bodies) if bodies else None,
    )


def _minors(root: Path) -> tuple[int, ...]:
    data = SpecFiles(root).data(MARK, "kit")
    try:
        return parse_range(data["kubernetes"]) if data else ()
    except (ValueError, KitgenError):
        return ()


def version_before(versions: Iterable[str], version: str) -> str:
    """Return the newest of some versions that is older than one, or an empty string."""
    older = [each for each in versions if version_key(each) < version_key(version)]
    return max(older, key=version_key, default="")


def out_of_range(bodies: Sequence[JsonObject], minors: tuple[int, ...]) -> Iterator[Note]:
    """Yield a note for everything in expanded CRDs that a minor of the kit does not know or take."""
    for body in bodies if minors else ():
        refused = _refused(body, minors)
        # Other minors are asked only now, to tell which of them know it.
        nowhere = (
            set.intersection(*(_refused(body, (minor,)) for minor in known_minors())) if refused else set()
        )
        for each in crd_violations(body, known_minors()) if refused else ():
            found = (each.path, each.key)
            if found not in refused:
                continue
            note = Note(
                rule=RULES[each.trouble],
                crd=str(body["metadata"]["name"]),
                path=each.path,
                message=each.message,
                hint=each.hint or "no Kubernetes takes it",
            )
            yield note if found in nowhere else _of_range(note, each.hint, minors)


def _refused(body: JsonObject, minors: tuple[int, ...]) -> set[tuple[Steps, str]]:
    """Return where a CRD is refused by one of some minors at least, and the field that is to blame."""
    return {(each.path, each.key) for each in crd_violations(body, minors)}


def _of_range(note: Note, hint: str, minors: tuple[int, ...]) -> Note:
    """Return a note about something that other minors take."""
    return replace(
        note,
        message=f"{note.message}, and the kit is for {spans(minors)}",
        hint=f"{f'{hint}; ' if hint else ''}change kubernetes in kit.yaml, or do without",
    )
