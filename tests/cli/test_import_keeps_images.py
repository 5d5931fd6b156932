"""An import loses no image: what a tree only says in env files is declared, and a bundle keeps its list."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

from kitgen.files import programs

needs_kustomize = pytest.mark.skipif(
    programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH"
)
SHA = "sha256:" + "c" * 64
KUSTOMIZATION = """\
resources: [manager.yaml]
configMapGenerator:
- name: web-params
  envs: [params.env]
  options: {annotations: {config.kubernetes.io/local-config: "true"}}
replacements:
- source: {kind: ConfigMap, name: web-params, fieldPath: data.web-image}
  targets:
  - select: {kind: Deployment}
    fieldPaths: ["spec.template.spec.containers.[name=manager].image"]
"""
MANAGER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web-controller-manager, namespace: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: manager, image: placeholder}
"""
PARAMS = f"""\
# images
web-image=quay.io/a/web:v1.0.0
WORKER=quay.io/a/worker@{SHA}
tool-image=quay.io/a/tool
level=info
"""
CSV = f"""\
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: web.v1.0.0
  namespace: placeholder
  annotations: {{containerImage: "quay.io/a/web:v1.0.0", shell-image: "quay.io/a/shell@{SHA}"}}
spec:
  displayName: Web
  version: 1.0.0
  installModes: [{{type: AllNamespaces, supported: true}}]
  install:
    strategy: deployment
    spec:
      deployments:
      - name: web
        spec:
          selector: {{matchLabels: {{app: web}}}}
          template:
            metadata: {{labels: {{app: web}}}}
            spec: {{containers: [{{name: manager, image: "quay.io/a/web:v1.0.0"}}]}}
  relatedImages: [{{name: worker, image: "quay.io/a/worker@{SHA}"}}]
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a kit that has no component named web."""
    root = tmp_path / "kit"
    run("init", root, "-q")
    monkeypatch.chdir(root)
    return root


def listed(root: Path) -> list[str]:
    kits.write(root, {"releases/v0.1.0.yaml": "release: v0.1.0\ncomponents: {hello: v0.1.0, web: v1.0.0}\n"})
    for path in (root / "targets").iterdir():
        path.unlink()
    kits.write(
        root, {"targets/all.yaml": "target: all\nrelease: v0.1.0\nnamespace: web\ncomponents: {web: {}}\n"}
    )
    done = run("images", "list", "all", "-o", "plain")
    assert done.code == 0, done.err
    return [line for line in done.out.split() if "/a/" in line]


@needs_kustomize
def test_images_that_a_tree_does_not_build_are_declared(root: Path) -> None:
    files = {"kustomization.yaml": KUSTOMIZATION, "manager.yaml": MANAGER, "params.env": PARAMS}
    kits.write(root.parent / "tree", files)
    done = run("import", "../tree", "--as", "web@v1.0.0")
    assert done.code == 0, done.err
    assert "now in runtimeImages:\n    worker: quay.io/a/worker@" in done.out
    spec = (root / "components/web/v1.0.0/component.yaml").read_text()
    assert "source: WORKER of web-params, which the tree does not build" in spec
    assert listed(root) == ["quay.io/a/web:v1.0.0", f"quay.io/a/worker@{SHA}"]


def test_a_bundle_keeps_what_only_it_names(root: Path) -> None:
    kits.write(root.parent / "bundle", {"manifests/web.clusterserviceversion.yaml": CSV})
    done = run("import", "../bundle/manifests", "--as", "web@v1.0.0", "-q")
    assert done.code == 0, done.err
    want = [f"quay.io/a/shell@{SHA}", "quay.io/a/web:v1.0.0", f"quay.io/a/worker@{SHA}"]
    assert listed(root) == want


def operands(registry: str, version: str, *, params: bool) -> str:
    """Return a tree whose operator has the image of an operand in a variable, and maybe in params.env."""
    job = f"{registry}/job:{version}"
    env = f"env: [{{name: RELATED_IMAGE_BIG_JOB, value: {job}}}]"
    made = MANAGER.replace("image: placeholder", f"image: {registry}/web:{version}, {env}")
    data = f"{{web-image: {registry}/web:{version}, RELATED_IMAGE_BIG_JOB: {job}}}"
    meta = "metadata: {name: web-params, namespace: web}"
    return made + (f"---\napiVersion: v1\nkind: ConfigMap\n{meta}\ndata: {data}\n" if params else "")


def test_the_image_of_an_operand_is_said_once(root: Path) -> None:
    files = {
        f"{name}-{version}.yaml": operands(registry, version, params=params)
        for name, registry, params in (("own", "quay.io/a", False), ("fork", "quay.io/b", True))
        for version in ("v1.0.0", "v1.1.0")
    }
    kits.write(root.parent, files)

    def imported(version: str) -> str:
        own, fork = (f"../{name}-{version}.yaml" for name in ("own", "fork"))
        done = run(
            "import", own, "--as", f"web@{version}", "--target", f"olm={own}", "--target", f"rhoai={fork}"
        )
        assert done.out.count("no differences") == 2, done.out + done.err
        return (root / f"components/web/{version}/component.yaml").read_text()

    said, target = imported("v1.0.0"), root / "targets/rhoai.yaml"
    assert "  big-job: quay.io/a/job:v1.0.0\n" in said
    assert said.count("/job:") == 1
    assert "RELATED_IMAGE_BIG_JOB: '{{ images[\"big-job\"] }}'" in said
    assert "RELATED_IMAGE_BIG_JOB: {image: big-job, env: manager}" in said
    assert "quay.io/b/job:v1.0.0" in target.read_text()
    said = imported("v1.1.0")
    assert "RELATED_IMAGE_BIG_JOB" not in said
    assert "  big-job: quay.io/a/job:v1.1.0\n" in said
    assert target.read_text().count("RELATED_IMAGE_BIG_JOB") == 0
    own = "../own-v1.1.0.yaml"
    assert run("import", own, "--as", "web@v1.1.1", "-q").code in (0, 1)
    assert "RELATED_IMAGE_BIG_JOB" not in (root / "components/web/v1.1.1/component.yaml").read_text()


def test_an_image_of_a_fork_is_its_targets_own(root: Path) -> None:
    for name, registry, version in (("own", "a", "v1.0.0"), ("fork", "b", "v1.1.0")):
        kits.write(root.parent, {f"{name}.yaml": operands(f"quay.io/{registry}", version, params=False)})
    assert run("import", "../own.yaml", "--as", "web@v1.0.0", "-q").code == 0
    both = ("--target", "olm=../fork.yaml", "--target", "rhoai=../fork.yaml")
    for version, targets, want in (("v1.1.0", both[2:], 0), ("v1.2.0", both, 1)):
        run("import", "../fork.yaml", "--as", f"web@{version}", *targets, "-q")
        said = (root / f"components/web/{version}/component.yaml").read_text()
        assert said.count("manager: quay.io/b/web:v1.1.0") == want
        assert "manager: quay.io/b/web:v1.1.0" in (root / "targets/rhoai.yaml").read_text()
