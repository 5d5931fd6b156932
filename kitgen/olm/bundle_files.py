"""The files of one bundle: manifests, metadata, the scorecard's tests and the file that builds its image.

The tree that a pull request to the community catalog needs: a folder a version, and what is beside.

What OLM needs of a target: its bundle, and the objects that have a cluster install it.
"""

from __future__ import annotations

from kitgen.crd.definition import is_crd
from kitgen.files.root import BUNDLE, INSTALL
from kitgen.kit.bundle_settings import OPENSHIFT
from kitgen.kit.model import Community
from kitgen.kube.identity import ObjectId, split_api_version
from kitgen.olm.bundle import Package, package_of
from kitgen.render.file_tree import FileTree, nest_files
from kitgen.render.overlays.files import format_header, object_files, render_document, render_kustomization
from kitgen.render.plan import TargetPlan
from kitgen.text.yaml import JsonObject, dump_yaml

MANIFESTS, METADATA, TESTS = "manifests", "metadata", "tests/scorecard"
PREFIX = "operators.operatorframework.io"
SUITES = {
    "basic": ("basic-check-spec",),
    "olm": (
        *("olm-bundle-validation", "olm-crds-have-validation", "olm-crds-have-resources"),
        *("olm-spec-descriptors", "olm-status-descriptors"),
    ),
}
"""The scorecard's own tests, by suite."""
STORAGE: JsonObject = {"spec": {"mountPath": {}}}


def render_bundle_files(package: Package) -> FileTree:
    """Return every file of a bundle, by its path in it."""
    return {
        **render_content_files(package),
        "bundle.Dockerfile": render_dockerfile(build_annotations(package), *list_source_files(package)),
    }


def render_content_files(package: Package) -> FileTree:
    """Return what the image of a bundle holds, and a catalog takes."""
    origins = list_source_files(package)
    return {
        **nest_files(MANIFESTS, render_manifest_files(package)),
        f"{METADATA}/annotations.yaml": render_document(
            {"annotations": build_annotations(package)}, *origins
        ),
        f"{TESTS}/config.yaml": render_document(build_scorecard(package), *origins),
    }


def list_source_files(package: Package) -> tuple[str, ...]:
    """Return the files that a bundle is made from, as the others of a target name them."""
    return (f"components/{package.unit.context.component.name}", package.settings.origin.file)


def render_manifest_files(package: Package) -> FileTree:
    """Return one file an object, named as the tools of OLM name them."""
    csv = {f"{package.settings.package}.clusterserviceversion.yaml": package.csv.body}
    files = csv | {_format_file_name(each.id, each.body): each.body for each in package.objects}
    return {name: render_document(body, *list_source_files(package)) for name, body in sorted(files.items())}


def _format_file_name(identity: ObjectId, body: JsonObject) -> str:
    if is_crd(body):
        return f"{body['spec']['group']}_{body['spec']['names']['plural']}.yaml"
    group, version = split_api_version(body["apiVersion"])
    name = identity.name.replace(":", "_")
    return f"{'_'.join(filter(None, (name, group, version, identity.kind.lower())))}.yaml"


def build_annotations(package: Package) -> dict[str, str]:
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


def build_scorecard(package: Package) -> JsonObject:
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


def render_dockerfile(notes: dict[str, str], *origins: str) -> str:
    """Return what the image of a bundle is built with: its files, and the same notes as labels."""
    labels = "".join(f"LABEL {key}={_quote_label(value)}\n" for key, value in notes.items())
    copies = "".join(f"COPY {path} /{path}/\n" for path in (MANIFESTS, METADATA, TESTS))
    return f"{format_header(origins)}FROM scratch\n\n{labels}\n{copies}"


def _quote_label(text: str) -> str:
    """Write a label's value so that a build neither splits nor expands it."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    return f'"{plain}"' if not text.replace("/", "").replace("+", "").replace("-", "").isalnum() else text


OPERATORS = "operators"
BASIC = "olm.template.basic"


def render_package_files(package: Package, *, catalog: bool) -> FileTree:
    """Return the files of one bundle in its package, and those of the package; catalogs get more."""
    said, community = package.settings, package.settings.community
    folder = f"{OPERATORS}/{said.package}"
    tree = nest_files(f"{folder}/{package.version}", render_content_files(package))
    origin = format_header((said.origin.file,))
    if community is not None:
        tree[f"{folder}/ci.yaml"] = origin + dump_yaml(_build_ci_config(community, catalog=catalog))
    if catalog and community is not None:
        tree[f"{folder}/{package.version}/release-config.yaml"] = origin + dump_yaml(
            _build_release_config(package, community)
        )
        template = f"{folder}/catalog-templates/{community.template}"
        tree[template] = origin + dump_yaml(_build_catalog_template(package))
    return tree


def _build_ci_config(community: Community, *, catalog: bool) -> JsonObject:
    found: JsonObject = {"reviewers": list(community.reviewers)}
    if not catalog:
        return {"updateGraph": community.update_graph, **found}
    mapping = {
        "template_name": community.template,
        "catalog_names": list(community.catalogs),
        "type": BASIC,
    }
    return {**found, "fbc": {"enabled": True, "catalog_mapping": [mapping]}}


def _build_release_config(package: Package, community: Community) -> JsonObject:
    """Return where a bundle goes in the catalog template."""
    entry: JsonObject = {"template_name": community.template, "channels": list(package.settings.channels)}
    return {"catalog_templates": [entry | _build_update_edges(package)]}


def _build_catalog_template(package: Package) -> JsonObject:
    """Return a catalog template of the package with its channels, which bundles are added to."""
    said = package.settings
    head: JsonObject = {
        "schema": "olm.package",
        "name": said.package,
        "defaultChannel": said.default_channel or said.channels[0],
    }
    entry: JsonObject = {"name": package.name} | _build_update_edges(package)
    channels: list[JsonObject] = [
        {"schema": "olm.channel", "package": said.package, "name": name, "entries": [entry]}
        for name in said.channels
    ]
    return {"schema": BASIC, "entries": [head, *channels]}


def _build_update_edges(package: Package) -> JsonObject:
    """Return which other bundles a bundle follows, in the words of templates."""
    spec = package.csv.body["spec"]
    found: JsonObject = {key: spec[key] for key in ("replaces", "skips") if key in spec}
    return found | ({"skipRange": package.release.skip_range} if package.release.skip_range else {})


__all__ = ["render_olm_files", "render_package_files"]


def render_olm_files(plan: TargetPlan) -> FileTree:
    """Return the files of a target's bundle and installation, by their path below overlays/."""
    if (package := package_of(plan)) is None:
        return {}
    bundle = nest_files(BUNDLE, render_bundle_files(package))
    return nest_files(plan.target.name, bundle | nest_files(INSTALL, _render_install_files(plan)))


def _render_install_files(plan: TargetPlan) -> FileTree:
    """Return the objects that have OLM install the bundle, and what builds them."""
    files = object_files(plan.extras["olm"].apart.objects, origins=(plan.target.origin.file,))
    listed = {"resources": list(files), "sortOptions": {"order": "fifo"}}
    return {"kustomization.yaml": render_kustomization(listed, plan.target.origin.file), **files}
