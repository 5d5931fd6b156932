"""What OLM is to install of a ClusterServiceVersion: deployments, their accounts, webhooks."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.bundle.terms import ANNOTATIONS, INSTALL, OWNED, Fault, Terms, text_of, texts_in
from kitgen.check.index import below, entries
from kitgen.check.server.selectors import missing_labels
from kitgen.findings import Chapter, Path, Problem, Rule, Severity, near
from kitgen.load.packages import Bundle
from kitgen.objects.reference import reference
from kitgen.schema.wording import cut
from kitgen.yamlio import JsonObject

CSV_INSTALL = Rule(
    id="csv-install",
    chapter=Chapter.BUNDLE,
    checks="The install strategy is deployment, and every deployment selects its own pods.",
    fix="Write what the message expects.",
    why="OLM knows no other strategy, and API servers refuse such a deployment: nothing is installed.",
    exceptable=True,
)
CSV_WEBHOOK = Rule(
    id="csv-webhook",
    chapter=Chapter.BUNDLE,
    checks="A webhook is served by one of the deployments, and converts CRDs that are owned.",
    fix="Name a deployment of the ClusterServiceVersion, or a CRD that it owns.",
    why="OLM makes no Service for it, and the installation does not succeed.",
    severity=Severity.WARNING,
    exceptable=True,
)
CSV_ACCOUNT = Rule(
    id="csv-account",
    chapter=Chapter.BUNDLE,
    checks="A deployment runs as the account that permissions are for, not as one called nearly so.",
    fix="Write the same name in both places.",
    why="OLM makes both accounts. The pods run, and are refused everything.",
    severity=Severity.WARNING,
    exceptable=True,
)
CSV_IMAGE_DIFFERS = Rule(
    id="csv-image-differs",
    chapter=Chapter.BUNDLE,
    checks="The annotation containerImage has the tag of the image that a deployment runs.",
    fix="Raise the one that was forgotten.",
    why="Catalogs show another version than the one that runs.",
    severity=Severity.WARNING,
    exceptable=True,
)

STRATEGY = "deployment"
ALIKE = 0.8
"""How much two names of accounts are alike if one of them is a slip."""
DEPLOYMENTS: Path = (*INSTALL, "deployments")
HOOKS: Path = ("spec", "webhookdefinitions")
IMAGE: Path = (*ANNOTATIONS, "containerImage")


def check(bundle: Bundle, _terms: Terms) -> Iterator[Fault]:
    """Yield what OLM cannot install, or installs in vain."""
    for csv in bundle.csvs:
        found = (*_strategy(csv.body), *_hooks(csv.body), *_accounts(csv.body), *_image(csv.body))
        yield from (Fault(csv, each) for each in found)


def _strategy(body: JsonObject) -> Iterator[Problem]:
    path: Path = ("spec", "install", "strategy")
    said = text_of(below(body, *path))
    if said and said != STRATEGY:
        yield CSV_INSTALL(f"found the strategy {cut(said)}, expected {STRATEGY}", path)
    for at, each in entries(body, *DEPLOYMENTS):
        spec = each.get("spec")
        for one in missing_labels(spec) if isinstance(spec, dict) else ():
            yield CSV_INSTALL(one.message, (*DEPLOYMENTS, at, "spec", *one.path), one.hint)


def _hooks(body: JsonObject) -> Iterator[Problem]:
    deployments = [text_of(each.get("name")) for _, each in entries(body, *DEPLOYMENTS)]
    owned = [text_of(each.get("name")) for _, each in entries(body, *OWNED)]
    for at, hook in entries(body, *HOOKS):
        name = text_of(hook.get("deploymentName"))
        if name and name not in deployments:
            message = f"found the deployment {cut(name)}, which is not there"
            yield CSV_WEBHOOK(message, (*HOOKS, at, "deploymentName"), near(name, deployments))
        for number, crd in enumerate(texts_in(hook.get("conversionCRDs"))):
            if crd not in owned:
                message = f"found the CRD {cut(crd)}, which is not owned"
                yield CSV_WEBHOOK(message, (*HOOKS, at, "conversionCRDs", number), near(crd, owned))


def _accounts(body: JsonObject) -> Iterator[Problem]:
    path: Path = ("spec", "template", "spec", "serviceAccountName")
    runs = [(at, text_of(below(each, *path))) for at, each in entries(body, *DEPLOYMENTS)]
    given = {
        text_of(each.get("serviceAccountName"))
        for key in ("clusterPermissions", "permissions")
        for _, each in entries(body, *INSTALL, key)
    }
    idle = sorted(given - {name for _, name in runs})
    for at, name in runs:
        if name and name not in given and (hint := near(name, idle, sure=ALIKE)):
            message = f"found the account {cut(name)}, which has no permissions"
            yield CSV_ACCOUNT(message, (*DEPLOYMENTS, at, *path), hint)


def _image(body: JsonObject) -> Iterator[Problem]:
    shown = reference(text_of(below(body, *IMAGE)))
    if shown is None or shown.digest or not shown.tag:
        return
    containers = ("spec", "template", "spec", "containers")
    images = [
        text_of(container.get("image"))
        for _, each in entries(body, *DEPLOYMENTS)
        for _, container in entries(each, *containers)
    ]
    read = [found for image in images if (found := reference(image)) and not found.digest]
    tags = [each.tag for each in read if (each.host, each.path) == (shown.host, shown.path)]
    if tags and shown.tag not in tags:
        yield CSV_IMAGE_DIFFERS(f"found the tag {cut(shown.tag)}, and {cut(tags[0])} runs", IMAGE)
