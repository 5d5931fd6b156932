"""Read and validate locks/RELEASE.yaml, the image digests of a release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kitgen.files.root import LOCKS
from kitgen.findings import Finding, Origin, make_problem, suggest_word
from kitgen.kit.model.release import Lock, LockedImage
from kitgen.kit.spec_files import SpecFiles
from kitgen.kube.image_reference import ImageReference, parse_reference_or_error
from kitgen.text.schema_errors import REFERENCE_MISSING


def get_lock_path(release: str) -> str:
    """Return the file that the digests of a release stand in."""
    return f"{LOCKS}/{release}.yaml"


def load_locks(files: SpecFiles, releases: Iterable[str]) -> tuple[dict[str, Lock], list[Finding]]:
    """Read the locks of some releases, where there are any."""
    found: dict[str, Lock] = {}
    findings: list[Finding] = []
    for name in releases:
        if files.files.exists(get_lock_path(name)):
            data, wrong = files.read_validated(get_lock_path(name), "lock")
            findings += wrong
            if data is not None:
                origin = Origin(get_lock_path(name))
                found[name] = Lock(
                    release=data["release"],
                    images={
                        image: LockedImage(image=image, **each, origin=origin.at("images", image))
                        for image, each in data["images"].items()
                    },
                    origin=origin,
                )
                findings += _check_lock(found[name], name)
    return found, findings


def check_stray_locks(files: SpecFiles, releases: Mapping[str, object]) -> Iterator[Finding]:
    """Yield locks of releases that are nowhere."""
    for name in files.files.list_names(LOCKS) if files.files.is_folder(LOCKS) is True else []:
        release, dot, ending = name.rpartition(".")
        if (dot, ending) == (".", "yaml") and not name.startswith(".") and release not in releases:
            yield REFERENCE_MISSING(
                f"found no release {release!r}", hint=suggest_word(release, [*releases])
            ).to_finding(Origin(f"{LOCKS}/{name}"))


def _check_lock(lock: Lock, want: str) -> Iterator[Finding]:
    """Yield that a lock is of another release, and images that cannot be locked so."""
    if lock.release != want:
        yield make_problem(
            "spec-path",
            f"found {lock.release!r}, expected {want!r}, as the path says",
            hint="a lock is for the release that it was made of",
        ).to_finding(lock.origin.at("release"))
    known: dict[ImageReference, LockedImage] = {}
    for each in lock.images.values():
        if isinstance(parts := parse_reference_or_error(each.image), str):
            yield make_problem("lock-image", parts).to_finding(each.origin)
        elif parts.digest:
            yield make_problem(
                "lock-image", "found an image with a digest, expected its tag alone"
            ).to_finding(each.origin)
        elif (other := known.setdefault(parts, each)).digest != each.digest:
            yield make_problem(
                "lock-image",
                f"found another digest than {other.image!r} has, which is the same image",
                hint="remove one of the two",
            ).to_finding(each.origin.at("digest"))
