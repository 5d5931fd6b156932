"""kitgen mirror writes what carries images into a mirror, and refuses what would not work there."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import normal
import pytest
from running import Run, run

from kitgen.files import programs
from kitgen.text.yaml import JsonObject, read_yaml, read_yaml_documents

REGISTRY = "registry.example.com:5000/mirror"
SHA = "sha256:" + "a" * 64
BUNDLE = kits.CASES / "valid" / "olm-bundle"
RUNTIME = """\
runtimeImages:
  proxy:
    image: quay.io/example/proxy:v2
    source: code of the operator
    variable: PROXY_IMAGE
  notebook:
    image: quay.io/example/notebook:v3
    source: people who name no other
"""
CONFIG = """\
configMap: config
key: config.yaml
fields:
  helper: {type: string, format: image, default: "quay.io/example/helper:v4"}
"""


@pytest.fixture
def olm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kit with a bundle, and a catalog that offers it."""
    root = kits.make_kit(tmp_path / "kit", BUNDLE)
    monkeypatch.chdir(root)
    return root


def mirror(kit: Path, *more: object, target: str = "olm", registry: str = REGISTRY) -> Run:
    return run("mirror", target, "--registry", registry, "--out", kit.parent / "out", *more)


def said(kit: Path, name: str) -> JsonObject:
    (found,) = [each for each in read_yaml_documents((kit.parent / "out" / name).read_text()) if each]
    return found


def add(kit: Path, text: str) -> None:
    with (kit / "components/hello/v1.0.0/component.yaml").open("a") as stream:
        stream.write(text)


def replace(kit: Path, name: str, old: str, new: str) -> None:
    path = kit / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_a_folder_with_all_that_is_needed(kit: Path) -> None:
    made = mirror(kit)
    assert made == Run(
        code=0, out="", err=f"1 image of olm v1.0.0, 6 files changed in {kit.parent / 'out'}\n"
    )
    before = kits.contents(kit.parent / "out")
    assert {name for name in before if name[0] != "."} == {
        "README.md",
        "images.txt",
        "imageset-config.yaml",
        "mapping.txt",
        "mirror-sets.yaml",
        "skopeo-sync.yaml",
    }
    assert "1 image of olm v1.0.0, 0 files changed" in mirror(kit).err
    assert kits.contents(kit.parent / "out") == before


def test_what_is_no_longer_needed_goes_and_what_people_put_there_stays(kit: Path) -> None:
    assert mirror(kit).code == 0
    (kit.parent / "out/disk").mkdir()
    (kit.parent / "out/disk/archive.tar").write_text("images")
    assert mirror(kit, "--rewrite").code == 0
    assert not (kit.parent / "out/mirror-sets.yaml").exists()
    assert (kit.parent / "out/disk/archive.tar").read_text() == "images"


def test_objects_for_the_cluster_fit_their_kinds(olm: Path) -> None:
    add(olm, RUNTIME.replace(":v2", f"@{SHA}"))
    assert mirror(olm, "--never-contact-source").code == 0
    names = ("mirror-sets.yaml", "catalog-source.yaml", "operator-hub.yaml")
    checked = run("check", *(olm.parent / "out" / name for name in names))
    assert (checked.code, checked.out) == (0, ""), checked
    text = (olm.parent / "out/mirror-sets.yaml").read_text()
    assert "example/catalog" not in text, "the CatalogSource names the mirror itself"
    sets = [each for each in read_yaml_documents(text) if each]
    assert [each["metadata"]["name"] for each in sets] == ["kitgen-olm"] * 2
    policies = {each["mirrorSourcePolicy"] for one in sets for some in one["spec"].values() for each in some}
    assert policies == {"NeverContactSource"}


def test_a_bundle_is_taken_from_its_catalog(olm: Path) -> None:
    assert mirror(olm).code == 0
    config = said(olm, "imageset-config.yaml")
    assert config["apiVersion"] == "mirror.openshift.io/v2alpha1"
    assert config["mirror"]["operators"] == [
        {
            "catalog": "quay.io/example/catalog:v1",
            "packages": [
                {
                    "name": "hello-operator",
                    "channels": [{"name": "stable", "minVersion": "1.0.0", "maxVersion": "1.0.0"}],
                }
            ],
        }
    ]
    images = [each["name"] for each in config["mirror"]["additionalImages"]]
    assert images == ["quay.io/example/hello-bundled:v1.0.0", "quay.io/example/hello:v1.0.0"]
    source = said(olm, "catalog-source.yaml")
    assert source["metadata"] == {"name": "hello-catalog", "namespace": "olm"}
    assert source["spec"]["image"] == f"{REGISTRY}/example/catalog:v1"
    assert said(olm, "operator-hub.yaml")["spec"] == {"disableAllDefaultSources": True}


