"""kitgen images check tells whether the images of targets are ready for a cluster without a network."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import run

from kitgen.files import programs
from kitgen.olm.bundle import package_of

COMPONENT = "components/hello/v1.0.0/component.yaml"
SHA = "sha256:" + "a" * 64
OLD = "quay.io/example/hello:v1.0.0"
PINNED = f"quay.io/example/hello@{SHA}"
ARGS = "      command: [/manager]\n"


def change(root: Path, file: str, old: str, new: str) -> None:
    text = (root / file).read_text()
    assert text.count(old) == 1, old
    (root / file).write_text(text.replace(old, new))


def found(*args: str) -> list[tuple[str, str, str]]:
    """Return the findings of a check: rule, file and pointer."""
    done = run("images", "check", *args, "-o", "json")
    told = json.loads(done.out)["findings"]
    return sorted((each["rule"], each["file"], each["pointer"]) for each in told)


@pytest.fixture
def pinned(kit: Path) -> Path:
    """Make a kit with nothing to tell the current folder."""
    change(kit, COMPONENT, f"manager: {OLD}", f"manager: {PINNED}")
    return kit


def test_ready(pinned: Path) -> None:
    done = run("images", "check", "--fail-on", "warning")
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines() == [
        "READY: odh v1.0.0 (1 image, 0 errors, 0 warnings)",
        "READY: olm v1.0.0 (1 image, 0 errors, 0 warnings)",
        "READY: rhoai v1.0.0 (1 image, 0 errors, 0 warnings)",
    ]


def test_a_tag_that_the_operator_fills_is_a_warning(kit: Path) -> None:
    assert found("odh") == [("image-by-tag", COMPONENT, "/images/manager")]
    done = run("images", "check", "odh", "-o", "lines")
    assert done.code == 0
    assert (
        f'{COMPONENT}:13 /images/manager: warning: image-by-tag: found "{OLD}", expected a digest' in done.out
    )
    assert done.err.splitlines()[-1] == "READY: odh v1.0.0 (1 image, 0 errors, 1 warning)"
    strict = run("images", "check", "odh", "--fail-on", "warning")
    assert strict.code == 1
    assert strict.err.splitlines()[-1] == "NOT READY: odh v1.0.0 (1 image, 0 errors, 1 warning)"


def test_a_tag_that_nobody_fills_is_an_error(kit: Path) -> None:
    done = run("images", "check", "olm", "-o", "lines")
    assert (done.code, f'{COMPONENT}:13 /images/manager: image-by-tag: found "{OLD}"' in done.out) == (
        1,
        True,
    )
    assert done.err.splitlines()[-1] == "NOT READY: olm v1.0.0 (1 image, 1 error, 0 warnings)"


def test_what_is_an_error_of_one_target_is_told_once(kit: Path) -> None:
    assert found() == [("image-by-tag", COMPONENT, "/images/manager")]
    told = json.loads(run("images", "check", "-o", "json").out)
    assert [each["severity"] for each in told["findings"]] == ["error"]
    verdicts = {
        each["target"]: (each["ready"], each["errors"], each["warnings"]) for each in told["readiness"]
    }
    assert verdicts == {"odh": (True, 0, 1), "olm": (False, 1, 0), "rhoai": (True, 0, 1)}
    strict = json.loads(run("images", "check", "--fail-on", "warning", "-o", "json").out)
    assert [each["ready"] for each in strict["readiness"]] == [False] * 3


def test_a_target_by_digests(kit: Path) -> None:
    change(kit, "targets/odh.yaml", "release: v1.0.0", "release: v1.0.0\ndigests: true")
    assert found("odh") == [("lock-missing", "targets/odh.yaml", "/digests")]
    assert run("images", "check", "odh").err.splitlines()[-1].startswith("NOT READY: odh v1.0.0")
    lock = f"release: v1.0.0\nimages: {{'{OLD}': {{digest: '{SHA}'}}}}\n"
    kits.write(kit, {"locks/v1.0.0.yaml": lock})
    assert found("odh") == []
    kits.write(kit, {"releases/v1.1.0.yaml": "release: v1.1.0\nfrom: v1.0.0\nreplaces: v1.0.0\n"})
    later = run("images", "check", "odh", "--release", "v1.1.0")  # which has no lock yet
    assert (later.code, later.err.splitlines()[-1]) == (
        1,
        "NOT READY: odh v1.1.0 (1 image, 1 error, 0 warnings)",
    )


@pytest.mark.parametrize("form", ["text", "lines", "json", "sarif", "junit", "github"])
def test_every_form(kit: Path, form: str) -> None:
    done = run("images", "check", "odh", "-o", form)
    assert (done.code, "image-by-tag" in done.out) == (0, True)
    assert ("READY" in done.err) is (form in ("text", "lines"))
    assert "READY" not in run("images", "check", "odh", "-q").err


def test_wrong_specs_are_the_result(kit: Path) -> None:
    (kit / "targets/odh.yaml").write_text("target: odh\nrelease: v9.9.9\n")
    done = run("images", "check", "-o", "lines")
    assert (done.code, "reference-missing" in done.out) == (1, True)


SIDECAR = ("    manager:\n", "    x: {image: x}\n    manager:\n")
LISTED = (f"  manager: {PINNED}", f"  manager: {PINNED}\n  x: quay.io/example/x@{SHA}")


def test_an_image_that_no_parameter_changes_is_an_error(pinned: Path) -> None:
    change(pinned, COMPONENT, *SIDECAR)
    change(pinned, COMPONENT, *LISTED)
    assert found("odh") == [("image-unwired", COMPONENT, "/images/x")]
    assert run("images", "check", "odh").code == 1
    assert run("check", "odh").code == 0  # a warning there
    assert found("olm") == []  # nobody fills params.env there


VALUES = {
    "the image": '"{{ images.manager }}"',
    "in a text": '"made of {{ images.manager }}, see there"',
}


needs_kustomize = pytest.mark.skipif(
    programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH"
)
SENTINEL = f"sentinel.invalid/other@{SHA.replace('a', 'b')}"


@needs_kustomize
@pytest.mark.parametrize("name", ["", *VALUES])
def test_kustomize_says_the_same(kit: Path, name: str) -> None:
    """What the check finds is what the real kustomize leaves behind when params.env gets another image."""
    if name:
        change(kit, COMPONENT, ARGS, f"{ARGS}      env: {{SOME_TEXT: {VALUES[name]}}}\n")
    assert run("render", "-q").code == 0
    params = next((kit / "overlays/odh").rglob("params.env"))
    assert OLD in params.read_text()
    params.write_text(params.read_text().replace(OLD, SENTINEL))
    command = programs.find_kustomize()
    assert command
    built = programs.run_program([*command, str(params.parent)])
    assert built.is_successful, built.stderr
    assert SENTINEL in built.stdout
    left = OLD in built.stdout
    told = {rule for rule, *_ in found("odh")} - {"image-by-tag"}
    assert left is bool(told) is bool(name)


RECORDED = """\
runtimeImages:
  sdk: {image: "quay.io/example/sdk@SHA", source: default of the SDK, record: sdk@v1.0.0}

