"""Rules that several modules here find."""

from __future__ import annotations

from kitgen.findings import Chapter, Rule

FILE_SIZE = Rule(
    id="file-size",
    chapter=Chapter.FILE,
    title="a file that is too big",
    checks="A file is no bigger than any honest one.",
    fix="Check what it is; a spec names what is particular, nothing else.",
)

FILE_ENCODING = Rule(
    id="file-encoding",
    chapter=Chapter.FILE,
    title="not UTF-8",
    checks="A file is UTF-8 text.",
    fix="Save it as UTF-8.",
)

SETTING_UNUSED = Rule(
    id="setting-unused",
    chapter=Chapter.TARGET,
    title="something that has no effect",
    checks=(
        "A setting changes something: the component is in a release, has the version, the Deployment, the"
        " CRDs or the container for it, and no other one carries it. In a component, every image is used,"
        " every feature changes something, and no name or patch is for what is not made."
    ),
    fix="Remove it, or do what the hint says.",
)

GROUP_UNKNOWN = Rule(
    id="group-unknown",
    chapter=Chapter.TARGET,
    title="a group that is not there",
    checks=(
        "A group without a dot is one of Kubernetes' own, in permissions, access roles and webhooks. None"
        " is a letter away from a group of Kubernetes or of a CRD of the kit."
    ),
    fix="Take the group that the hint offers; the core group is written `core`, and no version follows.",
)
