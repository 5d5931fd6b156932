"""Lists of clusters: every form says the same, whatever is wrong is told, and no credentials are."""

from __future__ import annotations

import io
import json
import os
import sys
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.argocd.clusters import reading
from kitgen.argocd.clusters.forms import CLUSTER_LABEL, MAX_CLUSTERS
from kitgen.argocd.clusters.reading import ClusterList, parse_clusters, read_clusters
from kitgen.findings import MAX_ERRORS
from kitgen.findings.errors import UsageError
from kitgen.kit import manifests
from kitgen.report.forms import FORMS, render_findings
from kitgen.report.text import locate_findings
from kitgen.text.yaml import Json, JsonObject, dump_yaml, dump_yaml_documents

TYPE = {"argocd.argoproj.io/secret-type": "cluster"}
OCM = {"apiVersion": "cluster.open-cluster-management.io/v1", "kind": "ManagedCluster"}
URLS = "managedClusterClientConfigs"
HIDDEN = "hunter2"
"""Whatever may hold credentials holds this in tests, as it is or in base64."""
ENCODED = b64encode(HIDDEN.encode()).decode()
EDGE = ("edge-1", "https://edge-1:6443", {"kitgen.target": "odh"})


def read(text: str) -> ClusterList:
    return parse_clusters("fleet.yaml", dedent(text))


def said(found: ClusterList) -> list[tuple[str, str | None, dict[str, str]]]:
    assert found.findings == ()
    return [(each.name, each.server, each.labels) for each in found.clusters]


def told(found: ClusterList) -> list[str]:
    """Return findings as people see them, but for the name of the file before each."""
    lines = render_findings(found.findings, read=found.texts.get).splitlines()
    return [line.removeprefix("fleet.yaml:") for line in lines]


def base64(text: str) -> str:
    return b64encode(text.encode()).decode()


def secret(name: str, server: str | None, labels: dict[str, str]) -> JsonObject:
    data = {"name": base64(name), "config": base64(json.dumps({"bearerToken": HIDDEN}))}
    if server is not None:
        data["server"] = base64(server)
    metadata = {"name": "cluster-1", "namespace": "argocd", "labels": {**labels, **TYPE}}
    metadata["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": HIDDEN}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data, "type": "Opaque"}


def plain(name: str, server: str | None, labels: dict[str, str]) -> JsonObject:
    return {"name": name, "labels": labels} | ({"server": server} if server is not None else {})


def listed(name: str, server: str | None, labels: dict[str, str]) -> JsonObject:
    state: JsonObject = {"status": "Successful", "message": "", "attemptedAt": None}
    config = {"bearerToken": HIDDEN, "execProviderConfig": {"args": [HIDDEN]}}
    info = {"connectionState": state, "applicationsCount": 3, "apiVersions": ["v1"]}
    more = {"config": config, "connectionState": state, "info": info, "shard": 1, "newInArgoCD": True}
    return plain(name, server, labels) | more


def managed(name: str, server: str | None, labels: dict[str, str]) -> JsonObject:
    configs = [{"caBundle": HIDDEN, "url": server}] if server is not None else []
    spec = {"hubAcceptsClient": True, "managedClusterClientConfigs": configs}
    return {**OCM, "metadata": {"name": name, "labels": labels}, "spec": spec}


def assert_hidden(found: ClusterList) -> None:
    """Hold that no form of a report, nor what was read, shows what may be credentials."""
    shown = [render_findings(found.findings, read=found.texts.get, output=form) for form in FORMS]
    shown += [repr(found), *found.remarks, *found.texts.values()]
    for text in shown:
        assert HIDDEN not in text
        assert ENCODED not in text


def as_list(items: list[JsonObject]) -> JsonObject:
    return {"apiVersion": "v1", "kind": "List", "items": items}


FORMED: dict[str, Callable[..., JsonObject]] = {
    "plain": plain,
    "argocd": listed,
    "secret": secret,
    "managed": managed,
}


def texts(items: list[JsonObject]) -> list[str]:
    """Write items in every way that people and programs do."""
    objects = "kind" in items[0]
    whole: Json = as_list(items) if objects else items
    more = [] if objects else [dump_yaml({"clusters": items}), json.dumps({"metadata": {}, "items": items})]
    return [
        dump_yaml(whole),
        json.dumps(whole),
        json.dumps(whole, indent=2),
        dump_yaml_documents(items),
        dump_yaml(items),
        *more,
    ]


