"""Objects of kinds that neither Kubernetes defines nor any known CRD declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.crd.definition import Catalog
from kitgen.crd.validate.rules import FIELD_MISSING
from kitgen.findings import Problem, make_problem
from kitgen.kube import foreign_kinds
from kitgen.kube.definitions import Kind
from kitgen.text.wording import join_words

DEPLOYMENTS = ("spec", "install", "spec", "deployments")


def mark_unfinished_csv(kind: Kind, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield the problems of a shipped kind; of a file that a tool has yet to fill in, that it is one."""
    for each in problems:
        unfinished = kind.kind == "ClusterServiceVersion" and each.rule is FIELD_MISSING
        if unfinished and each.path == DEPLOYMENTS:
            yield make_problem(
                "csv-unfinished", "found no deployments, which operator-sdk fills in", each.path
            )
        else:
            yield each


def report_undeclared(kind: Kind, known: Catalog, *, broken: bool, foreign: bool) -> Iterator[Problem]:
    """Yield that a kind without a schema is misspelt, or that its fields are not checked."""
    from kitgen.crd.validate.objects import check_kind_spelling

    shipped = {(kind.group, each): () for each in foreign_kinds.plurals_by_kind(kind.group)}
    if broken:
        message = f"the CRD of {kind} is broken, so its fields are not checked"
        yield make_problem(
            "kind-unknown", message, ("kind",), "kitgen crd outline FILE says what is wrong with a CRD"
        )
    elif fault := check_kind_spelling(kind.group, kind.kind, {**shipped, **known}):
        yield fault
    else:
        message = f"there is no schema for {kind}, so its fields are not checked"
        hint = "name a file with its CRD too" if foreign else "declare its CRD in the kit"
        yield make_problem("kind-unknown", message, ("kind",), hint)


def report_unknown_version(kind: Kind, versions: list[str], *, foreign: bool) -> Problem:
    """Report that the fields of a kind are not checked, because kitgen knows it in other versions alone."""
    message = f"there is no schema for {kind}, so its fields are not checked"
    known = f"{join_words(versions, last='and')} {'is' if len(versions) == 1 else 'are'} known"
    more = "name a file with its CRD too" if foreign else "declare its CRD in the kit"
    return make_problem(
        "kind-unknown",
        message,
        ("apiVersion",),
        f"{known}, of {foreign_kinds.read_group(kind.group).source}; or {more}",
    )
