"""A runbook takes a cluster through every phase, in an order in which nothing is lost."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import kits
import pytest
from msgspec.structs import replace

from kitgen.kit.model.migration import PHASES, MigrationPath, Phase
from kitgen.migrate.phases.objects import PhaseMade
from kitgen.migrate.phases.run import Phases, open_migration, resolve_target
from kitgen.migrate.plan import RunbookRequest, plan_migration
from kitgen.migrate.runbook.managers import MigrationSite, OperatorDeployment, build_migration_site
from kitgen.migrate.runbook.model import Manager, Runbook, RunbookStep
from kitgen.migrate.runbook.plan import build_runbook
from kitgen.migrate.runbook.report import as_markdown

SPEC = "migrations/new-group.yaml"
OLD, NEW = "greetings.example.com", "greetings.greetings.example.org"
ONE_SHOT = (("both: v1.1.0\n", ""), ("path: progressive", "path: one-shot"))
ARGOCD = "argocd: {repository: https://example.com/kit.git, sync: {automated: {prune: true}}}\n"
BUNDLE = (
    "bundle: {component: hello, package: hello-operator, channels: [fast]}\ninstall: {approval: Automatic}\n"
)
LISTING = """\
listing:
  displayName: Hello
  description: Greets whoever asks for it, in the namespace of the Greeting.
  provider: {name: Example}
