"""Sources: one vocabulary, taken apart and put together without loss, and resolved alike everywhere."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import kits
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import run
from some import rows

from kitgen.findings.errors import FindingsError, UsageError
from kitgen.workspace.crd_sources import read_source_crds
from kitgen.workspace.sources import FORMS, Kits, SourceKind, SourceName, parse_source

NAMES = st.from_regex(r"[a-z0-9]([a-z0-9.-]{0,8}[a-z0-9])?", fullmatch=True)
VERSIONS = NAMES.map(lambda name: f"v{name}")
REVISIONS = st.one_of(st.just(""), st.from_regex(r"[A-Za-z0-9][A-Za-z0-9/_.~^@{}-]{0,12}", fullmatch=True))
OF_KIT = st.one_of(
    st.builds(
        SourceName,
        kind=st.just(SourceKind.TARGET),
        name=NAMES,
        version=st.one_of(st.just(""), VERSIONS),
        revision=REVISIONS,
    ),
    st.builds(
        SourceName,
        kind=st.just(SourceKind.TARGET),
        name=NAMES,
        component=NAMES,
        version=st.one_of(st.just(""), VERSIONS),
        component_version=st.one_of(st.just(""), VERSIONS),
        revision=REVISIONS,
    ),
    st.builds(
        SourceName, kind=st.just(SourceKind.COMPONENT), name=NAMES, version=VERSIONS, revision=REVISIONS
    ),
    st.builds(SourceName, kind=st.just(SourceKind.RELEASE), name=VERSIONS, revision=REVISIONS),
    st.builds(SourceName, kind=st.just(SourceKind.KIT), revision=REVISIONS.filter(bool)),
    st.builds(SourceName, kind=st.just(SourceKind.PLAIN), name=NAMES, revision=REVISIONS),
)
HERE = st.one_of(
    st.builds(SourceName, kind=st.just(SourceKind.PATH), name=st.text(min_size=1)),
    st.just(SourceName(kind=SourceKind.STDIN)),
)

GREETING = "---\napiVersion: example.com/v1\nkind: Greeting\nmetadata: {name: a, namespace: b}\n"


@given(st.one_of(OF_KIT, HERE))
def test_a_source_is_written_and_read_without_loss(name: SourceName) -> None:
    assert parse_source(str(name)) == name


@given(st.one_of(st.text(), st.sampled_from(["git:", *(f"{kind}:" for kind in FORMS)]).flatmap(
    lambda prefix: st.text(alphabet="a/@=:-.").map(prefix.__add__)
)))  # fmt: skip
def test_what_is_read_is_what_was_written(text: str) -> None:
    try:
        assert str(parse_source(text)) == text
    except UsageError as error:
        assert "is no source" in error.message


@rows(
    ("text", "hint"),
    [
        ("target:", "expected target:NAME"),
        ("target:odh/", "expected target:NAME"),
        ("target:odh@", "expected target:NAME"),
        ("target:odh@v1/kueue@v1", "expected target:NAME"),
        ("target:odh=v1", "expected target:NAME"),
        ("target:odh/kueue=", "expected target:NAME"),
        ("target:odh/kueue=v1@v1", "expected target:NAME"),
        ("component:kuberay", "expected component:NAME@VERSION"),
        ("release:", "expected release:NAME"),
        ("path:", "expected path:FILE"),
        ("git:main:-", "git show REF:FILE"),
        ("git:main:path:a.yaml", "git show REF:FILE"),
        ("git:main:git:main", "git show REF:FILE"),
    ],
)
def test_what_is_no_source_says_what_is_expected(text: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_source(text)
    assert (text in error.value.message, hint in error.value.hint) == (True, True)


@rows("text", ["git:", "git::target:a", "git:main:"])
def test_a_revision_needs_a_name(text: str) -> None:
    with pytest.raises(UsageError, match="expected git:REF or git:REF:SOURCE"):
        parse_source(text)


def git(root: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", root, *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a kit that was committed, and in which a target says something else since."""
    kit = kits.make_kit(tmp_path)
    git(kit, "init", "-q", "-b", "main")
    git(kit, "add", "-A")
    git(kit, "commit", "-q", "-m", "all")
    olm = kit / "targets/olm.yaml"
    olm.write_text("target: olm\nrelease: v1.0.0\ncomponents: {hello: {replicas: 7}}\n")
    monkeypatch.chdir(kit)
    return kit


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("olm", "target:olm"),
        ("olm/hello", "target:olm/hello"),
        ("olm@v1.0.0", "target:olm@v1.0.0"),
        ("olm@v1.0.0/hello", "target:olm@v1.0.0/hello"),
        ("olm/hello=v1.0.0", "target:olm/hello=v1.0.0"),
        ("hello@v1.0.0", "component:hello@v1.0.0"),
        ("kit.yaml", "path:kit.yaml"),
        ("olm/other", "path:olm/other"),
        ("olm/none", "target:olm/none"),
        ("git:main:olm", "git:main:target:olm"),
        ("git:main", "git:main"),
        ("-", "-"),
    ],
)
def test_without_a_prefix_the_first_that_exists_is_meant(root: Path, text: str, want: str) -> None:
    kits.write(root, {"olm/other": "", "olm@v1.0.0": "", "hello@v1.0.0": ""})
    assert str(Kits(root).resolve(parse_source(text))) == want


