"""What people see of an operator in a catalog: who makes it, links, icon, category, level."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator

from kitgen.findings import Path, Problem, get_rule, make_problem
from kitgen.kit.component import is_picture
from kitgen.olm.rules.terms import ANNOTATIONS, OWNED, REQUIRED, CsvView, annotation_of
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, map_at, text_at
from kitgen.text.wording import describe_value, join_words, quote_text
from kitgen.text.yaml import Json

CSV_MAINTAINER = get_rule("csv-maintainer")
CSV_LINK = get_rule("csv-link")

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
MAIL = compile_late(r"(?:[^<>]*<)?[^@\s<>]+@[^@\s<>]+>?")
SUPPORTED = compile_late(r"operatorframework\.io/(?:arch|os)\..+")
ADDRESS = compile_late(
    r"""(?:[a-z][a-z0-9+.-]*:|(?=/))  # a scheme, or a path from the root
    (?:(?!//)|//[^\s/?\#\\^`{|}%]*(?=[/?\#]|$))  # who serves it
    (?:[^%]|%[0-9a-f]{2})*""",
    re.IGNORECASE | re.VERBOSE,
)
"""What operator-sdk reads as an address."""
LONGEST = 2_000


def check_contacts(csv: CsvView) -> Iterator[Problem]:
    """Yield maintainers and links that lack a name or an address."""
    for broken, key, parts in (
        (CSV_MAINTAINER, "maintainers", {"name": _is_text, "email": _is_email}),
        (CSV_LINK, "links", {"name": _is_text, "url": _is_url}),
    ):
        for at, each in entries_at(csv.body, "spec", key):
            for part in (part for part, fits in parts.items() if not fits(each.get(part))):
                path = ("spec", key, at, *((part,) if part in each else ()))
                yield broken(f"found {describe_value(each.get(part))}, expected its {part}", path)


def _is_text(value: Json) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_email(value: Json) -> bool:
    return isinstance(value, str) and len(value) < LONGEST and MAIL.fullmatch(value.strip()) is not None


def _is_url(value: Json) -> bool:
    """Tell whether operator-sdk can read an address; it asks for a scheme, not for http."""
    if not isinstance(value, str) or not 0 < len(value.strip()) < LONGEST or not value.isprintable():
        return False
    return ADDRESS.fullmatch(value) is not None


def check_icon(csv: CsvView) -> Iterator[Problem]:
    """Yield icons that are none, and more of them than one."""
    path: Path = ("spec", "icon")
    for at, icon in entries_at(csv.body, *path):
        if at:
            yield make_problem("csv-icon", f"found icon {at + 1}, expected one", (*path, at))
        data, kind = text_at(icon, "base64data"), icon.get("mediatype")
        if not data:
            yield make_problem("csv-icon", "found an icon without base64data, expected its data", (*path, at))
        elif not (picture := _decode_base64(data)):
            yield make_problem(
                "csv-icon",
                (
                    f"found {describe_value(data, reveal=False)} that is not base64, expected the picture "
                    "as base64"
                ),
                (*path, at, "base64data"),
            )
        elif kind in MEDIA and not is_picture(picture, kind):
            yield make_problem(
                "csv-icon-data", f"found {kind}, which the picture is not", (*path, at, "mediatype")
            )
        if kind not in MEDIA:
            yield make_problem(
                "csv-icon",
                f"found {describe_value(kind)}, expected {join_words(MEDIA)}",
                (*path, at, *(("mediatype",) if "mediatype" in icon else ())),
            )


def _decode_base64(text: str) -> bytes:
    """Return what a text of base64 stands for; nothing if it is none."""
    try:
        return b64decode("".join(text.split()), validate=True)
    except ValueError:
        return b""


def check_categories(csv: CsvView) -> Iterator[Problem]:
    """Yield categories that nobody knows, and what labels say of architectures."""
    said, path = annotation_of(csv.manifest, "categories"), (*ANNOTATIONS, "categories")
    for word in said.split(",") if isinstance(said, str) else ():
        if (name := word.strip()) in ONE:
            yield make_problem("csv-category-apart", f"found {quote_text(name)}, which {ONE[name]}", path)
        elif name not in BOTH:
            yield make_problem(
                "csv-category", f"found {quote_text(name)}, expected {join_words(BOTH, most=20)}", path
            )
    for key, value in map_at(csv.body, "metadata", "labels").items():
        if isinstance(key, str) and SUPPORTED.match(key[:LONGEST]) and value != "supported":
            message = f"found {describe_value(value)}, expected supported"
            yield make_problem("csv-architecture", message, ("metadata", "labels", key))


def check_kind_descriptions(csv: CsvView) -> Iterator[Problem]:
    """Yield kinds without a description."""
    for path in (OWNED, REQUIRED):
        for at, each in entries_at(csv.body, *path):
            if not text_at(each, "description"):
                kind = describe_value(each.get("kind"))
                yield make_problem(
                    "csv-description", f"found no description of {kind}, expected one", (*path, at)
                )


def check_resource_requests(csv: CsvView) -> Iterator[Problem]:
    """Yield containers that do not say what they need."""
    for container in (each for pod in csv.pods for each in pod.containers if each.kind == "containers"):
        said = map_at(container.body, "resources", "requests")
        if lacking := [each for each in ("cpu", "memory") if each not in said]:
            message = f"found a container that requests no {join_words(lacking, last='and no')}"
            yield make_problem("csv-requests", message, container.path)