def test_another_catalog_and_channel(olm: Path) -> None:
    replace(olm, "targets/olm.yaml", "channel: stable\n", "channel: fast\n")
    catalog = f"registry.redhat.io/redhat/community-operator-index@{SHA}"
    assert mirror(olm, "--catalog", catalog, "--scoped").code == 0
    (operator,) = said(olm, "imageset-config.yaml")["mirror"]["operators"]
    assert operator["catalog"] == catalog
    assert operator["targetCatalog"] == "registry.redhat.io/redhat/community-operator-index"
    assert operator["targetTag"] == "sha256-aaaaaaaaaaaa"
    assert operator["packages"][0]["defaultChannel"] == "fast"
    names = [each["name"] for each in said(olm, "imageset-config.yaml")["mirror"]["additionalImages"]]
    assert not any("catalog" in name for name in names)
    assert said(olm, "catalog-source.yaml")["metadata"]["name"] == "hello-catalog"
    assert "podman login registry.redhat.io" in (olm.parent / "out/README.md").read_text()


def test_a_catalog_of_openshift_gets_another_name(olm: Path) -> None:
    said_there = '  catalog: {name: hello-catalog, namespace: olm, image: "quay.io/example/catalog:v1"}\n'
    replace(olm, "targets/olm.yaml", said_there, "")
    assert mirror(olm, "--catalog", f"registry.redhat.io/redhat/community-operator-index@{SHA}").code == 0
    name = "cs-community-operator-index-aaaaaaaaaaaa"
    assert said(olm, "catalog-source.yaml")["metadata"]["name"] == name
    text = (olm.parent / "out/README.md").read_text()
    assert "turns off the catalogs that OpenShift comes with, community-operators among them" in text
    assert f"`source: {name}` and `sourceNamespace: openshift-marketplace`" in text


COMMUNITY = "  community: {reviewers: [team], catalogs: [v4.9, v4.16, v4.15]}\n"


@pytest.mark.parametrize(
    ("bundle", "catalog", "image"),
    [
        ("", "", "community-operator-index:v4.17"),
        (COMMUNITY, "", "community-operator-index:v4.16"),
        ("  openshift: v4.12-v4.15\n", "", "community-operator-index:v4.15"),
        ("  openshift: v4.12\n", "", "community-operator-index:v4.17"),
        ("  openshift: v4.19\n", "", "community-operator-index:v4.19"),
        ("  openshift: =v4.14\n", "", "community-operator-index:v4.14"),
        ("", "  catalog: {name: redhat-operators}\n", "redhat-operator-index:v4.17"),
    ],
    ids=["kubernetes", "community", "range", "from", "later", "one", "another"],
)
def test_openshift_has_the_catalog_that_nobody_names(
    olm: Path, bundle: str, catalog: str, image: str
) -> None:
    said_there = '  catalog: {name: hello-catalog, namespace: olm, image: "quay.io/example/catalog:v1"}\n'
    replace(olm, "targets/olm.yaml", said_there, catalog)
    replace(olm, "targets/olm.yaml", "  package: hello-operator\n", f"  package: hello-operator\n{bundle}")
    made = mirror(olm)
    version = image.partition(":v")[2]
    assert (made.code, "warning" in made.err) == (0, False), made
    assert f"the catalog is registry.redhat.io/redhat/{image}; for another OpenShift than {version}, say" in (
        made.err
    )
    assert said(olm, "catalog-source.yaml")["spec"]["image"] == f"{REGISTRY}/redhat/{image}"
    assert said(olm, "operator-hub.yaml")["spec"] == {"disableAllDefaultSources": True}
    (operator,) = said(olm, "imageset-config.yaml")["mirror"]["operators"]
    assert operator["catalog"] == f"registry.redhat.io/redhat/{image}"
    text = (olm.parent / "out/README.md").read_text()
    assert f"The catalog is that of OpenShift {version}; for another one" in text
    assert "leave that one out" not in text


