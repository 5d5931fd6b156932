"""Whatever the specs say, commands and scripts hold it as words."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import publishing
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kitgen.kit.releases import Tags
from kitgen.release.publishing import compute_pull_request, list_published_tags
from kitgen.release.steps.facts import ReleaseBundle, ReleaseFacts, Repository
from kitgen.release.steps.plan import build_plan
from kitgen.release.steps.script import render_script
from kitgen.release.steps.step import StepKey, StepState
from kitgen.workspace.kit import open_kit

TEXTS = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=60)


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> ReleaseFacts:
    kit = open_kit(publishing.make(tmp_path_factory.mktemp("kit"))).kit
    release = kit.releases["v1.0.0"]
    return ReleaseFacts(
        kit=kit,
        release=release,
        tags=Tags(),
        tagged=list_published_tags(kit, release).value,
        request=compute_pull_request(kit, release).value,
        fresh={"olm": False},
        bundles=(ReleaseBundle(target="olm", package="hello", folder="operators/hello/1.0.0"),),
        git=Repository(tagged=False, changed={}),
    )


@given(text=TEXTS)
def test_any_text_stays_a_word(facts: ReleaseFacts, text: str) -> None:
    assert facts.request is not None and facts.kit.matrix is not None
    request = replace(facts.request, title=text, body=f"{text}\n{text}", commit=text)
    told = replace(facts.kit.publishing, announce=(text,))
    plan = build_plan(replace(facts, request=request, kit=replace(facts.kit, name=text, publishing=told)))
    catalog = next(each for each in plan.steps if each.key is StepKey.CATALOG)
    words = [shlex.split(command) for part in catalog.parts for command in part.commands]
    assert words[-1][-4:] == ["--title", text, "--body", f"{text}\n{text}"]
    assert any(line[-2:] == ["--message", text] for line in words)
    script = render_script(plan)
    shell = shutil.which("sh")
    assert shell is not None
    read = subprocess.run([shell, "-n"], input=script.encode(), capture_output=True, check=False)
    assert (read.returncode, read.stderr) == (0, b"")
    own = [line for line in f"{text}\n{text}".splitlines() if line.startswith("#")]  # lines in quotes
    comments = [line for line in script.splitlines() if line.startswith("#")]
    assert 0 <= len(comments) - (4 + len(StepKey)) <= 3 * len(own)


def test_a_step_waits_for_those_before_it(facts: ReleaseFacts) -> None:
    plan = build_plan(facts)
    assert [each.number for each in plan.steps] == [*range(1, 9)]
    assert plan.steps[0].state is StepState.TODO
    assert plan.steps[3].why == "steps 1, 2 and 3 come first"
    wrong = build_plan(replace(facts, errors=2))
    assert [each.state for each in wrong.steps[1:3]] == [StepState.BLOCKED, StepState.BLOCKED]
    assert wrong.steps[2].why == "step 2 comes first"


def test_a_release_that_is_all_done_has_an_empty_script(facts: ReleaseFacts) -> None:
    keys = ("components", "image", "tag", "catalog", "stable", "announce", "downstream")
    release = replace(facts.release, done=dict.fromkeys(keys, "2030-01-31"))
    plan = build_plan(replace(facts, release=release, fresh={"olm": True}))
    assert plan.next_step is None
    assert "skopeo" not in render_script(plan).replace("# ", "").partition("kit.yaml")[0]


def test_what_is_older_is_not_the_latest(facts: ReleaseFacts) -> None:
    later = replace(facts.release, name="v2.0.0", date="2030-01-31")
    newer = replace(facts, kit=replace(facts.kit, releases={**facts.kit.releases, "v2.0.0": later}))
    commands = [line for step in build_plan(newer).steps for part in step.parts for line in part.commands]
    assert any(line.startswith("gh release create") and "--latest=false" in line for line in commands)
    early = replace(facts, release=replace(facts.release, name="v1.0.0-rc.1"))
    commands = [line for step in build_plan(early).steps for part in step.parts for line in part.commands]
    assert any(line.startswith("gh release create") and "--prerelease" in line for line in commands)
