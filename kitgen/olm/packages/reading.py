"""Read the files of a bundle: each within bounds, none through a link that leads out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from posixpath import basename, dirname

from kitgen.files.tree import inside
from kitgen.findings import Cause, CauseKind, Finding, Origin, problem
from kitgen.kit.foreign_objects import objects_in
from kitgen.kit.manifests import ENDINGS, LEADS_OUT, MAX_FILES, ReadBudget, manifest_texts
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.olm.packages.contents import Recent, TextContent, content_of, labels_of
from kitgen.olm.packages.folders import PARTS, BundleFolder, entries_of, joined
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

    def bundle(self, place: BundleFolder) -> Bundle:
        """Return all that there is of a bundle."""
        folder = self.folder
        lacks = () if place.direct else tuple(each for each in PARTS if not Path(folder, each).is_dir())
        direct = place.direct or "manifests" in lacks
        manifests = folder if direct else joined(folder, "manifests")
        files, objects = self._manifests(manifests)
        said: dict[str, Manifest | None] = {}
        if not place.direct and "metadata" not in lacks:
            said = self._metadata(joined(folder, "metadata"))
        release = self._release()
        return Bundle(
            origin=Origin(folder),
            version_folder=place.version,
            package_folder=place.package,
            lacks=lacks,
            folders=("manifests", "" if place.direct else "metadata"),
            files=files,
            beside=tuple(self.beside),
            strange=tuple(sorted(_strange(manifests))) if place.direct or not direct else (),
            objects=objects,
            labels=self._labels(),
            release=release,
            annotations=said.get("annotations"),
            dependencies=said.get("dependencies"),
            properties=said.get("properties"),
            findings=tuple(self.findings),
        )

    def document(self, file: str) -> Manifest | None:
        """Return what a file of YAML says; None if that is nothing, or if it cannot be read."""
        if Path(file).is_symlink():
            self.findings.append(LEADS_OUT.at(Origin(file)))
            return None
        text = self._taken(file).get(file)
        return None if text is None else self._whole(file, text)

    def _taken(self, name: str) -> dict[str, str]:
        """Return the texts behind a name, none below a folder."""
        texts, findings = manifest_texts(name, self.intake, deep=False)
        self.texts |= texts
        self.findings += findings
        return texts

    def _inside(self, folder: str) -> dict[str, str]:
        """Return the texts in a folder of the bundle, unless a link leads it elsewhere."""
        if folder != self.folder and inside(Path(self.folder), basename(folder)) is None:
            self.findings.append(LEADS_OUT.at(Origin(folder)))
            return {}
        return self._taken(folder)

    def _content(self, file: str, text: str) -> TextContent:
        content, findings = content_of(file, text, self.intake, self.contents)
        self.findings += findings
        return content

    def _manifests(self, folder: str) -> tuple[tuple[PackageFile, ...], tuple[Manifest, ...]]:
        """Return the files of the manifests, and the first object of each."""
        files, objects = [], []
        for file, text in self._inside(folder).items():
            found = self._content(file, text)
            files.append(_packed(file, found))
            for body in found.documents[:1]:
                if isinstance(read := _object(body, Origin(file)), Manifest):
                    objects.append(read)
                else:
                    self.findings += read
        return tuple(files), tuple(objects)

    def _metadata(self, folder: str) -> dict[str, Manifest | None]:
        """Return what the files of metadata say, by their names without an ending."""
        texts = self._inside(folder)
        names = {basename(file).rpartition(".")[0]: file for file in reversed(texts)}
        return {
            name: self._whole(file, texts[file]) for name in SAID if (file := names.get(name)) is not None
        }

    def _whole(self, file: str, text: str) -> Manifest | None:
        content = self._content(file, text)
        documents = content.documents
        self.beside.append(_packed(file, content))
        if not documents or isinstance(documents[0], dict):
            return _verbatim(documents[0], Origin(file)) if documents else None
        self.findings.append(problem("manifest-invalid", "found no mapping, expected one").at(Origin(file)))
        return None

    def _labels(self) -> Manifest | None:
        """Return the labels of the image; operator-sdk has the file beside a folder called bundle."""
        folders = [self.folder]
        if basename(self.folder) == "bundle":
            folders.append(dirname(self.folder) or os.curdir)
        for file in (joined(each, DOCKERFILE) for each in folders):
            if Path(file).is_file() and not Path(file).is_symlink():
                text = self._taken(file).get(file)
                return labels_of(file, text) if text is not None else None
        return None

    def _release(self) -> Manifest | None:
        file = joined(self.folder, RELEASE)
        return self.document(file) if os.path.lexists(file) else None


def _packed(file: str, content: TextContent) -> PackageFile:
    return PackageFile(path=file, size=content.size, documents=len(content.documents), untidy=content.untidy)


def _object(body: Json, origin: Origin) -> Manifest | list[Finding]:
    """Return a document as an object, a list of objects as itself, or why it is none."""
    if isinstance(body, dict) and isinstance(body.get("items"), list) and isinstance(body.get("kind"), str):
        return _verbatim(body, origin)
    if (found := next(iter(objects_in(body, origin)), None)) is None:
        return []
    return found.findings if found.problems else found.manifest


def _verbatim(body: Json, origin: Origin) -> Manifest:
    source = FieldSource(path=(), cause=Cause(CauseKind.MANIFEST), origin=origin, verbatim=True)
    return Manifest(body=body, sources=(source,))


def _strange(folder: str) -> Iterator[tuple[str, UnknownManifest]]:
    """Yield what stands among the manifests and is none."""
    if not Path(folder).is_dir() or Path(folder).is_symlink():
        return
    for each in entries_of(folder, MAX_FILES):
        path = joined(folder, each.name)
        if Path(path).is_dir():
            yield path, UnknownManifest.FOLDER
        elif each.name.startswith("."):
            yield path, UnknownManifest.HIDDEN
        elif not each.name.endswith(ENDINGS):
            yield path, UnknownManifest.OTHER
