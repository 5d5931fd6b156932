"""Namespaces of the platform that stand in texts, where no change of the namespace reaches them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.check.index import Pod, below, entries
from kitgen.check.pods import CONTAINERS
from kitgen.check.references.mentions import used_config_maps
from kitgen.check.references.scene import Found, Scene, text
from kitgen.findings import By, Chapter, Path, Rule, Severity
from kitgen.objects import Manifest
from kitgen.schema.wording import cut
from kitgen.yamlio import Json

NAMESPACE_HARD_CODED = Rule(
    id="namespace-hard-coded",
    chapter=Chapter.BETWEEN,
    checks=(
        "A variable, an argument or a ConfigMap does not name the namespace of the platform, `opendatahub` "
        "or `redhat-ods-applications`, or that of its target in the kit: as the value of what is called a "
        "namespace, in the name of a Service or in that of a ServiceAccount."
    ),
    fix=(
        "Take it from `metadata.namespace` by a fieldRef, from a parameter, or write `{{ namespace }}` in "
        "the spec; a Service of the same namespace needs no namespace in its name."
    ),
    why=(
        "kustomize and the platform's operator put objects into another namespace by their fields. They do "
        "not look into texts: there the old namespace stays, and the component looks for things where they "
        "are not."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

PLATFORM = ("opendatahub", "redhat-ods-applications")
ANYWHERE = ("", "default", "kube-system")
"""Namespaces that every cluster has."""
LONGEST = 100_000
UNMISTAKABLE = PLATFORM[1]
"""Nothing but the namespace is called so."""
# Possessive and bounded, so that a long text takes no long time.
CALLED = r"(?:namespaces?|oc_project|(?<![a-z])ns)[\w.-]{0,60}+[\"']?+\s{0,99}+[:=]\s{0,99}+"
BEFORE = r"[\[-]?+\s{0,99}+(?:[\"']?+[\w-]{1,63}+[\"']?+[ ]{0,9}+(?:,|\n[ ]{0,99}+-)\s{0,99}+){0,20}"
"""Other namespaces of a list."""


def look(scene: Scene) -> Iterator[Found]:
    """Yield texts of pods and ConfigMaps that name a namespace which may be another one."""
    own = any(plan.target.name == scene.target for plan in scene.context.plans)
    for pod in scene.index.pods:
        yield from _found(pod.manifest, _told(pod), own=own)
    used = {(pod.namespace, name) for pod in scene.index.pods for name in used_config_maps(pod)}
    for manifest in scene.of("", "ConfigMap"):
        # A single value that no pod takes is one that kustomize does, such as that of a params.env.
        is_used = (manifest.id.namespace, manifest.id.name) in used
        yield from _found(manifest, _held(manifest, is_used=is_used), own=own)


def _told(pod: Pod) -> Iterator[tuple[Path, str]]:
    """Yield the variables and arguments of a pod, as NAME=VALUE."""
    for kind in CONTAINERS:
        for index, container in entries(pod.spec, kind):
            for at, variable in entries(container, "env"):
                if isinstance(value := variable.get("value"), str):
                    yield pod.at(kind, index, "env", at, "value"), f"{text(variable.get('name'))}={value}"
            for key in ("command", "args"):
                words: Json = container.get(key)
                before = ""
                for at, word in enumerate(words if isinstance(words, list) else ()):
                    flag = before if before.startswith("-") and "=" not in before else ""
                    before = text(word)
                    yield pod.at(kind, index, key, at), f"{flag}={before}" if flag else before


def _held(manifest: Manifest, *, is_used: bool) -> Iterator[tuple[Path, str]]:
    data = below(manifest.body, "data")
    for key, value in data.items() if isinstance(data, dict) else ():
        if isinstance(value, str) and (is_used or "\n" in value.strip()):
            yield ("data", key), value if "\n" in value.strip() else f"{key}={value}"


def _found(manifest: Manifest, texts: Iterator[tuple[Path, str]], *, own: bool) -> Iterator[Found]:
    mine = manifest.id.namespace
    names = {*PLATFORM, *([mine] if own and mine not in ANYWHERE else [])}
    forms = [(name, _form(name)) for name in sorted(names)]
    for path, found in texts:
        for name, form in forms:
            if name in found and form.search(found[:LONGEST]) and not _is_computed(manifest, path):
                message = f"found the namespace {cut(name)} in a text, which stays when the namespace changes"
                yield manifest, NAMESPACE_HARD_CODED(message, path)


def _form(name: str) -> re.Pattern[str]:
    """Return the pattern of a text that surely names a namespace."""
    word = re.escape(name)
    alone = r"(?<![\w./-])" if name == UNMISTAKABLE else rf"{CALLED}{BEFORE}[\"']?"
    host, account = rf"[\w-]\.{word}\.svc\b", rf"system:serviceaccount:{word}:"
    return re.compile(rf"{alone}{word}(?![\w./-])|{host}|{account}", re.IGNORECASE)


def _is_computed(manifest: Manifest, path: Path) -> bool:
    """Tell whether a value of a spec follows a parameter, or something that an expression reads."""
    source = manifest.source(path)
    inside = source.inside(path)
    read = any(place == inside[: len(place)] for place, _ in source.reads)
    return read or source.cause.kind is By.PARAMETER
