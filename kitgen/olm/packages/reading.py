"""Read the files of a bundle: each within bounds, none through a link that leads out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from posixpath import basename, dirname

from kitgen.files.tree import resolve_inside
from kitgen.findings import Cause, CauseKind, Finding, Origin, make_problem
from kitgen.kit.foreign_objects import objects_in
from kitgen.kit.manifests import ENDINGS, LEADS_OUT, MAX_FILES, ReadBudget, read_manifests
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.olm.packages.contents import Recent, TextContent, parse_content, parse_image_labels
from kitgen.olm.packages.folders import PARTS, BundleFolder, join_path, list_entries
from kitgen.olm.packages.records import Bundle, PackageFile, UnknownManifest
from kitgen.text.yaml import Json

RELEASE, DOCKERFILE = "release-config.yaml", "bundle.Dockerfile"
SAID = ("annotations", "dependencies", "properties")
"""The files of the metadata, without their endings."""


class Reader:
    """Reads a bundle: what it holds, the texts behind it and what is wrong with them."""

    def __init__(self, folder: str, contents: Recent[TextContent]) -> None:
        """Start with nothing read."""
        self.folder = folder
        self.contents = contents
        self.intake = ReadBudget()
        self.texts: dict[str, str] = {}
        self.beside: list[PackageFile] = []
        self.findings: list[Finding] = []

    def read_bundle(self, place: BundleFolder) -> Bundle:
        """Return all that there is of a bundle."""
        folder = self.folder
        lacks = () if place.direct else tuple(each for each in PARTS if not Path(folder, each).is_dir())
        direct = place.direct or "manifests" in lacks
        manifests = folder if direct else join_path(folder, "manifests")
        files, objects = self._read_manifests(manifests)
        said: dict[str, Manifest | None] = {}
        if not place.direct and "metadata" not in lacks:
            said = self._read_metadata(join_path(folder, "metadata"))
        release = self._read_release_config()
        return Bundle(
            origin=Origin(folder),
            version_folder=place.version,
            package_folder=place.package,
            lacks=lacks,
            folders=("manifests", "" if place.direct else "metadata"),
            files=files,
            beside=tuple(self.beside),
            strange=tuple(sorted(_find_unknown_manifests(manifests))) if place.direct or not direct else (),
            objects=objects,
            labels=self._read_labels(),
            release=release,
            annotations=said.get("annotations"),
            dependencies=said.get("dependencies"),
            properties=said.get("properties"),
            findings=tuple(self.findings),
        )

    def read_document(self, file: str) -> Manifest | None:
        """Return what a file of YAML says; None if that is nothing, or if it cannot be read."""
        if Path(file).is_symlink():
            self.findings.append(LEADS_OUT.to_finding(Origin(file)))
            return None
        text = self._read_texts(file).get(file)
        return None if text is None else self._parse_first_document(file, text)

    def _read_texts(self, name: str) -> dict[str, str]:
        """Return the texts behind a name, none below a folder."""
        texts, findings = read_manifests(name, self.intake, deep=False)
        self.texts |= texts
        self.findings += findings
        return texts

    def _read_folder(self, folder: str) -> dict[str, str]:
        """Return the texts in a folder of the bundle, unless a link leads it elsewhere."""
        if folder != self.folder and resolve_inside(Path(self.folder), basename(folder)) is None:
            self.findings.append(LEADS_OUT.to_finding(Origin(folder)))
            return {}
        return self._read_texts(folder)

    def _parse_content(self, file: str, text: str) -> TextContent:
        content, findings = parse_content(file, text, self.intake, self.contents)
        self.findings += findings
        return content

    def _read_manifests(self, folder: str) -> tuple[tuple[PackageFile, ...], tuple[Manifest, ...]]:
        """Return the files of the manifests, and the first object of each."""
        files, objects = [], []
        for file, text in self._read_folder(folder).items():
            found = self._parse_content(file, text)
            files.append(_to_package_file(file, found))
            for body in found.documents[:1]:
                if isinstance(read := _parse_object(body, Origin(file)), Manifest):
                    objects.append(read)
                else:
                    self.findings += read
        return tuple(files), tuple(objects)

    def _read_metadata(self, folder: str) -> dict[str, Manifest | None]:
        """Return what the files of metadata say, by their names without an ending."""
        texts = self._read_folder(folder)
        names = {basename(file).rpartition(".")[0]: file for file in reversed(texts)}
        return {
            name: self._parse_first_document(file, texts[file])
            for name in SAID
            if (file := names.get(name)) is not None
        }

    def _parse_first_document(self, file: str, text: str) -> Manifest | None:
        content = self._parse_content(file, text)
        documents = content.documents
        self.beside.append(_to_package_file(file, content))
        if not documents or isinstance(documents[0], dict):
            return _to_verbatim_manifest(documents[0], Origin(file)) if documents else None
        self.findings.append(
            make_problem("manifest-invalid", "found no mapping, expected one").to_finding(Origin(file))
        )
        return None

    def _read_labels(self) -> Manifest | None:
        """Return the labels of the image; operator-sdk has the file beside a folder called bundle."""
        folders = [self.folder]
        if basename(self.folder) == "bundle":
            folders.append(dirname(self.folder) or os.curdir)
        for file in (join_path(each, DOCKERFILE) for each in folders):
            if Path(file).is_file() and not Path(file).is_symlink():
                text = self._read_texts(file).get(file)
                return parse_image_labels(file, text) if text is not None else None
        return None

    def _read_release_config(self) -> Manifest | None:
        file = join_path(self.folder, RELEASE)
        return self.read_document(file) if os.path.lexists(file) else None


def _to_package_file(file: str, content: TextContent) -> PackageFile:
    return PackageFile(path=file, size=content.size, documents=len(content.documents), untidy=content.untidy)


def _parse_object(body: Json, origin: Origin) -> Manifest | list[Finding]:
    """Return a document as an object, a list of objects as itself, or why it is none."""
    if isinstance(body, dict) and isinstance(body.get("items"), list) and isinstance(body.get("kind"), str):
        return _to_verbatim_manifest(body, origin)
    if (found := next(iter(objects_in(body, origin)), None)) is None:
        return []
    return found.findings if found.problems else found.manifest


def _to_verbatim_manifest(body: Json, origin: Origin) -> Manifest:
    source = FieldSource(path=(), cause=Cause(CauseKind.MANIFEST), origin=origin, verbatim=True)
    return Manifest(body=body, sources=(source,))


def _find_unknown_manifests(folder: str) -> Iterator[tuple[str, UnknownManifest]]:
    """Yield what stands among the manifests and is none."""
    if not Path(folder).is_dir() or Path(folder).is_symlink():
        return
    for each in list_entries(folder, MAX_FILES):
        path = join_path(folder, each.name)
        if Path(path).is_dir():
            yield path, UnknownManifest.FOLDER
        elif each.name.startswith("."):
            yield path, UnknownManifest.HIDDEN
        elif not each.name.endswith(ENDINGS):
            yield path, UnknownManifest.OTHER
