"""What notes say, as data: the same that `-o json` prints and that templates get."""

from __future__ import annotations

from msgspec import Struct, field


class NotedChange(Struct, frozen=True, kw_only=True):
    """A change, told once for all that it is about."""

    subjects: tuple[str, ...]
    """Objects, fields, or those who may do something."""
    text: str
    only: tuple[str, ...] = ()
    """The targets that it holds in; none if it holds in all."""


class ReasonedChanges(Struct, frozen=True, kw_only=True):
    """Changes for one reason."""

    risk: str
    rule: str
    reason: str
    hint: str | None = None
    changes: tuple[NotedChange, ...] = ()


class ChangedImage(Struct, frozen=True, kw_only=True):
    """An image that is another one."""

    risk: str
    component: str
    container: str
    before: str | None
    after: str | None
    only: tuple[str, ...] = ()


class NotedCrd(Struct, frozen=True, kw_only=True):
    """A CRD that came, went or changed."""

    name: str
    kind: str
    state: str
    """Added, removed, moved (to another API group) or changed."""
    before: tuple[str, ...]
    """The versions that it had."""
    after: tuple[str, ...]
    stored: str | None
    """The version in which objects are stored from now on."""
    large: bool
    """Whether `kubectl apply` needs `--server-side`."""
    risk: str
    counts: dict[str, int]
    only: tuple[str, ...] = ()


class Fields(Struct, frozen=True, kw_only=True):
    """Fields that come together."""

    fields: tuple[str, ...]
    only: tuple[str, ...] = ()


class NotedKind(Struct, frozen=True, kw_only=True):
    """What changes for those who write resources of some kinds."""

    kinds: tuple[str, ...]
    crds: tuple[str, ...]
    risk: str
    changes: tuple[ReasonedChanges, ...] = ()
    """In what users write, the cosmetic ones aside."""
    added: tuple[Fields, ...] = ()
    """Fields that may be used from now on."""
    status: tuple[ReasonedChanges, ...] = ()
    """In what operators write and clients read, the cosmetic ones aside."""
    cosmetic: int = 0
    """How many other changes refuse and change nothing."""


class Topic(Struct, frozen=True, kw_only=True):
    """What changes for administrators in one respect."""

    topic: str
    risk: str
    changes: tuple[ReasonedChanges, ...] = ()
    """The cosmetic ones aside."""
    cosmetic: int = 0


class StepItem(Struct, frozen=True, kw_only=True):
    """Something that a step is about."""

    text: str
    only: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


class UpgradeStep(Struct, frozen=True, kw_only=True):
    """Something to do, and what tells that it is needed."""

    risk: str
    rule: str
    text: str
    """In Markdown, a sentence or two."""
    items: tuple[StepItem, ...] = ()
    only: tuple[str, ...] = ()


class Version(Struct, frozen=True, kw_only=True):
    """What becomes of something that belongs to a release."""

    name: str
    label: str
    """As the matrix calls it."""
    before: str | None
    after: str | None
    change: str
    """Added, removed, raised, lowered, changed or same."""
    built: bool
    """Whether it was part of the release before; the version was only recorded else."""
    builds: bool
    """Whether it is part of the release."""
    release: str | None = None
    """In which release it came, went or went back."""
    patch: bool = False
    """Whether that is a patch, in which nobody expects it."""
    reason: str | None = None
    """Why, as that release says."""


class NotedOverride(Struct, frozen=True, kw_only=True):
    """Another version that a target takes than the release says."""

    target: str
    name: str
    version: str
    reason: str


class AcceptedOddity(Struct, frozen=True, kw_only=True):
    """What is odd about a release, with the reason that its file gives."""

    about: str
    rule: str
    reason: str


class ReleaseNotes(Struct, frozen=True, kw_only=True):
    """The notes of a release."""

    release: str
    date: str | None
    since: str | None
    """The release that it is held against."""
    back: bool
    """Whether that one is newer."""
    patch: bool
    """Whether only the last number is raised."""
    matrix: str | None
    """The compatibility matrix in Markdown, as READMEs have it between their markers."""
    targets: tuple[str, ...] = ()
    """Those that were compared."""
    compared: bool = False
    """Whether it is known what changes on a cluster."""
    remarks: tuple[str, ...] = ()
    """What cannot be told, and why."""
    versions: tuple[Version, ...] = ()
    overrides: tuple[NotedOverride, ...] = ()
    accepted: tuple[AcceptedOddity, ...] = ()
    summary: dict[str, int] = field(default_factory=dict)
    before: tuple[UpgradeStep, ...] = ()
    """What to do before the upgrade, the worst first."""
    after: tuple[UpgradeStep, ...] = ()
    users: tuple[NotedKind, ...] = ()
    images: tuple[ChangedImage, ...] = ()
    crds: tuple[NotedCrd, ...] = ()
    administrators: tuple[Topic, ...] = ()
    cosmetic: tuple[ReasonedChanges, ...] = ()
    """Changes that refuse and change nothing, new fields aside."""
