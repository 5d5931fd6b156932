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
    checks="What a spec says has an effect: settings, images, features, names and patches are taken up.",
    fix="Remove it, or do what the hint says.",
)
