"""Steps: labels that a RollingSync asks for, and that no Application of the set has."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.argocd.apps import text
from kitgen.check.index import below, entries
from kitgen.findings import Chapter, Path, Problem, Rule, near
from kitgen.schema.wording import choice, cut
from kitgen.yamlio import Json, JsonObject

ARGOCD_STEP = Rule(
    id="argocd-step",
    chapter=Chapter.ARGOCD,
    checks="The steps of a RollingSync ask for labels that the template of the ApplicationSet gives.",
    fix="Add the label to `template.metadata.labels`, or ask for one that is there.",
    why=(
        "A step sees the labels of Applications, not those of clusters. Applications that are in no step "
        "are never synced, and nothing says so."
    ),
    exceptable=True,
)


def steps(spec: JsonObject) -> Iterator[Problem]:
    """Yield labels that steps ask for and no Application has."""
    if below(spec, "strategy", "type") != "RollingSync" or spec.get("templatePatch"):
        return
    labels = {*_labels(spec)}
    for _, entry in entries(spec, "generators"):
        labels |= {label for body in entry.values() for label in _labels(body)}
    if any("{{" in each for each in labels):
        return
    for index, step in entries(spec, "strategy", "rollingSync", "steps"):
        for number, term in entries(step, "matchExpressions"):
            key = text(term, "key")
            if key and term.get("operator") == "In" and key not in labels:
                path: Path = ("spec", "strategy", "rollingSync", "steps", index)
                known = choice(sorted(labels), last="and", say=lambda each: cut(str(each)))
                message = f"found the label {cut(key)}, which no Application of the set gets"
                hint = near(key, sorted(labels)) or (f"they get {known}" if labels else "they get no labels")
                yield ARGOCD_STEP(message, (*path, "matchExpressions", number, "key"), hint)


def _labels(value: Json) -> list[str]:
    found = below(value, "template", "metadata", "labels")
    return [str(each) for each in found] if isinstance(found, dict) else []
