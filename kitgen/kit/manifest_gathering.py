"""Collect the manifests behind a path, as those who apply it would.

A folder with a kustomization is built by kustomize. In any other folder, each kustomization that no other one
names is built, and manifests outside of their folders are read as they are. An OLM bundle is its manifests.
What is skipped is reported with the reason.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import islice
from os.path import realpath
from pathlib import Path
from posixpath import join, normpath

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.findings import MAX_ERRORS, Finding, Origin
from kitgen.findings.errors import KitgenError, UsageError
from kitgen.kit.bundle_manifests import ANNOTATIONS, read_bundle_texts
from kitgen.kit.foreign_objects import (
    Foreign,
    ForeignObject,
    is_program_config,
    parse_documents,
    parse_foreign_objects,
    read_foreign_objects,
)
from kitgen.kit.kustomizations import NAMES
from kitgen.kit.kustomize_addresses import list_references
from kitgen.kit.manifests import STDIN, ReadBudget, check_kubectl_syntax, read_manifests, walk_folders
from kitgen.kube.identity import ObjectId
from kitgen.text.patterns import compile_late
from kitgen.text.values import group_pairs
from kitgen.text.wording import format_count
from kitgen.text.yaml.rules import YAML_TAG

CHART = "Chart.yaml"
MAX_BUILDS = 100
"""How many kustomizations of one folder are built."""
PARTS = frozenset({"apiVersion", "kind", "metadata", "spec"})
"""What has one of these is meant to be an object."""
MEANT = compile_late(r"""\b(?:apiVersion|kind)["']?[ \t]*:""")
"""What no file without objects is likely to say."""


