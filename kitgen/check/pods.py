"""Check pods: what the API server requires and their schemas do not declare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.schemas.catalog import is_kubernetes_group
from kitgen.check.schemas.embedded import classify_problem
from kitgen.check.views import Minors, ObjectView
from kitgen.findings import Path, Problem, make_problem, suggest_word
from kitgen.kube.identity import split_api_version
from kitgen.kube.pods import CONTAINERS
from kitgen.render.kustomize.field_paths import find_values
from kitgen.text.wording import join_words, quote_text
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
    return context.check_each(_check_object)


def _check_object(each: ObjectView, minors: Minors) -> Iterator[Problem]:
    for path, pod in find_pod_specs(each.mappings, minors) if each.may_contain("template", "Pod") else ():
        for wrong in (*_check_images(pod), *_check_alternatives(pod)):
            yield classify_problem(wrong.prefix_path(*path), each.id, minors)


def find_pod_specs(
    mappings: Iterable[tuple[Path, JsonObject]], minors: tuple[int, ...]
) -> Iterator[tuple[Path, JsonObject]]:
    """Yield the specs of pods and pod templates of Kubernetes' own kinds, which may stand inside others.

    In the template of a custom resource much may be missing, since its operator completes it.
    """
    kinds: dict[Path, str] = {}
    for path, mapping in mappings:
        api_version, kind = mapping.get("apiVersion"), mapping.get("kind")
        if isinstance(api_version, str) and isinstance(kind, str):
            kinds[path] = kind if is_kubernetes_group(split_api_version(api_version)[0], minors) else ""
        above = path[:-1]
        if path[-1:] == ("spec",) and (above[-1:] == ("template",) or kinds.get(above) == "Pod"):
            upwards = (above[:size] for size in range(len(above), -1, -1))
            if next((kinds[each] for each in upwards if each in kinds), ""):
                yield path, mapping


def _check_images(pod: JsonObject) -> Iterator[Problem]:
    """Yield the containers without an image."""
    for key in CONTAINERS:
        items = [
            (path, item) for path, item in find_values(pod, f"{key}[]") if item and isinstance(item, dict)
        ]
        others = [str(item.get("name")) for _, item in items if item.get("image") is not None]
        for path, item in items:
            if item.get("image") is None:
                name = str(item.get("name", path[-1]))
                message = f"found no image of the container {quote_text(name)}, expected one"
                yield make_problem("container-image", message, path, suggest_word(name, others))


def _check_alternatives(pod: JsonObject) -> Iterator[Problem]:
    """Yield what has two values, sources or handlers."""
    for way, among in ALTERNATIVES.items():
        for path, place in find_values(pod, way):
            # An empty value of a variable, beside a source, is no value.
            items = place.items() if isinstance(place, dict) else ()  # what is no map is for the schemas
            given = [key for key, value in items if value not in ("", None) and key != "name"]
            if len(keys := [key for key in given if not among or key in among]) > 1:
                message = f"found {join_words(keys, last='and')}, expected one of them"
                yield make_problem("field-alternatives", message, (*path, keys[-1]), ONE_OF)
