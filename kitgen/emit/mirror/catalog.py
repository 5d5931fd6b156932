"""The catalog on a cluster without a network: where it is, and that there is no other."""

from __future__ import annotations

from kitgen.emit.mirror.imageset import Offered
from kitgen.emit.mirror.places import SHORT, Place
from kitgen.model import Catalog
from kitgen.yamlio import JsonObject

LONGEST = 63
INDEXES = {
    "certified-operators": "registry.redhat.io/redhat/certified-operator-index",
    "community-operators": "registry.redhat.io/redhat/community-operator-index",
    "redhat-marketplace": "registry.redhat.io/redhat/redhat-marketplace-index",
    "redhat-operators": "registry.redhat.io/redhat/redhat-operator-index",
}
"""The catalogs that OpenShift comes with, and their images, whose tag is a version of OpenShift."""


def catalog_name(place: Place) -> str:
    """Return what oc-mirror calls a catalog: its last part, and its tag or some of its digest."""
    source = place.source
    version = source.digest.partition(":")[2][:SHORT] if source.digest else source.tag
    plain = f"cs-{source.path.rpartition('/')[2]}-{version}".lower().replace(".", "-").replace("_", "-")
    return plain[:LONGEST].rstrip("-")


def name_on_cluster(place: Place, said: Catalog | None) -> str:
    """Return what Subscriptions of a target name already, unless that is a catalog of OpenShift's."""
    if said and (said.image or said.name not in INDEXES):
        return said.name
    return catalog_name(place)


def catalog_source(offered: Offered) -> JsonObject:
    """Return the catalog in the mirror, as OLM takes it."""
    place = offered.catalog
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "CatalogSource",
        "metadata": {"name": offered.name, "namespace": offered.namespace},
        "spec": {
            "sourceType": "grpc",
            "image": place.copy,
            "displayName": offered.package.settings.package,
        },
    }


def operator_hub() -> JsonObject:
    """Return what turns off the catalogs that a cluster comes with, which it cannot reach."""
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "OperatorHub",
        "metadata": {"name": "cluster"},
        "spec": {"disableAllDefaultSources": True},
    }
