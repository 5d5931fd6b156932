"""The rules of how pods run."""

from __future__ import annotations

from kitgen.findings import Chapter, Rule, Severity

POD_BASELINE = Rule(
    id="pod-baseline",
    chapter=Chapter.POD,
    checks=(
        "A pod keeps to the level baseline of the Pod Security Standards: it is not privileged, and has "
        "nothing of its host, such as its network, files and ports."
    ),
    fix="Remove the setting, or run the pod in a namespace of its own that allows it.",
    why=(
        "Whoever gets into such a container has the node, and often all that runs on it. A namespace that "
        "enforces the level refuses the pod."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

POD_RESTRICTED = Rule(
    id="pod-restricted",
    chapter=Chapter.POD,
    checks=(
        "A pod keeps to the level restricted of the Pod Security Standards: it says that it does not run as"
        " root, gains no privileges, drops all capabilities, and has a seccomp profile and volumes of "
        "harmless types."
    ),
    fix=(
        "Set what is missing: runAsNonRoot and seccompProfile for the pod, allowPrivilegeEscalation and "
        "capabilities for each container."
    ),
    why=(
        "A namespace that enforces the level refuses the pod. The Deployment is there then and looks well, "
        "but has no pods. OpenShift sets most of this itself where a pod leaves it open."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

POD_REFUSED = Rule(
    id="pod-refused",
    chapter=Chapter.POD,
    checks=(
        "A pod keeps to the level of the Pod Security Standards that its namespace enforces, by the label "
        "pod-security.kubernetes.io/enforce."
    ),
    fix="Change the pod, or lower the level of the namespace.",
    why=(
        "The API server refuses the pod. What makes it, such as a Deployment, is taken, and has no pods: "
        "only its events tell why."
    ),
    exceptable=True,
)

POD_RESOURCES = Rule(
    id="pod-resources",
    chapter=Chapter.POD,
    checks="A container says how much CPU and memory it needs, and how much memory it may take.",
    fix="Add resources with requests for cpu and memory and a limit for memory; a limit is a request too.",
    why=(
        "The scheduler puts the pod on any node, however full, and it is the first to be evicted there. "
        "Without a limit a leak takes the memory of everything else. In a namespace with a quota the pod "
        "is refused."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

POD_PROBES = Rule(
    id="pod-probes",
    chapter=Chapter.POD,
    checks="A container that runs for long has a readiness and a liveness probe.",
    fix="Add the probe that is missing.",
    why=(
        "Without a readiness probe a pod gets requests before it can answer them, and a broken version "
        "replaces one that works. Without a liveness probe a process that hangs stays."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

POD_READONLY = Rule(
    id="pod-readonly",
    chapter=Chapter.POD,
    checks="A container writes neither to its image's files nor to those of its host.",
    fix="Set readOnlyRootFilesystem, with an emptyDir where it must write, and readOnly of such a mount.",
    why="Whoever gets into the container can change what it runs, or what its host runs.",
    severity=Severity.WARNING,
    exceptable=True,
)
