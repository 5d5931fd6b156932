"""What a spec says, laid over another one: the rule of merging, and that every value keeps its place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from some import rows

from kitgen.findings import Origin, Path
from kitgen.kit.merge import SpecValue, merge_specs, split_permission_key
from kitgen.kit.removal import remove_paths
from kitgen.kube.manifest import existing_value
from kitgen.text.yaml import Json, read_yaml

OLD, NEW = "old.yaml", "new.yaml"


def merged(old: str, new: str) -> SpecValue:
    return merge_specs(SpecValue(read_yaml(old), Origin(OLD)), SpecValue(read_yaml(new), Origin(NEW)))


def wrapped(path: str, inner: str) -> str:
    """Write a value below keys."""
    for key in reversed(path.split("/")):
        inner = f"{{{key}: {inner}}}"
    return inner


@rows(
    ("path", "old", "new", "want"),
    [
        ("images", "{a: 1, b: 2}", "{b: 3, c: 4}", {"a": 1, "b": 3, "c": 4}),
        ("after", "[a, b]", "[c]", ["c"]),
        ("after", "[a, b]", "[]", []),
        ("deployment", "{x: {z: 1}}", "{x: 3}", {"x": 3}),
        (
            "deployment/env",
            "[{name: A, value: a}, {name: B, value: b}]",
            "[{name: B, x: c}, {name: C}]",
            [{"name": "A", "value": "a"}, {"name": "B", "value": "b", "x": "c"}, {"name": "C"}],
        ),
        ("env", "[{name: A, x: 1}, {name: A}]", "[{name: A}]", [{"name": "A"}]),
        ("env", "[{name: A, x: 1}]", "[{name: A}, {name: A}]", [{"name": "A"}, {"name": "A"}]),
        ("env", "[{name: A}, 3]", "[{name: A}]", [{"name": "A"}]),
        ("labels", "[{pairs: {a: b}}]", "[{pairs: {c: d}}]", [{"pairs": {"c": "d"}}]),
        (
            "webhooks/kinds",
            "[Job, {kind: Pod, x: 1}]",
            "[{kind: Pod, z: 2}, Node]",
            ["Job", {"kind": "Pod", "x": 1, "z": 2}, "Node"],
        ),
        ("features/f/webhooks/kinds", "[Job]", "[Pod]", ["Job", "Pod"]),
        (
            "objects",
            "[{kind: A, metadata: {name: x}, data: {a: 1}}, {kind: B, metadata: {name: x}}]",
            "[{kind: A, metadata: {name: x}, data: {b: 2}}]",
            [
                {"kind": "A", "metadata": {"name": "x"}, "data": {"a": 1, "b": 2}},
                {"kind": "B", "metadata": {"name": "x"}},
            ],
        ),
        ("config/values", "{l: [{name: a}, {name: b}]}", "{l: [{name: b}]}", {"l": [{"name": "b"}]}),
        ("components/c/config", "{l: [{name: a}]}", "{l: [{name: b}]}", {"l": [{"name": "b"}]}),
        ("components/c/versions/x/config", "{l: [{name: a}]}", "{l: [{name: b}]}", {"l": [{"name": "b"}]}),
        ("components/c/config/x/features", "[a]", "[b]", ["b"]),
        ("components/c/features", "[a, b]", "{b: false, c: true}", {"a": True, "b": False, "c": True}),
        ("components/c/features", "{a: false}", "[a]", {"a": True}),
        ("components/c/features", "[a]", "[b, a]", {"a": True, "b": True}),
        ("components/c/features", "[a]", "[b, b]", ["b", "b"]),
        ("components/c/features", "[a]", "all", "all"),
        ("components/c/releases/x/features", "[a]", "[b]", {"a": True, "b": True}),
    ],
)
def test_what_is_laid_over(path: str, old: str, new: str, want: Json) -> None:
    steps = tuple(path.split("/"))
    assert existing_value(merged(wrapped(path, old), wrapped(path, new)).data, steps) == want


@rows(
    ("old", "new", "want"),
    [
        ("{'core/a,b': get}", "{core/b: list}", {"core/a": "get", "core/b": "list"}),
        ("{'core/a,b': get}", "{'core/a,b': list}", {"core/a,b": "list"}),
        ("{'core/a,b': get, core/c: get}", "{'core/b,c': list}", {"core/a": "get", "core/b,c": "list"}),
        ("{'core/a,b[x,y]': get}", "{core/a: list}", {"core/a,b[x,y]": "get", "core/a": "list"}),
        ("{'core/a,b[x,y]': get}", "{'core/a[x,y]': list}", {"core/b[x,y]": "get", "core/a[x,y]": "list"}),
        ("{'core/a,b[x,y]': get}", "{'core/a[y,x]': list}", {"core/b[x,y]": "get", "core/a[y,x]": "list"}),
        (
            "{'core/a,b': get, 'core/a,c': list}",
            "{'core/b,c': watch}",
            {"core/a": "get list", "core/b,c": "watch"},
        ),
        ("{'core/a,a/log': get}", "{core/a/log: list}", {"core/a": "get", "core/a/log": "list"}),
        ("{/healthz: get}", "{/metrics: get}", {"/healthz": "get", "/metrics": "get"}),
    ],
)
@rows("path", ["roles/r/permissions", "features/f/roles/r/permissions"])
def test_permissions_are_laid_over_a_resource_at_a_time(path: str, old: str, new: str, want: Json) -> None:
    steps = tuple(path.split("/"))
    assert existing_value(merged(wrapped(path, old), wrapped(path, new)).data, steps) == want


@rows(
    ("old", "new", "want"),
    [
        ("{a: {resources: [x/r]}}", "{b: {resources: [x/s]}}", {"a": ["x/r"], "b": ["x/s"]}),
        ("{a: {resources: [x/r, x/t]}}", "{a: {resources: [x/s]}}", {"a": ["x/r", "x/s", "x/t"]}),
        ("{a: {resources: [x/t, x/r]}}", "{a: {resources: [x/s]}}", {"a": ["x/t", "x/r", "x/s"]}),
        ("{a: {resources: [x/r, x/s]}}", "{b: {resources: [x/s]}}", {"a": ["x/r"], "b": ["x/s"]}),
        ("{a: {resources: [x/r]}}", "{b: {resources: [x/r]}}", {"b": ["x/r"]}),
        ("{a: {resources: [x/r]}, b: {resources: [x/s]}}", "{b: {resources: [x/r]}}", {"b": ["x/r", "x/s"]}),
        (
            "{a: {resources: [x/r]}}",
            "{b: {resources: [{resource: x/r, name: q}]}}",
            {"a": ["x/r"], "b": [{"resource": "x/r", "name": "q"}]},
        ),
        (
            "{a: {resources: [{resource: x/r, name: q}, x/r]}}",
            "{b: {resources: [{resource: x/r, name: q}]}}",
            {"a": ["x/r"], "b": [{"resource": "x/r", "name": "q"}]},
        ),
        ("{a: {resources: [x/r]}}", "{a: {editors: [e]}}", {"a": ["x/r"]}),
        ("[{resources: [x/r, x/s]}]", "{a: {resources: [x/s]}}", {"0": ["x/r"], "a": ["x/s"]}),
    ],
)
@rows("path", ["accessRoles/sets", "features/f/accessRoles/sets"])
def test_sets_with_names_are_laid_over_a_resource_at_a_time(
    path: str, old: str, new: str, want: Json
) -> None:
    made = existing_value(merged(wrapped(path, old), wrapped(path, new)).data, tuple(path.split("/")))
    assert {name: each["resources"] for name, each in made.items()} == want


def test_a_list_of_sets_replaces_as_it_always_did() -> None:
    for old in ("[{resources: [x/r]}]", "{a: {resources: [x/r]}}"):
        made = merged(wrapped("accessRoles/sets", old), "{accessRoles: {sets: [{resources: [x/s]}]}}")
        assert made.data == {"accessRoles": {"sets": [{"resources": ["x/s"]}]}}


@rows("sets", ["3", "[3, {resources: 3}]", "{a: 3, b: {resources: [3, {}]}}", "{a: {}}"])
def test_sets_may_be_anything(sets: str) -> None:
    odd = wrapped("accessRoles/sets", sets)
    for other in ("{a: {resources: [x/r]}}", "[{resources: [x/r]}]", "3"):
        merged(odd, wrapped("accessRoles/sets", other))
        merged(wrapped("accessRoles/sets", other), odd)
    for text in ("x/r", "a", "0", "a/resources/x/r"):
        remove_paths(SpecValue(read_yaml(odd), Origin(OLD)), [(0, f"/accessRoles/sets/{text}")])


@rows("path", ["config/roles/r/permissions", "objects/roles/r/permissions", "roles/r/x"])
def test_what_only_looks_like_permissions_is_a_map(path: str) -> None:
    made = merged(wrapped(path, "{'core/a,b': get}"), wrapped(path, "{core/b: list}"))
    assert existing_value(made.data, tuple(path.split("/"))) == {"core/a,b": "get", "core/b": "list"}


NAMES = st.sampled_from(["a", "b", "name", "env", "config", "features", "components", "roles", "objects"])
SCALARS = st.one_of(st.integers(0, 3), st.sampled_from(["a", "b", "c"]), st.booleans(), st.none())
NAMED = st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "b", "c"])}, optional={"x": SCALARS, "y": SCALARS}
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.dictionaries(NAMES, inner, max_size=4),
        st.lists(inner, max_size=3),
        st.lists(NAMED, max_size=3),
        st.lists(st.sampled_from(["a", "b"]), max_size=2),
    ),
    max_leaves=12,
)
PERMISSIONS = st.dictionaries(
    st.sampled_from(["core/a", "core/b", "core/a,b", "core/a,b,c", "core/b,c[x]", "core/b[x]", "/url"]),
    st.sampled_from(["get", "list", "get list"]),
    max_size=4,
)
SWITCHES = st.one_of(
    st.lists(st.sampled_from("abc"), max_size=3, unique=True),
    st.dictionaries(st.sampled_from("abc"), st.booleans(), max_size=3),
)
RESOURCES = st.lists(st.sampled_from(["x/r", "x/s", "x/t", "x/u"]), min_size=1, max_size=3, unique=True)
SET = st.fixed_dictionaries(
    {"resources": RESOURCES},
    optional={"editors": st.lists(st.sampled_from("abc"), max_size=2), "labels": st.just({"a": "b"})},
)
SETS = st.one_of(
    st.dictionaries(st.sampled_from(["a", "b", "0", "1"]), SET, max_size=3), st.lists(SET, max_size=3)
)
SPECS = st.builds(
    lambda more, permissions, switches, sets: {
        **more,
        "accessRoles": {"sets": sets},
        "roles": {"r": {"permissions": permissions}},
        "components": {"c": {"features": switches}},
    },
    st.dictionaries(NAMES, VALUES, max_size=5),
    PERMISSIONS,
    SWITCHES,
    SETS,
)


def leaves(data: Json, path: Path = ()) -> list[tuple[Path, Json]]:
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    below = [leaf for step, part in parts for leaf in leaves(part, (*path, step))]
    return below or [(path, data)]


@given(st.lists(SPECS, min_size=2, max_size=4))
def test_every_value_of_a_chain_stands_where_its_origin_says(specs: list[Json]) -> None:
    files = {f"{index}.yaml": spec for index, spec in enumerate(specs)}
    said, *rest = (SpecValue(spec, Origin(file)) for file, spec in files.items())
    for each in rest:
        said = merge_specs(said, each)
    for path, value in leaves(said.data):
        origin = said.origin.at(*path)
        there = existing_value(files[origin.file], origin.path)
        if path[:3] == ("components", "c", "features") and there == path[-1]:
            assert value is True
        elif "permissions" in path and there != value:
            assert {*there.split()} < {*value.split()}  # of two keys of which the same is left
        elif value not in ({}, []):
            assert (there, type(there)) == (value, type(value))


@given(SPECS, SPECS, SPECS)
def test_what_was_written_out_is_built_on_as_the_chain_is(old: Json, new: Json, last: Json) -> None:
    chained = merge_specs(SpecValue(old, Origin("0")), SpecValue(new, Origin("1")))
    flat = SpecValue(chained.data, Origin("1"))
    want = merge_specs(chained, SpecValue(last, Origin("2"))).data
    assert merge_specs(flat, SpecValue(last, Origin("2"))).data == want
    assert merge_specs(flat, SpecValue({}, Origin("2"))).data == chained.data
    assert merge_specs(flat, flat).data == chained.data


@given(SPECS, SPECS)
def test_nothing_is_permitted_that_nobody_says(old: Json, new: Json) -> None:
    def granted(spec: Json) -> set[tuple[str, str]]:
        found = spec["roles"]["r"]["permissions"].items()
        return {
            (each, verb)
            for key, verbs in found
            for each in split_permission_key(key)
            for verb in verbs.split()
        }

    made, own = merge_specs(SpecValue(old, Origin("0")), SpecValue(new, Origin("1"))).data, granted(new)
    named = {each for key in new["roles"]["r"]["permissions"] for each in split_permission_key(key)}
    assert granted(made) == own | {pair for pair in granted(old) if pair[0] not in named}


@rows(
    ("path", "old", "text", "want"),
    [
        ("roles/r/permissions", "{'core/a,b': get}", "core/a", {"core/b": "get"}),
        ("roles/r/permissions", "{core/a: get, 'core/a,b': list}", "core/a", {"core/b": "list"}),
        ("roles/r/permissions", "{core/a: get, 'core/a,b': list}", "core/a,b", {"core/a": "get"}),
        ("roles/r/permissions", "{'core/a,b': get}", "core~1a", {"core/b": "get"}),
        ("roles/r/permissions", "{'core/a,b': get}", "core/a,b", {}),
        ("roles/r/permissions", "{core/a: get, core/a/log: get}", "core/a/log", {"core/a": "get"}),
        ("roles/r/permissions", "{core/a: get, core/a/log: get}", "core/a", {"core/a/log": "get"}),
        ("roles/r/permissions", "{/metrics: get, /healthz: get}", "/metrics", {"/healthz": "get"}),
        ("roles/r/permissions", "{'core/a,b[x]': get}", "core/b[x]", {"core/a[x]": "get"}),
        ("accessRoles/sets", "{a: {resources: [x/r, x/s]}}", "x/r", {"a": {"resources": ["x/s"]}}),
        (
            "accessRoles/sets",
            "{a: {resources: [x/r, x/s]}}",
            "a/resources/x/r",
            {"a": {"resources": ["x/s"]}},
        ),
        ("accessRoles/sets", "{a: {resources: [x/r]}, b: {}}", "x/r", {"b": {}}),
        ("accessRoles/sets", "[{resources: [x/r, x/s]}]", "x/r", [{"resources": ["x/s"]}]),
        ("accessRoles/sets", "[{resources: [x/r]}, {resources: [x/s]}]", "x/r", [{"resources": ["x/s"]}]),
        ("accessRoles/sets", "[{resources: [x/r]}, {resources: [x/s]}]", "1", [{"resources": ["x/r"]}]),
        (
            "features/f/accessRoles/sets",
            "{a: {resources: [x/r, {resource: x/r, name: q}]}}",
            "x/r:q",
            {"a": {"resources": ["x/r"]}},
        ),
        ("components/c/features", "[a, b]", "a", ["b"]),
        ("components/c/features", "{a: true}", "a", {}),
        ("env", "[{name: A, x: 1}, {name: B}]", "A/x", [{"name": "A"}, {"name": "B"}]),
        ("env", "[{name: A}, {name: B}]", "0", [{"name": "B"}]),
        ("env", "[{name: A}, {name: A}, {name: B}]", "A", [{"name": "B"}]),
        ("after", "[a, b, a]", "a", ["b"]),
        ("labels", "[{pairs: {a: b}}, {pairs: {c: d}}]", "1", [{"pairs": {"a": "b"}}]),
        ("labels", "[{pairs: {a: b, c: d}}]", "0/pairs/a", [{"pairs": {"c": "d"}}]),
        ("objects", "[{kind: A, metadata: {name: x}}]", "A/x", []),
        ("labels", "{a.io/x: 1, a.io: {x: 2}}", "a.io/x", {"a.io/x": 1, "a.io": {}}),
        ("labels", "{a.io/x: 1, a.io: {x: 2}}", "a.io~1x", {"a.io": {"x": 2}}),
        ("labels", "{a.io/x: 1, a.io: 2}", "a.io/x", {"a.io": 2}),
    ],
)
def test_what_is_removed(path: str, old: str, text: str, want: Json) -> None:
    said = SpecValue(read_yaml(wrapped(path, old)), Origin(OLD))
    left, problems = remove_paths(said, [(0, f"/{path}/{text}")])
    assert problems == []
    assert existing_value(left.data, tuple(path.split("/"))) == want


@rows(
    "texts",
    [
        ("/a", "/a/b"),
        ("/a/b", "/a/b"),
        ("/env/A/x", "/env/0/x"),
        ("/env/2",),
        ("/env/A/x/y",),
        ("/twice/A/x",),
        ("/roles/r/permissions/core/a", "/roles/r/permissions/core~1a"),
        ("/roles/r", "/roles/r/permissions/core/a"),
        ("/roles/r/permissions/core/a,b", "/roles/r/permissions/core/a"),
        ("/accessRoles/sets/x/r", "/accessRoles/sets/x/r"),
        ("/accessRoles/sets/a", "/accessRoles/sets/x/r"),
        ("/accessRoles/sets/x/q",),
        ("/accessRoles/sets/x",),
        ("/accessRoles/sets/x/r/y",),
        ("//",),
        ("/a/",),
    ],
)
def test_nothing_is_removed_twice_or_where_it_is_not(texts: tuple[str, ...]) -> None:
    old = read_yaml(
        "{a: {b: 1}, env: [{name: A, x: 1}], twice: [{name: A, x: 1}, {name: A, x: 2}],"
        " roles: {r: {permissions: {'core/a,b': get}}}, accessRoles: {sets: {a: {resources: [x/r, x/s]}}}}"
    )
    _, problems = remove_paths(SpecValue(old, Origin(OLD)), [*enumerate(texts)])
    assert [(each.rule.id, each.path) for each in problems] == [
        ("remove-nothing", ("remove", len(texts) - 1))
    ]


def test_a_resource_and_then_its_role_are_removed() -> None:
    old = read_yaml("{roles: {r: {permissions: {'core/a,b': get}}, s: {}}}")
    texts = ["/roles/r/permissions/core/a", "/roles/r"]
    left, problems = remove_paths(SpecValue(old, Origin(OLD)), [*enumerate(texts)])
    assert (left.data, problems) == ({"roles": {"s": {}}}, [])


def test_what_is_removed_may_be_set_anew() -> None:
    old, own = read_yaml("{a: {b: 1}, c: 2}"), read_yaml("{a: {d: 3}}")
    left, problems = remove_paths(SpecValue(old, Origin(OLD)), [(0, "/a")])
    assert problems == []
    assert merge_specs(left, SpecValue(own, Origin(NEW))).data == {"a": {"d": 3}, "c": 2}