class GatheredManifests(Struct, frozen=True, kw_only=True):
    """What was found behind a name."""

    parts: tuple[tuple[ForeignObject, ...], ...] = ()
    """Objects that come to a cluster together, and those of other builds."""
    findings: tuple[Finding, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    """What was read, for the lines of findings."""
    remarks: tuple[str, ...] = ()
    """What was left out, and why."""
    aside: int = 0
    """How many documents of a folder only kustomize reads."""


def gather_manifests(name: str, intake: ReadBudget) -> GatheredManifests:
    """Read a folder, a file or standard input (`-`)."""
    if name == STDIN or not Path(name).is_dir():
        found = read_foreign_objects([name], intake)
        return _build_result(found, _check_kubectl_syntax(found))
    if _has_any_file(name, NAMES):
        return _build_folder(name, intake)
    if _has_any_file(name, (CHART,)):
        raise UsageError(
            f"{name} is a Helm chart, expected manifests or a kustomization",
            hint=f"helm template {name} | kitgen check -",
        )
    if _has_any_file(name, ANNOTATIONS) and (bundle := read_bundle_texts(name, intake)):
        remark = f"{name} is an OLM bundle: its manifests are checked, kitgen bundle check looks at all of it"
        return _build_result(parse_foreign_objects(bundle[0], intake), bundle[1], remark)
    return _gather_folder(name, intake)


def read_files(
    names: Iterable[str], intake: ReadBudget, kinds: Container[tuple[str, str]]
) -> tuple[Foreign, list[str]]:
    """Read files and folders as they are, and report what was left out of folders; nothing is built.

    What is of one of some kinds is never left out, whatever it lacks.
    """
    texts: dict[str, str] = {}
    findings: list[Finding] = []
    charts: list[str] = []
    inside: set[str] = set()
    for name in names:
        is_folder = name != STDIN and Path(name).is_dir()
        some = _find_charts(walk_folders(str(Path(name)))) if is_folder else []
        more, wrong = read_manifests(name, intake, without={*some})
        inside |= more.keys() if is_folder else set()
        charts += some
        texts |= more
        findings += wrong
    named = parse_foreign_objects({file: text for file, text in texts.items() if file not in inside}, intake)
    of_folders = parse_foreign_objects({file: texts[file] for file in texts if file in inside}, intake)
    found, kept, aside, strange = _split_objects(of_folders, kinds)
    left = [*_describe_skipped(charts, strange), *describe_kustomize_only(aside)]
    left += [] if texts or findings or left else ["no manifests found"]
    findings += [*named.findings, *found.findings]
    return Foreign(objects=(*named.objects, *kept), findings=tuple(findings), texts=texts), left


def describe_kustomize_only(count: int) -> list[str]:
    """Report how many documents only kustomize reads."""
    what = format_count(count, "kustomization or patch", "kustomizations and patches")
    return [f"{what} left out: they are for kustomize"] if count else []


def _describe_skipped(charts: list[str], strange: list[str]) -> Iterator[str]:
    for chart in charts:
        yield f"{chart} left out: it is a Helm chart (helm template {chart} | kitgen check -)"
    if strange:
        yield (
            f"{format_count(len(strange), 'file')} left out: no Kubernetes objects in "
            f"{_format_names(strange)}"
        )


def _find_charts(places: Iterable[tuple[str, list[str]]]) -> list[str]:
    """Return the folders of Helm charts, but for those inside others."""
    charts: list[str] = []
    for place, files in places:
        if CHART in files and not any(_is_below(place, chart) for chart in charts):
            charts.append(place)
    return charts


def _gather_folder(name: str, intake: ReadBudget) -> GatheredManifests:
    """Read a folder that is neither built nor a bundle as a whole."""
    places = list(walk_folders(str(Path(name))))
    charts = _find_charts(places)
    built = [place for place, files in places if any(each in files for each in NAMES)]
    built = [place for place in built if not any(_is_below(place, chart) for chart in charts)]
    if len(roots := _find_roots(built, intake)) > MAX_BUILDS:
        raise KitgenError(f"cannot check {name}: found more than {MAX_BUILDS} kustomizations to build")
    parts = [_build_folder(root, intake) for root in roots]
    texts, findings = read_manifests(name, intake, without={*charts, *built})
    found, kept, aside, strange = _split_objects(parse_foreign_objects(texts, intake))
    remarks = list(_describe_skipped(charts, []))
    if made := [
        root.removeprefix(f"{Path(name)}/") for root, each in zip(roots, parts, strict=True) if each.parts
    ]:
        remarks.append(f"{format_count(len(made), 'kustomization')} built: {_format_names(made)}")
    remarks += _describe_skipped([], strange)
    if not (texts or findings or parts or charts):
        remarks.append(f"no manifests in {name}")
    return GatheredManifests(
        parts=(*(part for each in parts for part in each.parts), tuple(kept)),
        findings=(
            *(one for each in parts for one in each.findings),
            *(*findings, *found.findings, *_check_kubectl_syntax(found, strange)),
        ),
        texts={file: text for each in parts for file, text in each.texts.items()} | texts,
        remarks=(*(one for each in parts for one in each.remarks), *remarks),
        aside=aside,
    )


def _build_result(found: Foreign, findings: Iterable[Finding] = (), *remarks: str) -> GatheredManifests:
    """Return objects that come together, or that there is nothing to check in what was named."""
    wrong = (*found.findings, *findings)
    empty = [f"no objects in {file}" for file in found.texts if not (found.objects or found.findings)]
    return GatheredManifests(
        parts=(found.objects,), findings=wrong, texts=found.texts, remarks=(*remarks, *empty)
    )


def _build_folder(folder: str, intake: ReadBudget) -> GatheredManifests:
    """Return what kustomize builds of a folder; its findings are in what it read, or in what it printed."""
    from kitgen.kit.shipped_trees import build_kustomization

    text, real = build_kustomization(folder, intake)
    if real.findings:
        return GatheredManifests(findings=real.findings, texts=real.texts)
    return _build_result(parse_foreign_objects({folder: text}, intake))


def _has_any_file(folder: str, names: tuple[str, ...]) -> bool:
    return any(os.path.lexists(join(folder, each)) for each in names)


def _is_below(place: str, folder: str) -> bool:
    return place == folder or place.startswith(f"{folder}/")


def _find_roots(folders: list[str], intake: ReadBudget) -> list[str]:
    """Return the folders of kustomizations that no other one names; a component is never one."""
    named: set[str] = set()
    parts: set[str] = set()
    for folder in folders:
        file = next(found for each in NAMES if os.path.lexists(found := join(folder, each)))
        texts, _ = read_manifests(file, intake)
        documents, _ = parse_documents(file, texts.get(file, ""), intake)
        for data in (each for each in documents if isinstance(each, dict)):
            local = (each for each in list_references(data) if each.can_be_folder and not each.check_remote())
            named |= {realpath(join(folder, normpath(each.names[0]))) for each in local}
            parts |= {folder} if data.get("kind") == "Component" else set()
    return [each for each in folders if each not in parts and realpath(each) not in named]


def _split_objects(
    found: Foreign, kinds: Container[tuple[str, str]] = ()
) -> tuple[Foreign, list[ForeignObject], int, list[str]]:
    """Separate the objects of a folder from files that are meant for other programs.

    Return what was read without what is wrong with files for others: they have tags, or comments in what is
    called JSON. Then come the objects of files, how many documents only kustomize reads, and the files that
    hold none and are not meant to.
    """
    wrong = group_pairs((each.origin.file, each) for each in found.findings)
    known = {
        file
        for file, findings in wrong.items()
        if (file.endswith(".json") or all(each.rule is YAML_TAG for each in findings))
        and not MEANT.search(found.texts[file])
    }
    left = replace(found, findings=tuple(each for each in found.findings if each.origin.file not in known))
    files = group_pairs((one.origin.file, one) for one in found.objects)
    strange = [
        file
        for file in found.texts
        if (file not in wrong or file in known)
        and not any(_is_object_like(each, kinds) for each in files.get(file, ()))
    ]
    plain = [each for file in found.texts if file not in strange for each in files.get(file, ())]
    kept = [each for each in plain if not each.for_kustomize]
    return left, kept, len(plain) - len(kept), strange


def _is_object_like(each: ForeignObject, kinds: Container[tuple[str, str]]) -> bool:
    """Return whether a document is an object, or was meant to be one."""
    bodies = each.body if isinstance(each.body, list) else [each.body]
    found = ObjectId.of(each.body) if isinstance(each.body, dict) else None
    if found and (found.group, found.kind) in kinds:
        return True
    if is_program_config(each.body):
        return False
    return each.for_kustomize or any(isinstance(one, dict) and not PARTS.isdisjoint(one) for one in bodies)


def _check_kubectl_syntax(found: Foreign, strange: Container[str] = ()) -> Iterator[Finding]:
    """Yield what kubectl does not take of texts that can be read."""
    broken = {each.origin.file for each in found.findings}
    for file, text in found.texts.items():
        if file not in broken and file not in strange:
            yield from (
                problem.to_finding(Origin(file)) for problem in islice(check_kubectl_syntax(text), MAX_ERRORS)
            )


def _format_names(names: list[str], shown: int = 5) -> str:
    """Name a few, and say how many more there are."""
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return f"{', '.join(names[:shown])}{more}"
