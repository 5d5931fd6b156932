"""Imports into kits that know the component: what kustomize added goes, and what is missing is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from declared import crd, root
from running import Run, run

from kitgen.text.yaml import Json, JsonObject, dump_yaml, dump_yaml_documents, read_yaml

LABELS = {"app.kubernetes.io/name": "pond", "app.kubernetes.io/part-of": "water"}
KIT = 'kit: test\nformat: 2\nkubernetes: ">=1.27 <=1.32"\n'
COMPONENT = """\
# ponds
component: pond
version: v1.0.0  # first
kubernetes: "1.28"
prefix: pond-
namespace: lake
labels:
- pairs: {app.kubernetes.io/name: pond, app.kubernetes.io/part-of: water}
  selectors: true
- {pairs: {role: keeper}, scope: operator}
images: {manager: "example.dev/pond:v1.0.0"}
serviceAccount: keeper
deployment:
  name: keeper
  containers: {manager: {image: manager}}
webhooks: {kinds: [example.dev/v1/Duck]}
"""
CONFIG = "configMap: pond-config\nkey: config.yaml\nfields: {size: {type: integer, default: 1}}\n"
TARGET = """\
target: park
release: v1.0.0
namespace: park
components:
  pond: {labels: [{pairs: {tier: park}}]}
