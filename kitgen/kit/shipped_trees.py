"""Read real trees to compare the kit with, in whichever form they are shipped.

A folder with a kustomization is built by the local kustomize, from local files alone; an OLM bundle yields
the objects of its manifests; anything else is read as manifests.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from posixpath import basename, dirname, join

from msgspec import Struct
from msgspec.structs import replace

from kitgen.files.programs import (
    IN_HASTE,
    OFFLINE,
    ProgramResult,
    measure_cpu_seconds,
    require_kustomize,
    start_program,
)
from kitgen.findings import MAX_ERRORS, Finding, Origin, make_problem, report_limit
from kitgen.findings.errors import KitgenError
from kitgen.kit.bundle_manifests import read_bundle_texts
from kitgen.kit.foreign_objects import Foreign, ForeignObject, parse_foreign_objects
from kitgen.kit.kustomizations import NAMES, Generator, KustomizationSurvey
from kitgen.kit.manifests import ALL_TOO_BIG, STDIN, ReadBudget, read_manifests
from kitgen.kube.identity import OBJECT_DUPLICATE, ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.names import check_object_names, content_hash
from kitgen.text.patterns import compile_late
from kitgen.text.values import map_at
from kitgen.text.yaml import JsonObject

QUOTED = compile_late(r"""[`'"]([^`'"]{3,})[`'"]""")
"""What kustomize names in an error."""

MAX_OBJECTS, MAX_IMPORTED = 2_000, 30_000

KEPT = ("HOME", "PATH", "TMPDIR")
"""Variables that kustomize gets: an env file may ask for any, and the value would be in an object."""
TIMEOUT = 60.0


class GeneratedConfigMap(Struct, frozen=True, kw_only=True):
    """A ConfigMap that kustomize made of env files."""

    name: str
    """Without the hash."""
    object: ObjectId
    """As it was built."""
    keys: tuple[str, ...]
    """Those of the env files."""
    file: str
    """The kustomization that says it."""


class ShippedTree(Foreign, frozen=True, kw_only=True):
    """A real tree: its objects, each once, and what is wrong with it.

    Of what kustomize built, the origin is the folder that was named: no line of a file says an object.
    """

    name: str
    generated: tuple[GeneratedConfigMap, ...] = ()
    unbuilt: tuple[Generator, ...] = ()
    """ConfigMaps of env files that the build leaves out, because only replacements read them."""

    @property
    def manifests(self) -> tuple[Manifest, ...]:
        """Return the objects as such that can be checked."""
        return tuple(each.manifest for each in self.objects)


def read_shipped_tree(
    name: str, intake: ReadBudget | None = None, *, most: int | None = MAX_OBJECTS
) -> ShippedTree:
    """Read a folder, a file or standard input (`-`); whatever is wrong is in the findings.

    There may be no more than some objects, or with None as many as the intake takes.
    """
    with start_reading_tree(name, intake, most=most) as read:
        return read()


@contextmanager
def start_reading_tree(
    name: str, intake: ReadBudget | None = None, *, most: int | None = MAX_OBJECTS
) -> Iterator[Callable[[], ShippedTree]]:
    """Begin to read, and give what ends it: meanwhile kustomize builds, and the caller may do other work."""
    intake = intake or ReadBudget()
    if name == STDIN or not any(os.path.lexists(join(name, each)) for each in NAMES):
        yield lambda: _read_tree(name, intake, most)
        return
    looked, nothing = _survey_folder(name, intake)
    if looked.findings:
        yield lambda: nothing
        return
    with _start_kustomize(name, intake) as wait:
        yield lambda: _parse_build_output(nothing, wait(), looked, intake, most)


def _read_tree(name: str, intake: ReadBudget, most: int | None) -> ShippedTree:
    bundle = None if name == STDIN else read_bundle_texts(name, intake)
    texts, findings = bundle or read_manifests(name, intake)
    if bundle and findings:
        return ShippedTree(name=name, findings=tuple(findings), texts=texts)
    if inner := sorted(file for file in texts if basename(file) in NAMES):
        wrong = make_problem(
            "manifest-invalid",
            "found a kustomization, expected manifests alone",
            hint=f"name a folder that kustomize builds, such as {dirname(inner[0])}",
            line=1,
        )
        return ShippedTree(name=name, findings=(wrong.to_finding(Origin(inner[0])),), texts=texts)
    read = parse_foreign_objects(texts, intake)
    return _build_tree(
        name, replace(read, findings=(*findings, *read.findings)), most, looking=intake.looking
    )


def _survey_folder(folder: str, intake: ReadBudget) -> tuple[KustomizationSurvey, ShippedTree]:
    """Return what kustomize would read to build a folder, and what is known before it does."""
    looked = KustomizationSurvey(folder, intake)
    return looked, ShippedTree(name=folder, findings=tuple(looked.findings), texts=looked.texts)


def build_kustomization(folder: str, intake: ReadBudget) -> tuple[str, ShippedTree]:
    """Return what kustomize prints for a folder; if it cannot be built, the findings say why."""
    looked, nothing = _survey_folder(folder, intake)
    if looked.findings:
        return "", nothing
    with _start_kustomize(folder, intake) as wait:
        made = wait()
    return made.stdout, replace(nothing, findings=tuple(_check_build(folder, made, looked, intake)))