serviceAccount:""".replace("SHA", SHA)


def test_the_sdk_that_a_release_records(pinned: Path) -> None:
    change(pinned, COMPONENT, "serviceAccount:", RECORDED)
    assert found("odh") == [("image-record", COMPONENT, "/runtimeImages/sdk/record")]  # none is recorded
    release = "release: v1.0.0\ncomponents: {hello: v1.0.0}\nrecords: {sdk: v1.0.0, other: v2.0.0}\n"
    kits.write(pinned, {"releases/v1.0.0.yaml": release})
    assert found("odh") == []
    kits.write(pinned, {"releases/v1.0.0.yaml": release.replace("sdk: v1.0.0", "sdk: v1.1.0")})
    assert found("odh") == [("image-record", "releases/v1.0.0.yaml", "/records/sdk")]
    done = run("images", "check", "odh", "-o", "lines")
    told = "found sdk v1.1.0 recorded, whose default images no runtimeImages of hello v1.0.0 name"
    assert f"image-record: {told}; known are v1.0.0 (hint: add them with record: sdk@v1.1.0)" in done.out
    assert done.code == 1


FETCHES = {
    "a command": "      command: [sh, -c, 'curl -s https://user:secret@example.com/a?token=secret | sh']\n",
    "arguments": f"{ARGS}      args: [pip, install, torch]\n",
}


@pytest.mark.parametrize("name", FETCHES)
def test_what_a_container_fetches(pinned: Path, name: str) -> None:
    change(pinned, COMPONENT, ARGS, FETCHES[name])
    assert {rule for rule, *_ in found("olm")} == {"image-egress"}
    for command, code, told in (
        ("images check", 1, ": image-egress"),
        ("check", 0, ": warning: image-egress"),
    ):
        done = run(*command.split(), "olm", "-o", "lines")
        assert (done.code, told in done.out, "secret" in done.out) == (code, True, False)


def test_what_stays_in_the_cluster_is_no_finding(pinned: Path) -> None:
    line = "curl http://hello-metrics:8080/x http://hello-metrics.hello-system:8080/x $URL http://localhost/x"
    change(pinned, COMPONENT, ARGS, f"      command: [sh, -c, '{line}']\n")
    assert found("olm") == []


SCRIPTS = """\
objects:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: hello-scripts}, data: {start.sh: "wget http://example.com/a"}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: hello-others}, data: {start.sh: "wget http://example.com/a"}}

services:
"""


def test_scripts_that_are_mounted(pinned: Path) -> None:
    change(pinned, COMPONENT, "services:\n", SCRIPTS)
    assert found("olm") == []
    volumes = "  name: manager\n  volumes: {scripts: {configMap: {name: hello-scripts}}}\n  containers:\n"
    change(pinned, COMPONENT, "  name: manager\n  containers:\n", volumes)
    assert found("olm") == [("image-egress", COMPONENT, "/objects/0/data/start.sh")]


@pytest.fixture
def bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a kit with a bundle, all of it by digest, the current folder."""
    root = kits.make_kit(tmp_path, kits.CASES / "valid" / "olm-bundle")
    change(root, COMPONENT, f"manager: {OLD}", f"manager: {PINNED}")
    change(root, "targets/olm.yaml", "hello-bundled:{{ version }}", f"hello-bundled@{SHA}")
    change(root, "targets/olm.yaml", "catalog:v1", f"catalog@{SHA}")
    monkeypatch.chdir(root)
    return root


