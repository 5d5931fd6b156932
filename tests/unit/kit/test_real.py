"""Real things: manifests, bundles, and folders that kustomize builds from what is here and nothing else."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import kits
import pytest
from servers import Server, serving

from kitgen.files import programs
from kitgen.findings.errors import FindingsError, KitgenError, UsageError
from kitgen.kit import shipped_trees as real_module
from kitgen.kit.bundle_manifests import read_bundle_texts
from kitgen.kit.manifests import ReadBudget
from kitgen.kit.shipped_trees import ShippedTree, read_shipped_tree
from kitgen.report.text import locate_findings
from kitgen.workspace.sources import parse_path_source

needs_kustomize = pytest.mark.skipif(
    programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH"
)


def config_map(name: str, **more: str) -> str:
    return f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {json.dumps(more)}\n"


def told(real: ShippedTree) -> list[str]:
    """Return findings as `file:line pointer rule: message`."""
    return [
        f"{each.origin.file}:{each.origin.line} {each.origin.place} {each.rule}: {each.message}"
        for each in locate_findings(real.findings, real.texts.get)
    ]


def names(real: ShippedTree) -> list[str]:
    return [str(each.id) for each in real.manifests]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as found:
        yield found


def test_manifests_are_read_from_files_folders_and_standard_input(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kits.write(here / "all", {"a.yaml": config_map("a"), "b/b.yml": config_map("b") + config_map("c")})
    read = read_shipped_tree("all")
    assert (names(read), read.findings) == (["ConfigMap/a", "ConfigMap/b", "ConfigMap/c"], ())
    assert [str(each.origin) for each in read.objects] == ["all/a.yaml", "all/b/b.yml", "all/b/b.yml #2"]
    assert names(read_shipped_tree("all/b/b.yml")) == ["ConfigMap/b", "ConfigMap/c"]
    stream = io.TextIOWrapper(io.BytesIO(config_map("in").encode()))
    monkeypatch.setattr("sys.stdin", stream)
    assert names(read_shipped_tree("-")) == ["ConfigMap/in"]
    with pytest.raises(UsageError, match="no such file or folder"):
        read_shipped_tree("none")


def test_a_real_thing_is_named_by_its_path() -> None:
    named = [parse_path_source(text) for text in ("a/b", "path:a/b", "path:target:x", "-", "path:-")]
    assert named == ["a/b", "a/b", "target:x", "-", "./-"]
    for text in ("target:olm", "component:a@v1", "git:main:olm", "release:v1"):
        with pytest.raises(UsageError, match="expected a folder, a file or -"):
            parse_path_source(text)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        (config_map("a") * 2, "a.yaml:7 #2 object-duplicate: found a second ConfigMap/a, expected every obj"),
        ("kind: ConfigMap\n", "a.yaml:1 /apiVersion manifest-invalid: found nothing, expected the apiVersi"),
        ("apiVersion: v1\nkind: ConfigMap\n", "a.yaml:1 /metadata name-invalid: found an object without a n"),
        (config_map("A_b"), 'a.yaml:4 /metadata/name name-invalid: found the name "A_b", expected a DNS sub'),
        ("a: [\n", "a.yaml:1 /a/0 yaml-syntax: "),
        ("# nothing\n", "a.yaml:1  tree-empty: found no objects, expected at least one"),
        ("- op: add\n  path: /a\n", "a.yaml:1  manifest-invalid: found what only kustomize reads, expected"),
    ],
)
def test_what_is_no_object_is_told_with_its_line(here: Path, text: str, want: str) -> None:
    kits.write(here, {"a.yaml": text})
    read = read_shipped_tree("a.yaml")
    assert told(read)[0].startswith(want), told(read)
    with pytest.raises(FindingsError):
        read.raise_on_findings()


def test_the_same_name_in_two_namespaces_is_no_repetition(here: Path) -> None:
    text = config_map("a") + config_map("a").replace("name: a", "name: a, namespace: b")
    kits.write(here, {"a.yaml": text})
    assert len(read_shipped_tree("a.yaml").objects) == 2


def test_more_objects_than_any_component_has_are_refused(here: Path) -> None:
    text = "".join(config_map(f"a{number}") for number in range(real_module.MAX_OBJECTS + 1))
    kits.write(here, {"a.yaml": text})
    wrong = told(read_shipped_tree("a.yaml"))
    assert [each.partition(" tree-size: ")[2] for each in wrong] == [
        "found more than 2000 objects, expected at most that"
    ]
    assert wrong[0].startswith("a.yaml:10002 #2001")


def test_a_folder_of_kustomizations_is_not_taken_for_manifests(here: Path) -> None:
    kits.write(
        here / "config", {"default/kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": config_map("a")}
    )
    read = read_shipped_tree("config")
    assert told(read) == [
        "config/default/kustomization.yaml:1  manifest-invalid: "
        "found a kustomization, expected manifests alone"
    ]
    assert "config/default" in read.findings[0].hint


CSV = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: a.v1.0.0}\n"
WHERE = "operators.operatorframework.io.bundle.manifests.v1"


@pytest.mark.parametrize("blanks", ["\n", " ", "\t", "{ ", "{\n", "kind:\n"])
def test_blanks_before_a_bundle_is_known_cost_nothing(here: Path, blanks: str) -> None:
    kits.write(here / "a", {"a.yaml": blanks * 5_000})
    before = time.process_time()
    assert read_bundle_texts("a", ReadBudget()) is None
    assert time.process_time() - before < 2


@pytest.mark.parametrize(
    "text",
    [CSV, '{\n  "kind": "ClusterServiceVersion"\n}', '{ "kind":"ClusterServiceVersion"}', f"#\n\n{CSV}"],
)
def test_a_folder_with_a_cluster_service_version_is_a_bundle(here: Path, text: str) -> None:
    kits.write(here / "a", {"a.yaml": text})
    assert read_bundle_texts("a", ReadBudget()) is not None


@pytest.mark.parametrize("folder", ["manifests", "elsewhere/here"])
def test_a_bundle_gives_its_manifests(here: Path, folder: str) -> None:
    said = f"annotations: {{{WHERE}: {folder}/}}\n" if folder != "manifests" else "annotations: {}\n"
    kits.write(
        here / "bundle",
        {
            f"{folder}/a.yaml": CSV,
            f"{folder}/b.yaml": config_map("b"),
            f"{folder}/deep/c.yaml": "no: [",
            "metadata/annotations.yaml": said,
            "tests/scorecard/config.yaml": config_map("no"),
        },
    )
    want = ["ClusterServiceVersion/a.v1.0.0", "ConfigMap/b"]
    for name in ("bundle", f"bundle/{folder}"):
        read = read_shipped_tree(name)
        assert (names(read), read.findings) == (want, ())


@pytest.mark.parametrize(
    ("said", "want"),
    [
        (f"annotations: {{{WHERE}: ../../}}\n", "path-outside: the path leaves the bundle"),
        (f"annotations: {{{WHERE}: /etc}}\n", "path-outside: the path leaves the bundle"),
        (f"annotations: {{{WHERE}: none}}\n", "file-missing: found no such folder in the bundle"),
        (f"annotations: {{{WHERE}: {'n' * 300}}}\n", "file-missing: found no such folder in the bundle"),
        ("annotations: [\n", "yaml-syntax: "),
    ],
)
def test_a_bundle_that_does_not_say_where_is_refused(here: Path, said: str, want: str) -> None:
    kits.write(here / "bundle", {"metadata/annotations.yaml": said, "manifests/a.yaml": CSV})
    wrong = told(read_shipped_tree("bundle"))
    assert len(wrong) == 1
    assert wrong[0].startswith("bundle/metadata/annotations.yaml:")
    assert want in wrong[0]


TREE = {
    "default/kustomization.yaml": "namePrefix: my-\nresources: [../base]\ncomponents: [../more]\n",
    "base/kustomization.yaml": (
        "resources: [a.yaml]\nconfigMapGenerator:\n- {name: params, envs: [params.env]}\n"
        "- {name: files, files: [key=a.txt]}\n"
    ),
    "base/a.yaml": config_map("a", word="x"),
    "base/a.txt": "text\n",
    "base/params.env": "# why\nIMAGE=example.com/a\n\nNAMESPACE=b=c\n",
    "more/kustomization.yaml": (
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{path: patch.yaml}]\n"
        "transformers: [last.yaml]\n"
    ),
    "more/patch.yaml": config_map("a", more="y").removeprefix("---\n"),
    "more/last.yaml": (
        "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: last}\n"
        "target: {kind: ConfigMap, name: a}\npatch: |-\n  - {op: add, path: /data/last, value: z}\n"
    ),
    "unused/kustomization.yaml": "resources: [github.com/example/a]\n",
}


@needs_kustomize
def test_a_folder_is_built(here: Path) -> None:
    kits.write(here / "config", TREE)
    read = read_shipped_tree("config/default")
    assert read.findings == ()
    assert [each.body["data"] for each in read.objects if each.manifest.id.name == "my-a"] == [
        {"word": "x", "more": "y", "last": "z"}
    ]
    assert {each.origin.file for each in read.objects} == {"config/default"}
    made = read.generated
    assert [(each.name, each.keys, each.file) for each in made] == [
        ("my-params", ("IMAGE", "NAMESPACE"), "config/base/kustomization.yaml")
    ]
    assert made[0].object.name.startswith("my-params-")
    assert made[0].object in {each.manifest.id for each in read.objects}


@needs_kustomize
def test_no_variable_of_the_caller_gets_into_an_object(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "s3cr3t")
    kits.write(
        here,
        {
            "kustomization.yaml": "configMapGenerator: [{name: a, envs: [a.env]}]\n",
            "a.env": "MY_TOKEN\nA=b\n",
        },
    )
    read = read_shipped_tree(".")
    assert read.findings == ()
    assert "s3cr3t" not in str([each.body for each in read.objects])


REMOTE = [
    "resources: ['{url}/a.yaml']",
    "Resources: ['{url}/a.yaml']",
    "re\u017fources: ['{url}/a.yaml']",
    "resources: ['{url}/a.git//x?ref=main']",
    "resources: ['git::{url}/a']",
    "resources: [github.com/example/a]",
    "resources: [GitHub.com/example/a]",
    "resources: ['git@example.com:a/b']",
    "resources: ['me@example.com:a/b.git']",
    "resources: ['ssh://example.com/a/b']",
    "resources: ['file:///tmp/a']",
    "resources: ['oci://example.com/a']",
    "resources: [example.com/a/b.git]",
    "resources: ['example.com/a/b?ref=main']",
    "resources: [dev.azure.com/a/_git/b]",
    "resources: ['gh:example/a']",
    "resources: '{url}/a.yaml'",
    "bases: ['{url}/a.git']",
    "components: ['{url}/a.git']",
    "patches: [{{path: '{url}/a.yaml'}}]",
    "patches: [{{<<: {{path: '{url}/a.yaml'}}}}]",
    "patches: [{{PATH: '{url}/a.yaml'}}]",
    "patchesStrategicMerge: ['{url}/a.yaml']",
    "patchesJson6902: [{{path: '{url}/a.yaml', target: {{kind: Service, name: a}}}}]",
    "configMapGenerator: [{{name: a, envs: ['{url}/a.env']}}]",
    "configMapGenerator: [{{name: a, env: '{url}/a.env'}}]",
    "configMapGenerator: [{{name: a, files: ['{url}/a.env']}}]",
    "configMapGenerator: [{{name: a, files: ['key={url}/a.env']}}]",
    "secretGenerator: [{{name: a, files: ['{url}/a.env']}}]",
    "replacements: [{{path: '{url}/a.yaml'}}]",
    "crds: ['{url}/a.yaml']",
    "configurations: ['{url}/a.yaml']",
    "openapi: {{path: '{url}/a.json'}}",
    "generators: ['{url}/a.yaml']",
    "transformers: ['{url}/a.yaml']",
    "validators: ['{url}/a.git']",
    "helmCharts: [{{name: a, repo: '{url}'}}]",
    "helmChartInflationGenerator: [{{chartName: a, chartRepoUrl: '{url}'}}]",
]
PLUGIN = "apiVersion: {api}\nkind: {kind}\nmetadata: {{name: a{notes}}}\n{more}"


def plugin(kind: str, more: str = "", *, api: str = "builtin", notes: str = "") -> str:
    return PLUGIN.format(api=api, kind=kind, more=more, notes=notes)


@pytest.mark.parametrize("text", REMOTE)
@pytest.mark.parametrize("file", ["top/kustomization.yaml", "base/kustomization.yml"])
def test_nothing_is_fetched(here: Path, server: Server, file: str, text: str) -> None:
    files = {"top/kustomization.yaml": "resources: [../base]\n", "base/kustomization.yml": "namePrefix: a-\n"}
    kits.write(here, {**files, file: f"namePrefix: a-\n{text.format(url=server.url)}\n"})
    wrong = told(read_shipped_tree("top"))
    assert server.asked == []
    assert len(wrong) == 1, wrong
    assert wrong[0].startswith(f"{file}:2 /")
    assert " tree-remote: found " in wrong[0]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (plugin("Exec", api="example.com/v1"), "tree-program"),
        (
            plugin("Run", notes=", annotations: {config.kubernetes.io/function: 'exec: {path: ./a}'}"),
            "tree-program",
        ),
        (plugin("HelmChartInflationGenerator", "name: a\n"), "tree-remote"),
        (plugin("PatchTransformer", "path: 'http://127.0.0.1/a.yaml'\n"), "tree-remote"),
        (plugin("ReplacementTransformer", "replacements: [{path: 'http://127.0.0.1/a'}]\n"), "tree-remote"),
        (plugin("ReplacementTransformer", "Replacements: [{path: 'http://127.0.0.1/a'}]\n"), "tree-remote"),
        (plugin("ConfigMapGenerator", "files: ['a=http://127.0.0.1/a']\n"), "tree-remote"),
    ],
)
@pytest.mark.parametrize("where", ["file", "folder", "inline"])
def test_no_program_is_run(here: Path, text: str, rule: str, where: str) -> None:
    said = {"file": "a.yaml", "folder": "plugins"}.get(where, json.dumps(text))
    kits.write(
        here / "top",
        {
            "kustomization.yaml": f"transformers: [{said}]\n",
            "a.yaml": text,
            "plugins/kustomization.yaml": "resources: [../a.yaml]\n",
        },
    )
    wrong = told(read_shipped_tree("top"))
    assert len(wrong) == 1, wrong
    assert f" {rule}: found " in wrong[0]
    assert wrong[0].startswith("top/kustomization.yaml:1 /" if where == "inline" else "top/a.yaml:")


PATCHED = plugin("PatchTransformer", "target: {kind: ConfigMap}\npath: a.yaml\n")
TURNED = "{{op: replace, path: /path, value: '{url}/a.yaml'}}"
CHANGED = [
    f'patches: [{{{{target: {{{{kind: PatchTransformer}}}}, patch: "[{TURNED}]"}}}}]',
    "Replacements: [{{path: more.yaml}}]",
    "transformers: [more.yaml]",
    "commonAnnotations: {{config.kubernetes.io/function: 'exec: {{path: ./a}}'}}",
    "configMapGenerator: [{{name: a, literals: ['path={url}/a.yaml']}}]",
]


@pytest.mark.parametrize("text", CHANGED)
@pytest.mark.parametrize("field", ["generators", "transformers", "validators"])
def test_what_kustomize_is_told_to_do_is_not_changed_unseen(
    here: Path, server: Server, field: str, text: str
) -> None:
    kits.write(
        here / "top",
        {
            "kustomization.yaml": f"resources: [b.yaml]\n{field}: [plugins]\n",
            "a.yaml": "",
            "b.yaml": config_map("b"),
            "plugins/kustomization.yaml": f"resources: [p.yaml]\n{text.format(url=server.url)}\n",
            "plugins/p.yaml": PATCHED,
            "plugins/more.yaml": plugin("LabelTransformer", "labels: {a: b}\n"),
        },
    )
    wrong = told(read_shipped_tree("top"))
    assert server.asked == []
    assert len(wrong) == 1, wrong
    assert wrong[0].startswith("top/plugins/kustomization.yaml:2 /")
    assert " tree-program: found " in wrong[0]


def test_what_stands_in_a_kustomization_is_looked_at_whatever_file_is_called_so(
    here: Path, server: Server
) -> None:
    said = f"{{apiVersion: builtin, kind: PatchTransformer, metadata: {{name: a}}, path: '{server.url}/a'}}"
    kits.write(
        here / "top",
        {
            "kustomization.yaml": f"resources: [b.yaml]\ntransformers: [{json.dumps(said)}]\n",
            "b.yaml": config_map("b"),
            os.path.normpath(said): plugin("LabelTransformer", "labels: {a: b}\n"),
        },
    )
    wrong = told(read_shipped_tree("top"))
    assert server.asked == []
    assert len(wrong) == 1, wrong
    assert " tree-remote: found " in wrong[0]


@needs_kustomize
def test_local_names_that_look_like_repositories_are_read(here: Path) -> None:
    kits.write(
        here,
        {
            "top/kustomization.yaml": "resources: [../a.git/b, me@b.yaml]\n",
            "top/me@b.yaml": config_map("b"),
            "a.git/b/kustomization.yaml": "resources: [a.yaml]\n",
            "a.git/b/a.yaml": config_map("a"),
        },
    )
    read = read_shipped_tree("top")
    assert (names(read), read.findings) == (["ConfigMap/a", "ConfigMap/b"], ())


@needs_kustomize
@pytest.mark.parametrize(
    "files",
    [
        {"kustomization.yaml": "resources: [none.yaml]\n"},
        {"kustomization.yaml": "resources: [../top]\n"},
        {"kustomization.yaml": "resources: [../outside.yaml]\n", "../outside.yaml": config_map("a")},
        {"kustomization.yaml": "nonsense: true\n"},
        {"kustomization.yaml": "patches: [{path: none.yaml}]\n"},
        {"kustomization.yaml": "namePrefix: a-\n", "kustomization.yml": "namePrefix: b-\n"},
    ],
)
def test_what_kustomize_says_is_told_in_one_line(here: Path, files: dict[str, str]) -> None:
    kits.write(here / "top", files)
    wrong = told(read_shipped_tree("top"))
    assert len(wrong) == 1
    assert wrong[0].startswith("top/kustomization.yaml:1  tree-build: kustomize cannot build it: ")
    assert "\n" not in wrong[0]
    assert not wrong[0].endswith((":", ",", "`", " ", ">"))  # a long one is cut anywhere


def test_a_replacement_without_its_source_is_told_where_it_stands(here: Path) -> None:
    source = "replacements:\n- source:\n    kind: ConfigMap\n    fieldPath: data.image\n"
    replacing = f"{source}  targets: [{{select: {{kind: ConfigMap}}, fieldPaths: [metadata.name]}}]\n"
    files = {"kustomization.yaml": f"resources: [a.yaml]\n{replacing}", "a.yaml": config_map("a")}
    kits.write(here / "top", files)
    (wrong,) = told(read_shipped_tree("top"))
    assert wrong.startswith("top/kustomization.yaml:5  tree-build: ")


def test_what_is_no_honest_tree_is_not_built(here: Path) -> None:
    kits.write(here / "top", {"kustomization.yaml": "resources: [pipe, big.yaml]\n", "big.yaml": ""})
    os.mkfifo(here / "top/pipe")
    assert "file-kind: found something that is not a file" in told(read_shipped_tree("top"))[0]
    (here / "top/kustomization.yaml").write_text("resources: [big.yaml]\n")
    os.truncate(here / "top/big.yaml", 2**40)
    assert "file-size: found more than 48 MiB" in told(read_shipped_tree("top"))[0]
    (here / "top/kustomization.yaml").write_text("resources: [\n")
    assert "top/kustomization.yaml:1 /resources/0 yaml-syntax: " in told(read_shipped_tree("top"))[0]
    many = ", ".join(f"github.com/a/b{number}" for number in range(1_200))
    (here / "top/kustomization.yaml").write_text(f"resources: [{many}]\n")
    assert len(read_shipped_tree("top", ReadBudget()).findings) <= 1_010


@needs_kustomize
def test_links_lead_where_kustomize_follows_them(here: Path, server: Server) -> None:
    kits.write(here, {"real/kustomization.yaml": f"resources: ['{server.url}/a.yaml']\n"})
    kits.write(here, {"top/kustomization.yaml": "resources: [linked]\n"})
    (here / "top/linked").symlink_to(here / "real")
    assert told(read_shipped_tree("top"))[0].startswith(
        "real/kustomization.yaml:1 /resources/0 tree-remote: "
    )
    assert server.asked == []


SELF = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: &a\n  b: *a\n"
DOUBLED = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))


@pytest.mark.parametrize("text", [SELF, DOUBLED], ids=["itself", "doubled"])
@pytest.mark.parametrize("field", ["resources", "patchesStrategicMerge", "patches", "inline"])
def test_aliases_that_kustomize_would_follow_for_ever(here: Path, field: str, text: str) -> None:
    inner = "".join(f"    {line}\n" for line in text.splitlines())
    said = {
        "patches": "patches:\n- path: b.yaml\n",
        "inline": f"patches:\n- target: {{kind: ConfigMap}}\n  patch: |\n{inner}",
    }
    top = said.get(field, f"{field}: [b.yaml]\n")
    kits.write(here, {"top/kustomization.yaml": top, "top/b.yaml": text})
    wrong = told(read_shipped_tree("top"))
    assert len(wrong) == 1, wrong
    assert wrong[0].startswith("top/kustomization.yaml:" if field == "inline" else "top/b.yaml:")
    assert (" yaml-syntax: " if text is SELF else " yaml-limit: ") in wrong[0]


def test_what_only_looks_like_an_alias_is_built(here: Path) -> None:
    script = "case $1 in *x) ;; *) & ;; esac\n"
    top = "resources: [b.yaml]\nconfigMapGenerator:\n- {name: c, files: [run.sh]}\n"
    body = config_map("b", a="a *b") + "other: [&d e, *d]\n"
    kits.write(here, {"top/kustomization.yaml": top, "top/b.yaml": body, "top/run.sh": script})
    assert told(read_shipped_tree("top")) == []


LIST, ITEM = "{apiVersion: v1, kind: List, items: []}", "{apiVersion: v1, kind: ConfigMap},"


@pytest.mark.parametrize(
    ("top", "body"),
    [
        ("resources: [b.yaml]\n", config_map("b") * 4_000),
        ("resources: [b.yaml]\n", LIST.replace("[]", f"[{ITEM * 4_000}]")),
        ("resources: [b.yaml, c]\npatches:\n" + "- {path: c.yaml}\n" * 5_000, config_map("b") * 1_000),
        (f"resources: [{', '.join(['c'] * 4_000)}]\n", ""),
    ],
    ids=["documents", "a list", "patches", "a folder over and over"],
)
def test_what_kustomize_would_take_long_for(here: Path, top: str, body: str) -> None:
    files = {"top/kustomization.yaml": top, "top/b.yaml": body, "top/c.yaml": config_map("b")}
    inner = {"top/c/kustomization.yaml": "resources: [d.yaml]\n", "top/c/d.yaml": config_map("d")}
    kits.write(here, {**files, **inner})
    assert told(read_shipped_tree("top")) == [
        "top:1  file-size: found more objects, patches and the like than kustomize would build in seconds, "
        "expected fewer"
    ]


@needs_kustomize
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits what another process uses")
def test_kustomize_has_so_many_seconds_of_the_processor(here: Path) -> None:
    maps = "".join(config_map(f"b{number}") for number in range(2_500))
    kits.write(here, {"top/kustomization.yaml": "resources: [b.yaml]\n", "top/b.yaml": maps})
    intake = ReadBudget()
    intake.seconds = 0.5
    with pytest.raises(KitgenError, match="cannot build top: kustomize took too much processor time"):
        read_shipped_tree("top", intake)