def test_a_catalog_source_of_the_target_itself_is_told(olm: Path) -> None:
    assert mirror(olm).code == 0
    told = "`overlays/olm/install` has a CatalogSource too: leave that one out"
    assert told in (olm.parent / "out/README.md").read_text()


def test_a_bundle_without_a_catalog_is_told(olm: Path) -> None:
    replace(olm, "targets/olm.yaml", ', image: "quay.io/example/catalog:v1"', "")
    made = mirror(olm)
    assert (made.code, made.err.count(": warning: mirror-catalog: ")) == (0, 1)
    assert "operators" not in said(olm, "imageset-config.yaml")["mirror"]
    assert not (olm.parent / "out/catalog-source.yaml").exists()


def test_images_of_examples_are_left_out(olm: Path) -> None:
    example = olm / "components/hello/v1.0.0/examples/greeting.yaml"
    text = example.read_text().replace(
        "{text: Good morning}", "{text: hi, image: 'quay.io/example/shown:v1'}"
    )
    example.write_text(text)
    for options, there in (((), False), (("--examples",), True)):
        assert mirror(olm, *options).code == 0
        text = (olm.parent / "out/images.txt").read_text()
        assert ("quay.io/example/shown:v1\n" in text) is there


def test_examples_name_the_mirror_if_it_has_their_images(olm: Path) -> None:
    example = olm / "components/hello/v1.0.0/examples/greeting.yaml"
    text = "see quay.io/example/shown:v1, quay.io/example/hello-bundled:v1.0.0"
    example.write_text(example.read_text().replace("Good morning", f'"{text}"'))
    for options, shown in (((), "quay.io"), (("--examples",), REGISTRY)):
        assert mirror(olm, "--rewrite", *options).code == 0
        (csv,) = (olm.parent / "out/overlays/olm/bundle/manifests").glob("*.clusterserviceversion.yaml")
        (made,) = json.loads(read_yaml(csv.read_text())["metadata"]["annotations"]["alm-examples"])
        assert made["spec"]["text"] == (
            f"see {shown}/example/shown:v1, {REGISTRY}/example/hello-bundled:v1.0.0"
        )
        tests = (olm.parent / "out/overlays/olm/bundle/tests/scorecard/config.yaml").read_text()
        assert f"image: {shown}/operator-framework/scorecard-test:v1.24.1\n" in tests


def test_the_readme_tells_what_nobody_else_names(kit: Path) -> None:
    add(kit, RUNTIME)
    assert mirror(kit).code == 0
    text = (kit.parent / "out/README.md").read_text()
    assert "3 images of 1 registry: quay.io." in text
    assert "- quay.io/example/notebook:v3: people who name no other\n" in text
    assert "## By tag\n" in text
    assert "## Named by no object\n" in text


def test_what_a_spec_says_cannot_break_the_readme(kit: Path) -> None:
    told = 'source: "people\\n\\n## More\\n\\n```sh\\n<b>x</b>"'
    add(kit, RUNTIME.replace("source: people who name no other", told))
    assert mirror(kit).code == 0
    text = (kit.parent / "out/README.md").read_text()
    told = "people &#35;&#35; More &#96;&#96;&#96;sh &lt;b>x&lt;/b>"
    assert f"- quay.io/example/notebook:v3: {told}\n" in text


def test_each_tool_has_a_folder_of_its_own(olm: Path) -> None:
    assert mirror(olm).code == 0
    text = (olm.parent / "out/README.md").read_text()
    assert "oc-mirror --v2 -c imageset-config.yaml --from file://disk-oc-mirror docker://" in text
    assert "in `disk-oc-mirror/working-dir/cluster-resources`" in text
    assert "--dest dir skopeo-sync.yaml disk-skopeo\n" in text
    assert "--dest docker disk-skopeo/quay.io " in text
    assert "lines with # are comments" in text


def test_nodes_are_waited_for_until_they_changed(kit: Path) -> None:
    assert mirror(kit).code == 0
    wait = "oc wait machineconfigpool --all --for=condition"
    both = f"{wait}=Updating --timeout=5m || true\n{wait}=Updated --timeout=1h\n"
    assert both in (kit.parent / "out/README.md").read_text()


