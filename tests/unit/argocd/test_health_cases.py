"""The health checks that come with kitgen, run by Lua on the objects in tests/cases/health."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kits import CASES

from kitgen.argocd.health.lua import Health, Status, run_health_check
from kitgen.argocd.health.names import Check, read_shipped_checks
from kitgen.text.yaml import Json, JsonObject, read_yaml

TABLES = {path.stem: read_yaml(path.read_text()) for path in sorted((CASES / "health").glob("*.yaml"))}
CHECKS = {str(each.kind): each for each in read_shipped_checks()}
ROWS = [pytest.param(name, row, id=f"{name}: {row['case']}") for name, rows in TABLES.items() for row in rows]
WORDS = st.sampled_from(["", "True", "False", "Unknown", "Ready", "Running", "Failed", "Suspended", "Odd"])
CONDITIONS = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["Active", "Admitted", "Evicted", "Finished", "Ready", "Unhealthy"])},
        optional={
            "status": WORDS,
            "reason": WORDS,
            "message": WORDS,
            "observedGeneration": st.integers(0, 9),
        },
    )
)
STATES = ("phase", "state", "reason", "message", "jobStatus", "jobDeploymentStatus", "serviceStatus")
OBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "metadata": st.fixed_dictionaries({}, optional={"generation": st.integers(0, 9)}),
        "spec": st.fixed_dictionaries({}, optional={"suspend": st.booleans(), "active": st.booleans()}),
        "status": st.fixed_dictionaries(
            {}, optional=dict.fromkeys(STATES, WORDS) | {"conditions": CONDITIONS}
        ),
    },
)


def test_every_check_has_cases() -> None:
    assert set(TABLES) == set(CHECKS)


@pytest.mark.parametrize(("name", "row"), ROWS)
def test_the_health_is_as_the_case_says(name: str, row: JsonObject) -> None:
    told = run_health_check(CHECKS[name].source, row["object"])
    assert isinstance(told, Health), told
    assert (told.status, row.get("says", "") in told.message) == (row["expect"], True), told


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
@given(body=OBJECTS)
def test_every_status_has_a_health(check: Check, body: Json) -> None:
    assert isinstance(run_health_check(check.source, body), Health)


@pytest.mark.parametrize("name", sorted(set(CHECKS) - {"argoproj.io_Application"}))
def test_what_nobody_has_seen_is_not_healthy(name: str) -> None:
    told = run_health_check(CHECKS[name].source, {"metadata": {"name": "new", "generation": 1}, "spec": {}})
    assert isinstance(told, Health)
    assert told.status is Status.PROGRESSING


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_nothing_that_argo_cd_lacks_is_used(name: str) -> None:
    """Without useOpenLibs, Argo CD has no functions of texts and numbers, so neither has what runs it."""
    source = CHECKS[name].source
    assert [
        word for word in ("string.", "math.", "os.", "require", ":find(", ":match(") if word in source
    ] == []
