"""Names: short ones for Kubernetes' types, and those that follow from a kind or a resource."""

from __future__ import annotations

import re
from functools import cache

VERSION = re.compile(r"v[0-9]+((alpha|beta)[0-9]+)?$")
SIBILANT = re.compile(r"(s|x|z|ch|sh)$")
CONSONANT_Y = re.compile(r"[^aeiou]y$")
UNCHANGED = (
    *("endpoints", "securitycontextconstraints"),
    *("resourceclaimparameters", "resourceclassparameters"),
)
"""Kinds that are plurals already, as Kubernetes' own tools list them."""
ENDINGS = (
    (re.compile(r"([^aeiou])ies$"), r"\1y"),
    (re.compile(r"(ind|vert)ices$"), r"\1ex"),
    (re.compile(r"(ss|sh|zz|x|[^aeo]us|[^aeiou]is|[tnr]ch)es$"), r"\1"),
    (re.compile(r"([^s])s$"), r"\1"),
)
"""How a plural ends, and the singular instead; the first that fits counts."""


@cache
def short_name(full: str) -> str:
    """Return core/v1.Pod for io.k8s.api.core.v1.Pod, and intstr.IntOrString where no version is."""
    *_, group, version, kind = full.split(".")
    return f"{group}/{version}.{kind}" if VERSION.fullmatch(version) else f"{version}.{kind}"


def plural_of(kind: str) -> str:
    """Return the plural that Kubernetes' own tools derive from a kind."""
    word = kind.lower()
    if word in UNCHANGED:
        return word
    if CONSONANT_Y.search(word):
        return word[:-1] + "ies"
    return word + ("es" if SIBILANT.search(word) else "s")


def names_of(kind: str) -> dict[str, str]:
    """Return the names of a CRD that follow from its kind, as tools or the API server fill them in."""
    return {"listKind": f"{kind}List", "plural": plural_of(kind), "singular": kind.lower()}


def single_of(plural: str) -> str:
    """Return the kind in lower case that a plural most likely belongs to."""
    if plural in UNCHANGED:
        return plural
    for ending, instead in ENDINGS:
        if ending.search(plural):
            return ending.sub(instead, plural)
    return plural