@pytest.fixture
def two(root: Path) -> Path:
    """Return the kit with a release v2.0.0, which has hello v1.0.0, and with hello v2.0.0 and v3.0.0."""
    spec = (root / "components/hello/v1.0.0/component.yaml").read_text()
    release = (root / "releases/v1.0.0.yaml").read_text()
    for version in ("v2.0.0", "v3.0.0"):
        text = spec.replace("version: v1.0.0", f"version: {version}").replace(":v1.0.0", f":{version}")
        kits.write(root, {f"components/hello/{version}/component.yaml": text})
    kits.write(root, {"releases/v2.0.0.yaml": release.replace("release: v1.0.0", "release: v2.0.0")})
    return root


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("olm/hello@v2.0.0", "target:olm@v2.0.0/hello"),
        ("target:olm/hello@v2.0.0", "target:olm@v2.0.0/hello"),
        ("olm@v2.0.0/hello", "target:olm@v2.0.0/hello"),
        ("olm/hello=v2.0.0", "target:olm/hello=v2.0.0"),
        ("olm@v2.0.0/hello=v3.0.0", "target:olm@v2.0.0/hello=v3.0.0"),
    ],
)
def test_a_version_of_a_component_is_told_from_a_release(two: Path, text: str, want: str) -> None:
    assert str(Kits(two).resolve(parse_source(text))) == want


def test_a_version_of_a_component_is_built_as_the_target_takes_it(two: Path) -> None:
    built = {
        each: run("build", each, "--root", two)
        for each in ("olm@v2.0.0/hello", "olm/hello=v2.0.0", "olm@v2.0.0/hello=v3.0.0")
    }
    assert [each.code for each in built.values()] == [0, 0, 0], built
    versions = [
        each.out.partition("image: ")[2].splitlines()[0].rpartition(":")[2] for each in built.values()
    ]
    assert versions == ["v1.0.0", "v2.0.0", "v3.0.0"]
    assert all("replicas: 7" in each.out for each in built.values())
    listed = run("images", "list", "olm/hello=v3.0.0", "-o", "json", "--root", two)
    assert (listed.code, ":v3.0.0" in listed.out) == (0, True)
    wrong = run("build", "olm/hello=v9.0.0", "--root", two)
    assert (wrong.code, "no version of hello 'v9.0.0'" in wrong.err) == (2, True)


def test_what_is_built_from_a_revision_is_what_was_committed(root: Path) -> None:
    assert "replicas: 7" in run("build", "olm", "--root", root).out
    then = run("build", "git:main:olm", "--root", root)
    assert (then.code, "replicas: 7" in then.out) == (0, False)
    git(root, "commit", "-a", "-q", "-m", "seven")
    assert run("build", "git:main:target:olm", "--root", root) == run("build", "olm", "--root", root)
    assert (
        run("build", "git:main~1:target:olm/hello@v1.0.0").out == run("build", "git:main~1:olm", "hello").out
    )


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (["release:v1.0.0"], "is neither a target nor a component"),
        (["path:kit.yaml"], "is neither a target nor a component"),
        (["target:olm/hello", "hello"], "target:olm/hello takes no 'hello' beside it"),
        (["target:olm@v1.0.0", "--release", "v1.0.0"], "takes no 'v1.0.0' beside it"),
        (["component:hello@v1.0.0", "hello"], "takes no 'hello' beside it"),
        (["component:hello@v9.0.0"], "no version of hello 'v9.0.0' in this kit"),
        (["olmm"], "no target 'olmm' in this kit (hint: did you mean 'olm'?)"),
        (["./olm"], "no target './olm' in this kit"),
        (["hello"], "no target 'hello' in this kit (hint: a component is written hello@VERSION)"),
        (["git:none:olm"], "no revision 'none' in this repository"),
    ],
)
def test_what_cannot_be_built_is_told(root: Path, source: list[str], told: str) -> None:
    result = run("build", *source, "--root", root)
    assert (result.code, result.out, told in result.err) == (2, "", True), result.err


