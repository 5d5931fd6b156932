"""The examples that consoles offer: one of each kind that the operator owns, and right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from kitgen.check.context import CheckContext
from kitgen.check.schemas import objects as schemas
from kitgen.crd.definition import check_crd_shape
from kitgen.findings import Cause, CauseKind, Origin, Path, Problem, format_pointer, get_rule, make_problem
from kitgen.kube.definitions import list_supported_minors
from kitgen.kube.identity import split_api_version
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.kube.names import check_object_names
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.terms import ANNOTATIONS, OWNED, BundleFault, BundleTerms, annotation_of
from kitgen.text.values import entries_at, text_at
from kitgen.text.wording import describe_value, join_words, quote_text
from kitgen.text.yaml import Dialect, Json, JsonObject, YamlError, read_yaml_documents

CSV_EXAMPLES_YAML = get_rule("csv-examples-yaml")
CSV_EXAMPLE_INVALID = get_rule("csv-example-invalid")

KEYS = ("alm-examples", "olm.examples")
TELLING = frozenset(
    {"field-unknown", "field-missing", "field-type", "field-value", "cel-rule", "effort-limit"}
)
"""What is wrong with an example, and not with what it is held to; or that not all of it was looked at."""


class VersionedKind(NamedTuple):
    """A kind in a version."""

    group: str
    version: str
    kind: str

    def __str__(self) -> str:
        return f"{self.group}/{self.version} {self.kind}"


def check(bundle: Bundle, _terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield what is wrong with the examples of each ClusterServiceVersion."""
    for csv in bundle.csvs:
        texts = {key: annotation_of(csv, key) for key in KEYS}
        if not (key := next((each for each in KEYS if texts[each] is not None), "")):
            message = "found no annotation alm-examples, expected examples of what is owned"
            yield BundleFault(csv, make_problem("csv-examples-missing", message, ("metadata",)))
            continue
        if texts[KEYS[1]] is not None and key != KEYS[1]:
            message = "found alm-examples and olm.examples, of which the first counts"
            yield BundleFault(csv, make_problem("csv-examples-twice", message, (*ANNOTATIONS, KEYS[1])))
        items, wrong = parse_examples(texts[key])
        if wrong is not None:
            yield BundleFault(csv, wrong.prefix_path(*ANNOTATIONS, key))
        examples = bundle.examples if bundle.examples is not None else _to_manifests(csv, key, items)
        if wrong is None or wrong.rule is CSV_EXAMPLES_YAML:
            yield from _check_owned_kinds(csv, key, examples)
            yield from _check_object_names(examples, rendered=bundle.rendered)
            yield from _check_schemas(bundle, examples)


def parse_examples(text: Json) -> tuple[list[JsonObject], Problem | None]:
    """Return the examples in a text, or why there are none."""
    if not isinstance(text, str):
        return [], make_problem(
            "csv-examples-form", f"found {describe_value(text)}, expected a list of objects in JSON"
        )
    wrong = None
    try:
        data: Json = json.loads(text) if text.strip() else []
    except (ValueError, RecursionError):
        try:
            data = next(iter(read_yaml_documents(text, dialect=Dialect.KUBECTL)), None)
            wrong = CSV_EXAMPLES_YAML("found YAML, expected JSON")
        except YamlError:
            return [], make_problem(
                "csv-examples-form", "found a text that is no JSON, expected a list of objects"
            )
    if not isinstance(data, list):
        return [], make_problem(
            "csv-examples-form", f"found {describe_value(data)}, expected a list of objects"
        )
    for at, each in enumerate(data):
        if not isinstance(each, dict) or not text_at(each, "kind"):
            return [], make_problem(
                "csv-examples-form",
                f"found {describe_value(each)} in place {at + 1}, expected an object with a kind",
            )
    return data, wrong


def _to_manifests(csv: Manifest, key: str, items: list[JsonObject]) -> tuple[Manifest, ...]:
    source = FieldSource(
        path=(), cause=Cause(CauseKind.MANIFEST), origin=csv.find_origin((*ANNOTATIONS, key))
    )
    return tuple(Manifest(body=each, sources=(source,)) for each in items)


def list_owned_kinds(csv: Manifest) -> dict[VersionedKind, Path]:
    """Return what an operator owns, and where its ClusterServiceVersion says so."""
    found: dict[VersionedKind, Path] = {}
    for at, each in entries_at(csv.body, *OWNED):
        group = text_at(each, "name").partition(".")[2]
        found.setdefault(VersionedKind(group, str(each.get("version")), str(each.get("kind"))), (*OWNED, at))
    path: Path = ("spec", "apiservicedefinitions", "owned")
    for at, each in entries_at(csv.body, *path):
        api = VersionedKind(str(each.get("group")), str(each.get("version")), str(each.get("kind")))
        found.setdefault(api, (*path, at))
    return found


def _check_owned_kinds(csv: Manifest, key: str, examples: tuple[Manifest, ...]) -> Iterator[BundleFault]:
    owned = list_owned_kinds(csv)
    shown_: set[VersionedKind] = set()
    for each in examples:
        group, version = split_api_version(str(each.body.get("apiVersion", "")))
        api = VersionedKind(group, version, str(each.body.get("kind")))
        if api not in owned and api not in shown_:
            names = join_words([*map(str, owned)], most=5)
            message = f"found an example of {quote_text(str(api))}, expected one of what is owned: {names}"
            yield BundleFault(each, make_problem("csv-example-owned", message))
        shown_.add(api)
    for api, path in owned.items():
        if api not in shown_:
            yield BundleFault(
                csv,
                make_problem(
                    "csv-example-missing", f"found no example of {quote_text(str(api))} in {key}", path
                ),
            )


def _check_object_names(examples: tuple[Manifest, ...], *, rendered: bool) -> Iterator[BundleFault]:
    for at, each in enumerate(examples):
        for wrong in check_object_names(each.body):
            message = f"{wrong.message} (example {at + 1}, {quote_text(str(each.body.get('kind')))})"
            yield BundleFault(each, CSV_EXAMPLE_INVALID(message, wrong.path if rendered else ()))


def _check_schemas(bundle: Bundle, examples: tuple[Manifest, ...]) -> Iterator[BundleFault]:
    """Yield where examples do not fit the CRDs of the bundle."""
    crds = [each.body for each in bundle.crds if not any(check_crd_shape(each.body, Origin("")))]
    if not crds or not examples:
        return
    for hit in schemas.check(CheckContext(targets={"": examples}, minors=list_supported_minors(), crds=crds)):
        wrong = hit.problem
        if wrong.rule.id in TELLING:
            where = f" at {format_pointer(wrong.path)}" if wrong.path else ""
            message = f"{wrong.message} in the example {hit.manifest.id}{where}"
            yield BundleFault(
                hit.manifest,
                CSV_EXAMPLE_INVALID(message, wrong.path if bundle.rendered else (), wrong.hint),
            )
