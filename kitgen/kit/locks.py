"""Read and validate locks/RELEASE.yaml, the image digests of a release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kitgen.files.root import LOCKS
from kitgen.findings import Finding, Origin, near, problem
from kitgen.kit.model.release import Lock, LockedImage
from kitgen.kit.spec_files import SpecFiles
from kitgen.kube.image_reference import ImageReference, parsed
from kitgen.text.schema_errors import REFERENCE_MISSING


def lock_file(release: str) -> str:
    """Return the file that the digests of a release stand in."""
    return f"{LOCKS}/{release}.yaml"


def load_locks(files: SpecFiles, releases: Iterable[str]) -> tuple[dict[str, Lock], list[Finding]]:
    """Read the locks of some releases, where there are any."""
    found: dict[str, Lock] = {}
    findings: list[Finding] = []
    for name in releases:
        if files.files.exists(lock_file(name)):
            data, wrong = files.data(lock_file(name), "lock")
            findings += wrong
            if data is not None:
                origin = Origin(lock_file(name))
                found[name] = Lock(
                    release=data["release"],
                    images={
                        image: LockedImage(image=image, **each, origin=origin.at("images", image))
                        for image, each in data["images"].items()
                    },
                    origin=origin,
                )
                findings += _wrong(found[name], name)
    return found, findings


def stray_locks(files: SpecFiles, releases: Mapping[str, object]) -> Iterator[Finding]:
    """Yield locks of releases that are nowhere."""
    for name in files.files.names(LOCKS) if files.files.is_folder(LOCKS) is True else []:
        release, dot, ending = name.rpartition(".")
        if (dot, ending) == (".", "yaml") and not name.startswith(".") and release not in releases:
            yield REFERENCE_MISSING(f"found no release {release!r}", hint=near(release, [*releases])).at(
                Origin(f"{LOCKS}/{name}")
            )


def _wrong(lock: Lock, want: str) -> Iterator[Finding]:
    """Yield that a lock is of another release, and images that cannot be locked so."""
    if lock.release != want:
        yield problem(
            "spec-path",
            f"found {lock.release!r}, expected {want!r}, as the path says",
            hint="a lock is for the release that it was made of",
        ).at(lock.origin.at("release"))
    known: dict[ImageReference, LockedImage] = {}
    for each in lock.images.values():
        if isinstance(parts := parsed(each.image), str):
            yield problem("lock-image", parts).at(each.origin)
        elif parts.digest:
            yield problem("lock-image", "found an image with a digest, expected its tag alone").at(
                each.origin
            )
        elif (other := known.setdefault(parts, each)).digest != each.digest:
            yield problem(
                "lock-image",
                f"found another digest than {other.image!r} has, which is the same image",
                hint="remove one of the two",
            ).at(each.origin.at("digest"))
