"""Compile one component for one target, or for the base that targets have in common."""

from __future__ import annotations

from dataclasses import dataclass

from kitgen.compile.apart import apart
from kitgen.compile.context import Context
from kitgen.compile.families import config as config_family
from kitgen.compile.families import webhooks as webhook_family
from kitgen.compile.families.access_roles import access_roles
from kitgen.compile.families.accounts import leader_election, service_account
from kitgen.compile.families.config import config
from kitgen.compile.families.deployment import deployment
from kitgen.compile.families.objects import namespace, objects
from kitgen.compile.families.roles import bindings, roles, unknown_roles
from kitgen.compile.families.services import services, unknown_ports
from kitgen.compile.families.webhooks import webhooks
from kitgen.compile.finish import finish, misplaced
from kitgen.compile.hashnames import follow_hash
from kitgen.compile.labels import contradictions, own_labels
from kitgen.compile.params import Params, params
from kitgen.compile.patches import apply_patches
from kitgen.compile.reached import unreached
from kitgen.findings import Finding
from kitgen.objects import Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One component as a target has it."""

    context: Context
    crds: tuple[Manifest, ...]
    """The CRDs that stand beside it, as the base holds them."""
    assembled: tuple[Manifest, ...]
    """Its other objects before labels and namespace, which an overlay sets for all of them."""
    params: Params | None
    final: tuple[Manifest, ...]
    """Everything, as the cluster gets it, in the order in which it is applied."""
    findings: tuple[Finding, ...]


def compile_unit(context: Context, crds: list[Manifest], findings: list[Finding]) -> Unit:
    """Run every family over the context and put the result together."""
    families = (webhook_family, config_family)
    contributions = [family.deployment_layer(context, findings) for family in families]
    extra = [layer for layer in contributions if layer is not None]
    deployments = list(deployment(context, extra))
    # In the order in which a cluster should get them: who, what they may, what they run, who calls it.
    made = [
        *namespace(context),
        *service_account(context),
        *leader_election(context),
        *roles(context, findings),
        *access_roles(context),
        *bindings(context),
        *config(context, findings),
        *services(context),
        *deployments,
        *objects(context),
        *webhooks(context, findings),
    ]
    # Before the patches, so that none changes what it does not name, and after, since a patch brings values.
    made = apart(apply_patches(context, apart(own_labels(context, made)), findings))
    findings += [*contradictions(context), *misplaced(context, made), *unreached(context, made)]
    if context.release:  # a base may leave roles and ports to features
        findings += [*unknown_roles(context, made), *unknown_ports(context, deployments)]
    parameters = params(context, made, findings)
    generated = [parameters.manifest()] if parameters else []
    first = [manifest for manifest in made if manifest.id.kind == "Namespace"]
    rest = [manifest for manifest in made if manifest.id.kind != "Namespace"]
    final = follow_hash(finish(context, [*first, *crds, *rest, *generated]), parameters)
    start, end = len(first), len(first) + len(crds)
    return Unit(
        context=context,
        crds=tuple(crds),
        assembled=tuple(made),
        params=parameters,
        final=(*apart(final[:start]), *final[start:end], *apart(final[end:])),
        findings=tuple(findings),
    )
