"""The command `kitgen crd import`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kitgen.cli import HELP
from kitgen.cli.complete import components, offer, versions
from kitgen.cli.crd.component import SPEC, VERSION, Start, new_text, start_of, with_value
from kitgen.cli.options import common
from kitgen.errors import KitgenError

if TYPE_CHECKING:
    from kitgen.cli.crd.input import Text
    from kitgen.cli.crd.store import Existing
    from kitgen.crds.importer.importer import Import
    from kitgen.crds.importer.surroundings import Bare, Surroundings
    from kitgen.findings import Finding
    from kitgen.findings import Path as Steps
    from kitgen.pipeline.neighbours import Neighbours
    from kitgen.yamlio import JsonObject
from kitgen.cli.crd.input import CRD_NONE
from kitgen.crds.schema.rules import CRD_TWICE

NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?$")


@dataclass(slots=True)
class Found:
    """The CRDs that were read."""

    bodies: list[JsonObject] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    """How many lines each takes where it was read, by name; as plain YAML if it is part of a list."""
    places: dict[str, tuple[Text, int, Steps]] = field(default_factory=dict)
    """Where each was read, by name: the file, the document, and the path in it."""
    others: list[JsonObject] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """An import that is about to be written."""

    folder: Path
    start: Start
    around: Neighbours
    surroundings: Surroundings
    bare: Bare
    imported: Import
    others: list[str]
    """The CRDs that the component declares and that were not read."""


@click.command("import", context_settings=HELP)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=offer(paths=True))
@click.option(
    "--component",
    required=True,
    metavar="NAME",
    shell_complete=offer(components),
    help="The component that the CRDs belong to.",
)
@click.option(
    "--version",
    required=True,
    metavar="V",
    shell_complete=offer(versions),
    help="Its version, such as v1.1.0.",
)
@click.option(
    "--descriptions",
    type=click.Choice(["drop", "keep"]),
    default="drop",
    show_default=True,
    help="Whether to keep the descriptions of fields.",
)
@common
def import_(
    files: tuple[str, ...], component: str, version: str, descriptions: str, root: Path | None, quiet: bool
) -> None:
    """Turn real CRDs into short declarations that expand to exactly the same.

    FILE is a file, a folder, or - for standard input; objects that are no CRDs are passed over. The
    declarations go to components/NAME/V/crds. A new version starts with the component.yaml and config.yaml
    of the version before. Labels, prefix and namespace that the component gives are taken out.

    \b
    kitgen crd import crds/ --component kuberay --version v1.2.0
    kubectl kustomize config/default | kitgen crd import - --component kueue --version v0.8.0
    """
    from kitgen.cli.crd.report import report, warnings
    from kitgen.cli.crd.store import existing, write_all
    from kitgen.root import find_root

    if not NAME.fullmatch(component):
        raise click.UsageError(f"found the component {component!r}, expected a DNS name such as my-name")
    if not VERSION.fullmatch(version):
        raise click.UsageError(f"found the version {version!r}, expected one such as v1.1.0")
    top = find_root(root)
    folder = _inside(top, Path("components") / component / version)
    found = _read(files)
    known = existing(folder)
    work = _work(top, folder, found, known, keep=descriptions == "keep")
    texts = _texts(work, known)
    findings = warnings(work, found, files[0])
    write_all(folder, texts)
    if not quiet:
        report(work, found)
        click.echo(f"wrote {_shown(folder if work.start.taken else folder / 'crds', top)}", err=True)
    _warn(findings, quiet=quiet)


def _work(top: Path, folder: Path, found: Found, known: dict[str, Existing], *, keep: bool) -> Work:
    """Take out what the component gives, and declare the rest."""
    from kitgen.crds.declare.declaration import plural
    from kitgen.crds.importer.importer import import_crds
    from kitgen.crds.importer.surroundings import Surroundings, guess, take_out
    from kitgen.pipeline.neighbours import neighbours

    component = folder.parent.name
    start = start_of(folder)
    around = neighbours(top, component, folder.name)
    if around.surroundings is not None:
        surroundings = around.surroundings
    elif around.broken or start.text:
        surroundings = Surroundings()
    else:
        surroundings = guess(found.bodies, found.others, component)
    bare = take_out(found.bodies, surroundings)
    others = [name for name in known if name not in found.lines]
    imported = import_crds(
        bare.bodies,
        keep=keep,
        prefer=start.minor,
        only=start.minor if others else 0,
        taken=[plural(known[name].data) for name in others],
        home=surroundings.home,
    )
    return Work(
        folder=folder,
        start=start,
        around=around,
        surroundings=surroundings,
        bare=bare,
        imported=imported,
        others=others,
    )


def _warn(findings: list[Finding], *, quiet: bool) -> None:
    """Print what people should look at; an import that was made is no failure."""
    import sys

    from kitgen.cli.crd.input import as_text

    if not quiet and findings:
        click.echo(as_text(findings, stream=sys.stderr), nl=False, err=True)


def _inside(root: Path, folder: Path) -> Path:
    """Return a folder of the kit; refuse one that a link leads out of it."""
    path = root / folder
    if not path.resolve().is_relative_to(root.resolve()):
        raise KitgenError(f"{folder} leads out of the kit", hint="replace the symbolic link by a folder")
    return path


def _read(files: tuple[str, ...]) -> Found:
    from kitgen.cli.crd.input import Reader
    from kitgen.crds.schema.crd import is_crd
    from kitgen.crds.validate.objects import objects_in
    from kitgen.findings import Origin

    reader, found = Reader(), Found()
    for text in reader.texts(files):
        for index, document in enumerate(text.documents):
            for body, path in objects_in(document):
                if is_crd(body):
                    reader.findings += _add(found, text, index, body, path)
                else:
                    found.others.append(body)
    if not found.bodies and not reader.findings:
        count = len(found.others)
        hint = f"found {count} other object{'' if count == 1 else 's'}" if count else ""
        message = "found no CRDs, expected at least one"
        origin = Origin(files[0], (), 1)
        reader.findings.append(CRD_NONE(message, hint=hint).at(origin))
    reader.stop()
    return found


def _add(found: Found, text: Text, index: int, body: JsonObject, path: Steps) -> list[Finding]:
    """Keep a CRD, or return what is wrong with it; one that is there already must be the same."""
    from kitgen.crds.importer.check import check_body
    from kitgen.crds.schema.crd import crd_faults
    from kitgen.findings import Origin
    from kitgen.yamlio import dump

    origin = Origin(text.file, path)
    if faults := list(crd_faults(body, origin)) or list(check_body(origin, body)):
        return text.located(faults, index)
    name = body["metadata"]["name"]
    if name not in found.places:
        found.bodies.append(body)
        found.places[name] = (text, index, path)
        found.lines[name] = dump(body).count("\n") if path else text.lines(index)
    elif body not in found.bodies:
        file = found.places[name][0].file
        message = f"found {name!r} a second time, and not the same; {file} has it too"
        return text.located([CRD_TWICE(message).at(origin)], index)
    return []


def _texts(work: Work, known: dict[str, Existing]) -> dict[Path, str]:
    """Return the files to write; a CRD that is declared already stays in its file."""
    from kitgen.cli.crd.store import disturbed
    from kitgen.yamlio import read

    folder, imported, start = work.folder, work.imported, work.start
    fresh = {file.crd: read(file.text) for file in imported.files}
    if names := disturbed(known, fresh, imported.minor):
        raise KitgenError(
            f"{', '.join(names)} would change too: it uses parts of what is imported",
            hint="import all CRDs of the component together",
        )
    texts = {
        known[file.crd].path if file.crd in known else folder / "crds" / f"{file.name}.yaml": file.text
        for file in imported.files
    }
    spec = folder / SPEC
    if start.text:
        texts[spec] = with_value(spec, start.text, "kubernetes", f"1.{imported.minor}")
    else:
        texts[spec] = new_text(folder.parent.name, folder.name, imported.minor, work.surroundings)
    return texts | {folder / name: text for name, text in start.others.items()}


def _shown(path: Path, root: Path) -> str:
    """Return a path of the kit as people would name it: from here, or from the kit's root."""
    here = Path.cwd()
    return path.relative_to(here if path.is_relative_to(here) else root).as_posix()
