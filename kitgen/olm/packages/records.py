"""What a bundle is: its objects, its metadata and its files, each with the place that says it."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from kitgen.crd.definition import is_crd
from kitgen.findings import Finding, Origin
from kitgen.kit.bundle_settings import PREFIX
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import Json

CSV = "ClusterServiceVersion"
MEDIA_TYPE, MANIFESTS, METADATA = (f"{PREFIX}{each}.v1" for each in ("mediatype", "manifests", "metadata"))
PACKAGE, CHANNELS, DEFAULT = (f"{PREFIX}{each}.v1" for each in ("package", "channels", "channel.default"))


class UnknownManifest(StrEnum):
    """What stands among the manifests and is none."""

    FOLDER = "a folder"
    HIDDEN = "a hidden file"
    OTHER = "a file that is neither YAML nor JSON"


class PackageFile(Struct, frozen=True, kw_only=True):
    """A file of a bundle, or of its package."""

    path: str
    size: int
    """Bytes that it takes in the ConfigMap which OLM unpacks a bundle into: compressed, then as text."""
    documents: int = 1
    untidy: tuple[int, ...] = ()
    """Lines that end in spaces; the last one if its end is missing."""


class Bundle(Struct, frozen=True, kw_only=True):
    """One version of an operator, as OLM gets it."""

    origin: Origin
    """Where to tell what is wrong with the whole of it."""
    version_folder: str = ""
    """The name of its folder in a package; empty if it stands in none."""
    package_folder: str = ""
    """The name of the folder of that package."""
    lacks: tuple[str, ...] = ()
    """Folders that it must have and has not."""
    folders: tuple[str, ...] = ("manifests", "metadata")
    """Where its manifests and its metadata are; the latter is empty if only manifests were named."""
    files: tuple[PackageFile, ...] = ()
    beside: tuple[PackageFile, ...] = ()
    """Files of YAML beside the manifests: metadata, and how a catalog takes the bundle in."""
    strange: tuple[tuple[str, UnknownManifest], ...] = ()
    """What is no manifest among them, by path."""
    objects: tuple[Manifest, ...] = ()
    """The first of each file, which is all that OLM reads."""
    examples: tuple[Manifest, ...] | None = None
    """What consoles offer, where that is known better than from the text that lists it."""
    annotations: Manifest | None = None
    """All of the file; what it says stands below `annotations`."""
    dependencies: Manifest | None = None
    properties: Manifest | None = None
    labels: Manifest | None = None
    """The labels of the file that builds the image, below `labels`."""
    release: Manifest | None = None
    """How a catalog takes it in: release-config.yaml."""
    findings: tuple[Finding, ...] = ()
    """Why files could not be read."""
    rendered: bool = False
    """Whether specs say it, and not these files."""

    @property
    def csvs(self) -> list[Manifest]:
        """Return its ClusterServiceVersions, of which there should be one."""
        return [each for each in self.objects if each.body.get("kind") == CSV]

    @property
    def csv(self) -> Manifest | None:
        """Return its ClusterServiceVersion; the first, if it has several."""
        return next(iter(self.csvs), None)

    @property
    def crds(self) -> list[Manifest]:
        """Return its CRDs, in whichever version of that API."""
        return [each for each in self.objects if is_crd(each.body)]

    def get_annotation(self, key: str) -> Json:
        """Return what the metadata says under a key; None if it does not."""
        return get_metadata_annotation(self.annotations, key)

    @property
    def channels(self) -> tuple[str, ...]:
        """Return the channels that its metadata names."""
        said = self.get_annotation(CHANNELS)
        names = said.split(",") if isinstance(said, str) else ()
        return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def get_metadata_annotation(manifest: Manifest | None, key: str) -> Json:
    """Return what a file of metadata says under a key; None if it does not."""
    notes: Json = manifest.body.get("annotations") if manifest else None
    return notes.get(key) if isinstance(notes, dict) else None
