"""What `kitgen argocd health` does: gather health checks for Argo CD, and try them on objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import process_time

from msgspec import Struct, field

from kitgen.argocd.health.lua import Health, run_health_check
from kitgen.argocd.health.names import ENDING, FOLDER, Check, HealthKind, parse_kind, read_shipped_checks
from kitgen.files.root import find_root, has_kit
from kitgen.findings import Finding, Origin, Problem, deduplicate_findings, make_problem, suggest_word
from kitgen.findings.errors import UsageError
from kitgen.kit.foreign_objects import ForeignObject, read_foreign_objects
from kitgen.kit.spec_files import SpecFiles
from kitgen.kube.identity import ObjectId
from kitgen.text.yaml import JsonObject
from kitgen.workspace.kit import format_known_names, raise_on_errors

MAX_SECONDS, MAX_MESSAGES = 8.0, 10_000_000
"""Of time, and characters of messages, for all objects together; tens of thousands take two seconds. A
check that takes long or says much for each is ended by it."""


class HealthRequest(Struct, frozen=True, kw_only=True):
    """Which checks are wanted, and what to try them on."""

    root: Path | None = None
    kinds: tuple[str, ...] = ()
    """All when empty."""
    files: tuple[str, ...] = ()


class Healths(Struct, frozen=True, kw_only=True):
    """Checks, and what they say."""

    root: Path | None
    checks: tuple[Check, ...]
    judged: tuple[tuple[ObjectId, Health], ...] = ()
    """Objects, each with its health."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Kinds that none of the checks is for, and how many objects they have."""
    findings: tuple[Finding, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)


def collect_health_checks(request: HealthRequest) -> Healths:
    """Return the checks that come with kitgen; one that the kit has of the same kind takes its place."""
    root = find_root(request.root) if has_kit(request.root) else None
    found = {each.kind: each for each in (*read_shipped_checks(), *_read_kit_checks(root))}
    return Healths(root=root, checks=tuple(_select_checks(found, request.kinds)))


def run_health_checks(request: HealthRequest) -> Healths:
    """Try the checks on objects as a cluster has them; those of the kit on one without a status, too."""
    gathered = collect_health_checks(request)
    read = read_foreign_objects(request.files)
    trial = _Trial({each.kind: each for each in gathered.checks})
    for check in gathered.checks:
        if check.file:
            trial.run_without_status(check)
    for each in read.objects:
        trial.run_on_object(each)
    return Healths(
        root=gathered.root,
        checks=gathered.checks,
        judged=tuple(trial.judged),
        skipped=dict(sorted(trial.skipped.items())),
        findings=tuple(deduplicate_findings([*read.findings, *trial.findings])),
        texts=read.texts,
    )


class _Trial:
    """Runs checks; one that is wrong once is not run again."""

    def __init__(self, checks: Mapping[HealthKind, Check]) -> None:
        self.checks = dict(checks)
        self.seconds = 0.0
        self.said = 0
        self.wrong: set[HealthKind] = set()
        self.judged: list[tuple[ObjectId, Health]] = []
        self.skipped: Counter[str] = Counter()
        self.findings: list[Finding] = []

    def run_without_status(self, check: Check) -> None:
        """Run a check on an object that no controller has seen."""
        group, kind = check.kind.group, check.kind.kind
        body: JsonObject = {"apiVersion": f"{group}/v1".removeprefix("/"), "kind": kind}
        if isinstance(told := run_health_check(check.source, body | {"metadata": {"name": "new"}}), Problem):
            self._report_problem(check, told, Origin(check.file), f"{kind} without a status")

    def run_on_object(self, each: ForeignObject) -> None:
        """Run the check of an object's kind."""
        if each.problems:
            self.findings += each.findings
            return
        identity = each.manifest.id
        if (check := self.checks.get(HealthKind(identity.group, identity.kind))) is None:
            self.skipped[identity.kind] += 1
        elif check.kind not in self.wrong:
            if isinstance(told := self._run_check(check, each), Health):
                self.judged.append((identity, told))
            else:
                self._report_problem(check, told, each.origin, str(identity))

    def _run_check(self, check: Check, each: ForeignObject) -> Health | Problem:
        """Run a check as long as there is time; where there is none left, it is not asked again."""
        if self.seconds > MAX_SECONDS:
            self.wrong.add(check.kind)
            return make_problem(
                "health-lua",
                f"found more objects than can be judged in {MAX_SECONDS:g} seconds",
                hint="check fewer at a time, or make the check faster",
                line=1,
            )
        start = process_time()
        told = run_health_check(check.source, each.body)
        self.seconds += process_time() - start
        self.said += len(told.message)
        if self.said <= MAX_MESSAGES:
            return told
        self.wrong.add(check.kind)
        return make_problem(
            "health-lua",
            f"found messages of more than {MAX_MESSAGES:,} characters in all",
            hint="check fewer objects at a time, or make the messages shorter",
            line=1,
        )

    def _report_problem(self, check: Check, told: Problem, origin: Origin, subject: str) -> None:
        """Point at the check; where it is kitgen's, at the object that it was not made for."""
        if check.file:
            self.wrong.add(check.kind)
            self.findings.append(told.to_finding(Origin(check.file), subject))
        else:
            self.findings.append(told.rule(told.message, hint=told.hint).to_finding(origin, subject))


def _read_kit_checks(root: Path | None) -> Iterator[Check]:
    """Yield the checks of a kit; what is wrong with the files is a FindingsError."""
    if root is None:
        return
    files = SpecFiles(root)
    found = [_read_check(files, name) for name in files.files.list_names(FOLDER) if _is_check_file(name)]
    raise_on_errors([each for each in found if isinstance(each, Finding)], root)
    yield from (each for each in found if isinstance(each, Check))


def _is_check_file(name: str) -> bool:
    return name.endswith(ENDING) and not name.startswith(".")


def _read_check(files: SpecFiles, name: str) -> Check | Finding:
    path = f"{FOLDER}/{name}"
    kind, text = parse_kind(name), files.read_text(path)
    if isinstance(kind, Problem):
        return kind.to_finding(Origin(path))
    if isinstance(text, Problem):
        return text.to_finding(Origin(path))
    return Check(kind=kind, source=text, file=path)


def _select_checks(found: Mapping[HealthKind, Check], names: Sequence[str]) -> Iterator[Check]:
    """Yield checks in order: all, or those that are named by kind, or by group and kind."""
    known_as = {name for kind in found for name in (kind.kind, str(kind))}
    for name in names:
        if name not in known_as:
            hint = suggest_word(name, sorted(known_as)) or format_known_names(sorted(map(str, found)))
            raise UsageError(f"no health check for {name!r}", hint=hint)
    yield from (found[kind] for kind in sorted(found) if not names or {kind.kind, str(kind)} & set(names))