def test_a_login_is_added_to_those_of_the_cluster(kit: Path) -> None:
    assert mirror(kit).code == 0
    text = (kit.parent / "out/README.md").read_text()
    before, _, after = text.partition("oc registry login --registry=registry.example.com:5000 ")
    template = """--template='{{index .data ".dockerconfigjson" | base64decode}}' > pull-secret.json\n"""
    assert f"oc get secret/pull-secret -n openshift-config {template}" in before
    assert after.startswith(
        "--auth-basic=USER:PASSWORD --to=pull-secret.json\noc set data secret/pull-secret "
    )


def test_rewritten_manifests_name_the_mirror(olm: Path) -> None:
    add(olm, RUNTIME)
    made = mirror(olm, "--rewrite")
    assert (made.code, made.err.count(": warning: mirror-unrenamed: ")) == (0, 1), made
    assert f"whoever names it has to name {REGISTRY}/example/notebook:v3" in made.err
    out = olm.parent / "out"
    assert not (out / "mirror-sets.yaml").exists()
    assert "build one of `overlays/olm/bundle` and a catalog of it" in (out / "README.md").read_text()
    (csv,) = (out / "overlays/olm/bundle/manifests").glob("*.clusterserviceversion.yaml")
    assert "quay.io" not in csv.read_text()
    (deployment,) = read_yaml(csv.read_text())["spec"]["install"]["spec"]["deployments"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert container["image"] == f"{REGISTRY}/example/hello-bundled:v1.0.0"
    assert {"name": "PROXY_IMAGE", "value": f"{REGISTRY}/example/proxy:v2"} in container["env"]
    (subscription,) = (out / "overlays/olm/install").glob("subscription-*.yaml")
    assert read_yaml(subscription.read_text())["spec"]["source"] == "hello-catalog"
    assert (out / "overlays/olm/install/catalogsource-hello-catalog.yaml").exists()
    assert mirror(olm).code == 0
    assert not (out / "overlays").exists()


def test_texts_name_the_mirror_but_for_what_is_in_parts(kit: Path) -> None:
    texts = {
        "job.sh": "podman pull quay.io/example/job:v1 && run docker://quay.io/example/job:v1",
        "pod.yaml": "containers:\n- image: quay.io/example/job:v1\n",
        "values.yaml": "image:\n  repository: quay.io/example/parts\n  tag: v1\n",
    }
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "texts"}, "data": texts}
    add(kit, f"objects: [{json.dumps(made)}]\n")
    done = mirror(kit, "--rewrite")
    assert (done.code, done.err.count(": warning: ")) == (0, 1), done
    told = 'mirror-unrenamed: found "quay.io/example/parts:v1", expected its name in the mirror'
    assert f"{told}; named by ConfigMap/texts/data/values.yaml (hint: write it as one word" in done.err
    patch = (kit.parent / "out/overlays/olm/hello/patches/configmap-texts.yaml").read_text()
    assert patch.count(f"{REGISTRY}/example/job:v1") == 3
    assert "quay.io" not in patch


def test_the_readme_of_rewritten_manifests_tells_what_is_left(olm: Path) -> None:
    add(olm, RUNTIME)
    name = f"{REGISTRY}/example/notebook:v3"
    left = f"- quay.io/example/notebook:v3: people who name no other; to be named `{name}`"
    for options, rewritten in (((), False), (("--rewrite",), True)):
        assert mirror(olm, *options).code == 0
        text = (olm.parent / "out/README.md").read_text()
        assert ("oc-mirror writes mirror sets of its own" not in text) is rewritten
        assert ("- quay.io/example/proxy:v2: " not in text) is rewritten
        assert (f"{left}\n" in text) is rewritten
        assert "kitgen export" not in text


def test_the_operator_of_a_platform_names_images_itself(kit: Path) -> None:
    assert mirror(kit, "--rewrite", target="odh").code == 0
    text = (kit.parent / "out/README.md").read_text()
    assert "`kitgen export odh DIR --release v1.0.0` writes the tree that it mounts" in text


def test_a_default_of_a_configuration_is_told(kit: Path) -> None:
    (kit / "components/hello/v1.0.0/config.yaml").write_text(CONFIG)
    made = mirror(kit, "--rewrite")
    assert made.code == 0, made.err
    assert "set helper in the config that the target has for hello" in made.err