@pytest.mark.parametrize(
    "source",
    [
        "target:olm",
        "target:olm/hello",
        "component:hello@v1.0.0",
        "release:v1.0.0",
        "git:main",
        "git:main:olm",
    ],
)
def test_every_source_is_checked(root: Path, source: str) -> None:
    result = run("check", "-o", "lines", source)
    assert (result.code, result.out) == (0, ""), result.out
    assert int(result.err.split()[0]) > 0


def test_findings_of_a_revision_say_so(root: Path) -> None:
    (root / "targets/olm.yaml").write_text(
        "target: olm\nrelease: v1.0.0\ncomponents: {hello: {replica: 7}}\n"
    )
    git(root, "commit", "-a", "-q", "-m", "wrong")
    (root / "targets/olm.yaml").write_text("# fixed\n\n\ntarget: olm\nrelease: v1.0.0\n")
    result = run("check", "-o", "lines", "git:main", "odh")
    assert (result.code, result.out.splitlines()[0].split(": ")[:2]) == (
        1,
        ["main:targets/olm.yaml:3 /components/hello/replica", "spec-unknown-key"],
    )
    (root / "targets/olm.yaml").write_text(
        "target: olm\nrelease: v1.0.0\ncomponents: {hello: {features: [a]}}\n"
    )
    git(root, "commit", "-a", "-q", "-m", "wrong in another way")
    (root / "targets/olm.yaml").write_text("target: olm\nrelease: v1.0.0\n")
    result = run("check", "-o", "lines", "odh", "git:main:target:olm")
    assert (result.code, result.out.split(": ")[:2]) == (
        1,
        ["main:targets/olm.yaml:3 /components/hello/features/0", "feature-unknown"],
    )


def test_a_revision_of_an_older_form_is_read_as_if_it_were_upgraded(root: Path) -> None:
    kit = root / "kit.yaml"
    now = kit.read_text()
    kit.write_text(now.replace("format: 2\n", ""))
    git(root, "commit", "-a", "-q", "-m", "old")
    kit.write_text(now)
    assert run("build", "git:main:olm") == run("build", "olm")
    kit.write_text(now.replace("format: 2\n", "format: 99\n"))
    git(root, "commit", "-a", "-q", "-m", "new")
    kit.write_text(now)
    result = run("build", "git:main:olm")
    assert (result.code, result.err.startswith("main:kit.yaml:2 /format: kit-format: ")) == (1, True)


def test_crds_of_sources(root: Path) -> None:
    crds = "components/hello/v1.0.0/crds"
    other = (root / crds / "greetings.yaml").read_text().replace("reeting", "ardening")
    spec = "component: other\nversion: v1.0.0\nkubernetes: '1.29'\n"
    kits.write(
        root,
        {
            "components/other/v1.0.0/component.yaml": spec,
            "components/other/v1.0.0/crds/gardenings.yaml": other,
            "releases/v1.0.0.yaml": "release: v1.0.0\ncomponents: {hello: v1.0.0, other: v1.0.0}\n",
        },
    )
    names = {
        text: sorted(body["metadata"]["name"] for body in read_source_crds(Kits(root), parse_source(text)))
        for text in ("component:hello@v1.0.0", "target:odh", "target:odh/hello", "release:v1.0.0", "git:main")
    }
    own, both = ["greetings.example.com"], ["gardenings.example.com", "greetings.example.com"]
    assert names == {
        "component:hello@v1.0.0": own,
        "target:odh": both,
        "target:odh/hello": own,
        "release:v1.0.0": both,
        "git:main": own,
    }


def test_a_release_has_the_crds_that_its_targets_get(root: Path) -> None:
    """Of a component that every target leaves to others, a cluster gets none from this kit."""
    for name in ("odh", "olm", "rhoai"):
        file = root / f"targets/{name}.yaml"
        if file.exists():
            removed = "components: {hello: {managementState: Removed}}\n"
            file.write_text(f"target: {name}\nrelease: v1.0.0\n{removed}")
    result = run("crd", "diff", "git:main:release:v1.0.0", "release:v1.0.0")
    assert (result.code, "crd-removed" in result.out) == (1, True), result.out + result.err


def test_the_whole_kit_of_a_revision_has_crds(root: Path) -> None:
    assert run("crd", "outline", "git:main").out == run("crd", "outline").out != ""
    assert run("crd", "diff", "git:main", "git:main").out == "no changes\n"
    (root / "greeting.yaml").write_text(GREETING)
    assert run("crd", "validate", "-o", "lines", "greeting.yaml", "--crds", "git:main").code == 0


def test_of_a_crd_in_several_versions_of_a_kit_the_newest_is_compared(root: Path) -> None:
    newer = root / "components/hello/v1.1.0"
    shutil.copytree(root / "components/hello/v1.0.0", newer)
    for spec in newer.rglob("*.yaml"):
        spec.write_text(spec.read_text().replace("v1.0.0", "v1.1.0").replace("Namespaced", "Cluster"))
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "newer")
    assert run("crd", "diff", "git:main", "hello@v1.1.0").out == "no changes\n"
    assert run("crd", "diff", "git:main", "hello@v1.0.0").out != "no changes\n"


