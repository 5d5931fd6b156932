"""ApplicationSets: templates that read what no generator gives.

Steps: labels that a RollingSync asks for, and that no Application of the set has.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

from msgspec import Struct

from kitgen.argocd.go_templates import GoTemplate, Keys, parse, parse_flat
from kitgen.argocd.rules.applications import GROUP
from kitgen.argocd.rules.generators import (
    GeneratorValues,
    generators,
    holds,
    holds_flat,
    inner,
    is_map,
    texts,
)
from kitgen.check.context import CheckContext, Hit
from kitgen.findings import Path, Problem, near, problem
from kitgen.kube.manifest import Manifest
from kitgen.text.values import entries_at, list_at, map_at, text_at, value_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import Json, JsonObject


def steps(spec: JsonObject) -> Iterator[Problem]:
    """Yield labels that steps ask for and no Application has."""
    if value_at(spec, "strategy", "type") != "RollingSync" or spec.get("templatePatch"):
        return
    labels = {*_labels(spec)}
    for _, entry in entries_at(spec, "generators"):
        labels |= {label for body in entry.values() for label in _labels(body)}
    if any("{{" in each for each in labels):
        return
    for index, step in entries_at(spec, "strategy", "rollingSync", "steps"):
        for number, term in entries_at(step, "matchExpressions"):
            if (key := text_at(term, "key")) and term.get("operator") == "In" and key not in labels:
                path: Path = ("spec", "strategy", "rollingSync", "steps", index)
                known = choice(sorted(labels), last="and", say=lambda each: cut(str(each)))
                message = f"found the label {cut(key)}, which no Application of the set gets"
                hint = near(key, sorted(labels)) or (f"they get {known}" if labels else "they get no labels")
                yield problem("argocd-step", message, (*path, "matchExpressions", number, "key"), hint)


def _labels(value: Json) -> list[str]:
    return [*map(str, map_at(value, "template", "metadata", "labels"))]


STRICT = "missingkey=error"
FLAT = (
    *(("metadata",), ("spec", "project"), ("spec", "destination")),
    *(("spec", "source", key) for key in ("repoURL", "path", "targetRevision", "chart")),
)
"""Where a text with braces is surely meant to be filled in; elsewhere they may be for somebody else."""
MANY = 100
"""So many faults of one set are enough."""


class _Form(Struct, frozen=True):
    """How a set is filled in."""

    flat: bool
    strict: bool


def look(context: CheckContext) -> Iterator[Hit]:
    """Yield what is wrong with the ApplicationSets of every target."""
    for target in context.targets:
        for manifest in context.index(target).of(GROUP, "ApplicationSet"):
            for wrong in dict.fromkeys(islice(_problems(manifest), MANY)):
                yield Hit(target, manifest, wrong)


def _problems(manifest: Manifest) -> Iterator[Problem]:
    if not isinstance(spec := manifest.body.get("spec"), dict):
        return
    form = _Form(spec.get("goTemplate") is not True, STRICT in list_at(spec, "goTemplateOptions"))
    read = parse_flat if form.flat else parse
    keys = ("template",) if form.flat else ("template", "templatePatch")
    base = [(path, read(said)) for key in keys for path, said in texts(spec.get(key), ("spec", key))]
    for index, entry in entries_at(spec, "generators"):
        for key, body, given in generators(entry, flat=form.flat):
            at: Path = ("spec", "generators", index, key)
            own = body.get("template")
            for path, template in base:
                if not _is_replaced(own, path[2:]):
                    yield from _template(template, path, given, form)
            for path, said in texts(own, (*at, "template")):
                yield from _template(read(said), path, given, form)
            yield from _inside(key, body, at, given, form)
    yield from steps(spec)


def _is_replaced(own: Json, path: Path) -> bool:
    """Tell whether the template of a generator says a field that the one of the set says too."""
    for step in path:
        if isinstance(own, list):
            return bool(own)
        own = value_at(own, step)
    return bool(own)


def _inside(key: str, body: JsonObject, at: Path, given: GeneratorValues, form: _Form) -> Iterator[Problem]:
    """Yield what is wrong with values of a generator, and with what is filled into those inside it."""
    read = parse_flat if form.flat else parse
    if key not in ("matrix", "merge"):
        for path, said in texts(body.get("values"), (*at, "values")):
            yield from _template(read(said), path, given, form)
        return
    for path, entry in inner(body):
        for name, each, _ in generators(entry, flat=form.flat):
            # Later ones may use what earlier ones give, so that all of it counts.
            for where, said in texts(each.get("values"), (*at, *path, name, "values")):
                yield from _template(read(said), where, given, form)


def _template(template: GoTemplate, path: Path, given: GeneratorValues, form: _Form) -> Iterator[Problem]:
    said = template.text
    if form.flat and not _is_filled(path):
        return
    if template.unclosed is not None:
        line = said.count("\n", 0, template.unclosed) + 1
        where = f" in line {line} of the template" if "\n" in said.strip() else ""
        yield problem("argocd-template", f"found an opening {{{{ that nothing closes{where}", path, "add }}")
        return
    for keys in template.fields:
        yield from _field(keys, path, given, form)
    known = given.known() if template.words else {}
    for word in template.words:
        if word in known:
            yield problem(
                "argocd-template",
                f"found {cut(word)}, which is no function",
                path,
                f"write .{word} for the value",
            )


def _is_filled(path: Path) -> bool:
    """Tell whether a text of a template, or of the values of a generator, is surely meant for Argo CD."""
    if "template" not in path:
        return True
    inside = path[path.index("template") + 1 :]
    single = tuple("source" if each == "sources" else each for each in inside if not isinstance(each, int))
    return any(single[: len(each)] == each for each in FLAT)


def _field(keys: Keys, path: Path, given: GeneratorValues, form: _Form) -> Iterator[Problem]:
    """Yield that no generator gives a field, or that it is a map, or a label that clusters may lack."""
    name = keys[0] if form.flat else "." + ".".join(keys)
    if form.flat and (not name[:1].isalpha() or any(sign in name for sign in " ()|\"'`$\n")):
        return  # no key, but somebody else's template
    has = partial(holds_flat, key=keys[0]) if form.flat else partial(holds, steps=keys)
    label = keys[2] if len(keys) == 3 and keys[:2] == ("metadata", "labels") else ""
    if called := given.lacking(has):
        hint = near(keys[0], [key for key in given.known() if key != keys[0]])
        yield problem("argocd-template", f"found {cut(name)}, which {called} does not have", path, hint)
    elif not form.flat and given.may(partial(is_map, steps=keys)):
        hint = "write .path.path for the folder" if name == ".path" else ""
        yield problem(
            "argocd-template", f"found {cut(name)}, which is a map, expected a value in it", path, hint
        )
    elif form.strict and label and given.unlabelled(label):
        message = f"found {cut(name)}, a label that the selector of the clusters does not demand"
        yield problem("argocd-label", message, path, "add it to matchExpressions with the operator Exists")
