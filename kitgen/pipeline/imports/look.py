"""Say what a person should look at after an import: what is new, and what only people know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from kitgen.compile.granted import lines
from kitgen.diff.objects.permissions import grants
from kitgen.findings import Finding, Path
from kitgen.importer.spec import Spec
from kitgen.importer.trees import Read
from kitgen.objects import RBAC, ObjectId, value_at
from kitgen.pipeline.imports.crds import Declared
from kitgen.pipeline.imports.request import Look
from kitgen.yamlio import Json, JsonObject

POD = ("spec", "template", "spec")
PODS: tuple[Path, ...] = (POD, ("spec",), ("spec", "jobTemplate", *POD))
REASONS = (("patches", "name"), ("withhold", "role"))
"""Lists whose entries say why they are there, and what people know an entry by."""
Before = Sequence[Sequence[JsonObject] | None]
"""What the older version built for each tree; None if there is none."""


def looks(
    reads: Sequence[Read],
    before: Before,
    spec: Spec,
    declared: Declared,
    fields: Iterable[str],
    warnings: Iterable[Finding],
) -> Iterator[Look]:
    """Yield everything that is worth a look, what matters most first."""
    found = {
        "new permissions": _told(reads, before, _more_permissions) if any(before) else [],
        "permissions that went away": _told(reads, before, _fewer_permissions),
        "new images": _told(reads, before, _new_images),
        "images that changed": _told(reads, before, _changed_images),
        "configuration fields that config.yaml did not know (their types are guesses)": [*fields],
        "reasons that are missing": [*_reasons(spec)],
        "CRDs of components that this one carries, in a form that the kit does not have": [
            f"{crd}: import that one first, with kitgen import REAL --as {name}@VERSION"
            for name, crd in declared.missing
        ],
        "what kitgen check will say": [_said(each) for each in warnings],
    }
    for title, some in found.items():
        if some:
            yield Look(title=title, lines=tuple(dict.fromkeys(some)))


def _said(finding: Finding) -> str:
    return f"{finding.subject or finding.origin}: {finding.rule.id}: {finding.message}"


Ask = Callable[[Read, Sequence[JsonObject]], Iterable[str]]


def _told(reads: Sequence[Read], before: Before, ask: Ask) -> list[str]:
    """Ask of every tree what is different; what is not so for all of them says for which."""
    whose: dict[str, list[str]] = {}
    for read, old in zip(reads, before, strict=True):
        for line in ask(read, old or ()):
            whose.setdefault(line, []).append(read.given.who or "by itself")
    return [
        line if len(some) == len(reads) else f"{line} ({', '.join(some)})" for line, some in whose.items()
    ]


def _more_permissions(read: Read, old: Sequence[JsonObject]) -> Iterator[str]:
    return _differing(_roles(old), _roles(read.given.bodies), read.found.prefix)


def _fewer_permissions(read: Read, old: Sequence[JsonObject]) -> Iterator[str]:
    return _differing(_roles(read.given.bodies), _roles(old), read.found.prefix)


Roles = Mapping[tuple[str, str], Mapping[str, Iterable[str]]]


def _roles(bodies: Iterable[JsonObject]) -> Roles:
    """Return what every role grants."""
    ids = ((ObjectId.of(body), body) for body in bodies)
    return {
        (each.kind, each.name): grants(_dicts(body.get("rules")))
        for each, body in ids
        if each.group == RBAC and each.kind in ("Role", "ClusterRole")
    }


def _differing(less: Roles, more: Roles, prefix: str) -> Iterator[str]:
    """Yield a line for every role that grants something in one tree only, in the words of specs."""
    for key, granted in more.items():
        have = less.get(key, {})
        added = {what: {*verbs} - {*have.get(what, ())} for what, verbs in granted.items()}
        words = {what: " ".join(sorted(verbs)) for what, verbs in added.items() if verbs}
        if words:
            said = "; ".join(f"{what}: {verbs}" for what, verbs in lines(words).items())
            yield f"{key[1].removeprefix(prefix)}: {said}"


def _new_images(read: Read, old: Sequence[JsonObject]) -> Iterator[str]:
    known = _images(old)
    for key, image in _images(read.given.bodies).items():
        if key not in known:
            yield f"{key[2]}: {image}"


def _changed_images(read: Read, old: Sequence[JsonObject]) -> Iterator[str]:
    known = _images(old)
    for key, image in _images(read.given.bodies).items():
        if known.get(key, image) != image:
            yield f"{key[2]}: {known[key]} → {image}"


def _images(bodies: Iterable[JsonObject]) -> dict[tuple[str, str, str], str]:
    """Return the image of every container, by the object and the name that it has there."""
    found: dict[tuple[str, str, str], str] = {}
    for body in bodies:
        for container in (each for way in PODS for each in _containers(body, way)):
            image = container.get("image")
            if isinstance(image, str):
                identity = ObjectId.of(body)
                found[identity.kind, identity.name, str(container.get("name"))] = image
    return found


def _containers(body: JsonObject, way: Path) -> Iterator[JsonObject]:
    for key in ("initContainers", "containers"):
        with suppress(KeyError):
            yield from _dicts(value_at(body, (*way, key)))


def _dicts(listed: Json) -> list[JsonObject]:
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _reasons(spec: Spec) -> Iterator[str]:
    """Yield what says no reason, each of which only people know."""
    for name, feature in spec.data.get("features", {}).items():
        if feature.get("about") == "":
            yield f"about of the feature {name}, which wants a better name too"
        yield from _unexplained(feature, f"the feature {name}")
    yield from _unexplained(spec.data, "the component")
    for who, settings in spec.settings.items():
        yield from _unexplained(settings, f"targets/{who}.yaml")


def _unexplained(part: Mapping[str, Json], where: str) -> Iterator[str]:
    for key, name in REASONS:
        for each in part.get(key) or ():
            if each.get("why") == "":
                yield f"why of {key} {each[name]} in {where}"
