"""What people see of an operator in a catalog: who makes it, links, icon, category, level."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator

from kitgen.check.index import below, entries
from kitgen.findings import Chapter, Path, Problem, Rule, Severity
from kitgen.kit.component import is_picture
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.terms import ANNOTATIONS, INSTALL, OWNED, REQUIRED, Fault, Terms, annotation, text_of
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import Json, JsonObject

CSV_PROVIDER = Rule(
    id="csv-provider",
    chapter=Chapter.BUNDLE,
    checks="A ClusterServiceVersion names its provider.",
    fix="Add spec.provider.name.",
    exceptable=True,
)
CSV_MAINTAINER = Rule(
    id="csv-maintainer",
    chapter=Chapter.BUNDLE,
    checks="Every maintainer has a name and a mail address.",
    fix="Add what is missing.",
    exceptable=True,
)
CSV_LINK = Rule(
    id="csv-link",
    chapter=Chapter.BUNDLE,
    checks="Every link has a name and an address.",
    fix="Add what is missing.",
    exceptable=True,
)
CSV_VERSION = Rule(
    id="csv-version",
    chapter=Chapter.BUNDLE,
    checks="A ClusterServiceVersion says its version.",
    fix="Add spec.version.",
    why="Neither ranges of versions nor catalogs by version can take the bundle in.",
)
CSV_ICON = Rule(
    id="csv-icon",
    chapter=Chapter.BUNDLE,
    checks=(
        "A ClusterServiceVersion has one icon, with its data as base64 and a media type of gif, jpeg, png or "
        "svg."
    ),
    fix="Write what the message expects.",
    exceptable=True,
)
CSV_ICON_DATA = Rule(
    id="csv-icon-data",
    chapter=Chapter.BUNDLE,
    checks="The icon of a ClusterServiceVersion is a picture of the media type that it says.",
    fix="Say what it is, or save it as that.",
    why="Browsers that believe the media type show nothing.",
    severity=Severity.WARNING,
    exceptable=True,
)
CSV_ICON_MISSING = Rule(
    id="csv-icon-missing",
    chapter=Chapter.BUNDLE,
    checks="A ClusterServiceVersion has an icon.",
    fix="Add spec.icon.",
    severity=Severity.WARNING,
    exceptable=True,
)
CSV_CAPABILITY = Rule(
    id="csv-capability",
    chapter=Chapter.BUNDLE,
    checks="The level of capabilities is one of the five that there are.",
    fix="Write one of them.",
    exceptable=True,
)
CSV_CATEGORY = Rule(
    id="csv-category",
    chapter=Chapter.BUNDLE,
    checks="Every category is one of those that catalogs have.",
    fix="Write one of them.",
    exceptable=True,
)
CSV_CATEGORY_APART = Rule(
    id="csv-category-apart",
    chapter=Chapter.BUNDLE,
    checks="Every category is known to operator-sdk and to the community's pipelines, whose lists differ.",
    fix="Write a category that both have.",
    severity=Severity.WARNING,
    exceptable=True,
)
CSV_REQUESTS = Rule(
    id="csv-requests",
    chapter=Chapter.BUNDLE,
    checks="Every container of a deployment requests cpu and memory.",
    fix="Add resources.requests.",
    why="operator-sdk says so as good practice, but sees only containers that request nothing at all.",
    severity=Severity.WARNING,
    exceptable=True,
)
CSV_DESCRIPTION = Rule(
    id="csv-description",
    chapter=Chapter.BUNDLE,
    checks="Every CRD that is owned or required has a description.",
    fix="Add a description.",
    severity=Severity.WARNING,
    exceptable=True,
)
CSV_ARCHITECTURE = Rule(
    id="csv-architecture",
    chapter=Chapter.BUNDLE,
    checks="Labels of architectures and systems say supported.",
    fix="Write supported, or remove the label.",
    why="Consoles offer the operator for these alone. Whether images have them, only a registry knows.",
    severity=Severity.WARNING,
    exceptable=True,
)

LEVELS = ("Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot")
BOTH = (
    *("AI/Machine Learning", "Application Runtime", "Big Data", "Cloud Provider", "Developer Tools"),
    *("Database", "Integration & Delivery", "Logging & Tracing", "Monitoring", "Modernization & Migration"),
    *("Networking", "OpenShift Optional", "Security", "Storage", "Streaming & Messaging"),
)
ONE = {
    "Observability": "the community's pipelines do not know",
    "Drivers and plugins": "operator-sdk refuses",
}
"""Categories that are known to one of two."""
MEDIA = ("image/gif", "image/jpeg", "image/png", "image/svg+xml")
MAIL = re.compile(r"(?:[^<>]*<)?[^@\s<>]+@[^@\s<>]+>?")
SUPPORTED = re.compile(r"operatorframework\.io/(?:arch|os)\..+")
ADDRESS = re.compile(
    r"""(?:[a-z][a-z0-9+.-]*:|(?=/))  # a scheme, or a path from the root
    (?:(?!//)|//[^\s/?\#\\^`{|}%]*(?=[/?\#]|$))  # who serves it
    (?:[^%]|%[0-9a-f]{2})*""",
    re.IGNORECASE | re.VERBOSE,
)
"""What operator-sdk reads as an address."""
LONGEST = 2_000


def check(bundle: Bundle, _terms: Terms) -> Iterator[Fault]:
    """Yield what is wrong with how a ClusterServiceVersion shows an operator."""
    for csv in bundle.csvs:
        found = (*_people(csv.body), *_icon(csv.body), *_words(csv), *_kinds(csv.body))
        yield from (Fault(csv, each) for each in (*found, *_requests(csv.body)))


def _people(body: JsonObject) -> Iterator[Problem]:
    if not text_of(below(body, "spec", "provider", "name")):
        yield CSV_PROVIDER("found no name of a provider, expected one", ("spec",))
    if not below(body, "spec", "version"):
        yield CSV_VERSION("found no version, expected one", ("spec",))
    for rule, key, parts in (
        (CSV_MAINTAINER, "maintainers", {"name": _is_text, "email": _is_mail}),
        (CSV_LINK, "links", {"name": _is_text, "url": _is_address}),
    ):
        for at, each in entries(body, "spec", key):
            for part, fits in parts.items():
                if not fits(each.get(part)):
                    path: Path = ("spec", key, at, *((part,) if part in each else ()))
                    yield rule(f"found {shown(each.get(part))}, expected its {part}", path)


def _is_text(value: Json) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_mail(value: Json) -> bool:
    return isinstance(value, str) and len(value) < LONGEST and MAIL.fullmatch(value.strip()) is not None


def _is_address(value: Json) -> bool:
    """Tell whether operator-sdk can read an address; it asks for a scheme, not for http."""
    if not isinstance(value, str) or not 0 < len(value.strip()) < LONGEST or not value.isprintable():
        return False
    return ADDRESS.fullmatch(value) is not None


def _icon(body: JsonObject) -> Iterator[Problem]:
    path: Path = ("spec", "icon")
    icons = entries(body, *path)
    if not icons:
        yield CSV_ICON_MISSING("found no icon, expected one", ("spec",))
    for at, icon in icons:
        if at:
            yield CSV_ICON(f"found icon {at + 1}, expected one", (*path, at))
        data, kind = text_of(icon.get("base64data")), icon.get("mediatype")
        if not data:
            yield CSV_ICON("found an icon without base64data, expected its data", (*path, at))
        elif not (picture := _decoded(data)):
            message = f"found {shown(data, reveal=False)} that is not base64, expected the picture as base64"
            yield CSV_ICON(message, (*path, at, "base64data"))
        elif kind in MEDIA and not is_picture(picture, kind):
            yield CSV_ICON_DATA(f"found {kind}, which the picture is not", (*path, at, "mediatype"))
        if kind not in MEDIA:
            message = f"found {shown(kind)}, expected {choice(MEDIA)}"
            yield CSV_ICON(message, (*path, at, *(("mediatype",) if "mediatype" in icon else ())))


def _decoded(text: str) -> bytes:
    """Return what a text of base64 stands for; nothing if it is none."""
    try:
        return b64decode("".join(text.split()), validate=True)
    except ValueError:
        return b""


def _words(csv: Manifest) -> Iterator[Problem]:
    level = annotation(csv, "capabilities")
    if level is not None and level not in LEVELS:
        message = f"found {shown(level)}, expected {choice(LEVELS)}"
        yield CSV_CAPABILITY(message, (*ANNOTATIONS, "capabilities"))
    said, path = annotation(csv, "categories"), (*ANNOTATIONS, "categories")
    for word in said.split(",") if isinstance(said, str) else ():
        if (name := word.strip()) in ONE:
            yield CSV_CATEGORY_APART(f"found {cut(name)}, which {ONE[name]}", path)
        elif name not in BOTH:
            yield CSV_CATEGORY(f"found {cut(name)}, expected {choice(BOTH, most=20)}", path)
    labels = below(csv.body, "metadata", "labels")
    for key, value in labels.items() if isinstance(labels, dict) else ():
        if isinstance(key, str) and SUPPORTED.match(key[:LONGEST]) and value != "supported":
            message = f"found {shown(value)}, expected supported"
            yield CSV_ARCHITECTURE(message, ("metadata", "labels", key))


def _kinds(body: JsonObject) -> Iterator[Problem]:
    for path in (OWNED, REQUIRED):
        for at, each in entries(body, *path):
            if not text_of(each.get("description")):
                kind = shown(each.get("kind"))
                yield CSV_DESCRIPTION(f"found no description of {kind}, expected one", (*path, at))


def _requests(body: JsonObject) -> Iterator[Problem]:
    for at, deployment in entries(body, *INSTALL, "deployments"):
        pod: Path = ("spec", "template", "spec", "containers")
        for number, container in entries(deployment, *pod):
            said = below(container, "resources", "requests")
            lacking = [each for each in ("cpu", "memory") if not (isinstance(said, dict) and each in said)]
            if lacking:
                path = (*INSTALL, "deployments", at, *pod, number)
                message = f"found a container that requests no {choice(lacking, last='and no')}"
                yield CSV_REQUESTS(message, path)
