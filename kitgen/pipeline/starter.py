"""What `kitgen init` does: start a new kit."""

from __future__ import annotations

import json
import re
from pathlib import Path

from kitgen.errors import KitgenError, UsageError
from kitgen.schema import files as schemafiles
from kitgen.write import change, recover_change
from kitgen.yamlio import dump

KIT = """\
# yaml-language-server: $schema=schemas/kit.json
NAME
format: 1
# Every rendered object must be valid on each of these minors.
kubernetes: ">=1.27 <=1.32"
"""

COMPONENT = """\
# yaml-language-server: $schema=../../../schemas/component.json
component: hello
version: v0.1.0
about: A small operator to start from
kubernetes: "1.30"
prefix: hello-
namespace: hello-system

labels:
- pairs: {app.kubernetes.io/name: hello}
  selectors: true

images:
  manager: quay.io/example/hello:v0.1.0

serviceAccount: controller-manager
leaderElection: leader-election-role

deployment:
  name: manager
  containers:
    manager:
      image: manager
      command: [/manager]
      ports: {metrics: 8080}
      health: 8081
      resources: {cpu: 100m, memory: 64Mi}
      securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}

services:
  metrics:
    ports: {metrics: 8080}

roles:
  manager-role:
    permissions:
      core/configmaps: read
      core/events: create patch

features:
  odh-params:
    about: The ODH operator rewrites this on the cluster before it builds
    params:
      configMap: config
      keys:
        hello-image: {image: manager}
"""

RELEASE = """\
# yaml-language-server: $schema=../schemas/release.json
release: v0.1.0
components:
  hello: v0.1.0
"""

OLM = """\
# yaml-language-server: $schema=../schemas/target.json
target: olm
about: As upstream ships it
release: v0.1.0
components:
  hello:
    namespace: {name: hello-system, create: true}
"""

ODH = """\
# yaml-language-server: $schema=../schemas/target.json
target: odh
about: For the ODH operator
release: v0.1.0
namespace: opendatahub
components:
  hello:
    features: [odh-params]
    export: {folder: hello, build: default}
"""

RHOAI = (
    ODH.replace("target: odh", "target: rhoai")
    .replace("For the ODH operator\n", "For Red Hat OpenShift AI\n")
    .replace("namespace: opendatahub", "namespace: redhat-ods-applications")
)


def start_kit(folder: Path) -> None:
    """Write a new kit into a folder that is new or empty, wholly or not at all."""
    try:
        recover_change(folder)
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty", hint="choose a new folder")
    except OSError as error:
        raise KitgenError(f"cannot write {folder}: {error.strerror}") from error
    change(folder, starter_files(folder.absolute().name))


def kit_name(folder: str) -> str:
    """Return a name for a kit that is like its folder's."""
    return re.sub(r"[^a-z0-9.-]+", "-", folder.lower())[:253].strip(".-") or "my-kit"


def starter_files(folder: str) -> dict[str, str]:
    """Return the files of a new kit in a folder of this name."""
    files = {
        "kit.yaml": KIT.replace("NAME\n", dump({"kit": kit_name(folder)})),
        "components/hello/v0.1.0/component.yaml": COMPONENT,
        "releases/v0.1.0.yaml": RELEASE,
        "targets/olm.yaml": OLM,
        "targets/odh.yaml": ODH,
        "targets/rhoai.yaml": RHOAI,
    }
    for name in (each for each in schemafiles.names() if not each.startswith("output/")):
        files[f"schemas/{name}.json"] = (
            json.dumps(schemafiles.schema(name), indent=2, ensure_ascii=False) + "\n"
        )
    return files
