"""Find what containers download at run time, which fails on a cluster without a network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kitgen.check.context import CheckContext, Hit
from kitgen.findings import Path, Problem, rule
from kitgen.kube.downloads import Fetch, fetches
from kitgen.kube.image_mentions import values_in
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import ContainerView, containers_of
from kitgen.text.values import map_at, text_at
from kitgen.text.wording import cut
from kitgen.text.yaml import Json, JsonObject

if TYPE_CHECKING:
    from kitgen.render.plan import TargetPlan

IMAGE_EGRESS = rule("image-egress")

SCRIPTS = (".sh", ".bash", ".py")
HINT = "bring it in the image, or take the address from a variable"


def check(plan: TargetPlan, context: CheckContext) -> Iterator[Hit]:
    """Yield what containers of a target fetch, each once a field."""
    objects = [each for unit in plan.units for each in unit.final]
    inside = _services(objects)
    mounted: set[str] = set()
    words: set[str] = set()
    for manifest in objects:
        for path, mapping in context.mappings(manifest):
            mounted |= {text_at(mapping, "configMap", "name")} - {""}
            for container in containers_of(mapping, path):
                words |= _words(container.body)
                for problem in _of_container(container, inside):
                    yield Hit(plan.target.name, manifest, problem.below(*container.path))
    for manifest in objects:
        if manifest.id.kind == "ConfigMap" and manifest.id.name in mounted:
            for problem in _of_scripts(manifest.body.get("data"), inside, words):
                yield Hit(plan.target.name, manifest, problem)


def _of_container(container: ContainerView, inside: set[str]) -> Iterator[Problem]:
    given = [str(each.get("name")) for _, each in container.variables]
    name = str(container.body.get("name"))
    for path, line in _lines(container.body):
        for each in fetches(" ".join(line), inside, given):
            yield IMAGE_EGRESS(
                f"found {_said(each)} in the container {cut(name)}", _at(path, line, each), HINT
            )


def _of_scripts(data: Json, inside: set[str], words: set[str]) -> Iterator[Problem]:
    for key, text in map_at(data).items():
        if isinstance(text, str) and (
            text.startswith("#!") or key.endswith(SCRIPTS) or any(word.endswith(f"/{key}") for word in words)
        ):
            for each in fetches(text, inside):
                yield IMAGE_EGRESS(f"found {_said(each)} in the script {cut(key)}", ("data", key), HINT)


def _said(fetch: Fetch) -> str:
    """Return what is fetched, without credentials that an address may contain."""
    where = f"from {cut(fetch.host)}" if fetch.host else "from outside of the cluster"
    return f"{fetch.how} {where}" if fetch.how else f"an address of {cut(fetch.host)}"


def _lines(container: JsonObject) -> Iterator[tuple[Path, list[str]]]:
    """Yield the command lines of a container, and hosts that it calls by itself."""
    for path, value in values_in(container):
        last = path[-1] if path else ""
        inside = (
            path[0] in ("command", "args", "lifecycle") or str(path[0]).endswith("Probe") if path else False
        )
        if not inside:
            continue
        if last in ("command", "args") and isinstance(value, list):
            yield path, [each if isinstance(each, str) else "" for each in value]
        elif last == "httpGet" and isinstance(value, dict) and isinstance(value.get("host"), str):
            yield (*path, "host"), [f"http://{value['host']}/"]


def _at(path: Path, line: Sequence[str], fetch: Fetch) -> Path:
    """Return the item of a command line that says it; the whole line where several do."""
    word = fetch.host or fetch.how
    index = next((index for index, each in enumerate(line) if word in each.lower()), None)
    return path if index is None or path[-1] == "host" else (*path, index)


def _services(objects: Sequence[Manifest]) -> set[str]:
    """Return what pods may call the services of a target."""
    found = ((each.id.name, each.id.namespace) for each in objects if each.id.kind == "Service")
    return {text for name, space in found for text in (name, f"{name}.{space}")}


def _words(container: JsonObject) -> set[str]:
    lines = (each for _, line in _lines(container) for each in line)
    return {word.strip("\"';") for line in lines for word in line.split()}