# Forms


@pytest.mark.parametrize("form", FORMED)
def test_a_list_says_the_same_in_every_form(form: str) -> None:
    items = [FORMED[form](*EDGE), FORMED[form]("Edge 2", None, {})]
    for text in texts(items):
        assert said(read(text)) == [EDGE, ("Edge 2", None, {})]


def test_people_write_a_list() -> None:
    found = read("""\
        # our fleet
        - {name: edge-1, server: https://edge-1:6443, labels: {kitgen.target: odh}}
        - name: edge-2
          annotations: {note: spare}
        """)
    assert said(found) == [EDGE, ("edge-2", None, {})]
    assert [str(each.origin) for each in found.clusters] == ["fleet.yaml /0", "fleet.yaml /1"]
    assert found.remarks == ()


def test_a_secret_may_say_it_in_plain_text_and_that_counts() -> None:
    body = secret("old", "https://old", {}) | {"stringData": {"name": "edge-1", "config": HIDDEN}}
    assert said(read(dump_yaml(body))) == [("edge-1", "https://old", {})]


def test_items_of_a_list_of_one_kind_need_not_say_it() -> None:
    item = {key: value for key, value in secret(*EDGE).items() if key not in ("apiVersion", "kind")}
    found = read(dump_yaml({"apiVersion": "v1", "kind": "SecretList", "items": [item]}))
    assert said(found) == [EDGE]


def test_forms_may_stand_beside_each_other() -> None:
    documents = [
        [plain("a", None, {}), secret("b", None, {})],
        managed("c", None, {}),
        None,
        listed("d", "x", {}),
    ]
    found = read(dump_yaml_documents(documents))
    assert [name for name, _, _ in said(found)] == ["a", "b", "c", "d"]
    assert [each.origin.place for each in found.clusters] == ["/0", "/1", "#2", "#4"]


@pytest.mark.parametrize("form", FORMED)
def test_the_origin_leads_to_labels_in_every_form(form: str) -> None:
    text = dump_yaml([FORMED[form](*EDGE)])
    found = read(text)
    (cluster,) = found.clusters
    (placed,) = locate_findings(
        [CLUSTER_LABEL("x", ("labels", "kitgen.target")).to_finding(cluster.origin)], found.texts.get
    )
    assert "kitgen.target: odh" in text.splitlines()[placed.origin.line - 1]


def test_a_managed_cluster_that_nobody_can_reach_has_no_server() -> None:
    assert said(read(dump_yaml(managed("a", "", {})))) == [("a", None, {})]


def test_other_objects_are_left_out_and_counted() -> None:
    other = secret("b", None, {})
    other["metadata"]["labels"] = {"argocd.argoproj.io/secret-type": "repository"}
    maps = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}} for name in "ab"]
    role = {"apiVersion": "x/v1", "kind": "Ro\x1ble" + "e" * 99}
    found = read(dump_yaml(as_list([other, secret(*EDGE), other, *maps, role])))
    assert said(found) == [EDGE]
    assert found.remarks == (
        "2 Secrets left out: they are no clusters of Argo CD",
        f"left out, since it is no cluster: ConfigMap (2) and Ro\\x1ble{'e' * 58} (1)",
    )
    bare = {"apiVersion": "v1", "kind": "Secret"}
    assert read(dump_yaml_documents([bare, managed("a", None, {})])).remarks == (
        "1 Secret left out: it is no cluster of Argo CD",
    )


# What is wrong

