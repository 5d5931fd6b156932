"""What specs say of accounts, roles and bindings comes back from the objects that are made of it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kits import PROJECT
from sections import BY_KEY, PERMISSIONS, as_seen, made, normal, recognised, scene, step, words

from kitgen.kit.inheritance import Chains
from kitgen.kit.spec_files import SpecFiles
from kitgen.text.yaml import Json, JsonObject

ACCOUNTS = ("manager", "reader", "writer")
ROLES = ("a-role", "b-role", "c-role", "job-viewer-role")
ELSEWHERE = [{"name": "prometheus", "namespace": "monitoring"}, {"name": "other", "namespace": "there"}]
PLACES = (
    "core/pods", "core/pods/status", "core/pods,services", "core/secrets[a]", "core/secrets[a,b]",
    "core/secrets[b,a]", "core/secrets,configmaps[b]", "core/services,pods/log,pods/status", "apps/*", "*/*",
    "example.com/things,others", "example.com/things/status,others/status", "batch/jobs,jobs/status",
)  # fmt: skip
VERBS = ("manage", "read", "get", "get list", "delete read", "manage deletecollection", "*", "update patch")
NOTES = st.dictionaries(st.sampled_from(["example.com/a", "b"]), st.sampled_from(["1", "two words", ""]))


@st.composite
def roles(draw: st.DrawFn) -> JsonObject:
    found: JsonObject = {}
    for name in draw(st.lists(st.sampled_from(ROLES), unique=True)):
        keys = st.sampled_from(PLACES)
        role: JsonObject = {
            "permissions": draw(st.dictionaries(keys, st.sampled_from(VERBS), min_size=1, max_size=5))
        }
        if draw(st.booleans()):
            role["namespaced"] = draw(st.booleans())
        if not role.get("namespaced") and draw(st.booleans()):
            role["permissions"]["/metrics"] = draw(st.sampled_from(["get", "get post"]))
        if draw(st.booleans()):
            role["labels"] = draw(NOTES)
        if draw(st.booleans()):
            role["bind"] = draw(st.sampled_from(["operator", "none", "default", "reader", *ELSEWHERE]))
        if role.get("bind") != "none" and draw(st.booleans()):
            role["binding"] = draw(st.sampled_from([f"{name}binding", f"{name}-bound"]))
        if role.get("bind") != "none" and draw(st.booleans()):
            role["bindingLabels"] = draw(NOTES)
        found[name] = role
    return found


@st.composite
def bindings(draw: st.DrawFn, known: JsonObject) -> JsonObject:
    found: JsonObject = {}
    for name in draw(st.lists(st.sampled_from(["all", "some"]), unique=True)) if known else ():
        role = draw(st.sampled_from(sorted(known)))
        own: JsonObject = {"role": role}
        if draw(st.booleans()):
            groups = st.sampled_from(["system:authenticated", "admins", "two words"])
            own["groups"] = draw(st.lists(groups, min_size=1, unique=True))
        if "groups" not in own or draw(st.booleans()):
            accounts: list[Json] = ["operator", "default", "reader"]
            which = st.sampled_from(accounts) | st.sampled_from(ELSEWHERE)
            own["serviceAccounts"] = draw(st.lists(which, min_size=1, max_size=3))
        if known[role].get("namespaced") or draw(st.booleans()):
            own["namespaced"] = True
        if labels := draw(NOTES):
            own["labels"] = labels
        found[name] = own
    return found


MORE = {"example.com/all": "{{ role }}", "example.com/instance": "{{ role }}-role", "example.com/part": "x"}
"""Labels of every access role; those of single sets are others."""
OWN = {"example.com/own": "1", "example.com/tier": "a-{{ role }}", "example.com/fast": "true"}


@st.composite
def access(draw: st.DrawFn) -> JsonObject:
    audiences = draw(st.lists(st.sampled_from(["admin", "user", "view"]), unique=True))
    found: JsonObject = {
        "aggregates": {
            name: {
                **({"role": f"batch-{name}-role"} if name != "view" else {}),
                "label": f"example.com/{name}",
                **({"labels": draw(NOTES)} if name == "user" else {}),
            }
            for name in audiences
        }
    }
    labels = draw(st.lists(st.sampled_from(sorted(MORE)), unique=True))
    which = st.lists(st.sampled_from(audiences), unique=True) if audiences else st.just([])
    left = draw(
        st.lists(
            st.sampled_from(["core/pods", "batch/cronjobs", "e.com/as", "e.com/bs", "e.com/cs"]), unique=True
        )
    )
    sets = []
    while left:
        size = draw(st.integers(1, len(left)))
        some, left = left[:size], left[size:]
        content: JsonObject = {"editors": draw(which), "viewers": draw(which)}
        if draw(st.booleans()):
            content["status"] = draw(st.booleans())
        if draw(st.booleans()):
            own = draw(st.lists(st.sampled_from(sorted(OWN)), unique=True))
            content["labels"] = {key: OWN[key] for key in own}
        named = draw(st.booleans())
        first = {"resource": some[0], "name": "other" + some[0].partition("/")[2]} if named else some[0]
        both = [some[0]] if named and draw(st.booleans()) else []
        sets.append({**content, "resources": [first, *some[1:], *both]})
    if labels and sets:
        found["labels"] = {key: MORE[key] for key in labels}
    names = draw(st.permutations(["as", "jobs", "pods", "queues", "0"]))
    by_name = dict(zip(names, sets, strict=False))
    return {**found, "sets": by_name if draw(st.booleans()) else sets}


@st.composite
def sections(draw: st.DrawFn) -> JsonObject:
    account = draw(st.sampled_from(["manager", "writer"]))
    more: JsonObject = {"reader": {}}
    for name in draw(st.lists(st.sampled_from([account, "reader"]), unique=True)):
        own = {
            "labels": draw(NOTES),
            "annotations": draw(NOTES),
            "token": draw(st.sampled_from([None, f"{name}-token"])),
        }
        own = {key: value for key, value in own.items() if value}
        if own or name != account:
            more[name] = own
    found: JsonObject = {"serviceAccount": account, "serviceAccounts": more}
    if draw(st.booleans()):
        found["leaderElection"] = draw(st.sampled_from(["leader-election-role", "elect"]))
    for key, content in (("roles", draw(roles())), ("accessRoles", draw(access()))):
        if content:
            found[key] = content
    if some := draw(bindings(found.get("roles", {}))):
        found["bindings"] = some
    return found


def _sorted(value: JsonObject) -> JsonObject:
    return {key: each for key, each in value.items() if each}


@given(sections())
def test_what_a_spec_says_comes_back(spec: JsonObject) -> None:
    objects = made(spec)
    want = _sorted(normal(spec))
    found, left = recognised(scene(objects, older=want))
    assert _sorted(found) == want
    assert {at.kind for at in left.objects} == {"Deployment"}


@given(sections())
def test_what_comes_back_makes_the_same_objects(spec: JsonObject) -> None:
    objects = made(spec)
    found, left = recognised(scene(objects))
    assert {at.kind for at in left.objects} == {"Deployment"}
    assert as_seen(made(words(found))) == as_seen(objects)
    assert as_seen(made(words(_sorted(normal(spec))))) == as_seen(objects)


@given(sections(), sections(), st.booleans())
def test_a_step_from_one_spec_to_another_makes_the_objects_of_the_other(
    old: JsonObject, new: JsonObject, leaves: bool
) -> None:
    said = step(old, _sorted(normal(new)), leaves=leaves)
    assert as_seen(made(old, said)) == as_seen(made(new))


@given(sections())
def test_nothing_is_said_when_nothing_is_different(spec: JsonObject) -> None:
    assert step(spec, normal(spec)) == {}


SPECS = sorted((PROJECT / "components").glob("*/*/component.yaml"))


def _own(path: Json) -> JsonObject:
    """Return what a spec says of permissions, with all that it builds on."""
    specs = SpecFiles(PROJECT)
    said = Chains(specs, specs.list_specs()[0]).spec(path.relative_to(PROJECT).as_posix())
    data = said.data if said else {}
    return {key: data[key] for key in PERMISSIONS if key in data}


@pytest.mark.parametrize("path", SPECS, ids=lambda path: "@".join(path.parts[-3:-1]))
def test_the_specs_of_the_project_come_back(path: Json) -> None:
    spec = _own(path)
    if not spec:
        return
    found, _ = recognised(scene(made(spec), older=normal(spec)))
    assert found == normal(spec)
    assert as_seen(made(words(found))) == as_seen(made(spec))
    assert step(spec, found) == {}


@pytest.mark.parametrize(("old", "new"), [*pairwise(SPECS), *pairwise(reversed(SPECS))])
def test_each_spec_of_the_project_leads_to_the_next(old: Json, new: Json) -> None:
    before, after = _own(old), _own(new)
    if before and after:
        assert as_seen(made(before, step(before, normal(after)))) == as_seen(made(after))


def test_every_inverse_is_of_a_key() -> None:
    assert {*PERMISSIONS} <= {*BY_KEY}
