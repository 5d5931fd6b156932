"""Rules that several modules here find."""

from __future__ import annotations

from kitgen.findings import Chapter, Rule

FILE_SIZE = Rule(
    id="file-size",
    chapter=Chapter.FILE,
    checks="A file is no bigger than any honest one.",
    fix="Check what it is; a spec names what is particular, nothing else.",
)

PATH_SYMLINK = Rule(
    id="path-symlink",
    chapter=Chapter.FILE,
    checks="No symbolic link leads out of the kit, and none stands where files are written.",
    fix="Put the file itself there.",
)

SETTING_UNUSED = Rule(
    id="setting-unused",
    chapter=Chapter.TARGET,
    checks=(
        "A setting changes something: the component is in a release, has the version, the Deployment, the"
        " CRDs or the container for it, and no other one carries it. In a component, every image is used,"
        " every feature changes something, and no name or patch is for what is not made."
    ),
    fix="Remove it, or do what the hint says.",
)