NO_CLUSTER = (
    "1: cluster-list: found no cluster, expected at least one (hint: argocd cluster list -o yaml "
    "prints them, or kubectl get secrets -n argocd -l argocd.argoproj.io/secret-type=cluster -o yaml)"
)
KEYS = "expected name, server, labels or annotations"
WORD = "expected at most 63 letters, digits, -, _ and ., with a letter or digit at both ends"
WRONG = {
    "nothing": ("", [NO_CLUSTER]),
    "only a comment": ("# none\n---\n", [NO_CLUSTER]),
    "an empty list": ("[]", [NO_CLUSTER]),
    "no clusters": ("clusters:\n", [NO_CLUSTER]),
    "another kind": ("apiVersion: v1\nkind: Config\nclusters: []\n", [NO_CLUSTER]),
    "broken": (
        "- name: a\n- name: [b\n",
        ["2 /1/name/0: yaml-syntax: did not find expected ',' or ']'"],
    ),
    "a key twice": (
        "- name: a\n  name: b\n",
        ["2 /0/name: yaml-duplicate: found the key 'name' a second time (hint: remove one)"],
    ),
    "a text": (HIDDEN, ["1: cluster-list: found a string, expected a list of clusters"]),
    "a number": ("12\n", ["1: cluster-list: found a number, expected a list of clusters"]),
    "texts": (
        f"- name: a\n- {HIDDEN}\n- []\n-\n",
        [
            "2 /1: cluster-list: found a string, expected a cluster",
            "3 /2: cluster-list: found an empty list, expected a cluster",
            "4 /3: cluster-list: found nothing, expected a cluster",
        ],
    ),
    "no list": (
        "clusters: {a: b}\n",
        ["1 /clusters: cluster-list: found a mapping, expected a list of clusters"],
    ),
    "a slip": (
        "cluster:\n- name: a\n",
        ["1: cluster-list: found a mapping without clusters (hint: did you mean 'clusters'?)"],
    ),
    "a key beside the list": (
        "clusters: [{name: a}]\nwaves: 3\n",
        ['2 /waves: cluster-list: found the unknown key "waves" (hint: expected clusters)'],
    ),
    "unknown keys": (
        "- name: a\n  label: {x: y}\n  url: b\n",
        [
            '2 /0/label: cluster-list: found the unknown key "label" (hint: did you mean \'labels\'?)',
            f'3 /0/url: cluster-list: found the unknown key "url" (hint: {KEYS})',
        ],
    ),
    "wrong types": (
        "- name: 12\n  server: [x]\n  labels: x\n  annotations: 3\n- {name: [a], server: true, labels: []}\n",
        [
            "1 /0/name: cluster-name: found a number, expected text (hint: quote it)",
            "2 /0/server: cluster-list: found a list, expected the address of a cluster",
            "3 /0/labels: cluster-label: found a string, expected a mapping",
            "4 /0/annotations: cluster-list: found a number, expected a mapping",
            "5 /1/labels: cluster-label: found an empty list, expected a mapping",
            "5 /1/name: cluster-name: found a list, expected text (hint: quote it)",
            "5 /1/server: cluster-list: found a boolean, expected the address of a cluster",
        ],
    ),
    "no name": (
        '- {server: a}\n- name: ""\n',
        [
            "1 /0/name: cluster-name: found a cluster without a name (hint: give it one in name)",
            "2 /1/name: cluster-name: found a cluster without a name (hint: give it one in name)",
        ],
    ),
    "no name for an object": (
        '- name: "///"\n- name: a..b\n- name: " a"\n',
        [
            '1 /0/name: cluster-name: found the name "///", of which nothing is left '
            "(hint: use letters, digits and dashes)",
            '2 /1/name: cluster-name: found the name "a..b", of which Argo CD makes "a..b", '
            "expected a DNS subdomain of at most 253 characters (hint: use letters, digits and dashes)",
            '3 /2/name: cluster-name: found white space around the name "a"',
        ],
    ),
    "a line end in a name": (
        dump_yaml(secret("a\n", None, {})),
        [
            '11 /data/name: cluster-name: found white space around the name "a" '
            "(hint: echo adds a line end, and echo -n does not)"
        ],
    ),
    "an empty server": (
        '- name: a\n  server: ""\n',
        [
            "2 /0/server: cluster-list: found an empty string, expected the address of a cluster "
            "(hint: leave it out where it is not known)"
        ],
    ),
    "names twice": (
        "- name: a\n---\nname: b\n---\n- name: c\n- name: b\n- name: a\n",
        [
            '6 /1/name: cluster-duplicate: found the name "b" a second time (hint: see fleet.yaml:3 /name)',
            '7 /2/name: cluster-duplicate: found the name "a" a second time (hint: see fleet.yaml:1 /0/name)',
        ],
    ),
    "names that become one": (
        "- name: edge_1\n- name: Edge-1\n",
        [
            '2 /1/name: cluster-duplicate: found the name "Edge-1", of which Argo CD makes "edge-1", '
            'as of "edge_1" (hint: see fleet.yaml:1 /0/name)',
        ],
    ),
    "servers twice": (
        "- {name: a, server: https://x}\n- {name: b, server: https://x/}\n- name: c\n- name: d\n",
        [
            '2 /1/server: cluster-duplicate: found the server "https://x/" a second time '
            "(hint: see fleet.yaml:1 /0/server)"
        ],
    ),
    "labels that are no text": (
        "- name: a\n  labels:\n    on: x\n    x: yes\n    v: 1\n    z:\n    w: [a]\n",
        [
            "4 /0/labels/x: cluster-label: found a boolean, expected text (hint: quote it)",
            "5 /0/labels/v: cluster-label: found a number, expected text (hint: quote it)",
            '6 /0/labels/z: cluster-label: found nothing, expected text (hint: write "" for an empty one)',
            "7 /0/labels/w: cluster-label: found a list, expected text",
        ],
    ),
    "labels that Kubernetes refuses": (
        "- name: a\n  labels:\n    a b: c\n    ok: -c\n    empty: ''\n",
        [
            '3 /0/labels/a b: cluster-label: found the key "a b", expected a name, with a DNS '
            "subdomain and / before it if any",
            f'4 /0/labels/ok: cluster-label: found the value "-c", {WORD}',
        ],
    ),
    "a list of objects that is none": (
        f"apiVersion: v1\nkind: List\nitems: {HIDDEN}\n",
        ["3 /items: cluster-list: found a string, expected a list"],
    ),
    "no objects": (
        "apiVersion: v1\nkind: List\nitems:\n- a\n- kind: Secret\n",
        [
            "4 /items/0: manifest-invalid: found a string, expected an object",
            "5 /items/1/apiVersion: manifest-invalid: found nothing, expected the apiVersion of an object",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told_with_its_line(case: str) -> None:
    text, expected = WRONG[case]
    assert sorted(told(read(text))) == sorted(expected)


def test_what_is_right_beside_it_is_there() -> None:
    found = read("- name: a\n- name: [b]\n- name: c\n")
    assert [each.name for each in found.clusters] == ["a", "c"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"data": {"name": f"{HIDDEN}!"}}, "/data/name: cluster-list: found text that is not base64"),
        ({"data": {"name": f"{HIDDEN}é"}}, "/data/name: cluster-list: found text that is not base64"),
        (
            {"data": {"name": "/w=="}},
            "/data/name: cluster-list: found bytes that are not UTF-8, expected text",
        ),
        ({"data": {"name": [HIDDEN]}}, "/data/name: cluster-name: found a list, expected text"),
        (
            {"data": {"server": base64("https://x")}},
            "/data/name: cluster-name: found a cluster without a name",
        ),
        ({"data": HIDDEN}, "/data: cluster-list: found a string, expected a mapping"),
        ({"stringData": [HIDDEN]}, "/stringData: cluster-list: found a list, expected a mapping"),
        ({"stringData": {"name": 3}}, "/stringData/name: cluster-name: found a number, expected text"),
        (
            {"metadata": {"labels": [HIDDEN]}},
            "/metadata/labels: cluster-label: found a list, expected a mapping",
        ),
        ({"metadata": HIDDEN}, "/metadata: manifest-invalid: found metadata that is no mapping"),
    ],
)
def test_of_a_secret_that_is_wrong_nothing_is_shown(change: JsonObject, expected: str) -> None:
    found = read(dump_yaml(secret(*EDGE) | change))
    assert expected in render_findings(found.findings, read=found.texts.get)
    assert_hidden(found)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ([], "/spec: cluster-list: found an empty list, expected a mapping"),
        (
            {URLS: {}},
            "/spec/managedClusterClientConfigs: cluster-list: found an empty mapping, expected a list",
        ),
        (
            {URLS: ["x"]},
            "/spec/managedClusterClientConfigs/0: cluster-list: found a string, expected a mapping",
        ),
        ({URLS: [{"url": 3}]}, "/0/url: cluster-list: found a number, expected the address of a cluster"),
    ],
)
def test_a_managed_cluster_may_be_wrong_anywhere(spec: Json, expected: str) -> None:
    (line,) = told(read(dump_yaml(managed(*EDGE) | {"spec": spec})))
    assert expected in line


