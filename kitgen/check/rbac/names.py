"""Find unknown groups, resources and verbs in rules of roles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from kitgen.check.rbac.api_groups import ASKED_BY_OTHERS, OLD, OWN_VERBS, REVIEWS
from kitgen.check.rbac.known_apis import MANY, KnownApis, UnknownWord
from kitgen.findings import Path, Problem, Rule, get_rule
from kitgen.kit.permissions import PermissionProblem, check_verb
from kitgen.kube.rbac.access import RbacRole
from kitgen.kube.rbac.rules import ALL, Permit, SinglePermission, format_resource
from kitgen.text.wording import join_words, quote_text

GROUP_NOWHERE = get_rule("role-group-unknown")
RESOURCE_NOWHERE = get_rule("role-resource-unknown")
VERB_NOWHERE = get_rule("role-verb-unknown")
Found: TypeAlias = tuple[Rule, Path, UnknownWord]
FoundInRule: TypeAlias = tuple[Permit, Rule, Path, UnknownWord]


def check_role(role: RbacRole, words: Sequence[FoundInRule]) -> Iterator[Problem]:
    """Yield the unknown words of a role; what is reported when specs are read is left out."""
    found: dict[Rule, list[tuple[Path, str, str]]] = {}
    for permit, broken, at, word in words:
        if not _is_checked_in_spec(role, permit, word):
            found.setdefault(broken, []).append(((*permit.path, *at), word.what, word.hint))
    for broken, told in found.items():
        place, first, hint = told[0]
        whats = list(dict.fromkeys(what for _, what, _ in told))
        message = MESSAGES[broken][len(whats) > 1].format(join_words(whats, last="and"))
        if hint and any(each != hint for _, _, each in told):
            hint = f"{first}: {hint}"
        yield broken(message, place, hint)


def list_unknown_words(permits: Sequence[Permit], known: KnownApis) -> list[FoundInRule]:
    """Return the unknown words of rules."""
    return [
        (permit, *each)
        for permit in permits
        for found in (
            _check_groups(permit, known),
            _check_resources(permit, known, permits),
            _check_verbs(permit, known),
        )
        for each in found
    ]


def _is_checked_in_spec(role: RbacRole, permit: Permit, word: UnknownWord) -> bool:
    """Return whether a spec says a rule in its own words, which were looked at when it was read.

    What is left of a whole object's rule after a target withheld a part of it has groups and resources that
    only belonged together with others.
    """
    if role.manifest is None or role.manifest.find_source(permit.path).verbatim:
        return False
    return word.told or role.manifest.find_source(()).verbatim


MESSAGES = {
    GROUP_NOWHERE: (
        "found the API group {}, which neither Kubernetes nor a CRD here has",
        "found the API groups {}, which neither Kubernetes nor a CRD here has",
    ),
    RESOURCE_NOWHERE: (
        "found the resource {}, which its group does not have",
        "found the resources {}, which their groups do not have",
    ),
    VERB_NOWHERE: ("found the verb {}, which permits nothing", "found the verbs {}, which permit nothing"),
}
"""Rule → what it says of one word, and of several."""


def _check_groups(permit: Permit, known: KnownApis) -> Iterator[Found]:
    meant = known.find_declared_group(permit)
    for at, group in enumerate(permit.groups[:MANY]):
        word = UnknownWord(True, quote_text(group), f"did you mean {meant!r}?") if meant is not None else None
        if word := known.check_group(group) or word:
            yield GROUP_NOWHERE, ("apiGroups", at), word


def _check_resources(permit: Permit, known: KnownApis, beside: Sequence[Permit]) -> Iterator[Found]:
    """Yield the resources that none of the groups of a rule has; old ones may stand beside the new."""
    groups = list(dict.fromkeys(permit.groups))[:MANY]
    is_old = OLD.keys() >= {*groups}
    for at, resource in enumerate(permit.resources[:MANY]):
        if not all(known.check_resource(group, resource) for group in groups):
            continue
        now = known.find_kubernetes_group(resource) if is_old else None
        if now is not None and all(
            any(each.allows(SinglePermission(verb, now, resource)) for each in beside)
            for verb in permit.verbs
        ):
            continue
        words = [word for group in groups if (word := known.check_resource(group, resource))]
        if words:
            yield RESOURCE_NOWHERE, ("resources", at), next((each for each in words if each.hint), words[0])


def _check_verbs(permit: Permit, known: KnownApis) -> Iterator[Found]:
    urls = bool(permit.urls) and not permit.resources
    is_review = bool(permit.resources) and _is_review_rule(permit)
    for at, verb in enumerate(permit.verbs[:MANY]):
        wrong = _check_verb(verb, urls)
        if wrong and (wrong.sure or all(map(known.apis.is_kubernetes, permit.groups[:MANY]))):
            yield VERB_NOWHERE, ("verbs", at), UnknownWord(True, quote_text(verb), wrong.hint)
        elif verb in OWN_VERBS and _is_misplaced_verb(verb, permit, known):
            meant = [format_resource(group, each) for group, some in OWN_VERBS[verb].items() for each in some]
            hint = f"it is for {join_words(meant, most=3, last='and')}"
            yield VERB_NOWHERE, ("verbs", at), UnknownWord(False, quote_text(verb), hint)
        elif is_review and verb not in ("create", ALL):
            what = f"{verb} for {permit.resources[0]}"
            yield VERB_NOWHERE, ("verbs", at), UnknownWord(False, quote_text(what), "it is only ever created")


def _is_misplaced_verb(verb: str, permit: Permit, known: KnownApis) -> bool:
    """Return whether a verb that Kubernetes uses for few resources is used for others."""
    groups, resources = {*permit.groups[:MANY]}, {each.partition("/")[0] for each in permit.resources[:MANY]}
    if not groups or not resources or ALL in groups:
        return False
    if verb in ASKED_BY_OTHERS and not all(map(known.apis.is_kubernetes, groups)):
        return False
    return not any(
        resources & {ALL, *OWN_VERBS[verb].get(group, ())} for group in groups & {*OWN_VERBS[verb]}
    )


@lru_cache(maxsize=1_000)
def _check_verb(verb: str, urls: bool) -> PermissionProblem | None:
    return check_verb(verb, urls=urls)


def _is_review_rule(permit: Permit) -> bool:
    """Return whether a rule is for questions alone."""
    asked = {each for group in permit.groups[:MANY] for each in REVIEWS.get(group, ())}
    return bool(asked) and asked.issuperset(permit.resources)
