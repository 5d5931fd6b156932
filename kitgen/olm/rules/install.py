"""What OLM is to install of a ClusterServiceVersion: deployments, their accounts, webhooks."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.references.accounts import GIVEN_ACCOUNTS
from kitgen.check.server.selectors import check_template_labels
from kitgen.findings import Path, Problem, make_problem, suggest_word
from kitgen.kube.image_reference import parse_image_reference
from kitgen.olm.rules.fields import CSV_INSTALL
from kitgen.olm.rules.terms import ANNOTATIONS, DEPLOYMENTS, INSTALL, OWNED, CsvView
from kitgen.text.values import entries_at, map_at, text_at, texts_at
from kitgen.text.wording import quote_text

PROTECTED = {
    "*": "all groups",
    "operators.coreos.com": "the group of OLM",
    "admissionregistration.k8s.io": "webhook configurations",
}
"""Groups that OLM allows no webhook for, and what they stand for."""
CONFIGURATIONS = frozenset({"*", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"})
"""The resources of the last of them that OLM protects."""
HOOKS: Path = ("spec", "webhookdefinitions")
IMAGE: Path = (*ANNOTATIONS, "containerImage")


def check_selectors(csv: CsvView) -> Iterator[Problem]:
    """Yield deployments whose selectors do not fit their pods."""
    for at, each in entries_at(csv.body, *DEPLOYMENTS):
        for wrong in check_template_labels(map_at(each, "spec")):
            yield CSV_INSTALL(wrong.message, (*DEPLOYMENTS, at, "spec", *wrong.path), wrong.hint)


def check_webhooks(csv: CsvView) -> Iterator[Problem]:
    """Yield webhooks of deployments that are not there, or for CRDs that are not owned."""
    deployments = [text_at(each, "name") for _, each in entries_at(csv.body, *DEPLOYMENTS)]
    owned = [text_at(each, "name") for _, each in entries_at(csv.body, *OWNED)]
    for at, hook in entries_at(csv.body, *HOOKS):
        if (name := text_at(hook, "deploymentName")) and name not in deployments:
            message = f"found the deployment {quote_text(name)}, which is not there"
            yield make_problem(
                "csv-webhook", message, (*HOOKS, at, "deploymentName"), suggest_word(name, deployments)
            )
        for number, crd in enumerate(texts_at(hook, "conversionCRDs")):
            if crd not in owned:
                path = (*HOOKS, at, "conversionCRDs", number)
                message = f"found the CRD {quote_text(crd)}, which is not owned"
                yield make_problem("csv-webhook", message, path, suggest_word(crd, owned))


def check_refused_webhooks(csv: CsvView) -> Iterator[Problem]:
    """Yield webhooks that OLM refuses before it creates anything."""
    names: dict[str, int] = {}
    for at, hook in entries_at(csv.body, *HOOKS):
        name = text_at(hook, "generateName")
        if (first := names.setdefault(name, at)) != at:
            message = f"found the generateName {quote_text(name)} again, expected another one"
            path = (*HOOKS, at, "generateName")
            yield make_problem("csv-webhook-refused", message, path, f"the first is in place {first + 1}")
        for number, entry in entries_at(hook, "rules"):
            resources = CONFIGURATIONS.intersection(texts_at(entry, "resources"))
            for place, group in enumerate(texts_at(entry, "apiGroups")):
                if group in PROTECTED and (resources or group != "admissionregistration.k8s.io"):
                    message = f"found {quote_text(group)}, but OLM allows no webhook for {PROTECTED[group]}"
                    yield make_problem(
                        "csv-webhook-refused", message, (*HOOKS, at, "rules", number, "apiGroups", place)
                    )


def check_accounts(csv: CsvView) -> Iterator[Problem]:
    """Yield deployments that run as accounts which nothing creates."""
    keys = ("clusterPermissions", "permissions")
    rules = [each for key in keys for _, each in entries_at(csv.body, *INSTALL, key)]
    made = {text_at(each, "serviceAccountName") for each in rules} | {
        text_at(each.body, "metadata", "name")
        for each in csv.bundle.objects
        if each.body.get("kind") == "ServiceAccount"
    }
    for pod in csv.pods:
        key = "serviceAccountName" if pod.spec.get("serviceAccountName") else "serviceAccount"
        if (name := text_at(pod.spec, key)) and name not in {*made, *GIVEN_ACCOUNTS}:
            message = f"found the service account {quote_text(name)}, which nothing creates"
            hint = suggest_word(name, sorted(made)) or "OLM creates those that permissions are for"
            yield make_problem("csv-account", message, pod.path_to(key), hint)


def check_container_image(csv: CsvView) -> Iterator[Problem]:
    """Yield that another tag is shown than the one that runs."""
    if (shown := parse_image_reference(text_at(csv.body, *IMAGE))) is None or shown.digest or not shown.tag:
        return
    images = [
        text_at(each.body, "image")
        for pod in csv.pods
        for each in pod.containers
        if each.kind == "containers"
    ]
    read = [found for image in images if (found := parse_image_reference(image)) and not found.digest]
    tags = [each.tag for each in read if (each.host, each.path) == (shown.host, shown.path)]
    if tags and shown.tag not in tags:
        yield make_problem(
            "csv-image-differs",
            f"found the tag {quote_text(shown.tag)}, and {quote_text(tags[0])} runs",
            IMAGE,
        )
