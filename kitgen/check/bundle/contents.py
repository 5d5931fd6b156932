"""What goes together in a bundle: what is owned and what is there, accounts, images."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.bundle.csvs import CSV_OWNED_NAME
from kitgen.check.bundle.examples import Api
from kitgen.check.bundle.terms import INSTALL, OWNED, Fault, Terms, annotation, text_of
from kitgen.check.index import below, entries
from kitgen.findings import Chapter, Path, Rule, Severity
from kitgen.load.packages import Bundle
from kitgen.objects import Manifest, is_namespaced, split_api_version
from kitgen.objects.reference import reference
from kitgen.schema.wording import choice, cut, shown

BUNDLE_CRD_MISSING = Rule(
    id="bundle-crd-missing",
    chapter=Chapter.BUNDLE,
    checks="Every CRD that the ClusterServiceVersion owns is in the bundle, in that version.",
    fix="Add the CRD, or correct what is owned.",
    why="operator-sdk and opm refuse the bundle.",
    exceptable=True,
)
BUNDLE_CRD_UNOWNED = Rule(
    id="bundle-crd-unowned",
    chapter=Chapter.BUNDLE,
    checks="Every CRD in the bundle is owned by the ClusterServiceVersion, in whichever version.",
    fix="List it under owned, or leave the CRD out.",
    why="operator-sdk and opm refuse the bundle.",
    exceptable=True,
)
BUNDLE_CRD_TWICE = Rule(
    id="bundle-crd-twice",
    chapter=Chapter.BUNDLE,
    checks="A kind is in one version of one CRD.",
    fix="Keep one of them.",
    why="operator-sdk and opm refuse the bundle.",
)
BUNDLE_ACCOUNT = Rule(
    id="bundle-account",
    chapter=Chapter.BUNDLE,
    checks="No ServiceAccount in the bundle has the name of one that a deployment runs as.",
    fix="Leave the ServiceAccount out, and list its permissions: OLM then creates it.",
    why="OLM and the manifest take the account from each other, and opm refuses the bundle.",
    exceptable=True,
)
BUNDLE_NAMESPACE = Rule(
    id="bundle-namespace",
    chapter=Chapter.BUNDLE,
    checks="No object names a namespace, unless it is the one that the bundle suggests to be installed in.",
    fix="Remove the namespace, or let the operator create the object where it belongs.",
    why="OLM ignores it: all objects go into the namespace in which the operator is installed.",
    severity=Severity.WARNING,
    exceptable=True,
)
BUNDLE_RELATED_IMAGE = Rule(
    id="bundle-related-image",
    chapter=Chapter.BUNDLE,
    checks="Every related image can be read: host, path, tag or digest.",
    fix="Correct it.",
    why="Who mirrors the bundle cannot pull it.",
    exceptable=True,
)

SUGGESTED = "operatorframework.io/suggested-namespace"


def check(bundle: Bundle, _terms: Terms) -> Iterator[Fault]:
    """Yield what in a bundle does not fit the rest of it."""
    yield from _crds(bundle)
    yield from _accounts(bundle)
    yield from _namespaces(bundle)
    for csv in bundle.csvs:
        yield from _images(csv)


def apis_of(crd: Manifest) -> dict[Api, Path]:
    """Return the kind of a CRD in each of its versions, and where that stands."""
    spec = below(crd.body, "spec")
    group, kind = text_of(below(spec, "group")), text_of(below(spec, "names", "kind"))
    found: dict[Api, Path] = {}
    for at, each in entries(spec, "versions"):
        found.setdefault(Api(group, text_of(each.get("name")), kind), ("spec", "versions", at, "name"))
    if not found and (version := text_of(below(spec, "version"))):
        found[Api(group, version, kind)] = ("spec", "version")
    return found


def _crds(bundle: Bundle) -> Iterator[Fault]:
    there: dict[Api, Manifest] = {}
    for crd in bundle.crds:
        for api, path in apis_of(crd).items():
            other = there.setdefault(api, crd)
            if other is not crd:
                message = f"found {cut(str(api))} in a second CRD, expected it in one"
                hint = f"the first is in {other.origin(()).file}"
                yield Fault(crd, BUNDLE_CRD_TWICE(message, path, hint))
    if bundle.csv is None:
        return
    owned: dict[tuple[str, str], None] = {}
    for at, each in entries(bundle.csv.body, *OWNED):
        group = text_of(each.get("name")).partition(".")[2]
        api = Api(group, text_of(each.get("version")), text_of(each.get("kind")))
        owned[(api.group, api.kind)] = None
        if api in there:
            yield from _called(bundle.csv, at, text_of(each.get("name")), there[api])
        else:
            versions = [one.version for one in there if (one.group, one.kind) == (api.group, api.kind)]
            hint = f"the bundle has {choice(versions, last='and')}" if versions else ""
            message = f"found {cut(str(api))} owned, but no CRD of it in the bundle"
            yield Fault(bundle.csv, BUNDLE_CRD_MISSING(message, (*OWNED, at), hint))
    for crd in bundle.crds:
        apis = [*apis_of(crd)]
        if apis and all((each.group, each.kind) not in owned for each in apis):
            message = f"found the CRD of {cut(str(apis[0]))}, which the ClusterServiceVersion does not own"
            yield Fault(crd, BUNDLE_CRD_UNOWNED(message, ("spec", "names", "kind")))


def _called(csv: Manifest, at: int, name: str, crd: Manifest) -> Iterator[Fault]:
    """Yield that a CRD is owned under a name that is not its own; OLM looks for it by the name."""
    if name != (own := text_of(below(crd.body, "metadata", "name"))):
        message = f"found {cut(name)}, expected {cut(own)}, which the CRD is called"
        yield Fault(csv, CSV_OWNED_NAME(message, (*OWNED, at, "name")))


def _accounts(bundle: Bundle) -> Iterator[Fault]:
    if bundle.csv is None:
        return
    deployments = entries(bundle.csv.body, *INSTALL, "deployments")
    made = {text_of(below(each, "spec", "template", "spec", "serviceAccountName")) for _, each in deployments}
    for each in bundle.objects:
        name = below(each.body, "metadata", "name")
        if each.body.get("kind") == "ServiceAccount" and isinstance(name, str) and name and name in made:
            message = f"found the ServiceAccount {cut(name)}, which a deployment runs as"
            yield Fault(each, BUNDLE_ACCOUNT(message, ("metadata", "name")))


def _namespaces(bundle: Bundle) -> Iterator[Fault]:
    suggested = {text_of(annotation(each, SUGGESTED)) for each in bundle.csvs}
    for each in bundle.objects:
        said = text_of(below(each.body, "metadata", "namespace"))
        # A ClusterServiceVersion has a placeholder there by custom.
        if said and said not in suggested and each not in bundle.csvs and is_namespaced(*_kind_of(each)):
            message = f"found the namespace {cut(said)}, which OLM ignores"
            yield Fault(each, BUNDLE_NAMESPACE(message, ("metadata", "namespace")))


def _kind_of(manifest: Manifest) -> tuple[str, str]:
    group, _ = split_api_version(text_of(manifest.body.get("apiVersion")))
    return group, text_of(manifest.body.get("kind"))


def _images(csv: Manifest) -> Iterator[Fault]:
    path: Path = ("spec", "relatedImages")
    for at, each in entries(csv.body, *path):
        image = each.get("image")
        if not isinstance(image, str) or not image or reference(image) is None:
            there = (*path, at, "image") if "image" in each else (*path, at)
            yield Fault(csv, BUNDLE_RELATED_IMAGE(f"found {shown(image)}, expected an image", there))
