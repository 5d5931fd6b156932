"""kitgen drift reports every difference between downstreams that nobody says is meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import run

ODH = Path("targets/odh.yaml")
SPACE = "{namespace: true, reason: each platform has its own namespace}"
CLUSTER = "{object: DataScienceCluster/*, reason: it tells the operator what to run}"
NAMESPACE = "{object: Namespace/hello-system, reason: the platform makes it}"


def declare(*items: str, against: str = "olm") -> None:
    lines = "".join(f"  - {each}\n" for each in items)
    ODH.write_text(ODH.read_text() + f"drift:\n  {against}:\n{lines}")


def found(*args: object) -> list[tuple[str, str | None, str | None]]:
    """Return the kind, the field and the reason of every difference."""
    data = json.loads(run("drift", *args, "-o", "json").out)
    each = [one for pair in data["pairs"] for one in pair["differences"]]
    return [(one["kind"], one["field"], one["declared"]) for one in each]


def test_what_nobody_declares_is_drift(kit: Path) -> None:
    done = run("drift", "odh", "olm")
    assert done.code == 1
    assert "DataScienceCluster/default-dsc: only target:odh@v1.0.0 (targets/odh.yaml:5)\n" in done.out
    assert "Deployment/hello-manager in opendatahub: only target:odh@v1.0.0" in done.out


def test_what_is_declared_is_not(kit: Path) -> None:
    declare(SPACE, CLUSTER, NAMESPACE)
    done = run("drift")
    assert (done.code, done.err) == (0, "")
    assert "target:odh@v1.0.0 and target:olm@v1.0.0: 0 differences not declared" in done.out
    assert "1 declared: the platform makes it (targets/odh.yaml:16)\n" in done.out
    assert run("drift", "odh").out == run("drift", "odh", "olm").out == done.out
    assert len(run("drift", "-q").out.splitlines()) == 1


def test_another_namespace_is_one_declaration(kit: Path) -> None:
    declare(SPACE)
    assert {kind for kind, _, reason in found() if not reason} == {"DataScienceCluster", "Namespace"}


def test_a_feature_has_its_own_reason(kit: Path) -> None:
    declare(SPACE)
    assert all(reason for kind, field, reason in found() if kind == "ConfigMap")


def test_what_is_no_longer_there_is_told(kit: Path) -> None:
    declare(SPACE, CLUSTER, NAMESPACE, "{object: Role/*, reason: was once}")
    done = run("drift")
    assert done.code == 1
    assert "targets/odh.yaml:17 /drift/olm/3: exception-stale: found a declared difference, but" in done.err
    assert "(hint: remove it)" in done.err


def test_a_part_does_not_tell_that_the_rest_is_stale(kit: Path) -> None:
    declare(SPACE, CLUSTER, NAMESPACE, "{component: nobody, object: Role/*, reason: of another part}")
    assert run("drift", "odh").code == 1
    done = run("drift", "odh/hello", "olm/hello")
    assert (done.code, done.err) == (0, "")


def test_another_release_does_not_tell_that_declarations_are_stale(kit: Path) -> None:
    release = Path("releases/v1.0.0.yaml").read_text()
    Path("releases/v0.9.0.yaml").write_text(release.replace("v1.0.0", "v0.9.0", 1))
    declare(SPACE, CLUSTER, NAMESPACE, "{object: Role/*, reason: of the newer release}")
    assert run("drift", "odh").code == 1
    assert run("drift", "odh", "--release", "v0.9.0").code == 0
    assert run("drift", "odh@v0.9.0", "olm").code == 0


@pytest.mark.parametrize(("today", "code"), [("2030-01-31", 0), ("2030-02-01", 1)])
def test_a_declaration_ends_on_its_day(kit: Path, today: str, code: int) -> None:
    declare(SPACE, CLUSTER.replace("}", ', expires: "2030-01-31"}'), NAMESPACE)
    done = run("drift", "--today", today)
    assert (done.code, "exception-expired" in done.err) == (code, bool(code))


def test_of_one_component_alone(kit: Path) -> None:
    declare(SPACE, "{component: nobody, object: DataScienceCluster/*, reason: x}", NAMESPACE)
    done = run("drift")
    assert ("DataScienceCluster/default-dsc: only" in done.out, "exception-stale" in done.err) == (True, True)


@pytest.mark.parametrize("field", ["spec.replicas", "spec.*", "*replicas", "*"])
def test_stars_stand_for_any_text(kit: Path, field: str) -> None:
    Path("real.yaml").write_text(run("build", "odh/hello").out.replace("replicas: 1", "replicas: 2"))
    declare(f'{{object: "Deployment/*", field: "{field}", reason: more of them}}', against="real")
    assert found("odh/hello", "real.yaml") == [("Deployment", "spec.replicas", "more of them")]
    assert run("drift", "odh/hello", "real.yaml").code == 0


def test_permissions_are_told_verb_by_verb(kit: Path) -> None:
    real = run("build", "odh/hello").out.replace("  - watch\n", "", 1)
    done = run("drift", "odh/hello", "-", stdin=real)
    assert "rules[core/configmaps] watch: only target:odh@v1.0.0/hello" in done.out
    declare('{object: ClusterRole/*, field: "rules[core/configmaps] watch", reason: x}', against="real")
    assert run("drift", "odh/hello", "-", stdin=real).code == 0


def test_two_real_things_take_the_declarations_of_a_target(kit: Path) -> None:
    Path("a.yaml").write_text(run("build", "odh/hello").out)
    Path("b.yaml").write_text(Path("a.yaml").read_text().replace("replicas: 1", "replicas: 2"))
    assert run("drift", "a.yaml", "b.yaml").code == 1
    declare("{field: spec.replicas, reason: more of them}", against="real")
    assert run("drift", "a.yaml", "b.yaml", "--declared", "odh").code == 0
    assert run("drift", "a.yaml", "b.yaml", "--declared", "odh/olm").code == 1


def test_the_table_has_what_is_not_declared_first(kit: Path) -> None:
    declare(SPACE, NAMESPACE)
    lines = run("drift", "-o", "markdown").out.splitlines()
    assert lines[2] == "| object | field | `target:odh@v1.0.0` | `target:olm@v1.0.0` | declared |"
    assert lines[4] == "| `DataScienceCluster/default-dsc` |  | there | absent | **no** |"
    assert "the platform makes it (targets/odh.yaml:15) |" in "\n".join(lines[5:])


def test_nothing_to_compare_is_said(kit: Path) -> None:
    done = run("drift")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("nothing was compared: ")


BAD = {
    "no such target": (["nobody", "odh"], "no target and no file 'nobody'"),
    "no such path": (["odh", "path:nothing.yaml"], "nothing.yaml"),
    "one real thing": (["-"], "is no target, expected two sides"),
    "no such declarations": (["odh", "rhoai", "--declared", "nobody"], "no target 'nobody'"),
    "nothing declared": (["odh", "rhoai", "--declared", "odh/nobody"], "no target 'nobody'"),
    "standard input twice": (["-", "-"], "both sides are standard input"),
    "no day": (["--today", "soon"], "soon"),
    "no such release": (["odh", "rhoai", "--release", "v9"], "v9"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_told_in_a_line(kit: Path, what: str) -> None:
    args, said = BAD[what]
    done = run("drift", *args)
    assert (done.code, done.out) == (2, ""), done.err
    assert said in done.err


def test_that_a_target_sets_it_is_no_reason(kit: Path) -> None:
    declare(SPACE, CLUSTER, NAMESPACE)
    ODH.write_text(ODH.read_text().replace("  hello:\n", "  hello:\n    replicas: 2\n", 1))
    assert [each[:2] for each in found() if not each[2]] == [("Deployment", "spec.replicas")]
