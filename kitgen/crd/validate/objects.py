"""Validate custom resources against the CRDs that declare their kinds, as the API server would.

In: objects as they were read, the CRDs, and the old object where one is known. Out: problems, how much was
checked, and which kinds have no CRD. It touches no file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from kitgen.crd.definition import Catalog, schema_of, versions_of
from kitgen.crd.validate.rules import FIELD_MISSING, FIELD_VALUE, Effort
from kitgen.crd.validate.values import check_type
from kitgen.crd.validate.walk import Walk
from kitgen.findings import Finding, Origin, Problem, is_typo, make_problem, suggest_word
from kitgen.kube.identity import ObjectId, split_api_version
from kitgen.text.values import text_at, value_at
from kitgen.text.wording import describe_value, format_count, join_words, quote_text
from kitgen.text.yaml import JsonObject

FILLED_IN = frozenset({("security.openshift.io", "SecurityContextConstraints")})
"""Kinds that an admission plugin of their server decodes into its own type, with every field of it."""


SIMILAR = 0.85
MOST_REPLICAS = 2**31 - 1


class Validation(Struct, frozen=True, kw_only=True):
    """What came out for some objects."""

    findings: tuple[Finding, ...] = ()
    objects: int = 0
    """How many objects were checked against a CRD."""
    skipped: tuple[str, ...] = ()
    """Of each object whose kind nobody declares: its apiVersion and kind."""


def merge_validations(parts: Iterable[Validation]) -> Validation:
    """Put the outcome of several objects together."""
    listed = list(parts)
    return Validation(
        findings=tuple(finding for part in listed for finding in part.findings),
        objects=sum(part.objects for part in listed),
        skipped=tuple(name for part in listed for name in part.skipped),
    )


def check_object(
    body: JsonObject, origin: Origin, known: Catalog, effort: Effort | None = None
) -> Validation:
    """Check one object that has an apiVersion and a kind."""
    group, _ = split_api_version(body["apiVersion"])
    subject = str(ObjectId.of(body))
    if crds := known.get((group, body["kind"])):
        findings = [wrong.to_finding(origin, subject) for wrong in walk_object(body, crds, effort).problems]
        return Validation(findings=tuple(dict.fromkeys(findings)), objects=1)
    if fault := check_kind_spelling(group, body["kind"], known):
        return Validation(findings=(fault.to_finding(origin, subject),))
    return Validation(skipped=(f"{body['apiVersion']} {body['kind']}",))


def check_kind_spelling(group: str, kind: str, known: Catalog) -> Problem | None:
    """Return what is wrong with an undeclared kind, if it looks like one of a declared group."""
    from difflib import get_close_matches

    meant = next((of for of, each in known if each == kind and of != group and is_typo(group, of)), "")
    if meant and not any(of == group for of, _ in known):
        return make_problem(
            "kind-misspelt",
            f"found the group {quote_text(group)}, which no CRD is of",
            ("apiVersion",),
            f"did you mean {meant!r}?",
        )
    kinds = [each for of, each in known if of == group]
    alike = [each for each in kinds if each.casefold() == kind.casefold()]
    if not (close := alike or get_close_matches(kind, kinds, n=1, cutoff=SIMILAR)):
        return None
    text = f"found the kind {quote_text(kind)}, which {group} does not declare"
    return make_problem("kind-misspelt", text, ("kind",), f"did you mean {close[0]!r}?")


def walk_object(
    body: JsonObject,
    crds: Sequence[JsonObject],
    effort: Effort | None = None,
    old: JsonObject | None = None,
) -> Walk:
    """Walk an object along the CRD of its kind that serves its version.

    Releases of one kit may declare a kind each in their own versions; the first that fits counts. Rules
    about changes are held against the object before, if it is given and of the same version: what a
    conversion makes of another one is not known.
    """
    _, name = split_api_version(body["apiVersion"])
    crd = next((crd for crd in crds if name in _get_served_versions(crd)), crds[0])
    served = _get_served_versions(crd)
    walk = Walk(effort or Effort())
    if (version := served.get(name)) is None:
        text = (
            f"found the version {quote_text(name)}, expected one that its CRD serves: "
            f"{join_words(list(served))}"
        )
        walk.problems.append(
            make_problem("crd-version", text, ("apiVersion",), suggest_word(name, list(served)))
        )
        return walk
    subresources = version.get("subresources") or {}
    full = walk.walk_object(
        schema_of(version),
        body,
        namespaced=crd["spec"].get("scope") != "Cluster",
        status="status" in subresources,
        old=old if old and old.get("apiVersion") == body["apiVersion"] else None,
    )
    if (crd["spec"].get("group"), body.get("kind")) in FILLED_IN:
        walk.problems = [*_merge_missing_fields(walk.problems)]
    if isinstance(scale := subresources.get("scale"), dict):
        known = {each.path for each in walk.problems}
        walk.problems += [each for each in _check_scale(scale, full) if each.path not in known]
    if version.get("deprecated"):
        text = f"found the version {quote_text(name)}, which is deprecated"
        hint = str(
            version.get("deprecationWarning") or f"its CRD serves {join_words(list(served), last='and')}"
        )
        walk.problems.append(make_problem("crd-version-deprecated", text, ("apiVersion",), hint))
    return walk


def _merge_missing_fields(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield problems, but fields that are missing and that the server fills in as one that is no error."""
    lacking = [each for each in problems if each.rule is FIELD_MISSING and not each.path]
    yield from (each for each in problems if each not in lacking)
    if lacking:
        yield make_problem(
            "field-filled-in",
            f"found {format_count(len(lacking), 'required field')} missing, which the server fills in",
            hint="nothing has to be done",
        )


def _get_served_versions(crd: JsonObject) -> dict[str, JsonObject]:
    """Return the versions that a CRD serves, the most mature one first."""
    return {str(version.get("name")): version for version in versions_of(crd) if version.get("served")}


def _check_scale(scale: JsonObject, body: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with the replicas and the selector of an object with its defaults."""
    types = {"specReplicasPath": "integer", "statusReplicasPath": "integer", "labelSelectorPath": "string"}
    for key, wanted in types.items():
        steps = text_at(scale, key).removeprefix(".").split(".")
        found = value_at(body, *steps) if text_at(scale, key) else None
        if found is None:
            continue
        if fault := check_type({"type": wanted}, found):
            yield fault.prefix_path(*steps)
        elif wanted == "integer" and not 0 <= found <= MOST_REPLICAS:
            yield FIELD_VALUE(
                (
                    f"found {describe_value(found)}, expected 0 to {MOST_REPLICAS}: it is the number that "
                    "is scaled"
                ),
                tuple(steps),
            )