@contextmanager
def _start_kustomize(folder: str, intake: ReadBudget) -> Iterator[Callable[[], ProgramResult]]:
    """Start kustomize on a folder that was looked at."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    command, env = [*require_kustomize(), "."], {**IN_HASTE, **kept, **OFFLINE}
    before = measure_cpu_seconds()
    with start_program(command, cwd=Path(folder), env=env, timeout=TIMEOUT, processor=intake.seconds) as wait:
        yield lambda: _check_time_limit(wait(), folder, intake, before)


def _check_time_limit(made: ProgramResult, folder: str, intake: ReadBudget, before: float) -> ProgramResult:
    """Return what kustomize left behind, unless it used all the time that there is for one command."""
    intake.seconds -= measure_cpu_seconds() - before
    if intake.seconds < 0 or made.code == -signal.SIGKILL:
        raise KitgenError(
            f"cannot build {folder}: kustomize took too much processor time for its size",
            hint="build a part at a time",
        )
    return made


def _check_build(
    folder: str, made: ProgramResult, looked: KustomizationSurvey, intake: ReadBudget
) -> Iterator[Finding]:
    """Yield why there is nothing that was built."""
    if not made.is_successful:
        file = next(each for each in NAMES if os.path.lexists(join(folder, each)))
        message = f"kustomize cannot build it: {made.error_message}"
        line = _find_complaint_line(made.error_message, looked.texts.get(join(folder, file), ""))
        yield make_problem("tree-build", message, line=line).to_finding(Origin(join(folder, file)))
    elif not intake.consume(len(made.out)):
        yield ALL_TOO_BIG.to_finding(Origin(folder))


def _find_complaint_line(complaint: str, text: str) -> int:
    """Return the one line of a kustomization that has what kustomize quotes, else the first."""
    lines = text.splitlines()
    for quoted in QUOTED.findall(complaint):
        if len(there := [number for number, line in enumerate(lines, 1) if quoted in line]) == 1:
            return there[0]
    return 1


def _parse_build_output(
    nothing: ShippedTree,
    made: ProgramResult,
    looked: KustomizationSurvey,
    intake: ReadBudget,
    most: int | None,
) -> ShippedTree:
    folder = nothing.name
    if wrong := tuple(_check_build(folder, made, looked, intake)):
        return replace(nothing, findings=wrong)
    found = _build_tree(folder, parse_foreign_objects({folder: made.stdout}, intake), most, looking=False)
    generated = tuple(_find_generated_maps(looked.generators, found.objects))
    built = {(each.file, each.keys) for each in generated}
    unbuilt = [each for each in looked.generators if (each.file, tuple(sorted(each.keys))) not in built]
    return replace(found, texts=looked.texts, generated=generated, unbuilt=tuple(unbuilt))


def _build_tree(name: str, read: Foreign, most: int | None, *, looking: bool) -> ShippedTree:
    """Keep valid objects, and report what is wrong with the others."""
    findings = list(read.findings)
    first: dict[ObjectId, ForeignObject] = {}
    sound: list[ForeignObject] = []
    for each in read.objects:
        wrong = list(_check_object(each, first, looking=looking))
        findings += wrong
        if not wrong:
            first[ObjectId.of(each.body)] = each
            sound.append(each)
        if most is not None and len(sound) > most:
            findings.append(
                make_problem(
                    "tree-size",
                    f"found more than {most} objects, expected at most that",
                    hint="name the tree of one component",
                ).to_finding(each.origin)
            )
            break
        if len(findings) > MAX_ERRORS:
            findings.append(report_limit(each.origin.file))
            break
    if not (sound or findings):
        hint = "name a folder that kustomize builds, manifests or an OLM bundle"
        line = 0 if Path(name).is_dir() else 1
        none = make_problem("tree-empty", "found no objects, expected at least one", hint=hint, line=line)
        findings.append(none.to_finding(Origin(name)))
    return ShippedTree(name=name, objects=tuple(sound), findings=tuple(findings), texts=read.texts)


def _check_object(
    each: ForeignObject, first: Mapping[ObjectId, ForeignObject], *, looking: bool
) -> Iterator[Finding]:
    """Yield what is wrong with an object, or why it must not come beside the others."""
    if each.for_kustomize:
        yield make_problem(
            "manifest-invalid",
            "found what only kustomize reads, expected an object",
            hint="name the folder that kustomize is to build",
        ).to_finding(each.origin)
        return
    if each.problems:
        yield from each.findings
        return
    if looking:
        return
    subject = str(ObjectId.of(each.body))
    if wrong := list(check_object_names(each.body)):
        yield from (fault.to_finding(each.origin, subject) for fault in wrong)
    elif other := first.get(ObjectId.of(each.body)):
        yield OBJECT_DUPLICATE(
            f"found a second {subject}, expected every object once",
            hint=f"the first comes from {other.origin}",
        ).to_finding(each.origin)


def _find_generated_maps(
    generators: Iterable[Generator], objects: tuple[ForeignObject, ...]
) -> Iterator[GeneratedConfigMap]:
    """Yield the ConfigMaps among the objects that env files gave their keys."""
    maps = [each.body for each in objects if ObjectId.of(each.body).kind == "ConfigMap"]
    for made in generators:
        having = [body for body in maps if made.keys <= map_at(body, "data").keys()]
        fitting = [body for body in having if made.name in _strip_name_hash(body)]
        # Prefixes and suffixes come around the name: the shortest is the one.
        if body := min(fitting, key=lambda body: len(_strip_name_hash(body)), default=None):
            yield GeneratedConfigMap(
                name=_strip_name_hash(body),
                object=ObjectId.of(body),
                keys=tuple(sorted(made.keys)),
                file=made.file,
            )


def _strip_name_hash(body: JsonObject) -> str:
    """Return the name of a ConfigMap without the hash of its content."""
    data = {key: value for key, value in map_at(body, "data").items() if isinstance(value, str)}
    return ObjectId.of(body).name.removesuffix(f"-{content_hash(data)}")
