"""The tree that a pull request to the community catalog needs: a folder a version, and what is beside."""

from __future__ import annotations

from kitgen.compile.olm import Package
from kitgen.emit.kustomize.files import generated
from kitgen.emit.olm.bundle import content_files
from kitgen.emit.tree import FileTree, below
from kitgen.model import Community
from kitgen.yamlio import JsonObject, dump

OPERATORS = "operators"
BASIC = "olm.template.basic"


def package_files(package: Package, *, catalog: bool) -> FileTree:
    """Return the files of one bundle in its package, and those of the package; catalogs get more."""
    said, community = package.settings, package.settings.community
    folder = f"{OPERATORS}/{said.package}"
    tree = below(f"{folder}/{package.version}", content_files(package))
    origin = generated((said.origin.file,))
    if community is not None:
        tree[f"{folder}/ci.yaml"] = origin + dump(_ci(community, catalog=catalog))
    if catalog and community is not None:
        tree[f"{folder}/{package.version}/release-config.yaml"] = origin + dump(_release(package, community))
        template = f"{folder}/catalog-templates/{community.template}"
        tree[template] = origin + dump(_template(package))
    return tree


def _ci(community: Community, *, catalog: bool) -> JsonObject:
    found: JsonObject = {"reviewers": list(community.reviewers)}
    if not catalog:
        return {"updateGraph": community.update_graph, **found}
    mapping = {
        "template_name": community.template,
        "catalog_names": list(community.catalogs),
        "type": BASIC,
    }
    return {**found, "fbc": {"enabled": True, "catalog_mapping": [mapping]}}


def _release(package: Package, community: Community) -> JsonObject:
    """Return where a bundle goes in the catalog template."""
    spec = package.csv.body["spec"]
    entry: JsonObject = {"template_name": community.template, "channels": list(package.settings.channels)}
    entry |= {"replaces": spec["replaces"]} if "replaces" in spec else {}
    entry |= {"skips": spec["skips"]} if "skips" in spec else {}
    if package.release.skip_range:
        entry["skipRange"] = package.release.skip_range
    return {"catalog_templates": [entry]}


def _template(package: Package) -> JsonObject:
    """Return a catalog template of the package with its channels, which bundles are added to."""
    said = package.settings
    head: JsonObject = {
        "schema": "olm.package",
        "name": said.package,
        "defaultChannel": said.default_channel or said.channels[0],
    }
    channels: list[JsonObject] = [
        {"schema": "olm.channel", "package": said.package, "name": name, "entries": [_entry(package)]}
        for name in said.channels
    ]
    return {"schema": BASIC, "entries": [head, *channels]}


def _entry(package: Package) -> JsonObject:
    spec = package.csv.body["spec"]
    entry: JsonObject = {"name": package.name}
    entry |= {key: spec[key] for key in ("replaces", "skips") if key in spec}
    return entry | ({"skipRange": package.release.skip_range} if package.release.skip_range else {})