# Credentials

LEAKING = [
    *(FORMED[form]("-", None, {"a b": "c"}) for form in FORMED),
    plain("a", None, {}) | {"config": {"username": HIDDEN}},
    plain("a", "", {}) | {"info": HIDDEN, "project": 3},
    plain("a", None, {"x": 3}) | {"annotations": {"x": HIDDEN}, "namespaces": [HIDDEN]},  # type: ignore[dict-item]
    {"name": [HIDDEN], "server": {"x": HIDDEN}, "labels": [HIDDEN], "pin": HIDDEN, "notes": [HIDDEN]},
    {"name": "a", "server": [[HIDDEN]], "labels": {"x": {"y": HIDDEN}, "z": [HIDDEN]}},
    secret("a", "", {}) | {"stringData": {"server": "", "config": f"{HIDDEN}\n{HIDDEN}\n"}},
]


@pytest.mark.parametrize("number", range(len(LEAKING)))
def test_credentials_show_nowhere(number: int) -> None:
    item = LEAKING[number]
    for text in texts([item, item]):
        found = read(text)
        assert found.findings
        assert_hidden(found)


def test_a_line_that_holds_credentials_beside_a_name_is_shown_without_them() -> None:
    found = read(f"- {{name: a, labels: {{x: 1}}, config: {{username: {HIDDEN}}}}}\n")
    assert render_findings(found.findings, read=found.texts.get, output="text").splitlines()[2] == (
        "      | - {name: a, labels: {x: 1}, config:  ~ }"
    )


