"""Read foreign manifests, which kitgen did not render, as kubectl reads them.

A file may hold several documents; empty ones are skipped and lists unrolled. Each object knows its file,
document and path; its line is looked up when a finding is shown. Configuration files of programs, which also
have an apiVersion and a kind, are no objects of a cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.findings import (
    MAX_ERRORS,
    Cause,
    CauseKind,
    Finding,
    Origin,
    Problem,
    deduplicate_findings,
    make_problem,
    report_limit,
)
from kitgen.findings.errors import FindingsError
from kitgen.kit.manifests import ReadBudget, read_manifests
from kitgen.kube.definitions import list_api_groups, list_supported_minors
from kitgen.kube.identity import split_api_version
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.text.values import value_at
from kitgen.text.wording import describe_value
from kitgen.text.yaml import Dialect, Json, JsonObject, YamlError, read_yaml_documents


class ForeignObject(Struct, frozen=True, kw_only=True):
    """A document, or an item of a list in one: as it was read, and where."""

    body: Json
    origin: Origin
    problems: tuple[Problem, ...] = ()
    """Why it is no object, if it is none."""
    for_kustomize: bool = False
    """Only kustomize reads it: a kustomization, a plugin, a JSON patch, or a patch that says it is one."""

    @property
    def findings(self) -> list[Finding]:
        """Return why it is no object, with the place."""
        return [wrong.to_finding(self.origin) for wrong in self.problems]

    @property
    def manifest(self) -> Manifest:
        """Return it as an object that can be checked; there must be no problems."""
        whole = FieldSource(path=(), cause=Cause(CauseKind.MANIFEST), origin=self.origin, verbatim=True)
        return Manifest(body=self.body, sources=(whole,))


class Foreign(Struct, frozen=True, kw_only=True):
    """What was read behind some names."""

    objects: tuple[ForeignObject, ...] = ()
    findings: tuple[Finding, ...] = ()
    """Why files could not be read."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The files that were read, for the lines of findings."""

    def raise_on_findings(self, *findings: Finding) -> None:
        """Raise if something could not be read, or if there are findings of what was."""
        if self.findings or findings:
            raise FindingsError(deduplicate_findings([*self.findings, *findings]), texts=self.texts)


def read_foreign_objects(names: Iterable[str], intake: ReadBudget | None = None) -> Foreign:
    """Read files, folders and standard input (`-`)."""
    intake = intake or ReadBudget()
    read = [read_manifests(name, intake) for name in names]
    found = parse_foreign_objects({file: text for texts, _ in read for file, text in texts.items()}, intake)
    return replace(found, findings=(*(each for _, wrong in read for each in wrong), *found.findings))


def parse_foreign_objects(texts: Mapping[str, str], intake: ReadBudget | None = None) -> Foreign:
    """Take texts apart, by the names of their files."""
    intake = intake or ReadBudget()
    objects: list[ForeignObject] = []
    findings: list[Finding] = []
    for file, text in texts.items():
        documents, wrong = parse_documents(file, text, intake)
        findings += wrong
        places = (Origin(file, document=number) for number in range(len(documents)))
        errors = 0
        for each in chain.from_iterable(map(objects_in, documents, places)):
            objects.append(each)
            errors += len(each.problems) if not each.for_kustomize else 0
            if errors > MAX_ERRORS:
                findings.append(report_limit(file))
                break
    return Foreign(objects=tuple(objects), findings=tuple(findings), texts=texts)


def parse_documents(file: str, text: str, intake: ReadBudget) -> tuple[list[Json], list[Finding]]:
    """Return the documents of a text, or why it cannot be read."""
    dialect = Dialect.TEXT if intake.looking else Dialect.KUBECTL
    try:
        return read_yaml_documents(text, dialect=dialect, values=intake.values), []
    except YamlError as error:
        return [], [wrong.to_finding(Origin(file)) for wrong in error.problems]


def objects_in(document: Json, origin: Origin) -> Iterator[ForeignObject]:
    """Yield every object of a document, out of lists within lists too, in order."""
    waiting: list[Iterator[tuple[Json, Origin]]] = [iter([(document, origin)] * (document is not None))]
    while waiting:
        if (found := next(waiting[-1], None)) is None:
            waiting.pop()
            continue
        body, where = found
        problems, is_list = tuple(_check_object(body)), _is_list(body)
        if problems or not is_list:
            yield ForeignObject(
                body=body, origin=where, problems=problems, for_kustomize=_is_for_kustomize(body)
            )
        if is_list:
            waiting.append(_expand_list(body, where))


def _expand_list(body: JsonObject, where: Origin) -> Iterator[tuple[Json, Origin]]:
    """Yield what a list holds; an item that says neither apiVersion nor kind has those of the list."""
    kind = str(body["kind"]).removesuffix("List")
    taken = {"apiVersion": body.get("apiVersion"), "kind": kind}
    for index, item in enumerate(body["items"] or ()):
        bare = kind and isinstance(item, dict) and not (item.get("apiVersion") or item.get("kind"))
        yield {**item, **taken} if bare else item, where.at("items", index)


def _check_object(body: Json) -> Iterator[Problem]:
    if not isinstance(body, dict):
        yield make_problem(
            "manifest-invalid", f"found {describe_value(body, reveal=False)}, expected an object"
        )
        return
    yield from (
        make_problem(
            "manifest-invalid",
            f"found {describe_value(body.get(key))}, expected the {key} of an object",
            (key,),
        )
        for key in ("apiVersion", "kind")
        if not (isinstance(body.get(key), str) and body[key])
    )
    if not isinstance(body.get("metadata", {}), dict):
        yield make_problem("manifest-invalid", "found metadata that is no mapping", ("metadata",))


def _is_list(body: Json) -> bool:
    listed = isinstance(body, dict) and "items" in body and isinstance(body["items"], list | None)
    return listed and str(body.get("kind", "")).endswith("List")


def _is_for_kustomize(body: Json) -> bool:
    if isinstance(body, list):
        return bool(body) and all(isinstance(each, dict) and {"op", "path"} <= each.keys() for each in body)
    return isinstance(body, dict) and (
        "$patch" in body
        or body.get("apiVersion") == "builtin"
        or (
            body.get("kind") in ("Kustomization", "Component")
            and str(body.get("apiVersion")).startswith("kustomize.config.k8s.io/")
        )
    )


NAMED = frozenset({"backstage.io", "eksctl.io", "k3d.io", "skaffold"})
"""Groups of programs whose files have metadata, as objects do."""
KUBECONFIG = ("v1", "Config")
OF_OBJECTS = frozenset({"metadata", "spec"})
"""What one of these stands in is an object: none is without a name."""


def is_program_config(body: Json) -> bool:
    """Return whether a document configures a program, such as kubelet, kubeadm, kind or an operator."""
    api_version, kind = value_at(body, "apiVersion"), value_at(body, "kind")
    if not (isinstance(api_version, str) and isinstance(kind, str)):
        return False
    group, _ = split_api_version(api_version)
    if group in NAMED or ((api_version, kind) == KUBECONFIG and "contexts" in body):
        return True
    return (
        "." in group
        and group not in list_api_groups(list_supported_minors()[-1])
        and OF_OBJECTS.isdisjoint(body)
    )