"""


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    write(tmp_path / "kit.yaml", KIT)
    write(tmp_path / "targets" / "park.yaml", TARGET)
    write(tmp_path / "releases" / "v1.0.0.yaml", "release: v1.0.0\ncomponents: {pond: v1.0.0}\n")
    write(tmp_path / "components" / "pond" / "v1.0.0" / "component.yaml", COMPONENT)
    write(tmp_path / "components" / "pond" / "v1.0.0" / "config.yaml", CONFIG)
    return tmp_path


def conversion(name: str = "pond-webhook-service", namespace: str = "lake") -> JsonObject:
    service = {"name": name, "namespace": namespace, "path": "/convert"}
    review = {"clientConfig": {"service": service}, "conversionReviewVersions": ["v1"]}
    return {"strategy": "Webhook", "webhook": review}


def thing(
    kind: str = "Duck", labels: Json = None, annotations: Json = None, schema: Json = None, **spec: Json
) -> JsonObject:
    body = crd(root(schema or {"type": "object"}), kind=kind, **spec)
    body["metadata"] |= {
        key: value for key, value in (("labels", labels), ("annotations", annotations)) if value
    }
    return body


def bring(kit: Path, *bodies: JsonObject, version: str = "v1.0.0", component: str = "pond") -> Run:
    write(kit / "in.yaml", dump_yaml_documents(bodies))
    options = ["--component", component, "--version", version, "--root", str(kit)]
    return run("crd", "import", str(kit / "in.yaml"), *options)


def declared(
    kit: Path, plural: str = "ducks", version: str = "v1.0.0", component: str = "pond"
) -> JsonObject:
    file = kit / "components" / component / version / "crds" / f"{plural}.yaml"
    data: JsonObject = read_yaml(file.read_text(encoding="utf-8"))
    return data


def built(kit: Path) -> dict[str, JsonObject]:
    done = run("build", "park", "--root", str(kit))
    assert done.code == 0, done.err
    from kitgen.text.yaml import read_yaml_documents

    bodies = [
        body for body in read_yaml_documents(done.out) if body and body["kind"] == "CustomResourceDefinition"
    ]
    return {body["metadata"]["name"]: body for body in bodies}


@pytest.mark.parametrize("target", [False, True])
@pytest.mark.parametrize(
    ("name", "namespace"),
    [("pond-webhook-service", "lake"), ("pond-webhook-service", "park"), ("webhook-service", "system")],
)
def test_what_the_component_gives_is_taken_out(kit: Path, name: str, namespace: str, target: bool) -> None:
    labels = {**LABELS, **({"tier": "park"} if target else {})}
    done = bring(kit, thing(labels=labels, conversion=conversion(name, namespace)))
    assert done.code == 0, done.err
    assert "given by component.yaml: app.kubernetes.io/name=pond, app.kubernetes.io/part-of=water" in done.out
    assert ("given by targets/park.yaml: tier=park" in done.out) == target
    assert "warning" not in done.err
    assert "metadata" not in declared(kit)
    assert declared(kit)["conversion"] == "webhook"
    body = built(kit)["ducks.example.dev"]
    assert body["metadata"]["labels"] == {**LABELS, "tier": "park"}
    assert body["spec"]["conversion"] == conversion(namespace="park")


def test_labels_that_no_rule_gives_stay_and_are_told(kit: Path) -> None:
    done = bring(kit, thing(labels={**LABELS, "role": "keeper", "tier": "zoo"}))
    assert "kept: 2 labels that no label rule gives: role=keeper, tier=zoo" in done.out
    assert declared(kit)["metadata"] == {"labels": {"role": "keeper", "tier": "zoo"}}


def test_a_service_that_nobody_makes_is_told(kit: Path) -> None:
    done = bring(kit, thing(conversion=conversion("other", "sea")))
    assert done.code == 0
    assert "warning: crd-service: found a conversion by the Service 'other'" in done.err
    assert declared(kit)["conversion"] == conversion("other", "sea")
    done = bring(kit, thing(conversion=conversion("pond-other", "lake")))
    assert "warning: crd-service: found a conversion by the Service 'pond-other'" in done.err
    assert declared(kit)["conversion"] == {"service": "other"}


@pytest.mark.parametrize("prefix", ["prefix: pond-\n", ""])
@pytest.mark.parametrize("service", [("pond-other", "sea"), ("webhook-service", "sea")])
def test_a_service_of_others_stays_where_it_is(kit: Path, prefix: str, service: tuple[str, str]) -> None:
    without = COMPONENT.replace("prefix: pond-\n", prefix).replace(
        "webhooks: {kinds: [example.dev/v1/Duck]}\n", ""
    )
    write(kit / "components" / "pond" / "v1.0.0" / "component.yaml", without)
    done = bring(kit, thing(conversion=conversion(*service)))
    assert done.code == 0, done.err
    assert "taken out" not in done.out
    assert declared(kit)["conversion"] == conversion(*service)
    assert "warning: crd-service: " in done.err


def test_an_annotation_that_names_the_namespace_is_told(kit: Path) -> None:
    done = bring(kit, thing(annotations={"cert.dev/from": "lake/pond-cert", "a": "lake"}))
    assert done.err.count("crd-namespace") == 1
    assert "/metadata/annotations/cert.dev~1from: warning: crd-namespace: " in done.err


def test_a_new_version_keeps_the_operator(kit: Path) -> None:
    done = bring(kit, thing(), version="v1.1.0")
    assert "taken over: component.yaml and config.yaml of v1.0.0" in done.out
    assert "wrote components/pond/v1.1.0\n" in done.err.replace(f"{kit}/", "")
    folder = kit / "components" / "pond" / "v1.1.0"
    assert (folder / "component.yaml").read_text() == COMPONENT.replace(
        "version: v1.0.0 ", "version: v1.1.0 "
    )
    assert (folder / "config.yaml").read_text() == CONFIG
    assert run("check", "-o", "lines", "--root", str(kit)).code == 0


def test_a_new_version_starts_from_the_one_before_it(kit: Path) -> None:
    text = COMPONENT.replace("v1.0.0", "v1.10.0").replace("# ponds", "# tenth")
    write(kit / "components" / "pond" / "v1.10.0" / "component.yaml", text)
    assert "of v1.0.0" in bring(kit, thing(), version="v1.9.0").out
    assert "of v1.10.0" in bring(kit, thing(), version="v1.11.0").out
    assert "taken over" not in bring(kit, thing(), version="v0.9.0").out


def test_a_new_version_keeps_its_minor_where_that_is_no_worse(kit: Path) -> None:
    from kitgen.crd.types import types_of

    same = types_of(30).get_schema("core/v1.Toleration")
    assert "Kubernetes 1.28," in bring(kit, thing(schema=same), version="v1.1.0").out.replace("\n", ",")
    newer = types_of(32).get_schema("core/v1.PodTemplateSpec")
    assert "Kubernetes 1.32," in bring(kit, thing(schema=newer), version="v1.2.0").out.replace("\n", ",")


def test_what_was_there_before_and_is_missing_is_told(kit: Path) -> None:
    full = thing(annotations={"a.dev/b": "c"}, labels={"own": "yes"}, conversion=conversion())
    assert "crd-lost" not in bring(kit, full, thing("Swan")).err
    assert "crd-lost" not in bring(kit, full, thing("Swan"), version="v1.1.0").err
    done = bring(kit, thing(), version="v1.1.1")
    assert done.code == 0
    for words in ("CRD 'swans.example.dev'", "conversion of", "annotation 'a.dev/b'", "label 'own'"):
        assert f"warning: crd-lost: found no {words}" in done.err
    assert done.err.count("which v1.1.0 has") == 4
    # In the same version, a CRD that is not imported stays, and what is replaced is compared.
    again = bring(kit, thing())
    assert again.err.count("which v1.0.0 has") == 3
    assert "swans" in "".join(line for line in again.err.splitlines() if "not touched" in line)


def test_a_new_component_gets_what_all_its_crds_have_in_common(kit: Path) -> None:
    bodies = [
        thing(labels={**LABELS, "own": "duck"}, conversion=conversion("fen-webhook-service", "marsh")),
        thing("Swan", labels=LABELS),
    ]
    done = bring(kit, *bodies, component="fen")
    assert "taken out: 2 labels, given by the new component.yaml: " in done.out
    assert "kept: 1 label that no label rule gives: own=duck" in done.out
    assert "crd-service" in done.err
    spec = read_yaml((kit / "components" / "fen" / "v1.0.0" / "component.yaml").read_text())
    assert (spec["prefix"], spec["namespace"], spec["labels"]) == ("fen-", "marsh", [{"pairs": LABELS}])
    assert declared(kit, component="fen")["conversion"] == "webhook"
    assert run("check", "-o", "lines", "--root", str(kit)).code == 0
    again = bring(kit, *bodies, component="fen")
    assert "given by component.yaml: " in again.out


def test_the_services_of_a_new_component_stay_where_they_are(kit: Path) -> None:
    services = [conversion("a-webhook-service", "marsh"), conversion("b-webhook-service", "moor")]
    bodies = [thing(kind, conversion=each) for kind, each in zip(("Duck", "Swan"), services, strict=True)]
    assert "taken out" not in bring(kit, *bodies, component="fen").out
    assert [declared(kit, name, component="fen")["conversion"] for name in ("ducks", "swans")] == services


def test_a_new_component_keeps_labels_that_other_objects_lack(kit: Path) -> None:
    account: JsonObject = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a"}}
    done = bring(kit, thing(labels=LABELS), thing("Swan", labels=LABELS), account, component="fen")
    assert "kept: 2 labels" in done.out
    assert "labels" not in (kit / "components" / "fen" / "v1.0.0" / "component.yaml").read_text()


def test_one_crd_alone_keeps_labels_that_other_objects_lack(kit: Path) -> None:
    assert "kept: 2 labels" in bring(kit, thing(labels=LABELS), component="fen").out
    account: JsonObject = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a"}}
    account["metadata"]["labels"] = {"app.kubernetes.io/name": "pond"}
    done = bring(kit, thing(labels=LABELS), account, component="bog")
    assert "given by the new component.yaml: app.kubernetes.io/name=pond" in done.out
    assert "kept: 1 label that no label rule gives: app.kubernetes.io/part-of=water" in done.out


def test_a_kit_with_errors_takes_nothing_out(kit: Path) -> None:
    write(kit / "targets" / "park.yaml", TARGET + "more: 1\n")
    given = thing(labels=LABELS, conversion=conversion())
    done = bring(kit, given)
    assert done.code == 0
    assert declared(kit)["metadata"]["labels"] == LABELS
    assert declared(kit)["conversion"] == conversion()


@pytest.mark.parametrize("mark", ["<<", "!!merge <<"])
def test_merge_keys_are_read(kit: Path, mark: str) -> None:
    shared = "&a {type: string, maxLength: 5}"
    text = dump_yaml(thing(schema={"type": "object", "properties": {"a": "A", "b": "B"}}))
    indent = next(line for line in text.splitlines() if line.strip() == "b: B").partition("b")[0]
    text = text.replace("a: A", f"a: {shared}")
    text = text.replace("b: B", f"b:\n{indent}  {mark}: *a\n{indent}  maxLength: 9")
    write(kit / "in.yaml", text)
    done = run("crd", "import", kit / "in.yaml", "--component", "pond", "--version", "v1.0.0", "--root", kit)
    assert done.code == 0, done.err
    spec = declared(kit)["versions"]["v1"]["schema"]["properties"]["spec"]
    assert spec["properties"]["b"] == {"type": "string", "maxLength": 9}
