"""Rules that several modules here find."""

from __future__ import annotations

from kitgen.findings import Chapter, Rule

FILE_SIZE = Rule(
    id="file-size",
    chapter=Chapter.FILE,
    checks="A file is no bigger than any honest one.",
    fix="Check what it is; a spec names what is particular, nothing else.",
)

SETTING_UNUSED = Rule(
    id="setting-unused",
    chapter=Chapter.TARGET,
    checks="What a spec says has an effect: settings, images, features, names and patches are taken up.",
    fix="Remove it, or do what the hint says.",
)

SPEC_PATH = Rule(
    id="spec-path",
    chapter=Chapter.REFERENCE,
    checks="The name and version in a spec are those of its file or folder.",
    fix="Rename one of them.",
)
