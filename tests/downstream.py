"""Files of others that are right for a release of a small kit, in the shapes that they have had."""

from __future__ import annotations

from pathlib import Path

import kits

from kitgen.release.matrix.block import END, START

ONE = "sha256:" + "1" * 64
LINK = "https://github.com/{}/releases/tag/{}"
KIT = """
project: hello
matrix:
  title: Matrix
  plain: "<1.0.0"
  rows:
  - {label: Hello, of: release, repository: example/hello}
  - {label: The-Tester, of: tester, repository: example/tester}
  - {label: Queue, of: queue, repository: sigs/queue}
publishing:
  images:
  - {image: quay.io/example/hello, of: release}
  - {image: quay.io/example/notebook, of: tester, moving: [stable]}
"""
TAGS = """tags:
  example/hello: [v0.8.0, v0.9.0, v1.0.0]
  sigs/queue: [v0.4.0, v0.5.0, v0.5.1]
  fork/queue: [v0.5.0-odh]
"""
QUEUE = """component: queue
version: v0.5.0
about: A queue
kubernetes: "1.29"
prefix: queue-
namespace: queue-system
labels:
- pairs: {app.kubernetes.io/name: queue}
  selectors: true
images: {manager: "quay.io/sigs/queue:v0.5.0"}
serviceAccount: manager
deployment:
  name: manager
  containers:
    manager: {image: manager, command: [/manager], resources: {cpu: 100m, memory: 64Mi}}
params:
  configMap: params
  keys:
    queue-image: {image: manager}
"""
NEWER = "version: v0.5.1\nfrom: v0.5.0\nimages: {manager: quay.io/sigs/queue:v0.5.1}\n"
TARGET = """target: {name}
about: A platform
release: v1.0.0
namespace: platform
components:
  hello:
    features: [params]
    source: {{repository: {fork}/hello, ref: {hello}, path: config}}
    export:
      folder: hello
      build: default
      params: manager
      metadata: {{name: Hello operator, repository: example/hello}}
  queue:
    source: {{repository: {fork}/queue, ref: {queue}, path: operator/config}}
    export:
      folder: queue
      build: openshift
      metadata: {{name: Queue, repository: sigs/queue}}
{more}"""
OVERRIDE = "    overrides:\n    - {version: v0.5.1, releases: '>=1.0.0', why: it came out with this one}\n"
OLM = """target: olm
about: As upstream ships it
release: v1.0.0
bundle: {component: hello, channels: [alpha]}
components:
  hello: {namespace: hello-system}
  queue: {namespace: queue-system}
"""
RELEASES = {
    "v0.9.0": """release: v0.9.0
date: '2030-01-01'
replaces: v0.8.0
records: {tester: v0.1.0, queue: v0.4.0}
""",
    "v1.0.0": """release: v1.0.0
date: '2030-02-01'
replaces: v0.9.0
components: {hello: v1.0.0, queue: v0.5.0}
records: {tester: v0.2.0}
relatedImages: {hello-image: RELATED_IMAGE_HELLO_IMAGE, queue-image: RELATED_IMAGE_QUEUE_CONTROLLER_IMAGE}
""",
}


LISTING = """\
listing:
  displayName: Hello
  description: Greets whoever asks for it.
  provider: {name: Example}
  maintainers: [{name: The team, email: team@example.com}]
  links: [{name: Home, url: https://example.com/}]
"""


def make(folder: Path) -> Path:
    """Make the kit."""
    kits.make_kit(folder)
    hello = folder / "components/hello/v1.0.0/component.yaml"
    hello.write_text(hello.read_text() + LISTING)
    (folder / "kit.yaml").write_text((folder / "kit.yaml").read_text() + KIT)
    version, branch = "{{ version }}", "rhoai-2.11"
    odh = TARGET.format(name="odh", fork="fork", hello=f'"{version}"', queue=f'"{version}-odh"', more="")
    rhoai = TARGET.format(name="rhoai", fork="red", hello=branch, queue=branch, more=OVERRIDE)
    kits.write(
        folder,
        {
            "releases/tags.yaml": TAGS,
            "components/queue/v0.5.0/component.yaml": QUEUE,
            "components/queue/v0.5.1/component.yaml": NEWER,
            "targets/odh.yaml": odh,
            "targets/rhoai.yaml": rhoai,
            "targets/olm.yaml": OLM,
            **{f"releases/{name}.yaml": text for name, text in RELEASES.items()},
        },
    )
    return folder


def readme(hello: str, tester: str, queue: str) -> str:
    """Return a README with a matrix between its markers, whose columns are ragged."""
    where = {"Hello": "example/hello", "The-Tester": "example/tester", "Queue": "sigs/queue"}
    cells = zip(where, where.values(), (hello, tester, queue), strict=True)
    rows = [f"| {label:12} | [{each}]({LINK.format(at, each)})     |" for label, at, each in cells]
    table = ["| Component | Version |", "|-----------|---------|", *rows]
    return "\n".join(["# Hello", START, "Matrix", "", *table, END, "More text", ""])


