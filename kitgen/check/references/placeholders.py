"""Texts that somebody meant to put a value in for, and nobody did."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.check.references.target_objects import Found, TargetObjects
from kitgen.check.schemas.catalog import is_own
from kitgen.findings import Path, rule
from kitgen.kube.manifest import Manifest
from kitgen.text.wording import cut

PLACEHOLDER_LEFT = rule("placeholder-left")

VARIABLE = re.compile(r"(?<!\$)\$\([A-Z][A-Z0-9_]*\)")
WORD = re.compile(
    r"(REPLACE|CHANGE)[_-]?(ME|THIS|IMAGE|NAMESPACE|NAME)|PLACEHOLDER|TODO|FIXME|TBD|<[A-Z][A-Z0-9_-]+>"
    r"|<(your|my|insert|replace|change)[-_ ][\w -]+>|\$\{[A-Z][A-Z0-9_]*\}|\{\{[^{}\n]*\}\}"
)
STARTS = frozenset("CFPRT<${")
"""How such words start: most texts need no closer look."""
LONGEST = 1000
"""A longer text is a document of its own."""
ELSEWHERE = frozenset(
    {
        "command",
        "args",
        "env",
        "data",
        "stringData",
        "binaryData",
        "expression",
        "messageExpression",
        "subPathExpr",
    }
)
"""Fields that others read, with a syntax of theirs."""
NAMED_OTHERWISE = frozenset({"name", "namespace", "labels", "matchLabels", "image"})
"""Fields where other rules tell of it: they have a form."""


def look(scene: TargetObjects) -> Iterator[Found]:
    """Yield placeholders, one for each field."""
    minors = scene.context.minors
    own: dict[str, bool] = {}
    for manifest in scene.index.manifests:
        group = manifest.id.group
        if group not in own:
            own[group] = is_own(group, minors)
        for path, text in _texts(scene, manifest, whole=own[group]):
            match = VARIABLE.search(text) or WORD.fullmatch(text)
            if match and path[-1] != "image" and (match.re is VARIABLE or path[-1] not in NAMED_OTHERWISE):
                message = f"found {cut(match[0])} in its place, expected what it stands for"
                yield manifest, PLACEHOLDER_LEFT(message, path)


def _texts(scene: TargetObjects, manifest: Manifest, *, whole: bool) -> Iterator[tuple[Path, str]]:
    """Yield the texts in an object, or in its metadata, that may hold one."""
    for path, mapping in scene.context.mappings(manifest):
        if path[:1] != ("metadata",) and (not whole or not ELSEWHERE.isdisjoint(map(str, path))):
            continue
        for key, value in mapping.items():
            if key in ELSEWHERE and path != ("metadata", "annotations"):
                continue
            for at, text in _strings(key, value):
                if ("$(" in text or text[:1] in STARTS) and len(text) <= LONGEST:
                    yield (*path, *at), text


def _strings(key: str, value: object) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield (key,), value
    elif isinstance(value, list):
        for index, each in enumerate(value):
            if isinstance(each, str):
                yield (key, index), each
