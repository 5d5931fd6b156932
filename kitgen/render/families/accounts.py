"""Families of ServiceAccounts: the operator's own, further ones, and Secrets with their tokens."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, make_problem
from kitgen.kube.manifest import Manifest
from kitgen.render.context import RenderContext
from kitgen.render.families.role_binding import OPERATOR, WORDS
from kitgen.render.family import Family, Objects
from kitgen.render.labels import build_metadata
from kitgen.render.layers import build_default_source, build_source, merge_layers


def build_operator_account(context: RenderContext) -> Iterator[Manifest]:
    """Make the operator's ServiceAccount, unless more is said of it among the others."""
    others = {item.name for item in context.part["serviceAccounts"]}
    for item in context.part["serviceAccount"]:
        if item.name not in others:
            meta = {"name": context.full_name(item.name)}
            body = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta}
            yield Manifest(body=body, sources=tuple(context.account_sources(())))


FAMILY = Family(objects=build_operator_account, follows=("serviceAccount", "serviceAccounts"))


TOKEN = "kubernetes.io/service-account-token"
OWNER = "kubernetes.io/service-account.name"
FILLED = "Kubernetes fills a Secret of this type"


def build_service_accounts(context: RenderContext) -> Iterator[Manifest]:
    """Make each ServiceAccount, and the Secret for its token if it has one."""
    for item in context.part["serviceAccounts"]:
        folded = merge_layers(item.layers)
        meta, said_of_it = build_metadata(context.full_name(item.name), folded, "serviceAccounts")
        whole = build_source(folded.touches[0], (), "serviceAccounts")
        body = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta}
        yield Manifest(body=body, sources=(whole, *said_of_it))
        if "token" in folded.data:
            said = folded.touch_at(("token",))
            notes = {"name": context.full_name(folded.data["token"]), "annotations": {OWNER: meta["name"]}}
            yield Manifest(
                body={"apiVersion": "v1", "kind": "Secret", "metadata": notes, "type": TOKEN},
                sources=(
                    build_source(said, (), "serviceAccounts"),
                    build_default_source(said, ("type",), "serviceAccounts", FILLED),
                ),
            )


def check_account_names(context: RenderContext, _: Objects) -> Iterator[Finding]:
    """Yield a finding for every account with a name that would mean another one."""
    own = {item.name for item in context.part["serviceAccount"]} & {OPERATOR}
    for item in (*context.part["serviceAccount"], *context.part["serviceAccounts"]):
        if item.name in WORDS and item.name not in own:
            yield make_problem(
                "account-name",
                f"found a service account {item.name!r}, which means something else in bindings",
                hint="choose another name",
            ).to_finding(item.layers[0].origin)


MORE_ACCOUNTS = Family(
    objects=build_service_accounts, follows=("serviceAccounts",), problems=check_account_names
)
