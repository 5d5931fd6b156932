"""Bindings and subjects that the families of permissions share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kitgen.findings import Finding, Origin, Path, make_problem, suggest_word
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import FieldSource
from kitgen.render.context import RenderContext
from kitgen.render.layers import LayerTouch, build_source, merge_layers
from kitgen.text.schema_errors import REFERENCE_MISSING
from kitgen.text.yaml import Json, JsonObject

OPERATOR, NONE, DEFAULT = "operator", "none", "default"
WORDS = (OPERATOR, NONE, DEFAULT)
"""Accounts that are not looked up: the operator's, nobody's, and the one that every namespace has."""


def build_role_binding(
    kind: str, meta: JsonObject, role: tuple[str, str], subjects: Iterable[JsonObject]
) -> JsonObject:
    """Return what gives subjects a role, which goes by its kind and name."""
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": kind,
        "metadata": meta,
        "roleRef": {"apiGroup": RBAC, "kind": role[0], "name": role[1]},
        "subjects": list(subjects),
    }


def build_subject(context: RenderContext, account: Json) -> JsonObject:
    """Return a service account as bindings name it: one of the component, or one of another namespace."""
    if isinstance(account, dict):
        return {"kind": "ServiceAccount", "name": account["name"], "namespace": account["namespace"]}
    name = {OPERATOR: context.account, DEFAULT: DEFAULT}.get(account) or context.full_name(account)
    return {"kind": "ServiceAccount", "name": name}


def build_subject_sources(
    context: RenderContext, account: Json, said: LayerTouch, path: Path, family: str
) -> Iterator[FieldSource]:
    """Return the sources of a subject, and of the operator's account where that is named."""
    if account == OPERATOR:
        yield from context.account_sources(path)
    else:
        yield build_source(said, path, family)


def check_operator_account(context: RenderContext, key: str) -> Iterator[Finding]:
    """Yield a finding for roles of an operator without an account; a base may leave that to a feature."""
    for item in context.part[key] if context.target and not context.account else ():
        if merge_layers(item.layers).data.get("bind", OPERATOR) == OPERATOR:
            yield REFERENCE_MISSING(
                f"found no serviceAccount to bind the role {item.name!r} to",
                hint="name one, or say bind: none",
            ).to_finding(item.layers[0].origin)


def known_accounts(context: RenderContext) -> dict[str, None]:
    """Return the accounts that roles and bindings can name, in order."""
    items = (*context.part["serviceAccount"], *context.part["serviceAccounts"])
    return dict.fromkeys((*(item.name for item in items), *WORDS))


def check_account_reference(
    context: RenderContext, account: Json, at: Origin, known: Mapping[str, None]
) -> Iterator[Finding]:
    """Yield a finding for an account that is not there; a base may leave one to a feature."""
    if isinstance(account, dict) and account["name"] == DEFAULT:
        yield make_problem(
            "object-elsewhere",
            "found the account 'default' of another namespace, which kustomize moves to the component's",
            hint="bind another account, or say default alone",
        ).to_finding(at)
    if context.target and isinstance(account, str) and account not in known:
        yield REFERENCE_MISSING(
            f"found no service account {account!r}",
            hint=suggest_word(account, list(known)) or "name it in serviceAccounts, or say its namespace",
        ).to_finding(at)
