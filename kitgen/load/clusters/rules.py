"""Rules of lists of clusters."""

from __future__ import annotations

from kitgen.findings import Chapter, Rule

CLUSTER_LIST = Rule(
    id="cluster-list",
    chapter=Chapter.ARGOCD,
    checks=(
        "A list of clusters holds at least one: entries with name, server and labels, what argocd cluster "
        "list prints, Secrets of clusters, or ManagedClusters."
    ),
    fix="Correct what the finding names, or print the list anew, as YAML or JSON.",
)

CLUSTER_NAME = Rule(
    id="cluster-name",
    chapter=Chapter.ARGOCD,
    checks=(
        "Every cluster has a name, without white space around it, of which Argo CD can make that of an "
        "object: in lower case, and with dashes for what is neither letter, digit, dash nor dot."
    ),
    why="Applications are called after the clusters that they are for.",
    fix="Give the cluster a name of letters, digits and dashes.",
)

CLUSTER_DUPLICATE = Rule(
    id="cluster-duplicate",
    chapter=Chapter.ARGOCD,
    checks=("No two clusters have the same name or server, nor names of which Argo CD makes the same."),
    why="Argo CD gives their Applications one name, and so one of the clusters gets nothing.",
    fix="Rename one of them, or remove it.",
)

CLUSTER_LABEL = Rule(
    id="cluster-label",
    chapter=Chapter.ARGOCD,
    checks="Labels of clusters are texts that Kubernetes takes for keys and values of labels.",
    fix="Quote numbers, true and false; keep to 63 letters, digits, dashes, dots and underscores.",
)

CLUSTER_MANY = Rule(
    id="cluster-many",
    chapter=Chapter.ARGOCD,
    checks="A list holds no more clusters than any fleet has.",
    fix="Plan with a part of them.",
)
