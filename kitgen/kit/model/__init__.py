"""The kit as frozen data: components, targets, releases, with the origin of every value.

In: what load/ read and checked. Out: the same as types that compile/ works on. No logic beyond
putting layers together, no files, no Kubernetes.
"""

from kitgen.kit.model.argocd import (
    ArgoCd,
    Automated,
    Cluster,
    Destination,
    Fleet,
    FleetTarget,
    FleetWave,
    Operator,
    Requirement,
    Selector,
)
from kitgen.kit.model.component import (
    Api,
    Component,
    Feature,
    Icon,
    Item,
    LabelRule,
    Layer,
    Listing,
    Part,
    Scope,
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
from kitgen.kit.model.release import ITSELF, Export, Matrix, MatrixRow, Metadata, Source
from kitgen.kit.model.target import (
    REAL,
    Block,
    BundleSettings,
    Catalog,
    Community,
    CrdPlace,
    DataScienceCluster,
    Declared,
    Install,
    ManagementState,
    NamespaceSetting,
    Override,
    Release,
    Setting,
    Settings,
    Target,
    WebhookOwner,
    Withheld,
)
