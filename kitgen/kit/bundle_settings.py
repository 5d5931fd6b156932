"""Annotations of OLM bundles and CSVs that are computed, and so are refused in specs."""

from __future__ import annotations

PREFIX = "operators.operatorframework.io.bundle."
OPENSHIFT = "com.redhat.openshift.versions"
"""The annotation of a bundle that says which versions of OpenShift it is for."""
METADATA = (PREFIX, "operators.operatorframework.io.test.")
"""How annotations of a bundle start that say what the bundle is."""
COMPUTED = {
    "alm-examples": "the examples of apis",
    "containerImage": "the containers",
    "createdAt": "the date of the release",
    "olm.skipRange": "the release",
    "operatorframework.io/suggested-namespace": "the namespace of the component",
    **dict.fromkeys(("capabilities", "categories", "repository", "support"), "the key of that name"),
    "description": "summary",
}
"""Annotations of a ClusterServiceVersion that no listing says as such, and where they come from."""
