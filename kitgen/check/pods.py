"""Check pods: what the API server requires and their schemas do not declare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.schemas.catalog import is_own
from kitgen.check.schemas.embedded import as_heard_of
from kitgen.findings import Path, Problem, near, problem
from kitgen.kube.identity import split_api_version
from kitgen.kube.pods import CONTAINERS
from kitgen.render.kustomize.field_paths import places
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import JsonObject

HANDLED = ("livenessProbe", "readinessProbe", "startupProbe", "lifecycle/postStart", "lifecycle/preStop")
ONE_OF = "remove the others; a merge patch does it with null"
HANDLERS = ("exec", "grpc", "httpGet", "sleep", "tcpSocket")
ALTERNATIVES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("volumes[]", "resourceClaims[]", *(f"{each}[]/env[]" for each in CONTAINERS)), ()),
    **{f"{each}[]/{place}": HANDLERS for each in CONTAINERS for place in HANDLED},
}
"""Way into a pod → the keys there of which one may be given; all of them, but for the name, if empty."""


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield every container without an image, and everything that is two things of which it may be one."""
    for target, manifest in context.objects():
        minors = context.minors_of(target, manifest)
        for path, pod in pod_specs(context.mappings(manifest), minors):
            for wrong in (*_without_image(pod), *_two_things(pod)):
                yield CheckHit(target, manifest, as_heard_of(wrong.below(*path), manifest.id, minors))


def pod_specs(
    mappings: Iterable[tuple[Path, JsonObject]], minors: tuple[int, ...]
) -> Iterator[tuple[Path, JsonObject]]:
    """Yield the specs of pods and pod templates of Kubernetes' own kinds, which may stand inside others.

    In the template of a custom resource much may be missing, since its operator completes it.
    """
    kinds: dict[Path, str] = {}
    for path, mapping in mappings:
        api_version, kind = mapping.get("apiVersion"), mapping.get("kind")
        if isinstance(api_version, str) and isinstance(kind, str):
            kinds[path] = kind if is_own(split_api_version(api_version)[0], minors) else ""
        above = path[:-1]
        if path[-1:] == ("spec",) and (above[-1:] == ("template",) or kinds.get(above) == "Pod"):
            upwards = (above[:size] for size in range(len(above), -1, -1))
            if next((kinds[each] for each in upwards if each in kinds), ""):
                yield path, mapping


def _without_image(pod: JsonObject) -> Iterator[Problem]:
    """Yield the containers without an image."""
    for key in CONTAINERS:
        items = [(path, item) for path, item in places(pod, f"{key}[]") if item and isinstance(item, dict)]
        others = [str(item.get("name")) for _, item in items if item.get("image") is not None]
        for path, item in items:
            if item.get("image") is None:
                name = str(item.get("name", path[-1]))
                message = f"found no image of the container {cut(name)}, expected one"
                yield problem("container-image", message, path, near(name, others))


def _two_things(pod: JsonObject) -> Iterator[Problem]:
    """Yield what has two values, sources or handlers."""
    for way, among in ALTERNATIVES.items():
        for path, place in places(pod, way):
            # An empty value of a variable, beside a source, is no value.
            items = place.items() if isinstance(place, dict) else ()  # what is no map is for the schemas
            given = [key for key, value in items if value not in ("", None) and key != "name"]
            if len(keys := [key for key in given if not among or key in among]) > 1:
                message = f"found {choice(keys, last='and')}, expected one of them"
                yield problem("field-alternatives", message, (*path, keys[-1]), ONE_OF)
