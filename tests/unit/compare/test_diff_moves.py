"""Moves that migrations declare: told as such, and nothing but them; of others, how to declare them."""

from __future__ import annotations

import pytest
from moving import moved_field
from small_crd import STRING, crd, obj, version

from kitgen.compare.change import Change, Risk
from kitgen.compare.crds.compare import compare_crds
from kitgen.compare.exceptions import apply_exceptions
from kitgen.kit.model.migration import KindName, MigrationPath, Phase
from kitgen.kit.model.moves import DeclaredMove, list_middle_phases, restrict_moves
from kitgen.text.yaml import JsonObject, SharedMapping

A = obj({"a": STRING})
WHY = "declared in migrations/move.yaml"


def move(before: str, after: str, name: str = "move", targets: tuple[str, ...] = ("olm",)) -> DeclaredMove:
    names = (KindName(*each.split("/")) for each in (before, after))
    return DeclaredMove(*names, name, f"migrations/{name}.yaml", MigrationPath.ONE_SHOT, targets)


def losing(said: DeclaredMove, *fields: str) -> DeclaredMove:
    """Return a move that says of fields that they are lost."""
    return said._replace(fields=tuple(moved_field(each, lost="nobody needs it") for each in fields))


def widget(*versions: str, group: str = "example.com", spec: JsonObject | None = None) -> JsonObject:
    """Return a CRD that stores the last of its versions."""
    listed = [version(each, spec or obj(), storage=each == versions[-1]) for each in versions]
    return crd(*listed, group=group)


def gadget() -> JsonObject:
    made = crd(version(), group="other.com")
    made["metadata"]["name"] = "gadgets.other.com"
    made["spec"]["names"] = {"kind": "Gadget", "plural": "gadgets"}
    return made


def ids(changes: tuple[Change, ...]) -> list[str]:
    return [each.rule.id for each in changes]


def of(rule: str, changes: tuple[Change, ...]) -> Change:
    (found,) = [each for each in changes if each.rule.id == rule]
    return found


TO_GADGET = move("example.com/v1/Widget", "other.com/v1/Gadget")
TO_GROUP = move("example.com/v1/Widget", "other.com/v1/Widget")
TO_VERSION = move("example.com/v1beta1/Widget", "example.com/v1/Widget")


def test_a_declared_move_is_one_line_and_not_breaking() -> None:
    old, new = widget("v1", spec=A), gadget()
    assert "crd-removed" in ids(compare_crds([old], [new]))
    found = compare_crds([old], [new], (TO_GADGET,))
    said = of("crd-moved-declared", found)
    assert (said.risk, said.object) == (Risk.BEHAVIOUR, "gadgets.other.com")
    assert said.message == "widgets.example.com moves to gadgets.other.com (migrations/move.yaml)"
    assert said.hint == "kitgen migrate plan move --target olm"
    assert ids(compare_crds([old, new], [new], (TO_GADGET,))) == ["crd-moved-declared"]
    assert ids(compare_crds([old], [], (TO_GADGET,))) == ["crd-removed"]


def test_what_a_declared_move_breaks_is_told_and_accepted() -> None:
    sides = [widget("v1", spec=A)], [widget("v1", group="other.com")]
    found = compare_crds(*sides, (losing(TO_GROUP, "spec.a"),))
    assert {each.rule.id: each.accepted for each in found} == {"field-removed": WHY, "crd-moved-declared": ""}
    hidden = compare_crds(*sides, (losing(TO_GROUP, "spec.b"),))
    assert of("field-removed", hidden).accepted == ""


def test_a_change_that_a_kind_shares_with_one_that_stays_is_accepted_there_alone() -> None:
    pod, poorer = (
        SharedMapping({**obj(fields), "type": "object"}, "core/v1.Pod") for fields in ({"a": STRING}, {})
    )
    old, new = (obj({"pod": each, "pods": {"type": "array", "items": each}}) for each in (pod, poorer))
    stays = [crd(version(spec=each)) for each in (old, new)]
    for each in stays:
        each["metadata"]["name"], each["spec"]["names"] = "a.example.com", {"kind": "A", "plural": "a"}
    before, after = widget("v1", spec=old), widget("v1", group="other.com", spec=new)
    changes = compare_crds(
        [before, stays[0]], [after, stays[1]], (losing(TO_GROUP, "spec.pod", "spec.pods"),)
    )
    verdict = apply_exceptions(changes, ())
    assert [each.object for each in verdict.breaking_changes] == ["a.example.com"]
    assert list(verdict.reasons.values()) == [WHY]


def test_a_kind_that_only_changes_its_version_moves_too() -> None:
    found = compare_crds([widget("v1beta1", spec=A)], [widget("v1")], (losing(TO_VERSION, "spec.a"),))
    assert of("crd-moved-declared", found).message == "v1beta1 becomes v1 (migrations/move.yaml)"
    assert {each.accepted for each in found if each.risk is Risk.BREAKING} == {WHY}


def gone(changes: tuple[Change, ...]) -> dict[str, str]:
    """Return the versions that are gone, each with why that is accepted."""
    return {each.detail: each.accepted for each in changes if each.rule.id == "version-removed"}


