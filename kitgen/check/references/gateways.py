"""Routes of the Gateway API: the gateways and listeners that they ask to be served by."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.index import below, entries
from kitgen.check.references.routes import GATEWAY, ROUTES
from kitgen.check.references.scene import Found, Named, Scene
from kitgen.findings import Chapter, Path, Problem, Rule, Severity, near
from kitgen.objects import Manifest
from kitgen.schema.wording import choice, cut
from kitgen.yamlio import JsonObject

GATEWAY_MISSING = Rule(
    id="gateway-missing",
    chapter=Chapter.BETWEEN,
    checks=(
        "The Gateway that a route names is among those of its namespace, if there are any, and has the "
        "listener that it names."
    ),
    fix="Correct name, namespace or sectionName under `parentRefs`.",
    why="The route is taken, but nobody serves it: requests are answered as if it were not there.",
    severity=Severity.WARNING,
    exceptable=True,
)


def look(scene: Scene) -> Iterator[Found]:
    """Yield gateways and listeners that routes name and that are not there."""
    for route in scene.of(GATEWAY, *ROUTES):
        for index, ref in entries(route.body, "spec", "parentRefs"):
            if below(ref, "kind") in (None, "Gateway") and below(ref, "group") in (None, GATEWAY):
                for problem in _parent(scene, route, ref):
                    yield route, problem.below("spec", "parentRefs", index)


def _parent(scene: Scene, route: Manifest, ref: JsonObject) -> Iterator[Problem]:
    name, space, section = (ref.get(key) for key in ("name", "namespace", "sectionName"))
    space = space if isinstance(space, str) and space else route.id.namespace
    if not isinstance(name, str):
        return
    gateway = scene.get(GATEWAY, "Gateway", space, name)
    if gateway is None:
        hint = scene.missing(Named(GATEWAY, "Gateway", space, name))
        if hint is not None:
            yield GATEWAY_MISSING(f"found no Gateway {cut(name)} in its namespace", ("name",), hint)
        return
    names = [str(each.get("name")) for _, each in entries(gateway.body, "spec", "listeners")]
    if isinstance(section, str) and section and names and section not in names:
        message = f"found the listener {cut(section)}, which {gateway.id} does not have"
        there = f"it has {choice(list(names), last='and', say=lambda each: cut(str(each)))}"
        path: Path = ("sectionName",)
        yield GATEWAY_MISSING(message, path, near(section, names) or there)
