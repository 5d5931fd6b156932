"""What a kit knows of a component before CRDs are imported: labels, Services, minors, and the CRDs before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kitgen.check.schemas.builtin import crd_violations
from kitgen.crd.importer.surroundings import Surroundings
from kitgen.crd.importer.undeclare import Before
from kitgen.files.root import MARK
from kitgen.findings import Path as Steps
from kitgen.findings import Problem, Rule, rule
from kitgen.findings.errors import KitgenError
from kitgen.kit.load import load_kit
from kitgen.kit.spec_files import SpecFiles
from kitgen.kube.definitions import minors as known_minors
from kitgen.kube.definitions import parse_range, spans
from kitgen.render.crd_surroundings import surroundings_of
from kitgen.render.session import Session
from kitgen.text.semver import version_key
from kitgen.text.yaml import JsonObject

CRD_RANGE = rule("crd-range")


class Neighbours(Struct, frozen=True, kw_only=True):
    """What an import goes by."""

    minors: tuple[int, ...]
    """The minors that the kit is for; none if it does not say."""
    surroundings: Surroundings | None = None
    """What the component puts on its CRDs, None if the kit does not know it yet."""
    before: Before | None = None
    """The CRDs of this version, or of the version before."""
    broken: bool = False
    """The component is there, and the kit has errors, so that nothing is known of it."""


def neighbours(specs: SpecFiles, name: str, version: str) -> Neighbours:
    """Return what a kit knows of a component that CRDs are imported for."""
    try:
        kit = load_kit(specs)
    except KitgenError:
        home = f"components/{name}"
        known = (specs.files.exists(f"{home}/{each}/component.yaml") for each in specs.files.names(home))
        return Neighbours(minors=_minors(specs), broken=any(known))
    versions = kit.components.get(name, {})
    chosen = version if version in versions else version_before(versions, version)
    if not chosen:
        return Neighbours(minors=kit.minors)
    session = Session(kit)
    bodies = tuple(manifest.body for manifest in session.crds(versions[chosen]).value)
    return Neighbours(
        minors=kit.minors,
        surroundings=surroundings_of(session, replace(versions[chosen], version=version)),
        before=Before(version=chosen, bodies=bodies) if bodies else None,
    )


def _minors(specs: SpecFiles) -> tuple[int, ...]:
    """Return the minors of a kit that has errors, if it says them."""
    try:
        data, _ = specs.data(MARK, "kit")
        return parse_range(data["kubernetes"]) if data else ()
    except (ValueError, KitgenError):
        return ()


def version_before(versions: Iterable[str], version: str) -> str:
    """Return the newest of some versions that is older than one, or an empty string."""
    older = [each for each in versions if version_key(each) < version_key(version)]
    return max(older, key=version_key, default="")


def out_of_range(bodies: Sequence[JsonObject], minors: tuple[int, ...]) -> Iterator[Problem]:
    """Yield what a minor of the kit does not know or take in expanded CRDs, each below its CRD."""
    for body in bodies if minors else ():
        if refused := _refused(body, minors):
            # Other minors are asked only now, to tell which of them know it.
            nowhere = set.intersection(*(_refused(body, (minor,)) for minor in known_minors()))
            for each in crd_violations(body, known_minors()):
                path, way = (body["metadata"]["name"], *each.path), (each.rule, each.path)
                if way in refused & nowhere:
                    yield CRD_RANGE(each.message, path, each.hint or "no Kubernetes takes it")
                elif way in refused:
                    message = f"{each.message}, and the kit is for {spans(minors)}"
                    hint = f"{each.hint}; " if each.hint else ""
                    yield CRD_RANGE(message, path, f"{hint}change kubernetes in kit.yaml, or do without")


def _refused(body: JsonObject, minors: tuple[int, ...]) -> set[tuple[Rule, Steps]]:
    """Return where a CRD is refused by one of some minors at least, and by which rule."""
    return {(each.rule, each.path) for each in crd_violations(body, minors)}