UNMARKED = """# Another project
### Compatibilty Matrix

| Component  | Version |
|------------|---------|
| Hello      | v1.0.0  |
| The Tester | v0.2.0  |
| Queue      | v0.5.0  |

| Other | Table |
|-------|-------|
| a     | b     |
"""
METADATA = "releases:\n  - name: {}\n    version: {}\n    repoUrl: https://github.com/{}\n"
SCRIPT = """#!/bin/bash
# "owner:repository:ref:source" and the key is the folder
declare -A COMPONENT_MANIFESTS=(
    ["dashboard"]="fork:dashboard:main:manifests"
    ["hello"]="fork:hello:v1.0.0:config"
    # ["hello"]="fork:hello:old:config"
    ["queue"]="fork:queue:v0.5.0-odh:operator/config"
)
for key in "${!COMPONENT_MANIFESTS[@]}"; do
    rm -rf "/tmp/${key}" # never run here
done
COMPONENT_MANIFESTS["$key"]=$value
"""
FIRST_SCRIPT = """declare -A COMPONENT_MANIFESTS=(
    ["hello"]="red:hello:rhoai-2.11:config:hello"
    ["the-queue"]="red:queue:rhoai-2.11:operator/config:queue"
)
"""
LAST_SCRIPT = """declare -A ODH_COMPONENT_MANIFESTS=(
    ["hello"]="fork:hello:v1.0.0@0123456789abcdef:config"
    ["queue"]="fork:queue:v0.5.0-odh@0123456:operator/config"
)
declare -A RHOAI_COMPONENT_MANIFESTS=(
    ["hello"]="red:hello:rhoai-2.11@0123456789abcdef:config"
    ["queue"]="red:queue:rhoai-2.11@0123456:operator/config"
)
"""
CONFIG = f"""components:
  hello:
    odh: {{repo: fork/hello, ref: v1.0.0@0123456, sourcePath: config}}
    rhoai: {{repo: red/hello, ref: rhoai-2.11@0123456, sourcePath: config}}
  queue:
    odh: {{repo: fork/queue, ref: v0.5.0-odh@0123456, sourcePath: operator/config}}
    rhoai: {{repo: red/queue, ref: rhoai-2.11@0123456, sourcePath: operator/config}}
platformManifests: {{monitoring: config/monitoring}}
imageOverrides:
  RELATED_IMAGE_QUEUE_CONTROLLER_IMAGE:
    component: queue
    paramsEnvKey: queue-image
    odh: {{base: quay.io/fork/queue, digest: "{ONE}"}}
    rhoai: {{shaFrom: odh, base: quay.io/fork/queue, digest: "{ONE}"}}
"""
MAP = """map:
  hello-operator:
    src: config
    dest: hello
    git.url: https://github.com/red/hello
    git.commit: github.ref_name
  queue-controller:
    src: operator/config
    dest: queue
    git.url: https://github.com/red/queue
    git.commit: 0123456789abcdef0123456789abcdef01234567
"""
CSV = """apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: hello.v{version}
  annotations: {{containerImage: "quay.io/example/hello:v{version}"}}
spec:
  version: {version}
  replaces: hello.v{replaces}
  install:
    spec:
      deployments:
      - spec:
          template:
            spec: {{containers: [{{name: manager, image: "quay.io/example/hello:v{version}"}}]}}
"""
BUNDLE = "operators/hello/{}/manifests/hello.clusterserviceversion.yaml"
RIGHT = {
    "README.md": readme("v1.0.0", "v0.2.0", "v0.5.0"),
    "another/README.md": UNMARKED,
    "hello/config/component_metadata.yaml": METADATA.format("Hello Operator", "v1.0.0", "example/hello"),
    "hello/config/manager/params.env": "hello-image=quay.io/fork/hello:v1.0.0\nnamespace=platform\n",
    "queue/operator/config/component_metadata.yaml": METADATA.format("Queue", "0.5.0", "sigs/queue"),
    "queue/operator/config/openshift/params.env": "# images\nqueue-image=quay.io/sigs/queue:v0.5.0\n",
    "platform/get_all_manifests.sh": SCRIPT,
    "platform/first/get_all_manifests.sh": FIRST_SCRIPT,
    "platform/last/get_all_manifests.sh": LAST_SCRIPT,
    "platform/manifests-config.yaml": CONFIG,
    "platform/build/manifests-config.yaml": MAP,
    BUNDLE.format("0.9.0"): CSV.format(version="0.9.0", replaces="0.8.0"),
    BUNDLE.format("1.0.0"): CSV.format(version="1.0.0", replaces="0.9.0"),
}
"""Path → text; all of it is right for release v1.0.0."""