@pytest.mark.kustomize
@pytest.mark.skipif(programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH")
@pytest.mark.parametrize("target", ["odh", "olm"])
def test_both_routes_lead_to_the_mirror(kit: Path, target: str) -> None:
    add(kit, RUNTIME)
    assert mirror(kit, "--rewrite", target=target).code == 0
    command = programs.find_kustomize()
    assert command
    built = programs.run_program([*command, str(kit.parent / f"out/overlays/{target}/hello")])
    assert (built.is_successful, "quay.io" in built.stdout) == (True, False), built.stderr
    # The same names as values of the specs, which `kitgen build` compiles by the other route.
    for name, tag in (("hello", "v1.0.0"), ("proxy", "v2")):
        old, new = f"quay.io/example/{name}:{tag}", f"{REGISTRY}/example/{name}:{tag}"
        replace(kit, "components/hello/v1.0.0/component.yaml", old, new)
    replace(
        kit,
        f"targets/{target}.yaml",
        "  hello:\n",
        f"  hello:\n    env: {{manager: {{PROXY_IMAGE: '{new}'}}}}\n",
    )
    compiled = run("build", target, "hello")
    assert compiled.code == 0, compiled.err
    both = [normal.by_key(normal.parsed(text)) for text in (built.stdout, compiled.out)]
    assert normal.differing(*both) == []


def test_a_collision_names_both_and_the_way_out(kit: Path) -> None:
    add(kit, RUNTIME.replace("quay.io/example/proxy:v2", "docker.io/example/hello:v1.0.0"))
    made = mirror(kit)
    assert (made.code, made.err.count(": mirror-collision: ")) == (1, 1), made
    assert "found docker.io/example/hello and quay.io/example/hello" in made.err
    assert not (kit.parent / "out").exists()
    assert mirror(kit, "--scoped").code == 0
    config = said(kit, "imageset-config.yaml")["mirror"]["additionalImages"]
    assert config[0]["targetRepo"] == "docker.io/example/hello"


def test_what_is_in_the_mirror_is_not_copied(olm: Path) -> None:
    add(olm, RUNTIME.replace("quay.io/example/proxy:v2", f"{REGISTRY}/example/proxy:v2"))
    replace(olm, "targets/olm.yaml", "quay.io/example/catalog:v1", f"{REGISTRY}/catalog@{SHA}")
    made = mirror(olm, "--rewrite")
    assert (made.code, made.err.count(": warning: ")) == (0, 1), made
    assert f"2 of them in {REGISTRY} already, so nothing copies them\n" in made.err
    for name in ("imageset-config.yaml", "mapping.txt", "skopeo-sync.yaml"):
        text = (olm.parent / "out" / name).read_text()
        assert ("notebook" in text, "proxy" in text, "catalog" in text) == (True, False, False)
    assert said(olm, "catalog-source.yaml")["spec"]["image"] == f"{REGISTRY}/catalog@{SHA}"
    text = (olm.parent / "out/README.md").read_text()
    there = [f"- {REGISTRY}/catalog@{SHA}", f"- {REGISTRY}/example/proxy:v2"]
    assert "\n".join(("nothing copies them:", "", *there, "")) in text


def test_an_image_that_no_registry_takes(kit: Path) -> None:
    add(kit, RUNTIME.replace("quay.io/example/proxy:v2", '"[::1]:5000/example/proxy:v2"'))
    made = mirror(kit)
    assert made.code == 1
    assert ": mirror-image: " in made.err
    assert not (kit.parent / "out").exists()


@pytest.mark.parametrize(
    "registry",
    ["", "https://a.io", "a.io/Upper", "a.io/b:v1", f"a.io/b@{SHA}", "registry", "a.io:0", "a.io/", "é.io"],
)
def test_a_registry_that_is_none(kit: Path, registry: str) -> None:
    made = mirror(kit, registry=registry)
    assert (made.code, made.out) == (1, "")
    assert made.err.startswith("--registry: mirror-registry: found ")
    assert not (kit.parent / "out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rewrite", "--never-contact-source"), "--rewrite writes no mirror sets"),
        (("--catalog", "quay.io/a:v1"), "target olm has no OLM bundle in v1.0.0"),
        (("--release", "v9.9.9"), "no release 'v9.9.9'"),
    ],
)
def test_options_that_do_not_fit(kit: Path, options: tuple[str, ...], message: str) -> None:
    made = mirror(kit, *options)
    assert made.code == 2
    assert message in made.err
    assert not (kit.parent / "out").exists()


def test_a_catalog_that_is_no_image(olm: Path) -> None:
    made = mirror(olm, "--catalog", "quay.io/A:v1")
    assert (made.code, "--catalog: found" in made.err) == (2, True)