def test_credentials_in_broken_yaml_show_nowhere() -> None:
    found = read(f"- name: a\n  config: {{username: {HIDDEN}\n- name: [{HIDDEN}\n")
    assert [each.rule.id for each in found.findings] == ["yaml-syntax"]
    assert_hidden(found)


def test_an_address_with_a_password_is_shown_without_it() -> None:
    server = f"https://admin:{HIDDEN}@edge:6443"
    found = read(dump_yaml([plain("a", server, {}), plain("b", server, {})]))
    assert "cluster-duplicate" in told(found)[0]
    for form in FORMS:
        assert HIDDEN not in render_findings(found.findings, read=found.texts.get, output=form)


# Bounds


def test_there_may_be_many_clusters_and_not_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_CLUSTERS", 3)
    text = "".join(f"- name: a{number}\n" for number in range(9))
    found = read(text)
    assert told(found) == ["4 /3: cluster-many: found more than 3 clusters, and the rest was not looked at"]
    assert len(read("".join(text.splitlines(keepends=True)[:3])).clusters) == 3
    assert MAX_CLUSTERS == 50_000


@pytest.mark.parametrize(
    "item",
    [
        "- x\n",
        "- name: a\n",
        "- labels: {a b: c}\n",
        "- apiVersion: v1\n",
        "- {name: a, " + ", ".join(f"k{number}: 1" for number in range(3 * MAX_ERRORS)) + "}\n",
    ],
)
def test_of_many_mistakes_some_are_told(item: str) -> None:
    found = read(item * (3 * MAX_ERRORS if len(item) < 100 else 2))
    assert MAX_ERRORS < len(found.findings) <= MAX_ERRORS + 3
    assert [each.rule.id for each in found.findings].count("findings-limit") == 1


def test_what_is_too_much_to_read_is_told_with_what_may_be_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "fleet.json"
    file.write_text(json.dumps([listed(*EDGE)]))
    monkeypatch.setattr(manifests, "MAX_VALUES", 5)
    (found,) = read_clusters(str(file)).findings
    assert (found.rule.id, found.hint) == ("yaml-limit", reading.LESS)
    monkeypatch.setattr(manifests, "MAX_BYTES", 5)
    (found,) = read_clusters(str(file)).findings
    assert (found.rule.id, found.hint) == ("file-size", reading.LESS)


# Files


