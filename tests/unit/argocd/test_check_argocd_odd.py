"""Applications and what they bring, of any shape."""

from __future__ import annotations

from checking import CRD, QUEUE, RANGE, bodies, manifest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.argocd.rules.objects import check
from kitgen.check.context import CheckContext
from kitgen.text.yaml import Json

ODD: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "{{", "/", "..", "1"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["name", "path", "a"]), inner, max_size=2)
    ),
    max_leaves=4,
)
WHOLE = bodies(
    """
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: "1"}}
spec:
  project: team
  source:
    repoURL: https://example.com/web.git
    path: apps/web
    directory: {recurse: true, include: a}
    kustomize: {images: [a]}
  sources: [{repoURL: a, path: b}]
  destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy: {syncOptions: [CreateNamespace=true]}
---
"""
    + CRD
    + "---"
    + QUEUE
)


def spots(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(spot for key, each in inner for spot in spots(each, (*path, key)))]


def put(value: Json, path: tuple[str | int, ...], odd: Json) -> Json:
    if not path:
        return odd
    if isinstance(value, dict):
        return {key: put(each, path[1:], odd) if key == path[0] else each for key, each in value.items()}
    return [put(each, path[1:], odd) if at == path[0] else each for at, each in enumerate(value)]


SPOTS = [(number, path) for number, body in enumerate(WHOLE) for path in spots(body) if path]


@given(changes=st.lists(st.tuples(st.sampled_from(SPOTS), ODD), min_size=1, max_size=3))
def test_bodies_of_any_shape_are_looked_at(
    changes: list[tuple[tuple[int, tuple[str | int, ...]], Json]],
) -> None:
    some = [*WHOLE]
    for (number, path), odd in changes:
        try:
            some[number] = put(some[number], path, odd)
        except TypeError:
            continue  # another change took the place away
    objects = [manifest(each) for each in some]
    folders = {("example.com/web", "apps/web"): objects, ("a", "b"): []}
    for target in ("", "odh/argocd"):
        list(check(CheckContext(targets={target: objects}, minors=RANGE, folders=folders)))
