"""Check cert-manager resources and CA injection: sources of CAs, issuers, and names of certificates."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from kitgen.check.references.service_calls import HOOKED
from kitgen.check.references.target_objects import ELSEWHERE, Found, ObjectName, TargetObjects
from kitgen.findings import Path, Problem, make_problem, suggest_word
from kitgen.kube.manifest import Manifest
from kitgen.render.kustomize.field_paths import find_values
from kitgen.text.values import list_at, text_at, texts_at, value_at
from kitgen.text.wording import join_words, quote_text

GROUP = "cert-manager.io"
FROM_CERTIFICATE = f"{GROUP}/inject-ca-from"
ISSUER, CLUSTER_ISSUER = "Issuer", "ClusterIssuer"


def check_certificates(scene: TargetObjects) -> Iterator[Found]:
    """Yield what keeps cert-manager from working as configured."""
    asked: set[tuple[str, str]] = set()
    bearing = _list_dns_names(scene)
    for row in HOOKED:
        for manifest in scene.objects_of(row[0], *row[1]):
            yield from ((manifest, fault) for fault in _check_ca_injection(scene, manifest))
            yield from _check_dns_names(scene, manifest, bearing, asked, row[2])
    for certificate in scene.objects_of(GROUP, "Certificate"):
        if wrong := _check_issuer(scene, certificate):
            yield certificate, wrong


def _get_annotation(manifest: Manifest, key: str) -> str:
    found = text_at(manifest.annotations, key)
    return "" if "$(" in found else found


def _check_ca_injection(scene: TargetObjects, manifest: Manifest) -> Iterator[Problem]:
    """Yield a CA that cannot be had."""
    found = _get_annotation(manifest, FROM_CERTIFICATE)
    path: Path = ("metadata", "annotations", FROM_CERTIFICATE)
    space, slash, name = found.partition("/")
    if not found:
        return
    if not slash or not space or not name or "/" in name:
        yield make_problem("ca-missing", f"found {quote_text(found)}, expected NAMESPACE/NAME", path)
        return
    hint = scene.hint_for_missing(ObjectName(GROUP, "Certificate", space, name))
    if hint is None and name not in (there := scene.list_names(GROUP, "Certificate", space)) and there:
        hint = f"there is {join_words(there, last='and', most=3)}"
    if hint is not None:
        yield make_problem(
            "ca-missing", f"found no Certificate {quote_text(name)} in {quote_text(space)}", path, hint
        )


def _list_dns_names(scene: TargetObjects) -> set[str]:
    """Return the names that any Certificate bears: one may be served, and another one trusted."""
    return {
        name
        for each in scene.objects_of(GROUP, "Certificate")
        for name in texts_at(each.body, "spec", "dnsNames")
    }


def _check_dns_names(
    scene: TargetObjects, manifest: Manifest, bearing: set[str], asked: set[tuple[str, str]], way: str
) -> Iterator[Found]:
    """Yield a Certificate without the name of the Service that is called with it; each name once."""
    space, _, name = _get_annotation(manifest, FROM_CERTIFICATE).partition("/")
    certificate = scene.get(GROUP, "Certificate", space, name) if name else None
    texts = texts_at(certificate.body, "spec", "dnsNames") if certificate else []
    if not certificate or not texts or any("$(" in each for each in texts):
        return
    if value_at(certificate.body, "spec", "isCA") is True:
        return  # what it signs bears the name
    for _, service in find_values(manifest.body, way):
        called, where = text_at(service, "name"), text_at(service, "namespace")
        host = f"{called}.{where}.svc"
        known = scene.hint_for_missing(ObjectName("", "Service", where, called)) is None
        bears = host in bearing or f"*.{where}.svc" in bearing
        if not called or not where or bears or not known or (str(certificate.id), host) in asked:
            continue
        asked.add((str(certificate.id), host))
        message = f"found no name {quote_text(host)}, at which {manifest.id} calls with this certificate"
        at = max(range(len(texts)), key=lambda index: SequenceMatcher(None, host, texts[index]).ratio())
        path: Path = ("spec", "dnsNames", list_at(certificate.body, "spec", "dnsNames").index(texts[at]))
        yield (
            certificate,
            make_problem(
                "certificate-names",
                message,
                path,
                suggest_word(host, texts) and f"it has {quote_text(texts[at])}",
            ),
        )


def _check_issuer(scene: TargetObjects, certificate: Manifest) -> Problem | None:
    path: Path = ("spec", "issuerRef")
    ref, namespace = value_at(certificate.body, *path), certificate.id.namespace
    name, kind = value_at(ref, "name"), text_at(ref, "kind") or ISSUER
    if not isinstance(name, str) or value_at(ref, "group") not in (None, "", GROUP):
        return None
    spaces = {ISSUER: namespace, CLUSTER_ISSUER: ""}
    if kind not in spaces:
        message = f"found the kind {quote_text(kind)}, expected Issuer or ClusterIssuer"
        return make_problem("issuer-missing", message, (*path, "kind"), suggest_word(kind, list(spaces)))
    if scene.get(GROUP, kind, spaces[kind], name):
        return None
    message, other = f"found no {kind} {quote_text(name)}", CLUSTER_ISSUER if kind == ISSUER else ISSUER
    if scene.get(GROUP, other, spaces[other], name):
        return make_problem("issuer-missing", message, (*path, "kind"), f"there is one of the kind {other}")
    if (hint := scene.hint_for_missing(ObjectName(GROUP, kind, spaces[kind], name))) is None:
        return None
    where = (
        f" in the namespace {quote_text(namespace)}" if spaces[kind] and hint.startswith(ELSEWHERE) else ""
    )
    return make_problem("issuer-missing", f"{message}{where}", (*path, "name"), hint)