def test_a_file_a_link_and_standard_input_are_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file, link = tmp_path / "fleet", tmp_path / "link"
    file.write_text("- name: a\n")
    link.symlink_to(file)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"- name: b\n- name: b\n")))
    assert said(read_clusters(str(file))) == said(read_clusters(str(link))) == [("a", None, {})]
    assert told(read_clusters("-")) == [
        '-:2 /1/name: cluster-duplicate: found the name "b" a second time (hint: see -:1 /0/name)'
    ]


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    pipe, loop, binary = (tmp_path / name for name in ("pipe", "loop", "binary"))
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    binary.write_bytes(b"\x80\x00")
    found = {name: read_clusters(str(name)).findings for name in (tmp_path, pipe, binary)}
    assert [(each.rule.id, each.message, each.origin.line) for (each,) in found.values()] == [
        ("file-kind", "found a folder, expected a file with clusters", 1),
        ("file-kind", "found something that is not a file", 1),
        ("file-encoding", "found bytes that are not UTF-8", 1),
    ]
    for name in (loop, tmp_path / "missing"):
        with pytest.raises(UsageError, match="no such file"):
            read_clusters(str(name))


def test_a_pipe_of_the_shell_is_read() -> None:
    out, into = os.pipe()
    os.write(into, b"- name: a\n")
    os.close(into)
    try:
        assert said(read_clusters(f"/dev/fd/{out}")) == [("a", None, {})]
    finally:
        os.close(out)


# Properties

KEYS_OF_ALL = (
    *("name", "server", "labels", "annotations", "config", "info", "clusters", "items", "kind", "apiVersion"),
    *("metadata", "data", "stringData", "spec", URLS, "url", *TYPE),
)
WORDS = ("Secret", "v1", "List", "SecretList", *OCM.values(), "cluster", "a", "A", "", "YQ==", "/w==")
ANY = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.sampled_from(WORDS)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(KEYS_OF_ALL), st.text()), inner, max_size=6),
    ),
    max_leaves=30,
)
NAMES = st.from_regex(r"[A-Za-z0-9]([-A-Za-z0-9_ ]{0,20}[A-Za-z0-9])?", fullmatch=True)
LABELS = st.dictionaries(
    st.from_regex(r"([a-z]{1,5}\.io/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,20}[A-Za-z0-9])?", fullmatch=True),
    st.from_regex(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,20}[A-Za-z0-9])?)?", fullmatch=True),
    max_size=4,
)
FLEETS = st.lists(
    st.tuples(NAMES, st.none() | st.from_regex(r"https://[a-z0-9.]{1,20}", fullmatch=True), LABELS),
    min_size=1,
    max_size=5,
    unique_by=(
        lambda each: each[0].lower().replace("_", "-").replace(" ", "-"),
        lambda each: each[1] or each[0],
    ),
)


@given(ANY)
def test_whatever_a_list_holds_it_is_read_or_told(value: Json) -> None:
    for text in (json.dumps(value), json.dumps({"clusters": value}), json.dumps([value] * 2)):
        found = parse_clusters("fleet.json", text)
        assert found.clusters or found.findings
        for form in FORMS:
            assert render_findings(found.findings, read=found.texts.get, output=form) or not found.findings


@given(FLEETS)
def test_all_forms_of_a_list_say_the_same(fleet: list[tuple[str, str | None, dict[str, str]]]) -> None:
    for form in FORMED.values():
        for text in texts([form(*each) for each in fleet]):
            assert said(parse_clusters("fleet", text)) == fleet


def test_the_cluster_that_argo_cd_runs_on_is_left_out_without_labels() -> None:
    here = {"name": "in-cluster", "server": "https://kubernetes.default.svc", "config": {}, "info": {}}
    labelled = {**here, "name": "hub", "labels": {"env": "prod"}}
    other = {"name": "a", "server": "https://a", "config": {}, "info": {}}
    found = parse_clusters("c.yaml", json.dumps([here, other]))
    assert [each.name for each in found.clusters] == ["a"]
    assert found.remarks == (
        "in-cluster left out: Argo CD has no Secret with labels for it, and selects none without",
    )
    assert [each.name for each in parse_clusters("c.yaml", json.dumps([labelled])).clusters] == ["hub"]
