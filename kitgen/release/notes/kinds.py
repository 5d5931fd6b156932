"""What changes for users: in the custom resources that they write, by kind, the worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from kitgen.compare.change import About, Risk
from kitgen.compare.crd_match import crd_name, find_moved_crds, stored_version
from kitgen.compare.review.change import ReviewedChange
from kitgen.crd.definition import is_crd
from kitgen.kit.model.moves import DeclaredMoves
from kitgen.kube.manifest import Manifest
from kitgen.kube.object_size import needs_server_side_apply
from kitgen.release.notes.changes import find_worst_risk, group_by_reason, select_targets
from kitgen.release.notes.model import CrdState, Fields, NotedCrd, NotedKind
from kitgen.text.values import entries_at, group_pairs, text_at
from kitgen.text.wording import text_of
from kitgen.text.yaml import JsonObject

Sides = Mapping[str, tuple[Sequence[Manifest], Sequence[Manifest]]]
"""The objects of both sides, by target."""
Crds = dict[str, tuple[JsonObject | None, JsonObject | None]]
"""Name of a CRD → what it was and what it is, in the first target that has it."""
NEW = "field-added"
STATUS = ".status"
STORING = frozenset({"storage-moved", "stored-version-removed"})
"""Rules about how objects are stored, which users do not see."""


def is_schema_change(each: ReviewedChange) -> bool:
    """Return whether a change is about what a CRD defines."""
    own = each.change.rule.about is About.CRD or each.change.rule.id == "schema-detail"
    return own and all(name.kind == "CustomResourceDefinition" for name in each.objects)


def match_crds(sides: Sides, moves: DeclaredMoves) -> Crds:
    """Return the CRDs of both sides, by name."""
    found: Crds = {}
    for before, after in sides.values():
        old, new = (
            {each.id.name: each.body for each in side if is_crd(each.body)} for side in (before, after)
        )
        heirs = {heir: name for name, heir in find_moved_crds(old, new, moves).items() if heir not in old}
        for name in (*old, *new):
            was, now = found.get(name, (None, None))
            found[name] = (was or old.get(heirs.get(name, name)), now or new.get(name))
    return found


def former_name_of(name: str, crds: Crds) -> str:
    """Return what a CRD was called before its kind moved to another group."""
    was, _ = crds.get(name, (None, None))
    return crd_name(was) if was else name


def list_crd_versions(body: JsonObject | None) -> tuple[str, ...]:
    """Return the versions of a CRD, as it lists them."""
    return tuple(text_of(each.get("name")) for _, each in entries_at(body, "spec", "versions"))


def get_storage_version(body: JsonObject | None) -> str | None:
    """Return the version in which a CRD stores objects."""
    found = stored_version(body) if body else None
    return text_of(found.get("name")) if found else None


def kind_of(name: str, crds: Crds) -> str:
    """Return the kind that a CRD defines."""
    was, now = crds.get(name, (None, None))
    return text_at(now or was, "spec", "names", "kind") or name


def build_noted_crds(
    changes: Iterable[ReviewedChange], crds: Crds, targets: tuple[str, ...]
) -> tuple[NotedCrd, ...]:
    """Return every CRD that came, went or changed, the worst first."""
    groups = group_pairs((hold.object.name, (each, hold.scope)) for each in changes for hold in each.holds)
    found = (_build_noted_crd(name, some, crds, targets) for name, some in groups.items())
    return tuple(sorted(found, key=lambda each: (each.risk.rank, each.name)))


def _build_noted_crd(
    name: str, some: list[tuple[ReviewedChange, str]], crds: Crds, targets: tuple[str, ...]
) -> NotedCrd:
    was, now = crds.get(name, (None, None))
    changes = [*{id(each): each for each, _ in some}.values()]
    risks = Counter(each.risk for each in changes)
    return NotedCrd(
        name=name,
        kind=kind_of(name, crds),
        state=_state_of_crd(name, was, now),
        before=list_crd_versions(was),
        after=list_crd_versions(now),
        stored=get_storage_version(now),
        large=now is not None and needs_server_side_apply(now),
        risk=find_worst_risk(changes),
        counts={risk.value: risks[risk] for risk in Risk},
        only=select_targets((scope for _, scope in some if scope), targets),
    )


def _state_of_crd(name: str, was: JsonObject | None, now: JsonObject | None) -> CrdState:
    if was is None or now is None:
        return "added" if was is None else "removed"
    return "changed" if crd_name(was) == name else "moved"


def build_noted_kinds(
    changes: Iterable[ReviewedChange], crds: Crds, targets: tuple[str, ...]
) -> tuple[NotedKind, ...]:
    """Return what changes for users of each kind; what several kinds have in common stands by itself."""
    shown = (each for each in changes if each.change.rule.id not in STORING)
    groups = group_pairs(
        (tuple(dict.fromkeys(one.object for one in each.change.places)), each) for each in shown
    )
    found = (_build_noted_kind(names, some, crds, targets) for names, some in groups.items())
    return tuple(sorted(found, key=lambda each: (each.risk.rank, -len(each.crds), each.kinds)))


def _build_noted_kind(
    names: tuple[str, ...], some: list[ReviewedChange], crds: Crds, targets: tuple[str, ...]
) -> NotedKind:
    added = group_pairs(
        (select_targets(each.scopes, targets), describe_field(each)) for each in some if is_new_field(each)
    )
    rest = [each for each in some if each.risk is not Risk.COSMETIC]
    return NotedKind(
        kinds=tuple(kind_of(each, crds) for each in names),
        crds=names,
        risk=find_worst_risk(some),
        changes=group_by_reason(
            (each for each in rest if not _is_status_change(each)), targets, describe_field
        ),
        added=tuple(Fields(fields=tuple(sorted(added[reach])), only=reach) for reach in sorted(added)),
        status=group_by_reason((each for each in rest if _is_status_change(each)), targets, describe_field),
        cosmetic=len(some) - len(rest) - sum(map(is_new_field, some)),
    )


def is_new_field(each: ReviewedChange) -> bool:
    """Return whether a change is a field that users may write from now on."""
    return each.change.rule.id == NEW and not _is_status_change(each)


def _is_status_change(each: ReviewedChange) -> bool:
    return all(place.path.startswith(STATUS) for place in each.change.places)


def describe_field(each: ReviewedChange) -> str:
    """Say which field it is, of a type if many have it."""
    change = each.change
    if change.type_name:
        return f"{change.type_name} {change.type_path}".strip()
    return " ".join(filter(None, (", ".join(change.versions), change.path))) or change.object


def describe_crd_field(each: ReviewedChange) -> str:
    """Say which field it is, and of which CRD unless a type has it."""
    where = describe_field(each)
    return where if each.change.type_name or where == each.change.object else f"{each.change.object} {where}"
