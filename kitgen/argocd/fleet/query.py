"""What people write on the command line: selectors as kubectl takes them, and labels of clusters."""

from __future__ import annotations

import re

from kitgen.kube.names import check_labels
from kitgen.kube.selectors import LabelOperator, LabelSelector, Requirement
from kitgen.text.patterns import compile_late

KEY, VALUE = r"[A-Za-z0-9][A-Za-z0-9_./-]*", r"[A-Za-z0-9_.-]*"
"""What may be one; Kubernetes says in `check_labels` whether it is."""
TERM = compile_late(
    rf"\s*(?:(!)\s*({KEY})"
    rf"|({KEY})\s+(in|notin)\s*\(([^()]*)\)"
    rf"|({KEY})\s*(?:(==|=|!=)\s*({VALUE}))?)\s*(?:,|$)"
)
OPERATORS: dict[str | None, LabelOperator] = {
    None: LabelOperator.EXISTS,
    "!": LabelOperator.ABSENT,
    **{"in": LabelOperator.IN, "=": LabelOperator.IN, "==": LabelOperator.IN},
    **{"notin": LabelOperator.NOT_IN, "!=": LabelOperator.NOT_IN},
}
LABEL = compile_late(rf"(?P<key>{KEY})=(?P<value>{VALUE})|(?P<gone>{KEY})-")
LONGEST = 5000


def parse_selector(text: str) -> LabelSelector | None:
    """Return a selector such as `env=prod,region in (eu, us),!old`; None if it is none."""
    found: list[Requirement] = []
    at = 0
    while at < len(text) <= LONGEST:
        if (term := TERM.match(text, at)) is None:
            return None
        found.append(_parse_requirement(term))
        at = term.end()
    pairs = ({each.key: value} for each in found for value in each.values or ("",))
    whole = found and not text.rstrip().endswith(",") and not any(map(_is_invalid_label, pairs))
    return tuple(found) if whole else None


def _parse_requirement(term: re.Match[str]) -> Requirement:
    lacks, lacking, many, word, listed, key, sign, value = term.groups()
    values = [value] if sign else []
    if word:
        values = [each.strip() for each in listed.split(",")]
    return Requirement(lacking or many or key, OPERATORS[lacks or word or sign], tuple(values))


def parse_label(text: str) -> tuple[str, str, str | None] | None:
    """Return cluster, key and value of `CLUSTER:KEY=VALUE`; the value of `CLUSTER:KEY-` is None."""
    cluster, _, said = text.rpartition(":")
    found = LABEL.fullmatch(said)
    if not cluster or found is None:
        return None
    key, value = found["gone"] or found["key"], found["value"]
    return None if _is_invalid_label({key: value or ""}) else (cluster, key, value)


def _is_invalid_label(pair: dict[str, str]) -> bool:
    return any(check_labels(pair, (), values=True))
