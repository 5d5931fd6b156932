"""How hits become findings."""

from __future__ import annotations

import gc
import random

from checking import CRD, DEPLOYMENT, RANGE, SPEC, bodies, manifest, manifests

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.engine import run_checks, to_findings
from kitgen.findings import FINDINGS_LIMIT, MAX_PLACES, Origin
from kitgen.kube.identity import OBJECT_DUPLICATE
from kitgen.kube.manifest import FieldSource

WRONG = DEPLOYMENT.replace("replicas: 1", "replicas: one")


def run(**targets: str) -> list[str]:
    found = run_checks(
        CheckContext(targets={name: manifests(text) for name, text in targets.items()}, minors=RANGE)
    )
    return [each.subject for each in found]


def test_what_all_targets_share_is_said_once() -> None:
    assert run(olm=WRONG, odh=WRONG) == ["Deployment/web /spec/replicas"]


def test_what_some_targets_share_names_them() -> None:
    assert run(olm=WRONG, odh=WRONG, rhoai=DEPLOYMENT) == ["Deployment/web /spec/replicas (odh, olm)"]


def test_one_place_in_the_spec_is_one_finding_however_many_objects_it_makes() -> None:
    many = "---".join(
        WRONG.replace("name: web,", f"name: web-{number},").replace("{app: web}", f"{{app: web-{number}}}")
        for number in range(5)
    )
    assert run(olm=many) == ["Deployment/web-0 /spec/replicas and 4 more"]


def test_a_finding_points_at_the_spec_that_set_the_field() -> None:
    setting = Origin("targets/odh.yaml", ("components", "web", "replicas"))
    (body,) = bodies(WRONG)
    source = FieldSource(path=("spec", "replicas"), cause="setting replicas", origin=setting)
    (finding,) = run_checks(CheckContext(targets={"odh": [manifest(body, source)]}, minors=RANGE))
    assert finding.origin == setting


def test_a_patch_that_stands_verbatim_leads_to_its_very_line() -> None:
    patch = Origin("targets/odh.yaml", ("patches", 0, "set"))
    (body,) = bodies(WRONG)
    source = FieldSource(path=("spec",), cause="patch", origin=patch, verbatim=True)
    (finding,) = run_checks(CheckContext(targets={"odh": [manifest(body, source)]}, minors=RANGE))
    assert finding.origin == patch.at("replicas")


def test_duplicates_name_both_places() -> None:
    first = Origin("components/web/v1.0.0/component.yaml", ("objects", 4))
    (body,) = bodies(DEPLOYMENT)
    pair = [manifest(body, origin=first), manifest(body)]
    (finding,) = run_checks(CheckContext(targets={"olm": pair}, minors=RANGE))
    assert (
        finding.message == "found a second Deployment/web in the namespace apps, expected every object once"
    )
    assert (finding.origin, finding.hint) == (SPEC, f"the first comes from {first}")


def test_the_order_of_objects_does_not_show() -> None:
    texts = [
        WRONG.replace("name: web,", f"name: web-{number},").replace("web:v1.0.0", "web")
        for number in range(6)
    ]
    objects = [each for text in texts for each in manifests(text)]
    expected = run_checks(CheckContext(targets={"olm": objects}, minors=RANGE))
    random.Random(7).shuffle(objects)
    assert run_checks(CheckContext(targets={"olm": objects}, minors=RANGE)) == expected


def test_nothing_is_found_in_nothing() -> None:
    assert run_checks(CheckContext(targets={}, minors=RANGE)) == []


def test_an_object_that_is_none_is_a_finding() -> None:
    found = run_checks(CheckContext(targets={"olm": [manifest({"metadata": ["x"]})]}, minors=RANGE))
    assert {each.rule.id for each in found} == {"manifest-invalid", "name-invalid"}


def test_one_error_is_looked_for_at_so_many_places_only() -> None:
    (body,) = bodies(WRONG)
    wrong = manifest(body)
    hits = (CheckHit("olm", wrong, OBJECT_DUPLICATE("wrong", ("spec",))) for _ in range(3 * MAX_PLACES))
    found = to_findings(CheckContext(targets={"olm": [wrong]}, minors=RANGE), hits)
    assert {each.rule for each in found} == {FINDINGS_LIMIT, OBJECT_DUPLICATE}
    assert len([*hits]) == 2 * MAX_PLACES - 1


def kept() -> int:
    """Count the objects of classes that check has."""
    return sum(str(type(each).__module__).startswith("kitgen.check.") for each in gc.get_objects())


def test_what_was_looked_at_is_freed_without_a_collection() -> None:
    mounted = f"{DEPLOYMENT}      volumes: [{{name: v, secret: {{secretName: s}}}}]\n"
    run(olm=f"{mounted}---\n{CRD}")
    gc.collect()
    before = kept()
    gc.disable()
    try:
        run(olm=f"{mounted}---\n{CRD}")
        assert kept() == before
    finally:
        gc.enable()
