"""What notes say, as data: the same that `-o json` prints and that templates get."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct, field

from kitgen.compare.change import Risk
from kitgen.report.documents import ResultDocument

VersionChange: TypeAlias = Literal["added", "removed", "raised", "lowered", "changed", "same"]
CrdState: TypeAlias = Literal["added", "removed", "moved", "changed"]
TopicName: TypeAlias = Literal[
    "permissions", "webhooks", "objects", "network", "limits", "configuration", "fields"
]


class NotedChange(Struct, frozen=True, kw_only=True):
    """A change, told once for all that it is about."""

    subjects: tuple[str, ...]
    """Objects, fields, or those who may do something."""
    text: str
    """What changed."""
    only: tuple[str, ...] = ()
    """The targets that it holds in; empty if it holds in all that were compared."""


class ReasonedChanges(Struct, frozen=True, kw_only=True):
    """Changes for one reason."""

    risk: Risk
    """How bad it is, or the worst of several."""
    rule: str
    """The rule."""
    reason: str
    """Why it has this risk."""
    hint: str | None = None
    """What may help."""
    changes: tuple[NotedChange, ...] = ()
    """All changes for this reason."""


class ChangedImage(Struct, frozen=True, kw_only=True):
    """An image that is another one."""

    risk: Risk
    """How bad it is, or the worst of several."""
    component: str
    """The component."""
    container: str
    """The container."""
    before: str | None
    """The image before."""
    after: str | None
    """The image now."""
    only: tuple[str, ...] = ()
    """The targets that it holds in; empty if it holds in all that were compared."""


class NotedCrd(Struct, frozen=True, kw_only=True):
    """A CRD that came, went or changed."""

    name: str
    """Its name."""
    kind: str
    """The kind that it defines."""
    state: CrdState
    """What became of it."""
    before: tuple[str, ...]
    """The versions that it had."""
    after: tuple[str, ...]
    """The versions that it has."""
    stored: str | None
    """The version in which objects are stored from now on."""
    large: bool
    """Whether `kubectl apply` needs `--server-side`."""
    risk: Risk
    """How bad it is, or the worst of several."""
    counts: dict[str, int]
    """Risk → number of changes."""
    only: tuple[str, ...] = ()
    """The targets that it holds in; empty if it holds in all that were compared."""


class Fields(Struct, frozen=True, kw_only=True):
    """Fields that come together."""

    fields: tuple[str, ...]
    """Each with its version, or the type that has it."""
    only: tuple[str, ...] = ()
    """The targets that it holds in; empty if it holds in all that were compared."""


class NotedKind(Struct, frozen=True, kw_only=True):
    """What changes for those who write resources of some kinds."""

    kinds: tuple[str, ...]
    """Kinds that have the changes in common."""
    crds: tuple[str, ...]
    """Their CRDs."""
    risk: Risk
    """How bad it is, or the worst of several."""
    changes: tuple[ReasonedChanges, ...] = ()
    """In what users write, cosmetic ones aside."""
    added: tuple[Fields, ...] = ()
    """Fields that may be used from now on."""
    status: tuple[ReasonedChanges, ...] = ()
    """In the status, which operators write, cosmetic ones aside."""
    cosmetic: int = 0
    """How many other changes there are."""


class Topic(Struct, frozen=True, kw_only=True):
    """What changes for administrators in one respect."""

    topic: TopicName
    """What the changes are about."""
    risk: Risk
    """How bad it is, or the worst of several."""
    changes: tuple[ReasonedChanges, ...] = ()
    """Cosmetic ones aside."""
    cosmetic: int = 0
    """How many cosmetic changes there are."""


class StepItem(Struct, frozen=True, kw_only=True):
    """Something that a step is about."""

    text: str
    """An object, a kind, an image, somebody."""
    only: tuple[str, ...] = ()
    """The targets that it holds in; empty if it holds in all that were compared."""
    commands: tuple[str, ...] = ()
    """What a shell runs to do it."""


class UpgradeStep(Struct, frozen=True, kw_only=True):
    """Something to do, and what tells that it is needed."""

    risk: Risk
    """How bad it is, or the worst of several."""
    rule: str
    """The rule of the changes that ask for it."""
    text: str
    """What to do, in Markdown."""
    items: tuple[StepItem, ...] = ()
    """What it is about."""
    only: tuple[str, ...] = ()
    """The targets that it holds in; empty if it holds in all that were compared."""


class Version(Struct, frozen=True, kw_only=True):
    """What becomes of something that belongs to a release."""

    name: str
    """Component, or what a release only records."""
    label: str
    """As the matrix calls it."""
    before: str | None
    """Its version before."""
    after: str | None
    """Its version now."""
    change: VersionChange
    """What becomes of it."""
    built: bool
    """Whether it was part of the release before; the version was only recorded else."""
    builds: bool
    """Whether it is part of the release."""
    release: str | None = None
    """In which release it came, went or went back."""
    patch: bool = False
    """Whether that is a patch, in which nobody expects it."""
    reason: str | None = None
    """Why, as the file of that release says."""


class NotedOverride(Struct, frozen=True, kw_only=True):
    """Another version that a target takes than the release says."""

    target: str
    """Who takes it."""
    name: str
    """The component."""
    version: str
    """What the target takes instead."""
    reason: str
    """Why."""


class AcceptedOddity(Struct, frozen=True, kw_only=True):
    """What is odd about a release, with the reason that its file gives."""

    about: str
    """What it is about, as the matrix calls it."""
    rule: str
    """The rule that is broken."""
    reason: str
    """Why it is accepted."""


class ReleaseNotes(ResultDocument, frozen=True, kw_only=True, tag="kitgen/notes/v1"):
    """The notes of a release: kitgen notes."""

    release: str
    """The release."""
    date: str | None
    """Its day."""
    since: str | None
    """The release that it is held against."""
    back: bool
    """Whether that one is newer."""
    patch: bool
    """Whether only the last number is raised."""
    matrix: str | None
    """The compatibility matrix in Markdown, as READMEs have it between their markers."""
    targets: tuple[str, ...] = ()
    """The targets that were compared."""
    compared: bool = False
    """Whether it is known what changes on a cluster."""
    remarks: tuple[str, ...] = ()
    """What cannot be told, and why."""
    versions: tuple[Version, ...] = ()
    """All that belongs to one of the two releases."""
    overrides: tuple[NotedOverride, ...] = ()
    """Where targets take other versions than the release says."""
    accepted: tuple[AcceptedOddity, ...] = ()
    """What the file of the release accepts."""
    summary: dict[str, int] = field(default_factory=dict)
    """Risk → number of changes."""
    before: tuple[UpgradeStep, ...] = ()
    """What to do before the upgrade, worst first."""
    after: tuple[UpgradeStep, ...] = ()
    """What to do after the upgrade, worst first."""
    users: tuple[NotedKind, ...] = ()
    """What changes in custom resources, worst first."""
    images: tuple[ChangedImage, ...] = ()
    """Images that are other ones."""
    crds: tuple[NotedCrd, ...] = ()
    """CRDs that came, went or changed, worst first."""
    administrators: tuple[Topic, ...] = ()
    """What else changes on a cluster, the worst topic first."""
    cosmetic: tuple[ReasonedChanges, ...] = ()
    """Changes that refuse and change nothing; new fields stand with their kinds."""
