"""What OLM is to install of a ClusterServiceVersion: deployments, their accounts, webhooks."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.references.accounts import GIVEN_ACCOUNTS
from kitgen.check.server.selectors import missing_labels
from kitgen.findings import Path, Problem, near, problem
from kitgen.kube.image_reference import reference
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.fields import CSV_INSTALL
from kitgen.olm.rules.terms import ANNOTATIONS, INSTALL, OWNED, BundleFault, BundleTerms
from kitgen.text.values import entries_at, map_at, text_at, texts_at, value_at
from kitgen.text.wording import cut
from kitgen.text.yaml import JsonObject

PROTECTED = {
    "*": "all groups",
    "operators.coreos.com": "the group of OLM",
    "admissionregistration.k8s.io": "webhook configurations",
}
"""Groups that OLM allows no webhook for, and what they stand for."""
CONFIGURATIONS = frozenset({"*", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"})
"""The resources of the last of them that OLM protects."""
DEPLOYMENTS: Path = (*INSTALL, "deployments")
HOOKS: Path = ("spec", "webhookdefinitions")
IMAGE: Path = (*ANNOTATIONS, "containerImage")


def check(bundle: Bundle, _terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield what OLM cannot install, or installs in vain."""
    for csv in bundle.csvs:
        found = (
            *_labels(csv.body),
            *_hooks(csv.body),
            *_refused(csv.body),
            *_accounts(csv.body, bundle),
            *_image(csv.body),
        )
        yield from (BundleFault(csv, each) for each in found)


def _labels(body: JsonObject) -> Iterator[Problem]:
    for at, each in entries_at(body, *DEPLOYMENTS):
        for one in missing_labels(map_at(each, "spec")):
            yield CSV_INSTALL(one.message, (*DEPLOYMENTS, at, "spec", *one.path), one.hint)


def _hooks(body: JsonObject) -> Iterator[Problem]:
    deployments = [text_at(each, "name") for _, each in entries_at(body, *DEPLOYMENTS)]
    owned = [text_at(each, "name") for _, each in entries_at(body, *OWNED)]
    for at, hook in entries_at(body, *HOOKS):
        if (name := text_at(hook, "deploymentName")) and name not in deployments:
            message = f"found the deployment {cut(name)}, which is not there"
            yield problem("csv-webhook", message, (*HOOKS, at, "deploymentName"), near(name, deployments))
        for number, crd in enumerate(texts_at(hook, "conversionCRDs")):
            if crd not in owned:
                message = f"found the CRD {cut(crd)}, which is not owned"
                yield problem(
                    "csv-webhook", message, (*HOOKS, at, "conversionCRDs", number), near(crd, owned)
                )


def _refused(body: JsonObject) -> Iterator[Problem]:
    """Yield webhooks that OLM refuses before it creates anything."""
    names: dict[str, int] = {}
    for at, hook in entries_at(body, *HOOKS):
        name = text_at(hook, "generateName")
        if names.setdefault(name, at) != at:
            yield problem(
                "csv-webhook-refused",
                f"found the generateName {cut(name)} again, expected another one",
                (*HOOKS, at, "generateName"),
                f"the first is in place {names[name] + 1}",
            )
        for number, entry in entries_at(hook, "rules"):
            resources = CONFIGURATIONS.intersection(texts_at(entry, "resources"))
            for place, group in enumerate(texts_at(entry, "apiGroups")):
                if group in PROTECTED and (resources or group != "admissionregistration.k8s.io"):
                    yield problem(
                        "csv-webhook-refused",
                        f"found {cut(group)}, but OLM allows no webhook for {PROTECTED[group]}",
                        (*HOOKS, at, "rules", number, "apiGroups", place),
                    )


def _accounts(body: JsonObject, bundle: Bundle) -> Iterator[Problem]:
    given = {
        text_at(each, "serviceAccountName")
        for key in ("clusterPermissions", "permissions")
        for _, each in entries_at(body, *INSTALL, key)
    }
    beside = {
        text_at(each.body, "metadata", "name")
        for each in bundle.objects
        if each.body.get("kind") == "ServiceAccount"
    }
    known = {*given, *beside, *GIVEN_ACCOUNTS}
    for at, each in entries_at(body, *DEPLOYMENTS):
        pod: Path = ("spec", "template", "spec")
        spec = value_at(each, *pod)
        key = "serviceAccountName" if value_at(spec, "serviceAccountName") else "serviceAccount"
        if (name := text_at(spec, key)) and name not in known:
            message = f"found the service account {cut(name)}, which nothing creates"
            hint = near(name, sorted({*given, *beside})) or "OLM creates those that permissions are for"
            yield problem("csv-account", message, (*DEPLOYMENTS, at, *pod, key), hint)


def _image(body: JsonObject) -> Iterator[Problem]:
    if (shown := reference(text_at(body, *IMAGE))) is None or shown.digest or not shown.tag:
        return
    containers = ("spec", "template", "spec", "containers")
    images = [
        text_at(container, "image")
        for _, each in entries_at(body, *DEPLOYMENTS)
        for _, container in entries_at(each, *containers)
    ]
    read = [found for image in images if (found := reference(image)) and not found.digest]
    tags = [each.tag for each in read if (each.host, each.path) == (shown.host, shown.path)]
    if tags and shown.tag not in tags:
        yield problem("csv-image-differs", f"found the tag {cut(shown.tag)}, and {cut(tags[0])} runs", IMAGE)
