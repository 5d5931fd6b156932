"""Git refs of sources: computed, and readable for git and for the scripts of the platform's operator."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.findings import Problem, make_problem
from kitgen.kit.model import Settings
from kitgen.render.context import ComputedValue
from kitgen.render.expressions import ExpressionNames, evaluate_text
from kitgen.text.patterns import compile_late
from kitgen.text.wording import quote_text

BRANCH = compile_late(r"[A-Za-z0-9_](?:[\w.+-]*[\w+-])?(?:/[A-Za-z0-9_](?:[\w.+-]*[\w+-])?)*", re.ASCII)
LOCK = compile_late(r"\.lock(?:/|\Z)")
COMMIT = compile_late(r"[0-9a-f]{7,40}")


def compute_source(settings: Settings, names: ExpressionNames) -> ComputedValue[Settings]:
    """Return settings in which the ref of the source is computed; one that is none is a finding."""
    if (said := settings.source) is None:
        return ComputedValue(settings)
    ref, found = evaluate_text(said.value.ref, said.origin.at("ref"), names)
    made = replace(said, value=replace(said.value, ref=ref))
    wrong = found or tuple(fault.to_finding(said.origin.at("ref")) for fault in _check_ref(ref))
    return ComputedValue(replace(settings, source=made), wrong)


def is_branch(text: str) -> bool:
    """Return whether git takes a text for a branch or a tag, without signs that others read otherwise."""
    return BRANCH.fullmatch(text) is not None and ".." not in text and not LOCK.search(text)


def _check_ref(ref: str) -> Iterator[Problem]:
    """Yield why a ref leads nowhere."""
    branch, at, commit = ref.partition("@")
    if not is_branch(branch):
        yield make_problem(
            "source-ref", f"found the ref {quote_text(branch)}, expected a branch, a tag or branch@commit"
        )
    if at and not COMMIT.fullmatch(commit):
        yield make_problem(
            "source-ref",
            f"found the commit {quote_text(commit)}, expected 7 to 40 hexadecimal digits behind @",
        )