"""


def changed(root: Path, name: str, *edits: tuple[str, str]) -> None:
    text = (root / name).read_text()
    for old, new in edits:
        assert old in text, f"{name}: {old}"
        text = text.replace(old, new)
    (root / name).write_text(text)


def added(root: Path, name: str, text: str) -> None:
    (root / name).write_text((root / name).read_text() + text)


def planned(root: Path, target: str = "olm") -> Runbook:
    return plan_migration(RunbookRequest(root=root, name="new-group", target=target), lambda _: None).runbook


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    return kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "migration")


@pytest.fixture
def one_shot(kit: Path) -> Path:
    changed(kit, SPEC, *ONE_SHOT)
    return kit


def in_one_group(root: Path) -> Path:
    """Have the kind keep its group, and change its version."""
    group = ("greetings.example.org/greetings", "example.com/greetings")
    changed(root, "components/hello/v2.0.0/component.yaml", group)
    changed(
        root,
        "components/hello/v2.0.0/component.yaml",
        ("greetings.example.org/v1/Greeting", "example.com/v2/Greeting"),
    )
    crd = (("group: greetings.example.org", "group: example.com"), ("  v1:\n", "  v2:\n"))
    changed(root, "components/hello/v2.0.0/crds/greetings.yaml", *crd)
    changed(root, SPEC, ("to: greetings.example.org/v1/Greeting", "to: example.com/v2/Greeting"))
    return root


def serving_both_versions(root: Path, conversion: str = "", stored: str = "v1") -> Path:
    """Have the operator in between serve both versions, whose CRD may be converted."""
    in_one_group(root)
    folder = root / "components/hello/v1.1.0"
    changed(
        root,
        "components/hello/v1.1.0/component.yaml",
        ("greetings.example.org/greetings", "apps/deployments"),
    )
    head, _, version = (root / "components/hello/v2.0.0/crds/greetings.yaml").read_text().partition("  v2:\n")
    (folder / "crds/welcomes.yaml").unlink()
    text = head.replace("versions:\n", f"{conversion}versions:\n")
    for name in ("v1", "v2"):
        text += f"  {name}:\n{version.replace('storage: true', f'storage: {str(name == stored).lower()}')}"
    (folder / "crds/greetings.yaml").write_text(text)
    return root


@pytest.fixture
def versions(one_shot: Path) -> Path:
    return in_one_group(one_shot)


def steps(runbook: Runbook) -> Iterator[RunbookStep]:
    for phase in runbook.phases:
        yield from (*phase.steps, *phase.back, *phase.checks)


def commands(runbook: Runbook, *phases: Phase) -> list[str]:
    """Return the commands that bring a cluster through phases, in order."""
    some = [each for each in runbook.phases if not phases or each.phase in phases]
    return [one for each in some for step in each.steps for one in step.commands]


def place(all_of: list[str], *parts: str) -> int:
    """Return where the one command is that has all parts."""
    found = [at for at, each in enumerate(all_of) if all(part in each for part in parts)]
    assert len(found) == 1, (parts, [all_of[at] for at in found])
    return found[0]


def parses(command: str) -> bool:
    return subprocess.run(["sh", "-n"], input=command, text=True, check=False).returncode == 0


@pytest.mark.parametrize("way", MigrationPath)
def test_every_phase_says_what_to_do_and_what_may_go_wrong(kit: Path, way: MigrationPath) -> None:
    if way is MigrationPath.ONE_SHOT:
        changed(kit, SPEC, *ONE_SHOT)
    runbook = planned(kit)
    assert tuple(each.phase for each in runbook.phases) == PHASES[way]
    for each in runbook.phases:
        assert each.steps and each.risks and each.back and each.checks
        assert each.release in ("v1.0.0", "v1.1.0", "v2.0.0")
        assert bool(each.changes) == (each.phase is not Phase.BEFORE)
        assert f"--phase {each.phase} " in each.steps[0].commands[0]
    assert runbook.limits


@pytest.mark.parametrize("name", ["kit", "one_shot", "versions"])
def test_shells_read_every_command_and_markdown_shows_it_as_it_is(
    name: str, request: pytest.FixtureRequest
) -> None:
    runbook = planned(request.getfixturevalue(name))
    shown = as_markdown(runbook)
    for command in {one for step in steps(runbook) for one in step.commands}:
        assert parses(command)
        assert command in shown


@pytest.mark.parametrize("name", ["kit", "one_shot"])
def test_resources_are_exported_freed_and_made_before_their_crd_goes(
    name: str, request: pytest.FixtureRequest
) -> None:
    runbook = planned(request.getfixturevalue(name))
    found = commands(runbook)
    order = [
        place(found, "scale deployment hello-manager --replicas=0"),
        place(found, f"kubectl get {OLD} -A -o yaml > backup/{OLD}.yaml"),
        place(found, "kitgen migrate resources new-group -"),
        place(found, "kubectl create --dry-run=server"),
        place(found, f"kubectl delete {OLD} -A --all --cascade=orphan"),
        place(found, "grep -F -f", f"{OLD}.uids"),
        place(found, f"kubectl apply --server-side -f moved/{OLD}.yaml"),
        place(found, f"kubectl delete crd {OLD}"),
    ]
    assert order == sorted(order)
    carried = Phase.PREPARE if name == "one_shot" else Phase.MIGRATE
    assert f"kubectl delete {OLD} -A --all --cascade=orphan" in commands(runbook, carried)


def test_an_export_is_never_written_over(kit: Path) -> None:
    found = [each for each in commands(planned(kit)) if "> backup/" in each and ".crd.yaml" not in each]
    assert found and all(each.startswith("test ! -e backup/") for each in found)


def test_the_operator_of_the_old_kinds_is_started_by_the_next_release(one_shot: Path) -> None:
    runbook = planned(one_shot)
    start = "scale deployment hello-manager --replicas=1"
    assert not [each for each in commands(runbook, Phase.PREPARE) if start in each]
    found = commands(runbook, Phase.READ_ONLY)
    assert place(found, "-k phases/read-only", "apply") < place(found, start)


@pytest.mark.parametrize(("minor", "refused"), [("1.30", True), ("1.29", False)])
def test_it_says_plainly_that_nothing_refuses_old_resources(kit: Path, minor: str, refused: bool) -> None:
    changed(kit, SPEC, (">=1.30", f">={minor}"))
    runbook = planned(kit)
    said = "an admission policy needs Kubernetes 1.30, and clusters of this migration may have 1.29"
    phase = next(each for each in runbook.phases if each.phase is Phase.READ_ONLY)
    for texts in (phase.risks, [each.why or "" for each in phase.checks], runbook.limits):
        assert any(said in each for each in texts) == (not refused)
    asked = [each for step in phase.checks for each in step.commands if "validatingadmissionpolicies" in each]
    assert bool(asked) == refused


def test_whoever_looks_after_a_target_is_told_apart(kit: Path) -> None:
    runbook = planned(kit)
    assert not runbook.surroundings
    assert {each.by for each in steps(runbook)} == {None}


def test_argo_cd_is_paused_first_and_its_keys_change(kit: Path) -> None:
    added(kit, "targets/olm.yaml", ARGOCD)
    runbook = planned(kit)
    (about,) = runbook.surroundings
    assert about.by is Manager.ARGOCD
    assert any("example.com_Greeting" in each and "greetings.example.org_G" in each for each in about.notes)
    found = commands(runbook)
    paused = place(found, "patch applications.argoproj.io small-olm-hello", '{"automated":null}')
    assert paused < place(found, "apply --server-side --force-conflicts -k phases/introduce")


def test_the_odh_operator_removes_and_manages(one_shot: Path) -> None:
    changed(one_shot, SPEC, ("targets: [olm]", "targets: [olm, odh]"))
    runbook = planned(one_shot, "odh")
    assert [each.by for each in runbook.surroundings] == [Manager.ODH]
    found = commands(runbook)
    removed, managed = place(found, "default-dsc", '"Removed"'), place(found, "default-dsc", '"Managed"')
    assert removed < place(found, "--cascade=orphan") < managed
    assert not [each for each in found if " scale " in each or ("-k phases/" in each and "apply" in each)]


def test_olm_waits_for_an_approval(one_shot: Path) -> None:
    added(one_shot, "targets/olm.yaml", BUNDLE)
    for version in ("v1.0.0", "v1.1.0", "v2.0.0"):
        if version != "v1.1.0":
            added(one_shot, f"components/hello/{version}/component.yaml", LISTING)
    runbook = planned(one_shot)
    (about,) = runbook.surroundings
    assert about.by is Manager.OLM and any("never deletes a CRD" in each for each in about.notes)
    found = commands(runbook)
    manual = place(found, "patch subscriptions.operators.coreos.com hello-operator", '"Manual"')
    approved = place(found, "patch installplans.operators.coreos.com", '"approved":true')
    freed, made = place(found, "--cascade=orphan"), place(found, "apply --server-side -f moved/")
    assert manual < freed < made < approved
    by_hand = [step for each in runbook.phases for step in each.steps if step.by is Manager.OLM]
    assert any(f"phases/prepare/{NEW}.yaml" in one for step in by_hand for one in step.commands)


def test_a_version_goes_only_after_its_resources(versions: Path) -> None:
    runbook = planned(versions)
    found = commands(runbook)
    freed = place(found, "kubectl delete greetings.v1.example.com -A --all --cascade=orphan")
    joined = place(found, "apply", "-f phases/read-only/greetings.example.com.yaml")
    tried = place(
        found, "kubectl apply --server-side --dry-run=server -f moved/greetings.v1.example.com.yaml"
    )
    made = place(found, "kubectl apply --server-side -f moved/greetings.v1.example.com.yaml")
    patched = place(found, "patch crd greetings.example.com", '{"storedVersions":["v2"]}')
    last = place(found, "apply --server-side --force-conflicts -k phases/after")
    assert freed < joined < tried < made < patched < last
    assert not [each for each in found if "delete crd" in each]
    risks = [each for phase in runbook.phases for each in phase.risks]
    assert any("drops every field that the new schema does not have" in each for each in risks)


def test_resources_of_one_group_are_freed_before_an_operator_serves_both(kit: Path) -> None:
    found = planned(serving_both_versions(kit))
    introduce = commands(found, Phase.INTRODUCE)
    freed = place(introduce, "--cascade=orphan")
    assert (
        freed < place(introduce, "--server-side -f moved/") < place(introduce, "apply", "-k phases/introduce")
    )
    assert not [each for each in commands(found, Phase.MIGRATE) if "--cascade=orphan" in each]


@pytest.mark.parametrize(("stored", "phase"), [("v1", Phase.MIGRATE), ("v2", Phase.INTRODUCE)])
def test_what_the_operator_for_both_converts_is_never_deleted(kit: Path, stored: str, phase: Phase) -> None:
    found = planned(serving_both_versions(kit, "conversion: webhook\n", stored))
    everything = commands(found)
    assert not [each for each in everything if "--cascade=orphan" in each or "--replicas=0" in each]
    anew = commands(found, phase)
    written = place(anew, "kubectl get greetings.v2.example.com -A -o json | kubectl replace -f -")
    assert place(anew, "apply", f"-k phases/{phase}") < written < place(anew, "storedVersions", "patch crd")
    assert len([each for each in everything if "patch crd" in each]) == 1


def webhook(made: PhaseMade) -> PhaseMade:
    """Return a phase whose CRDs have somebody convert their versions."""
    some = []
    for each in made.objects:
        if each.id.kind == "CustomResourceDefinition":
            spec = {**each.body["spec"], "conversion": {"strategy": "Webhook"}}
            some.append(each.replace_body({**each.body, "spec": spec}))
        else:
            some.append(each)
    return replace(made, objects=tuple(some))


def inputs(root: Path) -> tuple[MigrationSite, list[PhaseMade], Phases]:
    opening = open_migration(root, "new-group")
    phases = Phases(opening, resolve_target(opening, "olm"))
    made = [phases.build(each) for each in opening.migration.phases]
    return build_migration_site(opening.migration, phases.target, phases.plans), made, phases


def test_what_a_server_converts_is_written_anew_and_not_deleted(versions: Path) -> None:
    where, made, phases = inputs(versions)
    found = commands(build_runbook(phases.migration, where, [webhook(each) for each in made]))
    stored = place(found, "kubectl get greetings.v2.example.com -A -o json | kubectl replace -f -")
    assert place(found, "apply", "-k phases/read-only") < stored < place(found, "storedVersions", "patch crd")
    assert not [each for each in found if "--cascade=orphan" in each or "-f moved/" in each]


@pytest.mark.parametrize("odd", ["a b", "$(touch x)", "'; touch x; '", "`touch x`", "a\nb"])
def test_names_of_strangers_stay_words(kit: Path, odd: str) -> None:
    where, made, phases = inputs(kit)
    strange = (OperatorDeployment(namespace=odd, name=odd, replicas=1, selector=odd),)
    where = replace(where, operators=dict.fromkeys(where.operators, strange))
    target = replace(where.target, name=odd)
    runbook = build_runbook(phases.migration, replace(where, target=target), made)
    named = [one for step in steps(runbook) for one in step.commands if odd in shlex.split(one)]
    assert [each for each in named if each.startswith("kitgen migrate render")]
    assert [each for each in named if " scale " in each]
    assert all(parses(one) for step in steps(runbook) for one in step.commands)


def test_keys_are_told_with_their_reason_in_cells_that_they_cannot_leave(kit: Path) -> None:
    changed(kit, SPEC, ("reason: both operators find what they made by it", 'reason: "it | <b>is</b>"'))
    shown = as_markdown(planned(kit))
    row = "| `example.com/greeting` | both | `greetings.example.org/greeting` | it &#124; &lt;b>is&lt;/b> |"
    assert row in shown.splitlines()


def test_steps_of_a_migration_stay_as_they_are_written(kit: Path) -> None:
    odd = RunbookStep(title="$ no command", why="# no  step\n:: nor a part", commands=["a\n# b", "- c"])
    said = {"phase": "switch", "title": f"{odd.title}.", "why": odd.why, "commands": odd.commands}
    added(kit, SPEC, f"steps: [{json.dumps(said)}]\n")
    (phase,) = [each for each in planned(kit).phases if each.phase is Phase.SWITCH]
    assert phase.steps[-1] == odd
