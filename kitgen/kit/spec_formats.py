"""Detect the format version of a kit's specs, and convert an older format to the current one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from kitgen import __version__
from kitgen.crd.schema_edits import has_type_references
from kitgen.files.root import MARK
from kitgen.findings import Finding, Problem, make_problem
from kitgen.kit.spec_files import SpecFiles
from kitgen.text.yaml import Json, read_yaml

Texts: TypeAlias = Mapping[str, str]
"""Spec files by path."""
Step: TypeAlias = Callable[[Texts], dict[str, str]]
"""Rewrites specs of one form into the next, and returns the files that change."""


def kit_format(data: Json) -> int | None:
    """Return the form that kit.yaml names; 0 is the one before there was a name, None is no form at all."""
    found = data.get("format", 0) if isinstance(data, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def check_kit_format(data: Json) -> Iterator[Problem]:
    """Yield a problem if a kit.yaml names another form than the current one; its shape is not judged here."""
    match kit_format(data):
        case None:
            return
        case found if found < CURRENT:
            message = f"found specs of format {found}, expected {CURRENT}"
            path = ("format",) if isinstance(data, dict) and "format" in data else ()
            yield make_problem(
                "kit-format", message, path, "kitgen upgrade rewrites them, and keeps comments"
            )
        case found if found > CURRENT:
            yield make_problem(
                "kit-format",
                f"found specs of format {found}, expected {CURRENT}",
                ("format",),
                f"take a newer kitgen: {__version__} knows no newer form than {CURRENT}",
            )


def upgrade_texts(texts: Texts, found: int) -> dict[str, str]:
    """Return those of the specs that change on the way from a form to the current one."""
    changed: dict[str, str] = {}
    for step in STEPS[found:]:
        changed |= step({**texts, **changed})
    return {path: text for path, text in changed.items() if text != texts[path]}


def _upgrade_to_1(texts: Texts) -> dict[str, str]:
    """0 → 1: the form has a name, and no minor of Kubernetes is taken for granted."""
    from kitgen.text.yaml.edits import set_value

    changed = {MARK: set_value(texts[MARK], "format", 1, below="kit")}
    for path, text in texts.items():
        folder, _, name = path.rpartition("/")
        if name == "component.yaml" and _has_key(text, "version") and not _has_key(text, "kubernetes"):
            crds = [text for other, text in texts.items() if other.startswith(f"{folder}/crds/")]
            if any(_has_key(crd, "versions") and has_type_references(read_yaml(crd)) for crd in crds):
                changed[path] = set_value(text, "kubernetes", "1.30", below="version")
    return changed


def _upgrade_to_2(texts: Texts) -> dict[str, str]:
    """1 → 2: specs may build on one another, which an older kitgen would not read; none has to."""
    from kitgen.text.yaml.edits import set_value

    return {MARK: set_value(texts[MARK], "format", 2, below="kit")}


def _has_key(text: str, key: str) -> bool:
    data = read_yaml(text)
    return isinstance(data, dict) and key in data


STEPS: tuple[Step, ...] = (_upgrade_to_1, _upgrade_to_2)
"""The n-th leads from form n to the next."""
CURRENT = len(STEPS)


def upgrade_specs(files: SpecFiles) -> tuple[dict[str, str], list[Finding]]:
    """Return the specs of an older form that change, in the current form, or why one cannot be read."""
    if (found := kit_format(files.read_data(MARK)[0])) is None or found >= CURRENT:
        return {}, []
    listed, findings = files.list_specs()
    for name in filter(files.files.exists, listed):
        findings += files.read_data(name)[1]
    return ({} if findings else upgrade_texts(files.texts, found)), findings
