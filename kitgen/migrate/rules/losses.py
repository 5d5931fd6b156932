"""Find losses of data: CRDs, versions and permissions that are removed or hidden too soon."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from kitgen.crd.definition import is_crd
from kitgen.findings import Path, Problem, make_problem
from kitgen.kit.model.migration import Phase
from kitgen.kube.manifest import Manifest
from kitgen.kube.object_size import parse_sync_options
from kitgen.migrate.kinds import MovedKinds, OldKind
from kitgen.migrate.rules.kind_references import MentionPlace
from kitgen.migrate.rules.mentions import find_mentions
from kitgen.migrate.rules.permissions import GrantedRule, list_granted_rules
from kitgen.text.values import entries_at, list_at, map_at
from kitgen.text.wording import join_words, quote_text

Loss: TypeAlias = tuple[Manifest, Problem]
ENDS = (Phase.BEFORE, Phase.AFTER)
KEPT = ("helm.sh/resource-policy", "keep")
TELLING = frozenset({MentionPlace.OBJECT, MentionPlace.RULE})
"""What nobody needs once the old kind is gone: with it, a set is not the last phase."""
HINTS = {
    "crd": "keep it, with Prune=false, until every resource was carried over, then remove it by hand",
    "served": "export all resources first; until then the version is served",
    "stored": "keep the version until every resource was written anew and status.storedVersions lacks it",
    "read": "grant get, list, watch and delete until no resource is left",
}


class PhaseObjects(Struct, frozen=True, kw_only=True):
    """Objects that are looked at, what is there before them, and the phase that they are meant to be."""

    kinds: MovedKinds
    now: Sequence[Manifest]
    before: Sequence[Manifest] | None = None
    phase: Phase | None = None
    """None where nobody says it; what still speaks of an old kind is not the last one then."""


def check_data_loss(held: PhaseObjects) -> Iterator[Loss]:
    """Yield what loses data, each with the object that says it."""
    now, before = _index_crds(held.now), _index_crds(held.before or ())
    for old in held.kinds.old:
        crd, was = now.get(old.old.crd_name), before.get(old.old.crd_name)
        if crd is None and not old.within:
            yield from _check_dropped_crd(held, old, now.get(old.new.crd_name) if old.new else None, was)
        if crd is not None:
            yield from _check_served_version(held, old, crd)
            yield from _check_stored_versions(held, old, crd, was)
            yield from _check_readers(held, old) if not old.within else ()


def _index_crds(some: Iterable[Manifest]) -> dict[str, Manifest]:
    return {each.id.name: each for each in some if is_crd(each.body)}


def _check_dropped_crd(
    held: PhaseObjects, old: OldKind, new: Manifest | None, was: Manifest | None
) -> Iterator[Loss]:
    """Yield that an old CRD is not there, unless the phase is the last one and nothing deletes it."""
    name = old.old.crd_name
    if was is not None:
        pruned = "nothing keeps whoever prunes from deleting it, and every resource with it"
        may_go = held.phase in (None, Phase.AFTER)  # as far as anybody says it
        why = pruned if may_go else f"the phase {held.phase} needs it"
        if not (may_go and is_protected_crd(was)):
            message = f"found the CRD {quote_text(name)} before and not any more: {why}"
            yield was, make_problem("migration-loss", message, hint=HINTS["crd"])
    elif new is not None and (spot := _find_old_kind_use(held, old, new)):
        manifest, path, why = spot
        message = f"found {quote_text(new.id.name)} without {quote_text(name)}, but {why}"
        yield manifest, make_problem("migration-loss", message, path, HINTS["crd"])


def _find_old_kind_use(held: PhaseObjects, old: OldKind, crd: Manifest) -> tuple[Manifest, Path, str] | None:
    """Return what shows that the old kind is still needed, if anything does."""
    if held.phase is not None:
        return None if held.phase in ENDS else (crd, ("spec",), f"the phase {held.phase} needs both")
    for each in held.now:
        for mention in find_mentions(each.body, MovedKinds(old=(old,))):
            if mention.where in TELLING and not mention.line:
                return each, mention.path, f"the old kind is still named {mention.where}"
    return None


def is_protected_crd(crd: Manifest) -> bool:
    """Return whether a CRD says that nothing deletes it when it leaves the tree."""
    notes = map_at(crd.body, "metadata", "annotations")
    return "Prune=false" in parse_sync_options(notes) or notes.get(KEPT[0]) == KEPT[1]


def _check_served_version(held: PhaseObjects, old: OldKind, crd: Manifest) -> Iterator[Loss]:
    """Yield that the old version is there, but not served."""
    for index, each in entries_at(crd.body, "spec", "versions"):
        meant = str(each.get("name")) == old.before.version
        if meant and each.get("served") is not True and held.phase is not Phase.AFTER:
            message = f"found {old.before} not served: its resources can be neither read nor exported"
            path = ("spec", "versions", index, *(("served",) if "served" in each else ()))
            yield crd, make_problem("migration-loss", message, path, HINTS["served"])


def _check_stored_versions(
    held: PhaseObjects, old: OldKind, crd: Manifest, was: Manifest | None
) -> Iterator[Loss]:
    """Yield that a version is gone in which resources are stored, or may be."""
    names = [str(each.get("name")) for _, each in entries_at(crd.body, "spec", "versions")]
    stored = list_stored_versions(was) if was else [old.before.version]
    gone = [each for each in stored if each not in names]
    why = f"resources {'are' if was else 'may be'} stored in it"
    if gone and (was or not old.within or _find_old_kind_use(held, old, crd)):
        message = f"found {quote_text(old.old.crd_name)} without {join_words(gone, last='and')}, but {why}"
        yield crd, make_problem("migration-loss", message, ("spec", "versions"), HINTS["stored"])


def list_stored_versions(crd: Manifest) -> list[str]:
    """Return the versions in which resources are stored, by what a CRD says and what its server knows."""
    known = map(str, list_at(crd.body, "status", "storedVersions"))
    stored = (each for _, each in entries_at(crd.body, "spec", "versions") if each.get("storage") is True)
    return [*dict.fromkeys([*known, *(str(each.get("name")) for each in stored)])]


def _check_readers(held: PhaseObjects, old: OldKind) -> Iterator[Loss]:
    """Yield roles that may no longer read resources of the old kind, while its CRD is there.

    Those that went on to the new kind are meant; of a kind that goes, somebody else may read.
    """
    resource = old.old.group_resource
    readers = {each.role_key for each in list_granted_rules(held.now, resource) if each.can_read}
    new = [*list_granted_rules(held.now, old.new.group_resource)] if old.new else []
    lost: dict[object, GrantedRule] = {}
    if held.before is not None:
        had = {each.role_key for each in list_granted_rules(held.before, resource) if each.can_read}
        some = new if readers else list_granted_rules(held.now)
        lost = {each.role_key: each for each in some if each.role_key in had - readers}
    elif not readers:
        lost = {each.role_key: each for each in new[:1]}
    for each in lost.values():
        message = f"found {quote_text(old.old.crd_name)}, but its resources may not be read here any more"
        yield each.manifest, make_problem("migration-loss", message, each.path, HINTS["read"])
