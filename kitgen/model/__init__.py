"""The kit as frozen data: components, targets, releases, with the origin of every value.

In: what load/ read and checked. Out: the same as types that compile/ works on. No logic beyond
putting layers together, no files, no Kubernetes.
"""

from kitgen.model.argocd import ArgoCd, Automated, Destination
from kitgen.model.component import Component, Feature, Item, LabelRule, Layer, Part, Scope, merge_parts
from kitgen.model.fleet import Cluster, Fleet, FleetTarget, FleetWave, Operator, Requirement, Selector
from kitgen.model.kit import Kit
from kitgen.model.listing import Api, Icon, Listing
from kitgen.model.matrix import ITSELF, Matrix, MatrixRow
from kitgen.model.platform import Export, Metadata, Source
from kitgen.model.publishing import (
    DEV,
    STABLE,
    PublishedCatalog,
    PublishedFork,
    PublishedImage,
    PublishedReadme,
    PublishedUpdate,
    Publishing,
)
from kitgen.model.target import (
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
