"""Hold the objects of trees to their schemas before anything is made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.check import Context
from kitgen.check.engine import findings
from kitgen.check.schemas import objects as schemas
from kitgen.check.schemas.catalog import is_own
from kitgen.crds.schema.crd import by_kind, is_crd
from kitgen.errors import FindingsError
from kitgen.findings import Finding, unique
from kitgen.load.real import Real
from kitgen.objects import Manifest, split_api_version
from kitgen.pipeline.opened import Opened
from kitgen.yamlio import JsonObject

FIELDS = "field-"
"""How the rules begin that hold fields to a schema."""


def check_trees(reals: Mapping[str, Real], opened: Opened) -> None:
    """Raise if there is an object that Kubernetes itself would refuse."""
    wrong: list[Finding] = []
    for real in reals.values():
        crds = [each.body for each in real.manifests if is_crd(each.body)]
        others = [each for each in real.manifests if not is_crd(each.body)]
        own = by_kind(crds)
        strange = {_kind(each) for each in others if _is_custom(each, opened)} - own.keys()
        known = [*_declared(opened, strange), *crds]
        context = Context(targets={"": others}, minors=opened.kit.minors, crds=known)
        for hit in schemas.check(context):
            (found,) = findings(context, [hit])
            refused = (
                found.blocks and found.rule.id.startswith(FIELDS) and not _is_custom(hit.manifest, opened)
            )
            wrong += [found] if refused else []
    if wrong:
        texts = {file: text for real in reals.values() for file, text in real.texts.items()}
        raise FindingsError(unique(wrong), texts=texts)


def _declared(opened: Opened, wanted: set[tuple[str, str]]) -> Iterator[JsonObject]:
    """Yield the CRDs of the kit for some kinds, those of all versions."""
    for versions in opened.kit.components.values():
        for component in versions.values():
            names = {(data.get("group"), (data.get("names") or {}).get("kind")) for _, data in component.crds}
            if names & wanted:
                yield from (each.body for each in opened.session.crds(component).value)


def _is_custom(manifest: Manifest, opened: Opened) -> bool:
    return not is_own(_kind(manifest)[0], opened.kit.minors)


def _kind(manifest: Manifest) -> tuple[str, str]:
    group, _ = split_api_version(str(manifest.body.get("apiVersion")))
    return group, str(manifest.body.get("kind"))