def test_a_target_that_is_not_there(kit: Path) -> None:
    made = mirror(kit, target="nowhere")
    assert (made.code, "no target 'nowhere'" in made.err) == (2, True)


def test_a_target_without_images(kit: Path) -> None:
    replace(kit, "targets/olm.yaml", "  hello:\n", "  hello:\n    managementState: Removed\n")
    made = mirror(kit)
    assert (made.code, "target olm names no image" in made.err) == (2, True), made
    assert not (kit.parent / "out").exists()


def test_folders_of_others_stay_as_they_are(kit: Path) -> None:
    out = kit.parent / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    made = mirror(kit)
    assert (made.code, "holds other files" in made.err) == (2, True)
    assert [each.name for each in out.iterdir()] == ["notes.txt"]
    for own in (".", "overlays", "components/x", "locks"):
        made = run("mirror", "olm", "--registry", REGISTRY, "--out", kit / own)
        assert (made.code, "belongs to the kit" in made.err) == (2, True)


def test_two_targets_do_not_share_a_folder(kit: Path) -> None:
    out = kit.parent / "out"
    assert mirror(kit).code == 0
    before = kits.contents(out)
    made = mirror(kit, target="odh")
    assert (made.code, "wrote for something else than a mirror of odh" in made.err) == (2, True), made
    assert kits.contents(out) == before
    (out / "README.md").unlink()
    assert mirror(kit, "--rewrite").code == 0


def test_what_another_command_wrote_stays(kit: Path) -> None:
    out = kit.parent / "out"
    assert run("export", "odh", out).code == 0
    before = kits.contents(out)
    made = mirror(kit, target="odh")
    assert (made.code, "wrote for something else than a mirror of odh" in made.err) == (2, True), made
    assert kits.contents(out) == before


def test_digests_that_are_locked_go_by_digest(kit: Path) -> None:
    (kit / "locks").mkdir()
    lock = f"release: v1.0.0\nimages:\n  quay.io/example/hello:v1.0.0: {{digest: '{SHA}'}}\n"
    (kit / "locks/v1.0.0.yaml").write_text(lock)
    replace(kit, "targets/olm.yaml", "release: v1.0.0\n", "release: v1.0.0\ndigests: true\n")
    assert mirror(kit, "--rewrite").code == 0
    mapping = (kit.parent / "out/mapping.txt").read_text().splitlines()[-1]
    assert mapping == f"quay.io/example/hello@{SHA}={REGISTRY}/example/hello:sha256-aaaaaaaaaaaa"
    texts = [path.read_text() for path in (kit.parent / "out/overlays/olm").rglob("*.yaml")]
    assert any(f"{REGISTRY}/example/hello@{SHA}" in text for text in texts) or any(
        f"newName: {REGISTRY}/example/hello" in text for text in texts
    )


def locked(kit: Path, *names: str) -> None:
    """Lock digests of images, and have the target take them."""
    (kit / "locks").mkdir()
    lines = "".join(f"  {name}: {{digest: '{SHA}'}}\n" for name in names)
    (kit / "locks/v1.0.0.yaml").write_text(f"release: v1.0.0\nimages:\n{lines}")
    replace(kit, "targets/olm.yaml", "release: v1.0.0\n", "release: v1.0.0\ndigests: true\n")


ALL_LOCKED = (
    "quay.io/example/hello:v1.0.0",
    "quay.io/example/hello-bundled:v1.0.0",
    "quay.io/example/catalog:v1",
)


def test_the_catalog_of_a_mirror_has_a_tag_where_all_else_has_a_digest(olm: Path) -> None:
    locked(olm, *ALL_LOCKED)
    made = mirror(olm, "--rewrite")
    assert made.code == 0, made.err


def test_a_catalog_whose_digest_is_locked_goes_once(olm: Path) -> None:
    locked(olm, *ALL_LOCKED)
    assert mirror(olm).code == 0
    config = said(olm, "imageset-config.yaml")["mirror"]
    assert [each["catalog"] for each in config["operators"]] == [f"quay.io/example/catalog@{SHA}"]
    names = [each["name"] for each in config["additionalImages"]]
    assert names == [f"quay.io/example/hello-bundled@{SHA}", f"quay.io/example/hello@{SHA}"]
    lines = (olm.parent / "out/images.txt").read_text().splitlines()
    assert [line for line in lines if "catalog" in line] == [f"quay.io/example/catalog@{SHA}"]
