"""Commands that notes tell people to run; names come from anybody's manifests, so they are quoted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from json import dumps
from shlex import quote

from kitgen.objects import ObjectId


def save_command(crd: str) -> str:
    """Return what saves all objects of a CRD."""
    return f"kubectl get {quote(crd)} --all-namespaces -o yaml > {quote(f'{crd}.yaml')}"


def delete_command(name: ObjectId) -> str:
    """Return what deletes an object."""
    resource = f"{name.kind.lower()}.{name.group}" if name.group else name.kind.lower()
    space = f" -n {quote(name.namespace)}" if name.namespace else ""
    return f"kubectl delete {quote(f'{resource}/{name.name}')}{space}"


def migrate_commands(crd: str, kept: Sequence[str]) -> Iterator[str]:
    """Yield what writes all objects of a CRD again, and forgets the versions that they were stored in."""
    yield f"kubectl get {quote(crd)} --all-namespaces -o yaml | kubectl replace -f -"
    patch = dumps({"status": {"storedVersions": [*kept]}}, separators=(",", ":"))
    yield f"kubectl patch crd {quote(crd)} --subresource=status --type=merge -p {quote(patch)}"


def store_command(crd: str, versions: Sequence[str], wanted: str) -> str:
    """Return what has a CRD store objects in one of its versions, which are given in their order."""
    steps = [
        {"op": "replace", "path": f"/spec/versions/{at}/storage", "value": each == wanted}
        for at, each in enumerate(versions)
    ]
    return f"kubectl patch crd {quote(crd)} --type=json -p {quote(dumps(steps, separators=(',', ':')))}"


def delete_crd(name: str) -> str:
    """Return what deletes a CRD."""
    return f"kubectl delete crd {quote(name)}"
