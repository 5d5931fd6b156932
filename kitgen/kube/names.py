"""Validate names, labels and annotations as Kubernetes does, and compute kustomize's ConfigMap suffix."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache

from kitgen.findings import Path, Problem, get_rule, make_problem
from kitgen.kube.identity import RBAC, ObjectId, is_namespaced
from kitgen.text.patterns import compile_late
from kitgen.text.values import map_at
from kitgen.text.wording import quote_text
from kitgen.text.yaml import Json, JsonObject

NAME_INVALID = get_rule("name-invalid")

DNS_LABEL = compile_late(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
DNS_1035 = compile_late(r"[a-z]([-a-z0-9]*[a-z0-9])?")
DNS_SUBDOMAIN = compile_late(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
NOT_IN_SUBDOMAIN = compile_late(r"[^-a-z0-9.]")
LONGEST_NAME = 253
HASHED = compile_late(r"-[bcdfghkmt2456789]{10}$")
"""How the name of a generated ConfigMap ends."""
WORD = compile_late(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
STEM, ADDED = 58, 5


class NameForm(StrEnum):
    """What a name may look like, in the words of a message."""

    SUBDOMAIN = "a DNS subdomain of at most 253 characters"
    LABEL = "a DNS label of at most 63 characters"
    WORD = "a DNS label of at most 63 characters that starts with a letter"
    SEGMENT = "no / and no %"

    def matches(self, name: str) -> bool:
        """Return whether a name has this form."""
        match self:
            case NameForm.SUBDOMAIN:
                return _matches_pattern(DNS_SUBDOMAIN, name, LONGEST_NAME)
            case NameForm.LABEL:
                return _matches_pattern(DNS_LABEL, name, 63)
            case NameForm.WORD:
                return _matches_pattern(DNS_1035, name, 63)
            case NameForm.SEGMENT:
                return name not in (".", "..") and "/" not in name and "%" not in name

    def can_start_with(self, stem: str) -> bool:
        """Return whether a name of this form may start so: a dash at the end is no fault, a dot is one."""
        if self is NameForm.SEGMENT:
            return "/" not in stem and "%" not in stem
        return self.matches(f"{stem[:-2]}a" if len(stem) > 1 and stem.endswith("-") else stem)


FORMS: dict[tuple[str, str], NameForm] = {
    ("", "Event"): NameForm.SEGMENT,
    ("", "Namespace"): NameForm.LABEL,
    ("", "Service"): NameForm.WORD,
    ("certificates.k8s.io", "CertificateSigningRequest"): NameForm.SEGMENT,
    ("certificates.k8s.io", "ClusterTrustBundle"): NameForm.SEGMENT,
    ("events.k8s.io", "Event"): NameForm.SEGMENT,
    ("networking.k8s.io", "IPAddress"): NameForm.SEGMENT,
    ("policy", "PodDisruptionBudget"): NameForm.SEGMENT,
}
"""Group and kind → how its objects are named, if not by a DNS subdomain."""
NAMED_BY_SERVER = frozenset({("", "LimitRange")})
"""Kinds whose objects get a name if they have none."""


def check_names(meta: JsonObject, form: NameForm, *, needed: bool = True) -> Iterator[Problem]:
    """Yield what is wrong with the names in an object's metadata; types are not looked at."""
    name, stem, space = (meta.get(key) for key in ("name", "generateName", "namespace"))
    if name in (None, ""):
        if needed and not stem:
            yield NAME_INVALID("found an object without a name")
    elif isinstance(name, str) and not form.matches(name):
        yield NAME_INVALID(f"found the name {quote_text(name)}, expected {form}", ("name",))
    # A cluster takes the start of a long one and adds letters and digits, unless there is a name.
    if (
        isinstance(stem, str)
        and stem
        and not (form.can_start_with(stem) and (name or form.matches(stem[:STEM] + "x" * ADDED)))
    ):
        yield NAME_INVALID(
            f"found the start of a name {quote_text(stem)}, expected {form}", ("generateName",)
        )
    if isinstance(space, str) and space and not NameForm.LABEL.matches(space):
        yield NAME_INVALID(
            f"found the namespace {quote_text(space)}, expected {NameForm.LABEL}", ("namespace",)
        )


def check_object_names(body: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with the names of an object, in the form that its kind requires."""
    identity = ObjectId.of(body)
    kind = (identity.group, identity.kind)
    form = NameForm.SEGMENT if identity.group == RBAC else FORMS.get(kind, NameForm.SUBDOMAIN)
    for wrong in check_names(map_at(body, "metadata"), form, needed=kind not in NAMED_BY_SERVER):
        # Where there are no namespaces, a server drops what stands there.
        if wrong.path != ("namespace",) or is_namespaced(*kind):
            yield wrong.prefix_path("metadata")


def check_labels(pairs: Json, path: Path, *, values: bool) -> Iterator[Problem]:
    """Yield what is wrong with labels, or with annotations, whose values are free."""
    for key, value in pairs.items() if isinstance(pairs, dict) else ():
        # Of an annotation's key the case does not count.
        if not is_qualified_name(key if values else key.lower()):
            expected = "a name, with a DNS subdomain and / before it if any"
            yield make_problem(
                "label-invalid", f"found the key {quote_text(key)}, expected {expected}", (*path, key)
            )
        if values and isinstance(value, str) and value and not _is_label_value(value):
            expected = "at most 63 letters, digits, -, _ and ., with a letter or digit at both ends"
            yield make_problem(
                "label-invalid", f"found the value {quote_text(value)}, expected {expected}", (*path, key)
            )


@lru_cache(maxsize=4096)
def _is_label_value(text: str) -> bool:
    return _matches_pattern(WORD, text, 63)


@lru_cache(maxsize=4096)
def is_qualified_name(text: str) -> bool:
    """Return whether a text is a name that may have a domain before it, such as `example.com/key`."""
    prefix, slash, word = text.rpartition("/")
    return _matches_pattern(WORD, word, 63) and (not slash or NameForm.SUBDOMAIN.matches(prefix))


def normalize_name(name: str) -> str:
    """Return what Argo CD makes of a text for the name of an object (`nameNormalized`); it may be empty."""
    # Go lowers one character to one, and this is the only one of which Python makes two.
    return NOT_IN_SUBDOMAIN.sub("-", name.replace("\u0130", "i").lower())[:LONGEST_NAME].strip("-.")


def _matches_pattern(pattern: re.Pattern[str], text: str, longest: int) -> bool:
    return len(text) <= longest and pattern.fullmatch(text) is not None


def content_hash(data: dict[str, str]) -> str:
    """Return the suffix that kustomize gives a generated ConfigMap with this content."""
    import hashlib  # few commands need it, and all read the pattern above

    content = {"data": data, "kind": "ConfigMap", "name": ""}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&\u2028\u2029":  # Go's encoder escapes what HTML and scripts give a meaning to
        text = text.replace(character, f"\\u{ord(character):04x}")
    return hashlib.sha256(text.encode()).hexdigest()[:10].translate(str.maketrans("013ae", "ghkmt"))