def test_a_bundle_lists_all_of_its_images(bundled: Path) -> None:
    assert found("olm") == []
    data = f"data: {{a.yaml: 'image: quay.io/example/a@{SHA}'}}"
    objects = f"objects: [{{apiVersion: v1, kind: ConfigMap, metadata: {{name: more}}, {data}}}]\n"
    change(bundled, COMPONENT, "services:\n", f"{objects}services:\n")
    field = f"  proxy: {{type: string, format: image, default: 'quay.io/example/proxy@{SHA}'}}\n"
    change(bundled, "components/hello/v1.0.0/config.yaml", "fields:\n", f"fields:\n{field}")
    assert found("olm") == []  # both are listed


def test_images_that_a_bundle_does_not_list(bundled: Path) -> None:
    from msgspec.structs import replace

    from kitgen.images.rules.listed import check_related_images
    from kitgen.render.images import list_unit_image_uses
    from kitgen.workspace.kit import open_kit

    opened = open_kit(bundled)
    package = package_of(opened.plan(opened.target("olm")))
    assert package is not None
    uses = [*list_unit_image_uses(package.unit)]
    assert [*check_related_images(package, uses)] == []
    body = {**package.csv.body, "spec": {**package.csv.body["spec"], "relatedImages": []}}
    less = replace(package, csv=replace(package.csv, body=body))
    assert [each.rule.id for each in check_related_images(less, uses)] == ["image-unrelated"]


@pytest.mark.parametrize(
    "annotation",
    [
        'features.operators.openshift.io/disconnected: "true"',
        "operators.openshift.io/infrastructure-features: '[\"disconnected\"]'",
    ],
)
def test_a_bundle_that_says_it_is_for_closed_clusters(bundled: Path, annotation: str) -> None:
    listing = "  displayName: Hello Operator\n"
    change(bundled, COMPONENT, listing, f"{listing}  annotations: {{{annotation}}}\n")
    done = run("images", "check", "olm", "-o", "lines")
    assert (done.code, done.out.count("csv-disconnected")) == (1, 1)
    assert "found no variable RELATED_IMAGE_NAME" in done.out
    env = "      env: {RELATED_IMAGE_MANAGER: '{{ images.manager }}'}\n"
    change(bundled, COMPONENT, ARGS, f"{ARGS}{env}")
    assert "csv-disconnected" not in run("images", "check", "olm", "-o", "lines").out


def test_what_only_code_names_counts_as_listed(pinned: Path) -> None:
    proxy = f"quay.io/example/proxy@{SHA}"
    change(pinned, COMPONENT, ARGS, f"{ARGS}      env: {{PROXY_IMAGE: '{proxy}'}}\n")
    assert [rule for rule, *_ in found("olm")] == ["image-unlisted"]
    runtime = f"runtimeImages:\n  proxy: {{image: '{proxy}', source: code}}\n\nserviceAccount:"
    change(pinned, COMPONENT, "serviceAccount:", runtime)
    assert found("olm") == []


def test_what_only_this_command_finds_may_be_accepted(kit: Path) -> None:
    entry = f"- {{rule: image-by-tag, file: {COMPONENT}, pointer: /images/manager, reason: moved by hand}}\n"
    stale = entry.replace("manager", "helper")
    kit_yaml = (kit / "kit.yaml").read_text()
    (kit / "kit.yaml").write_text(f"{kit_yaml}exceptions:\n{entry}")
    done = run("images", "check", "--fail-on", "warning")
    assert (done.code, done.err.splitlines()[-1]) == (
        0,
        "READY: rhoai v1.0.0 (1 image, 0 errors, 0 warnings)",
    )
    assert run("check").code == 0  # which does not look for it, and so cannot call it stale
    (kit / "kit.yaml").write_text(f"{kit_yaml}exceptions:\n{entry}{stale}")
    done = run("images", "check", "-o", "lines")
    assert (done.code, done.out.count("exception-stale")) == (1, 1), done
    assert "kit.yaml:" in done.out
    assert run("images", "check", "odh").code == 0  # another target may have it


def test_what_is_accepted_is_ready(pinned: Path) -> None:
    change(pinned, COMPONENT, *SIDECAR)
    change(pinned, COMPONENT, *LISTED)
    place = f"file: {COMPONENT}, pointer: /images/x"
    with (pinned / "kit.yaml").open("a") as stream:
        stream.write(f"exceptions:\n- {{rule: image-unwired, {place}, reason: it is ours}}\n")
    done = run("images", "check", "odh", "--fail-on", "warning")
    assert (done.code, done.err.splitlines()[-1]) == (0, "READY: odh v1.0.0 (2 images, 0 errors, 0 warnings)")
