"""The command `kitgen crd import`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kitgen.cli import HELP
from kitgen.cli.complete import components, offer, versions
from kitgen.cli.options import common
from kitgen.errors import KitgenError

if TYPE_CHECKING:
    from kitgen.cli.crd_store import Existing
    from kitgen.crds.importer import Import
    from kitgen.yamlio import JsonObject

NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?$")
VERSION = re.compile(r"v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$")
MINOR = re.compile(r"^kubernetes:.*$", re.MULTILINE)
HEAD = "# yaml-language-server: $schema=../../../schemas/component.json\n"


@dataclass(slots=True)
class Found:
    """The CRDs that were read."""

    bodies: list[JsonObject] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    """How many lines each takes where it was read, by name; as plain YAML if it is part of a list."""
    others: int = 0


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
    declarations go to components/NAME/V/crds, and component.yaml gets the minor of Kubernetes that fits.

    \b
    kitgen crd import crds/ --component kuberay --version v1.2.0
    kubectl kustomize config/crd | kitgen crd import - --component kueue --version v0.8.0
    """
    from kitgen.cli.crd_store import existing, write_all
    from kitgen.crds.declaration import plural
    from kitgen.crds.importer import import_crds
    from kitgen.root import find_root

    if not NAME.fullmatch(component):
        raise click.UsageError(f"found the component {component!r}, expected a DNS name such as my-name")
    if not VERSION.fullmatch(version):
        raise click.UsageError(f"found the version {version!r}, expected one such as v1.1.0")
    top = find_root(root)
    folder = _inside(top, Path("components") / component / version)
    found = _read(files)
    minor = _declared_minor(folder / "component.yaml")
    known = existing(folder)
    others = [name for name in known if name not in found.lines]
    imported = import_crds(
        found.bodies,
        keep=descriptions == "keep",
        prefer=minor,
        only=minor if others else 0,
        taken=[plural(known[name].data) for name in others],
    )
    write_all(folder, _texts(folder, imported, known, component, version))
    if not quiet:
        _report(imported, found, others)
        click.echo(f"wrote {_shown(folder / 'crds', top)}", err=True)


def _inside(root: Path, folder: Path) -> Path:
    """Return a folder of the kit; refuse one that a link leads out of it."""
    path = root / folder
    if not path.resolve().is_relative_to(root.resolve()):
        raise KitgenError(f"{folder} leads out of the kit", hint="replace the symbolic link by a folder")
    return path


def _read(files: tuple[str, ...]) -> Found:
    from kitgen.cli.crd_input import Reader
    from kitgen.crds.check import check_body
    from kitgen.crds.validate import objects_in
    from kitgen.crds.validate_crd import crd_faults, is_crd
    from kitgen.findings import Finding, Origin
    from kitgen.yamlio import dump

    reader, found = Reader(), Found()
    first: dict[str, tuple[JsonObject, str]] = {}
    for text in reader.texts(files):
        for index, document in enumerate(text.documents):
            for body, path in objects_in(document):
                if not is_crd(body):
                    found.others += 1
                    continue
                origin = Origin(text.file, path)
                faults = list(crd_faults(body, origin)) or list(check_body(origin, body))
                reader.findings += text.located(faults, index)
                if faults:
                    continue
                name = body["metadata"]["name"]
                known, file = first.setdefault(name, (body, text.file))
                if known is not body and known != body:
                    message = f"found {name!r} a second time, and not the same; {file} has it too"
                    clash = Finding(rule="crd-twice", message=message, origin=origin)
                    reader.findings += text.located([clash], index)
                elif known is body:
                    found.bodies.append(body)
                    found.lines[name] = dump(body).count("\n") if path else text.lines(index)
    if not found.bodies and not reader.findings:
        hint = f"{found.others} other objects were found" if found.others else ""
        message = "found no CRDs, expected at least one"
        reader.findings.append(
            Finding(rule="crd-none", message=message, origin=Origin(files[0], (), 1), hint=hint)
        )
    reader.stop()
    return found


def _declared_minor(file: Path) -> int:
    """Return the minor that an existing component declares, 0 if there is none."""
    from kitgen.cli.crd_store import read_file

    if not file.exists():
        return 0
    data = read_file(file)
    declared = str(data.get("kubernetes", "")) if isinstance(data, dict) else ""
    return int(declared[2:]) if re.fullmatch(r"1\.[0-9]{1,3}", declared) else 0


def _texts(
    folder: Path, imported: Import, known: dict[str, Existing], component: str, version: str
) -> dict[Path, str]:
    """Return the files to write; a CRD that is declared already stays in its file."""
    from kitgen.cli.crd_store import disturbed
    from kitgen.yamlio import read

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
    spec = folder / "component.yaml"
    if spec.exists():
        texts[spec] = _with_minor(spec, spec.read_text(encoding="utf-8"), imported.minor)
    else:
        minor = f'kubernetes: "1.{imported.minor}"\n'
        texts[spec] = f"{HEAD}component: {component}\nversion: {version}\n{minor}"
    return texts


def _with_minor(file: Path, text: str, minor: int) -> str:
    """Return component.yaml with its minor set, comments and layout kept."""
    from kitgen.yamlio import read

    line = f'kubernetes: "1.{minor}"'
    data = read(text)
    if data.get("kubernetes") == f"1.{minor}":
        return text
    changed = MINOR.sub(line, text, count=1)
    if changed == text:
        changed = re.sub(r"^(version:.*)$", rf"\1\n{line}", text, count=1, flags=re.MULTILINE)
    if read(changed) == {**data, "kubernetes": f"1.{minor}"}:
        return changed
    return _round_trip(file, text, minor)


def _round_trip(file: Path, text: str, minor: int) -> str:
    """Set the minor in a text of unusual layout."""
    from io import StringIO

    from ruamel.yaml import YAML
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    data = yaml.load(text)
    if not isinstance(data, dict):
        raise KitgenError(f"{file} holds no component", hint="run kitgen check")
    data["kubernetes"] = DoubleQuotedScalarString(f"1.{minor}")
    out = StringIO()
    yaml.dump(data, out)
    return out.getvalue()


def _shown(path: Path, root: Path) -> str:
    """Return a path of the kit as people would name it: from here, or from the kit's root."""
    here = Path.cwd()
    return path.relative_to(here if path.is_relative_to(here) else root).as_posix()


def _report(imported: Import, found: Found, others: list[str]) -> None:
    before = after = 0
    for file in imported.files:
        lines = file.text.count("\n")
        note = "  (written out: no shorter form comes back exactly)" if file.literal else ""
        click.echo(f"{file.name}: {found.lines[file.crd]} lines → {lines}{note}")
        before, after = before + found.lines[file.crd], after + lines
    count = len(imported.files)
    words = [
        f"{count} CRD{'s' if count > 1 else ''}, {before} lines → {after}",
        f"Kubernetes 1.{imported.minor}",
    ]
    if imported.descriptions:
        words.append(f"{imported.descriptions} descriptions dropped")
    if found.others:
        words.append(f"{found.others} other objects passed over")
    click.echo(", ".join(words))
    if others:
        click.echo(f"not touched: {', '.join(others)}; they hold the component to its minor", err=True)