@pytest.mark.parametrize(
    "source",
    [
        "component:hello@v1.0.0",
        "target:olm",
        "release:v1.0.0",
        "git:main:target:olm",
        "git:main:hello@v1.0.0",
    ],
)
def test_crds_of_sources_are_compared(root: Path, source: str) -> None:
    (root / "crds.yaml").write_text(run("build", "component:hello@v1.0.0").out)
    for old, new in ((source, "path:crds.yaml"), ("hello@v1.0.0", source)):
        result = run("crd", "diff", old, new)
        assert (result.code, "breaking" in result.out) == (0, False), result.out + result.err
    assert run("crd", "outline", source, "-q").out == run("crd", "outline", "crds.yaml").out
    (root / "greeting.yaml").write_text(GREETING)
    assert run("crd", "validate", "-o", "lines", "greeting.yaml", "--crds", source).code == 0


def test_what_can_only_be_a_path_asks_no_kit(root: Path) -> None:
    (root / "crds.yaml").write_text(run("build", "component:hello@v1.0.0").out)
    (root / "targets/odh.yaml").write_text("target: [\n")
    assert run("crd", "outline", "crds.yaml").code == run("crd", "diff", "./crds.yaml", "crds.yaml").code == 0


def test_a_release_counts_once(root: Path) -> None:
    both = run("check", "-o", "lines", "target:olm", "target:odh@v1.0.0", "release:v1.0.0")
    assert (both.code, "release" in both.err) == (0, False), both.err


def test_a_source_of_a_kit_needs_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("check", "-o", "lines", "target:odh")
    assert (result.code, result.err) == (2, "error: target:odh needs a kit, and there is none here\n")


def test_wrong_specs_stop_what_is_named(root: Path) -> None:
    (root / "targets/odh.yaml").write_text("target: [\n")
    with pytest.raises(FindingsError):
        Kits(root).resolve(parse_source("odh"))


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["check", "git:main:hello"], "no target 'hello' in this kit (hint: a component is written hello@"),
        (["crd", "outline", "none/foo.yaml"], "no such file or folder: 'none/foo.yaml'"),
        (["crd", "outline", "git:main:greeting"], "no CRD 'greeting' in this kit (hint: did you mean"),
        (["check", "release:v1.0.0", "--release", "v2.0.0"], "names a release already"),
        (["check", "hello@v1.0.0", "--release", "v1.0.0"], "component:hello@v1.0.0 is of no release"),
    ],
)
def test_what_is_wrongly_named_is_told(root: Path, command: list[str], told: str) -> None:
    (root / "releases/v2.0.0.yaml").write_text(
        (root / "releases/v1.0.0.yaml").read_text().replace("v1", "v2", 1)
    )
    result = run(*command)
    assert (result.code, result.out, told in result.err) == (2, "", True), result.err


def test_a_component_in_a_target_is_checked_for_the_minors_that_are_asked_for(root: Path) -> None:
    flow = "apiVersion: flowcontrol.apiserver.k8s.io/v1\n  kind: FlowSchema\n  metadata: {name: hello}\n"
    with (root / "components/hello/v1.0.0/component.yaml").open("a") as spec:
        spec.write(f"objects:\n- {flow}  spec: {{priorityLevelConfiguration: {{name: exempt}}}}\n")
    kit = root / "kit.yaml"
    kit.write_text(kit.read_text().replace(">=1.29 <=1.30", ">=1.28 <=1.30"))
    for source in ("target:olm/hello", "target:olm", "component:hello@v1.0.0"):
        assert "kubernetes-api" in run("check", "-o", "lines", source).out
        asked = run("check", "-o", "lines", source, "--kubernetes", ">=1.29 <=1.30")
        assert (asked.code, asked.out) == (0, ""), asked.out


def test_warnings_reach_whoever_builds_and_exports(root: Path) -> None:
    spec = root / "components/hello/v1.0.0/component.yaml"
    spec.write_text(spec.read_text().replace("core/configmaps: read", "core/configmaps: get frobnicate"))
    git(root, "commit", "-q", "-a", "-m", "a new verb")
    for command in (["build", "odh"], ["export", "odh", root / "exported"]):
        told = run(*command)
        assert (told.code, told.err.split(": ")[1:3]) == (0, ["warning", "verb-unknown"]), told.err
        assert "verb-unknown" not in told.out + run(*command, "--quiet").err
    assert run("build", "git:main:odh").err.startswith("main:components/hello/v1.0.0/component.yaml:")
