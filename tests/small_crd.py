"""Small CRDs for the tests of outline, diff and validate."""

from __future__ import annotations

from typing import Any

STRING = {"type": "string"}


def obj(properties: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"type": "object", **({"properties": properties} if properties else {}), **more}


def version(name: str = "v1", spec: Any = None, **more: Any) -> dict[str, Any]:
    root = obj({"apiVersion": STRING, "kind": STRING, "metadata": {"type": "object"}})
    if spec is not None:
        root["properties"]["spec"] = spec
    return {
        "name": name,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": root},
        **more,
    }


def crd(
    *versions: dict[str, Any], group: str = "example.com", scope: str = "Namespaced", **spec: Any
) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": "Widget", "plural": "widgets"},
            "scope": scope,
            "versions": list(versions),
            **spec,
        },
    }


def crd_of(spec: Any, **more: Any) -> dict[str, Any]:
    """Return a CRD of one version with this schema of its spec."""
    return crd(version(spec=spec), **more)


def widget(spec: Any = None, **more: Any) -> dict[str, Any]:
    body = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one"}}
    return {**body, **({} if spec is None else {"spec": spec}), **more}
