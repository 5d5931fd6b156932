"""Tell files of programs from objects: they have an apiVersion and a kind too, and come to no cluster."""

from __future__ import annotations

from kitgen.kubernetes import groups, supported
from kitgen.objects import split_api_version
from kitgen.yamlio import Json

NAMED = frozenset({"backstage.io", "eksctl.io", "k3d.io", "skaffold"})
"""Groups of programs whose files have metadata, as objects do."""
KUBECONFIG = ("v1", "Config")
OF_OBJECTS = frozenset({"metadata", "spec"})
"""What one of these stands in is an object: none is without a name."""


def is_for_program(body: Json) -> bool:
    """Tell whether a document configures a program, such as kubelet, kubeadm, kind or an operator."""
    if not isinstance(body, dict):
        return False
    api_version, kind = body.get("apiVersion"), body.get("kind")
    if not (isinstance(api_version, str) and isinstance(kind, str)):
        return False
    group, _ = split_api_version(api_version)
    if group in NAMED or ((api_version, kind) == KUBECONFIG and "contexts" in body):
        return True
    return "." in group and group not in groups(supported()[-1]) and OF_OBJECTS.isdisjoint(body)
