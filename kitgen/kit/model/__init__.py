"""The kit as frozen data: components, targets, releases, with the origin of every value.

In: data that was read and checked. Out: the same as types that `render` works on. No logic beyond merging
layers, no files, no Kubernetes.
"""

from kitgen.kit.model.argocd import (
    ArgoCd,
    Automated,
    Cluster,
    Destination,
    Fleet,
    FleetTarget,
    FleetWave,
)
from kitgen.kit.model.component import (
    Component,
    ComponentPart,
    Feature,
    Icon,
    LabelRule,
    LabelScope,
    Layer,
    ListedKind,
    Listing,
    SectionItem,
    merge_parts,
)
from kitgen.kit.model.kit import Kit
from kitgen.kit.model.publishing import (
    DEV,
    STABLE,
    PublishedCatalog,
    PublishedFork,
    PublishedImage,
    PublishedReadme,
    PublishedUpdate,
    Publishing,
)
from kitgen.kit.model.release import ITSELF, Export, Matrix, MatrixRow, PlatformMetadata, PlatformSource
from kitgen.kit.model.target import (
    REAL,
    BundleSettings,
    Community,
    CrdPlace,
    DataScienceCluster,
    DeclaredDifference,
    Install,
    ManagementState,
    NamespaceSetting,
    Release,
    Setting,
    Settings,
    SettingsBlock,
    Target,
    TargetCatalog,
    VersionOverride,
    WebhookOwner,
    WithheldPermissions,
)
