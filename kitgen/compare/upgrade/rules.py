"""The rules of upgrades: what stops one, and what is lost on the way."""

from __future__ import annotations

from kitgen.findings import Chapter, Rule, Severity

UPGRADE_IMMUTABLE = Rule(
    id="upgrade-immutable",
    chapter=Chapter.UPGRADE,
    checks="No field changes that an API server never lets change. What is left out counts as its default.",
    fix="Keep what was there, or delete the object before the upgrade, as the hint says.",
    why=(
        "Selectors, role references, claims of volumes, templates of jobs and the like are set once. The "
        "API server refuses the update, whoever applies it stops there, and the upgrade stays half done."
    ),
    exceptable=True,
)

UPGRADE_NAMESPACE = Rule(
    id="upgrade-namespace",
    chapter=Chapter.UPGRADE,
    checks="Objects stay in their namespace.",
    fix="Keep the namespace, or delete what is in the old one as a step of the upgrade.",
    why=(
        "No update moves an object from one namespace to another. A second one is created beside it: "
        "two operators then work on the same resources, and what the old one stored stays where it was."
    ),
    exceptable=True,
)

UPGRADE_DATA = Rule(
    id="upgrade-data",
    chapter=Chapter.UPGRADE,
    checks="Nothing goes, and nothing gets another name, that data goes with.",
    fix="Keep it, or save what it holds before the upgrade and accept the finding with that reason.",
    why=(
        "With a CRD the API server deletes every resource of its kind, with a namespace all that is in it, "
        "with a claim the volume. Whoever prunes, as Argo CD may, does so without asking."
    ),
    exceptable=True,
)

UPGRADE_GROUP = Rule(
    id="upgrade-group",
    chapter=Chapter.UPGRADE,
    checks="A kind stays in its API group.",
    fix="Serve both groups until everything was carried over, and only then drop the old CRD.",
    why=(
        "To a cluster a kind of another group is another kind. Its resources are not carried over: those of "
        "the old group are deleted with their CRD, or stay behind with nobody to look after them."
    ),
    exceptable=True,
)

UPGRADE_MIGRATION = Rule(
    id="upgrade-migration",
    chapter=Chapter.UPGRADE,
    checks=(
        "An upgrade leads through the phases of each migration that it passes. `kitgen pin` refuses to leave "
        "them out; elsewhere, the migration itself says that its kinds move."
    ),
    fix="Follow `kitgen migrate plan`, on every cluster, and accept the finding with that reason.",
    why=(
        "A target goes from the release before a migration to the one after it at once. The phases between "
        "keep resources from being lost: guards, exports, permissions to read what is old."
    ),
    exceptable=True,
)

UPGRADE_CRD = Rule(
    id="upgrade-crd",
    chapter=Chapter.UPGRADE,
    checks="No CRD changes in a way that breaks those who use it; `kitgen crd diff` tells the other changes.",
    fix="Keep what was there beside what is new, or accept the finding and say what users must do.",
    why=(
        "Resources and clients that worked before the upgrade are refused, lose fields, or find nothing "
        "after it. The API server takes the CRD as it is and says nothing."
    ),
    exceptable=True,
)

UPGRADE_STORED_VERSION = Rule(
    id="upgrade-stored-version",
    chapter=Chapter.UPGRADE,
    checks="A CRD keeps every version in which resources are stored.",
    fix=(
        "Keep the version, served or not, until every resource was written again and status.storedVersions "
        "no longer names it."
    ),
    why="The API server refuses the CRD while its status names the version as one that is stored.",
    exceptable=True,
)

UPGRADE_GONE = Rule(
    id="upgrade-gone",
    chapter=Chapter.UPGRADE,
    checks="Everything that was there is there still.",
    fix="Bring it back, or say how it is to be deleted and accept the finding.",
    why=(
        "`kubectl apply` deletes nothing: what manifests no longer have stays behind, pods run on and "
        "webhooks are asked. Argo CD and the ODH operator may delete it, with all that depends on it."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

UPGRADE_RENAMED = Rule(
    id="upgrade-renamed",
    chapter=Chapter.UPGRADE,
    checks="Objects keep their name. One that is new counts as one that is gone if the two are much alike.",
    fix="Keep the name, or delete the old object as a step of the upgrade.",
    why=(
        "A cluster knows no renaming: a new object is created, and the old one stays until somebody "
        "deletes it. What refers to it by name still means the old one."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

UPGRADE_PERMISSION_LOST = Rule(
    id="upgrade-permission-lost",
    chapter=Chapter.UPGRADE,
    checks=(
        "Everybody whom bindings name may do what he could, by whichever role and binding; a role that is "
        "not bound here grants what it granted."
    ),
    fix="Grant it again, or make sure that nothing needs it any more.",
    why=(
        "Pods that run while the upgrade goes on, and people who are bound to the role, are refused what "
        "they did before. An operator that lost a verb fails at the first object that needs it."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

UPGRADE_PERMISSION_GAINED = Rule(
    id="upgrade-permission-gained",
    chapter=Chapter.UPGRADE,
    checks=(
        "Nobody whom bindings name may do more than he could; a role that is not bound here grants no more "
        "than before. Accounts that are new do not count."
    ),
    fix="Withhold what is not needed, or accept it.",
    why=(
        "Everybody who is bound to the role may do more after the upgrade. Whoever applies it must hold "
        "all of that already, or the right to escalate, or the API server refuses the role."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

UPGRADE_VERSION_BACK = Rule(
    id="upgrade-version-back",
    chapter=Chapter.UPGRADE,
    checks="No image, label of a version or stored version of a CRD goes back to an older one.",
    fix="Take the newer version, or accept the finding if a step back is meant.",
    why=(
        "Operators rarely read what a newer one has written: they convert and migrate in one direction "
        "only. Mostly a merge or a stale branch brought the old number back."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

UPGRADE_PORT_GONE = Rule(
    id="upgrade-port-gone",
    chapter=Chapter.UPGRADE,
    checks=(
        "A service offers every port that it offered before, under the same name and on the same port of "
        "nodes, and stays within reach of those outside the cluster."
    ),
    fix="Keep the old port beside the new one until nobody uses it.",
    why="Whoever calls the service by the old port, or refers to it by its name, finds nothing there.",
    severity=Severity.WARNING,
    exceptable=True,
)

UPGRADE_WEBHOOK = Rule(
    id="upgrade-webhook",
    chapter=Chapter.UPGRADE,
    checks=(
        "No webhook comes to stand in the way of requests for kinds that are there already: one whose "
        "failurePolicy is Fail, as it is by default, and which was not asked before or could be missed."
    ),
    fix="Ignore failures until the service runs, narrow what is asked for, or accept it.",
    why=(
        "While the service behind the webhook does not answer, as during the upgrade itself, the API server "
        "refuses every such request. For pods, that may be those of the service too."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

DECLARED = frozenset({UPGRADE_CRD, UPGRADE_DATA, UPGRADE_GROUP, UPGRADE_STORED_VERSION, UPGRADE_VERSION_BACK})
"""What a declared move breaks in the CRDs of its kinds, and is an exception for."""
