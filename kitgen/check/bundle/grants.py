"""Objects and permissions in a bundle that bear on more than the operator itself."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.bundle.terms import Fault, Terms, grants, rules_of, texts_in
from kitgen.check.index import below
from kitgen.findings import Chapter, Rule, Severity
from kitgen.load.packages import Bundle
from kitgen.objects import Manifest
from kitgen.schema.wording import choice, shown

BUNDLE_BUDGET = Rule(
    id="bundle-budget",
    chapter=Chapter.BUNDLE,
    checks="No PodDisruptionBudget allows no disruption: maxUnavailable 0 or 0%, minAvailable 100%.",
    fix="Let one pod be away.",
    why="No node can be drained. opm's validator of objects, where it is run, calls it an error.",
    severity=Severity.WARNING,
    exceptable=True,
)
BUNDLE_PRIORITY = Rule(
    id="bundle-priority",
    chapter=Chapter.BUNDLE,
    checks="No PriorityClass of a bundle is the default of the cluster.",
    fix="Set globalDefault to false.",
    why=("Every pod of the cluster gets it. opm's validator of objects, where it is run, calls it an error."),
    severity=Severity.WARNING,
    exceptable=True,
)
BUNDLE_GRANTS_BUDGETS = Rule(
    id="bundle-grants-budgets",
    chapter=Chapter.BUNDLE,
    checks="No role lets the operator create or change PodDisruptionBudgets.",
    fix="Withhold it, or accept it if the operator needs it.",
    severity=Severity.WARNING,
    exceptable=True,
)
BUNDLE_GRANTS_CONSTRAINTS = Rule(
    id="bundle-grants-constraints",
    chapter=Chapter.BUNDLE,
    checks="No role lets the operator change OpenShift's own SecurityContextConstraints.",
    fix="Bring constraints of its own, and grant these.",
    why=(
        "Every pod of the cluster is held to them. opm's validator of objects, where it is run, calls it an "
        "error."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
BUNDLE_GRANTS_CRDS = Rule(
    id="bundle-grants-crds",
    chapter=Chapter.BUNDLE,
    checks="No role lets the operator create or patch CustomResourceDefinitions.",
    fix="Ship the CRDs in the bundle.",
    why="OLM owns the CRDs of an operator, and checks what an upgrade does to them.",
    severity=Severity.WARNING,
    exceptable=True,
)

CONSTRAINTS = frozenset(
    {
        *("privileged", "restricted", "anyuid", "hostaccess", "hostmount-anyuid", "hostnetwork"),
        *("node-exporter", "nonroot"),
    }
)
"""SecurityContextConstraints that every OpenShift has."""


def check(bundle: Bundle, _terms: Terms) -> Iterator[Fault]:
    """Yield objects and permissions that reach too far."""
    for each in bundle.objects:
        match each.body.get("kind"):
            case "PodDisruptionBudget":
                yield from _budget(each)
            case "PriorityClass":
                if each.body.get("globalDefault") is True:
                    message = "found globalDefault true, expected a class of the operator's own pods"
                    yield Fault(each, BUNDLE_PRIORITY(message, ("globalDefault",)))
    for manifest, path, rule in rules_of(bundle):
        if grants(rule, "policy", ("poddisruptionbudgets",), ("create", "update", "patch")):
            message = "found permission to create or change poddisruptionbudgets"
            yield Fault(manifest, BUNDLE_GRANTS_BUDGETS(message, path))
        own = [each for each in texts_in(below(rule, "resourceNames")) if each in CONSTRAINTS]
        security = ("securitycontextconstraints",)
        if own and grants(rule, "security.openshift.io", security, ("delete", "update", "patch")):
            message = f"found permission to change {choice(own, last='and')}, which every OpenShift has"
            yield Fault(manifest, BUNDLE_GRANTS_CONSTRAINTS(message, path))
        crds = ("customresourcedefinitions", "*")
        if grants(rule, "apiextensions.k8s.io", crds, ("create", "patch")):
            message = "found permission to create or patch customresourcedefinitions"
            yield Fault(manifest, BUNDLE_GRANTS_CRDS(message, path, "OLM installs those of the bundle"))


def _budget(manifest: Manifest) -> Iterator[Fault]:
    for key, none in (("maxUnavailable", (0, "0", "0%")), ("minAvailable", ("100%",))):
        said = below(manifest.body, "spec", key)
        if said in none and not isinstance(said, bool):
            message = f"found {key} {shown(said)}, with which no pod may ever be away"
            yield Fault(manifest, BUNDLE_BUDGET(message, ("spec", key)))
