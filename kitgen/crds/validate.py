"""Check custom resources against the CRDs that declare their kinds, as the API server would.

In: documents as they were read, and the CRDs. Out: what is wrong, how much was checked, which kinds
nobody declares and which CEL rules were met: those are not evaluated. It touches no file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kitgen.crds.outline import schema_of, versions_of
from kitgen.crds.validate_values import Fault
from kitgen.crds.validate_walk import Walk
from kitgen.findings import Finding, Origin, Path, Severity, near
from kitgen.objects import ObjectId, split_api_version
from kitgen.wording import shown
from kitgen.yamlio import Json, JsonObject

Catalog: TypeAlias = Mapping[tuple[str, str], Sequence[JsonObject]]
"""CRD bodies by group and kind, those that count most first."""
SIMILAR = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class Unevaluated:
    """A CEL rule that an object would have to pass; rules are not evaluated."""

    file: str
    subject: str
    path: Path
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What came out for some documents."""

    findings: tuple[Finding, ...] = ()
    objects: int = 0
    """How many objects were checked against a CRD."""
    skipped: tuple[str, ...] = ()
    """Of each object whose kind nobody declares: its apiVersion and kind."""
    unevaluated: tuple[Unevaluated, ...] = ()


def catalog(bodies: Iterable[JsonObject]) -> Catalog:
    """Return CRDs by the group and kind that they declare, in the order given."""
    found: dict[tuple[str, str], list[JsonObject]] = {}
    for body in bodies:
        spec = body["spec"]
        found.setdefault((str(spec["group"]), str(spec["names"]["kind"])), []).append(body)
    return found


def check_document(document: Json, known: Catalog, *, file: str) -> Checked:
    """Check one document: an object, a list of objects, or nothing at all."""
    parts = [_check(body, path, known, file) for body, path in objects_in(document)]
    return join(parts)


def join(parts: Iterable[Checked]) -> Checked:
    """Put the outcome of several documents together."""
    listed = list(parts)
    return Checked(
        findings=tuple(finding for part in listed for finding in part.findings),
        objects=sum(part.objects for part in listed),
        skipped=tuple(name for part in listed for name in part.skipped),
        unevaluated=tuple(rule for part in listed for rule in part.unevaluated),
    )


def objects_in(document: Json) -> Iterator[tuple[Json, Path]]:
    """Yield every object of a document with its path, out of lists within lists too, in order."""
    waiting: list[tuple[Json, Path]] = [(document, ())]
    while waiting:
        body, where = waiting.pop()
        if body is None and not where:
            continue
        if _is_list(body):
            items = body["items"] or []
            waiting += [(item, (*where, "items", i)) for i, item in reversed(list(enumerate(items)))]
        else:
            yield body, where


def _is_list(body: Json) -> bool:
    if not isinstance(body, dict) or not isinstance(body.get("items"), list | None):
        return False
    return "items" in body and str(body.get("kind", "")).endswith("List")


def _check(body: Json, path: Path, known: Catalog, file: str) -> Checked:
    origin = Origin(file, path)
    if not isinstance(body, dict):
        return _wrong("object-shape", f"found {shown(body, reveal=False)}, expected an object", origin)
    for key in ("apiVersion", "kind"):
        if not isinstance(body.get(key), str) or not body[key]:
            return _wrong("object-shape", f"found no {key}, expected an object of a kind", origin)
    group, version = split_api_version(body["apiVersion"])
    crds = known.get((group, body["kind"]))
    if not crds:
        return _undeclared(body, known, origin)
    # Releases of one kit may declare a kind each in their own versions.
    serving = (crd for crd in crds if version in _served(crd))
    return _declared(body, next(serving, crds[0]), version, origin)


def _served(crd: JsonObject) -> list[str]:
    return [str(version.get("name")) for version in versions_of(crd) if version.get("served")]


def _wrong(rule: str, message: str, origin: Origin, hint: str = "") -> Checked:
    return Checked(findings=(Finding(rule=rule, message=message, origin=origin, hint=hint),))


def _undeclared(body: JsonObject, known: Catalog, origin: Origin) -> Checked:
    """Skip a kind that nobody declares, unless it is one of a declared group, misspelt."""
    from difflib import get_close_matches

    group, _ = split_api_version(body["apiVersion"])
    kinds = [kind for of, kind in known if of == group]
    if close := get_close_matches(body["kind"], kinds, n=1, cutoff=SIMILAR):
        text = f"found the kind {body['kind']!r}, which {group} does not declare"
        return _wrong("object-kind", text, origin.at("kind"), f"did you mean {close[0]!r}?")
    return Checked(skipped=(f"{body['apiVersion']} {body['kind']}",))


def _declared(body: JsonObject, crd: JsonObject, name: str, origin: Origin) -> Checked:
    subject = str(_identity(body))
    versions = {str(version.get("name")): version for version in versions_of(crd)}
    served = _served(crd)
    version = versions.get(name)
    if version is None or not version.get("served"):
        rule = "api-version-unserved" if version else "api-version-unknown"
        text = f"found {body['apiVersion']!r}, expected a served version: {', '.join(served) or 'none'}"
        return _wrong(rule, text, origin.at("apiVersion"), near(name, served))
    walk = Walk()
    walk.root(
        schema_of(version),
        body,
        namespaced=crd["spec"].get("scope") != "Cluster",
        status="status" in (version.get("subresources") or {}),
    )
    findings = [_finding(path, fault, origin, subject) for path, fault in walk.faults]
    if version.get("deprecated"):
        text = f"found {body['apiVersion']!r}, which is deprecated"
        hint = str(version.get("deprecationWarning") or f"served are {', '.join(served)}")
        where = origin.at("apiVersion")
        findings.append(
            Finding(
                rule="api-version-deprecated",
                message=text,
                origin=where,
                hint=hint,
                severity=Severity.WARNING,
                subject=subject,
            )
        )
    rules = (
        Unevaluated(file=origin.file, subject=subject, path=(*origin.path, *path), rule=rule)
        for path, rule in walk.rules
    )
    return Checked(findings=tuple(dict.fromkeys(findings)), objects=1, unevaluated=tuple(rules))


def _identity(body: JsonObject) -> ObjectId:
    meta = body.get("metadata")
    return ObjectId.of(body if isinstance(meta, dict) else {**body, "metadata": {}})


def _finding(path: Path, fault: Fault, origin: Origin, subject: str) -> Finding:
    return Finding(
        rule=fault.rule,
        message=fault.message,
        origin=origin.at(*path),
        hint=fault.hint,
        severity=Severity.WARNING if fault.warning else Severity.ERROR,
        subject=subject,
    )
