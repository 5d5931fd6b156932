"""Find what containers download at run time, which fails on a cluster without a network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kitgen.check.context import CheckContext
from kitgen.check.views import ObjectView
from kitgen.findings import Path, Problem, get_rule
from kitgen.kube.downloads import Fetch, find_downloads
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import ContainerView, containers_of
from kitgen.text.values import map_at, text_at, text_entries_at
from kitgen.text.wording import quote_text
from kitgen.text.yaml import JsonObject

IMAGE_EGRESS = get_rule("image-egress")
SCRIPTS = (".sh", ".bash", ".py")
HINT = "bring it in the image, or take the address from a variable"
HOOKS: tuple[Path, ...] = (
    *(("livenessProbe",), ("readinessProbe",), ("startupProbe",)),
    *(("lifecycle", "postStart"), ("lifecycle", "preStop")),
)
LINES: tuple[Path, ...] = (("command",), ("args",), *((*hook, "exec", "command") for hook in HOOKS))
CALLS: tuple[Path, ...] = tuple((*hook, "httpGet", "host") for hook in HOOKS)
"""Where a container has its command lines, and hosts that it calls."""


class _Commands(NamedTuple):
    """What the containers of an object run."""

    words: frozenset[str]
    mounted: frozenset[str]
    """ConfigMaps that it names."""
    fetches: tuple[tuple[str, Problem], ...]
    """Hosts that are asked, and what is wrong with that unless they are inside."""


def check_downloads(
    target: str, objects: Sequence[Manifest], context: CheckContext
) -> Iterator[tuple[Manifest, Problem]]:
    """Yield what containers of a target fetch, each once a field."""
    services = [each.id for each in objects if each.id.kind == "Service"]
    inside = {name for each in services for name in (each.name, f"{each.name}.{each.namespace}")}
    found = [(each, context.get_view(target, each).recall(_read_commands)) for each in objects]
    for manifest, commands in found:
        yield from ((manifest, wrong) for host, wrong in commands.fetches if not host or host not in inside)
    mounted = {name for _, each in found for name in each.mounted}
    words = {word for _, each in found for word in each.words}
    for manifest in objects:
        if manifest.id.kind == "ConfigMap" and manifest.id.name in mounted:
            yield from ((manifest, each) for each in _check_scripts(manifest, inside, words))


def _read_commands(view: ObjectView) -> _Commands:
    if not (view.may_run or view.may_contain("configMap")):
        return _Commands(frozenset(), frozenset({""}), ())
    containers = [each for path, mapping in view.mappings for each in containers_of(mapping, path)]
    lines = [(each, [*_list_commands(each.body)]) for each in containers]
    texts = (text for _, some in lines for line in some for _, text in line)
    return _Commands(
        words=frozenset(word.strip("\"';") for text in texts for word in text.split()),
        mounted=frozenset(text_at(mapping, "configMap", "name") for _, mapping in view.mappings),
        fetches=tuple(fetch for each, some in lines for fetch in _list_fetches(each, some)),
    )


def _list_commands(body: JsonObject) -> Iterator[list[tuple[Path, str]]]:
    """Yield the command lines of a container, and hosts that its hooks call: texts with their places."""
    yield from ([((*path, at), text) for at, text in text_entries_at(body, *path)] for path in LINES)
    yield from ([(path, f"http://{text_at(body, *path)}/")] for path in CALLS)


def _list_fetches(
    container: ContainerView, lines: Iterable[list[tuple[Path, str]]]
) -> Iterator[tuple[str, Problem]]:
    given = [text_at(each, "name") for _, each in container.variables]
    for line in lines:
        for fetch in find_downloads(" ".join(text for _, text in line), given=given):
            places = (path for path, text in line if (fetch.host or fetch.how) in text.lower())
            at = container.path_to(*next(places, line[0][0][:-1]))
            message = f"found {_describe_fetch(fetch)} in the container {quote_text(container.name)}"
            yield fetch.host, IMAGE_EGRESS(message, at, HINT)


def _check_scripts(manifest: Manifest, inside: set[str], words: set[str]) -> Iterator[Problem]:
    for key, text in map_at(manifest.body, "data").items():
        is_script = key.endswith(SCRIPTS) or any(word.endswith(f"/{key}") for word in words)
        if isinstance(text, str) and (is_script or text.startswith("#!")):
            for fetch in find_downloads(text, inside):
                yield IMAGE_EGRESS(
                    f"found {_describe_fetch(fetch)} in the script {quote_text(key)}", ("data", key), HINT
                )


def _describe_fetch(fetch: Fetch) -> str:
    """Return what is fetched, without credentials that an address may contain."""
    where = f"from {quote_text(fetch.host)}" if fetch.host else "from outside of the cluster"
    return f"{fetch.how} {where}" if fetch.how else f"an address of {quote_text(fetch.host)}"