def test_only_versions_that_are_said_to_move_may_go() -> None:
    within = compare_crds([widget("v1alpha1", "v1beta1")], [widget("v1")], (TO_VERSION,))
    assert gone(within) == {"v1alpha1": "", "v1beta1": WHY}
    across = move("example.com/v1/Widget", "other.com/v2/Widget")
    sides = [widget("v1beta1", "v1")], [widget("v2", group="other.com")]
    assert gone(compare_crds(*sides, (across,))) == {"v1beta1": "", "v1": WHY}
    both = move("example.com/v1beta1/Widget", "other.com/v1/Widget")
    assert gone(compare_crds(*sides, (across, both))) == {"v1beta1": WHY, "v1": WHY}


def test_a_crd_of_another_group_stores_nothing_of_the_old_one() -> None:
    across = move("example.com/v1/Widget", "other.com/v2/Widget")
    for said in ((across,), ()):
        found = ids(compare_crds([widget("v1")], [widget("v2", group="other.com")], said))
        assert not {"stored-version-removed", "storage-moved"} & {*found}
        assert "version-removed" in found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(("v1",), ("v1",), id="after it"),
        pytest.param(("v1beta1",), ("v1beta1",), id="before it"),
        pytest.param(("v1beta1", "v1"), ("v1beta1", "v1"), id="on the way"),
        pytest.param(("v1beta1",), ("v2",), id="elsewhere"),
    ],
)
def test_nothing_else_that_breaks_the_kind_is_declared(old: tuple[str, ...], new: tuple[str, ...]) -> None:
    found = compare_crds([widget(*old, spec=A)], [widget(*new)], (TO_VERSION,))
    assert "crd-moved-declared" not in ids(found)
    assert any(each.risk is Risk.BREAKING for each in found)
    assert not any(each.accepted for each in found)


@pytest.mark.parametrize(
    ("old", "new"), [(("v1beta1",), ("v1beta1", "v1")), (("v1beta1", "v1"), ("v1",))], ids=["adds", "drops"]
)
def test_each_half_of_the_way_between_versions_is_declared(
    old: tuple[str, ...], new: tuple[str, ...]
) -> None:
    assert "crd-moved-declared" in ids(compare_crds([widget(*old)], [widget(*new)], (TO_VERSION,)))


def test_what_was_there_beside_the_old_one_answers_for_its_own_changes() -> None:
    heir, poorer = widget("v1", group="other.com", spec=A), widget("v1", group="other.com")
    found = compare_crds([widget("v1"), heir], [poorer], (TO_GROUP,))
    assert of("field-removed", found).accepted == ""


def test_one_migration_leads_to_the_next() -> None:
    later = move("other.com/v1/Widget", "other.com/v2/Widget", "later", ("odh", "olm"))
    found = compare_crds([widget("v1")], [widget("v2", group="other.com")], (TO_GROUP, later))
    said = of("crd-moved-declared", found)
    assert said.message == (
        "widgets.example.com moves to widgets.other.com, v1 becomes v2 "
        "(migrations/move.yaml and migrations/later.yaml)"
    )
    assert (
        said.hint == "kitgen migrate plan move --target olm, then kitgen migrate plan later --target TARGET"
    )
    far = move("other.com/v1/Widget", "third.com/v1/Widget", "far")
    away = compare_crds([widget("v1")], [widget("v1", group="third.com")], (TO_GROUP, far))
    assert of("crd-moved-declared", away).message.startswith("widgets.example.com moves to widgets.third.com")


def test_migrations_in_a_circle_lead_nowhere() -> None:
    back = move("other.com/v1/Widget", "example.com/v1/Widget", "back")
    assert ids(compare_crds([widget("v1")], [], (TO_GROUP, back))) == ["crd-removed"]


def test_a_move_that_nobody_declares_has_a_hint() -> None:
    old, new = widget("v1"), widget("v1", group="other.com")
    hint = "if widgets.example.com becomes widgets.other.com, declare it in migrations/ of the kit"
    assert of("crd-moved", compare_crds([old], [new])).hint.startswith(hint)
    assert of("crd-removed", compare_crds([old, new], [new])).hint.startswith(hint)
    assert of("crd-removed", compare_crds([old], [gadget()])).hint == ""


def test_the_way_back_is_not_declared_and_names_the_migration() -> None:
    found = of("crd-moved", compare_crds([widget("v1", group="other.com")], [widget("v1")], (TO_GROUP,)))
    file, command = "migrations/move.yaml", "kitgen migrate plan move --target olm"
    assert found.hint == f"{file} declares the way there; {command} tells the way back"


def test_phases_in_between() -> None:
    assert list_middle_phases(MigrationPath.ONE_SHOT, introduced=False) == (Phase.PREPARE, Phase.READ_ONLY)
    assert list_middle_phases(MigrationPath.PROGRESSIVE, introduced=False)[0] is Phase.INTRODUCE
    assert list_middle_phases(MigrationPath.PROGRESSIVE, introduced=True)[0] is Phase.SWITCH


def test_a_target_narrows_what_is_for_it() -> None:
    both = move("a/v1/B", "c/v1/B", targets=("odh", "olm"))
    assert [each.targets for each in restrict_moves((both,), "odh")] == [("odh",)]
    assert restrict_moves((both,), "else") == (both,)
