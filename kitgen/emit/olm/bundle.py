"""The files of one bundle: manifests, metadata, the scorecard's tests and the file that builds its image."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.olm import Package
from kitgen.emit.kustomize.files import document, generated
from kitgen.emit.tree import FileTree, below
from kitgen.objects import Manifest, ObjectId, split_api_version
from kitgen.yamlio import JsonObject

MANIFESTS, METADATA, TESTS = "manifests", "metadata", "tests/scorecard"
PREFIX = "operators.operatorframework.io"
CRD = "CustomResourceDefinition"
OPENSHIFT = "com.redhat.openshift.versions"
SUITES = {
    "basic": ("basic-check-spec",),
    "olm": (
        *("olm-bundle-validation", "olm-crds-have-validation", "olm-crds-have-resources"),
        *("olm-spec-descriptors", "olm-status-descriptors"),
    ),
}
"""The scorecard's own tests, by suite."""
STORAGE: JsonObject = {"spec": {"mountPath": {}}}


def bundle_files(package: Package) -> FileTree:
    """Return every file of a bundle, by its path in it."""
    return {
        **content_files(package),
        "bundle.Dockerfile": dockerfile(notes_of(package), *origins_of(package)),
    }


def content_files(package: Package) -> FileTree:
    """Return what the image of a bundle holds, and a catalog takes."""
    origins = origins_of(package)
    return {
        **below(MANIFESTS, manifest_files(package)),
        f"{METADATA}/annotations.yaml": document({"annotations": notes_of(package)}, *origins),
        f"{TESTS}/config.yaml": document(scorecard(package), *origins),
    }


def origins_of(package: Package) -> tuple[str, ...]:
    """Return the files that a bundle is made from, as the others of a target name them."""
    component = package.unit.context.component
    return (f"components/{component.name}", package.settings.origin.file)


def manifest_files(package: Package) -> FileTree:
    """Return one file an object, named as the tools of OLM name them."""
    csv = {f"{package.settings.package}.clusterserviceversion.yaml": package.csv.body}
    files = csv | {name: each.body for name, each in _named(package.objects)}
    return {name: document(body, *origins_of(package)) for name, body in sorted(files.items())}


def _named(objects: tuple[Manifest, ...]) -> Iterator[tuple[str, Manifest]]:
    for each in objects:
        yield _name(each.id, each.body), each


def _name(identity: ObjectId, body: JsonObject) -> str:
    if identity.kind == CRD:
        return f"{body['spec']['group']}_{body['spec']['names']['plural']}.yaml"
    group, version = split_api_version(body["apiVersion"])
    name = identity.name.replace(":", "_")
    return f"{'_'.join(filter(None, (name, group, version, identity.kind.lower())))}.yaml"


def notes_of(package: Package) -> dict[str, str]:
    """Return what the metadata says of a bundle, and the labels of its image too."""
    said = package.settings
    found = {
        f"{PREFIX}.bundle.mediatype.v1": "registry+v1",
        f"{PREFIX}.bundle.manifests.v1": f"{MANIFESTS}/",
        f"{PREFIX}.bundle.metadata.v1": f"{METADATA}/",
        f"{PREFIX}.bundle.package.v1": said.package,
        f"{PREFIX}.bundle.channels.v1": ",".join(said.channels),
    }
    if said.default_channel:
        found[f"{PREFIX}.bundle.channel.default.v1"] = said.default_channel
    if package.openshift:
        found[OPENSHIFT] = package.openshift
    tests = {f"{PREFIX}.test.mediatype.v1": "scorecard+v1", f"{PREFIX}.test.config.v1": f"{TESTS}/"}
    return {**found, **said.annotations, **tests}


def scorecard(package: Package) -> JsonObject:
    """Return the tests that the scorecard runs on a cluster."""
    tests = [
        {
            "entrypoint": ["scorecard-test", test],
            "image": package.settings.scorecard,
            "labels": {"suite": suite, "test": f"{test}-test"},
            "storage": STORAGE,
        }
        for suite, names in SUITES.items()
        for test in names
    ]
    return {
        "apiVersion": "scorecard.operatorframework.io/v1alpha3",
        "kind": "Configuration",
        "metadata": {"name": "config"},
        "stages": [{"parallel": True, "tests": tests}],
        "storage": STORAGE,
    }


def dockerfile(notes: dict[str, str], *origins: str) -> str:
    """Return what the image of a bundle is built with: its files, and the same notes as labels."""
    labels = "".join(f"LABEL {key}={_quoted(value)}\n" for key, value in notes.items())
    copies = "".join(f"COPY {path} /{path}/\n" for path in (MANIFESTS, METADATA, TESTS))
    return f"{generated(origins)}FROM scratch\n\n{labels}\n{copies}"


def _quoted(text: str) -> str:
    """Write a label's value so that a build neither splits nor expands it."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    return f'"{plain}"' if not text.replace("/", "").replace("+", "").replace("-", "").isalnum() else text
