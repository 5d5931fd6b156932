from __future__ import annotations

import json

import pytest
import yaml
from click.testing import CliRunner
from small_crd import STRING, crd, obj, version

from kitgen.compare.commands.crd_diff import diff
from kitgen.compare.crds.compare import build_bases_hint, compare_crds

HOOK = {
    "strategy": "Webhook",
    "webhook": {"clientConfig": {"url": "https://a"}, "conversionReviewVersions": ["v1"]},
}
GENERATED = {"controller-gen.kubebuilder.io/version": "v0.16.0"}
OLD_SPEC, NEW_SPEC = obj({"a": STRING, "b": STRING}), obj({"c": STRING})


def body(stored="v1", annotations=GENERATED, labels=None, **spec):
    listed = [version("v1", OLD_SPEC, storage=stored == "v1")]
    if stored == "v2":
        listed.append(version("v2", NEW_SPEC))
    made = crd(*listed, **spec)
    made["metadata"] |= {"annotations": annotations, **({"labels": labels} if labels else {})}
    return made


def built(stored="v1", **more):
    return body(stored, labels={"app": "a"}, **more)


def hint(old, new):
    return build_bases_hint([old], [new], compare_crds([old], [new]))


def test_what_stored_objects_seem_to_lose_is_laid_to_the_bases():
    assert len([c for c in compare_crds([built()], [body("v2")]) if c.places[0].former == "v1"]) == 2
    said = hint(built(), body("v2"))
    assert said.startswith("NEW seems to be bases")
    assert "2 changes come from the missing conversion" in said
    assert hint(body(), body("v2")) == said
    assert hint(built(), built("v2", conversion=HOOK)) == ""


def test_a_conversion_that_is_only_on_one_side_is_laid_to_the_bases():
    said = hint(body("v2"), built("v2", conversion=HOOK))
    assert said.startswith("OLD seems to be bases")
    assert "1 change comes" in said
    assert hint(built("v2", conversion=HOOK), body("v2")).startswith("NEW seems to be bases")


def test_the_hint_says_when_nothing_comes_of_it():
    assert hint(built(), body()).endswith("no change here comes from a missing conversion")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (body(), body()),
        (built(), built()),
        (built("v2", conversion=HOOK), built("v2")),
        (built(), body("v2", annotations={"team": "a"})),
    ],
)
def test_sides_that_are_alike_get_no_hint(old, new):
    assert hint(old, new) == ""


def test_a_side_that_is_known_to_be_whole_is_not_suspected():
    changes = compare_crds([built()], [body("v2")])
    assert build_bases_hint([built()], None, changes) == ""
    assert build_bases_hint(None, [body("v2")], changes)
    assert build_bases_hint(None, [body()], ()) == ""


@pytest.mark.parametrize("output", ["text", "json", "markdown"])
def test_the_hint_is_told_once_however_many_crds_there_are(output, tmp_path):
    def write(name, *bodies):
        path = tmp_path / name
        path.write_text(yaml.safe_dump_all(bodies))
        return str(path)

    def other(made):
        made["metadata"]["name"], made["spec"]["group"] = "widgets.other.com", "other.com"
        return made

    old = write("old.yaml", built(), other(built()))
    new = write("new.yaml", body("v2"), other(body("v2")))
    result = CliRunner().invoke(diff, [old, new, "--output", output])
    assert result.exit_code == 1
    assert result.stdout.count("seems to be bases") == 1
    assert "2 changes come" in result.stdout
    if output == "json":
        assert json.loads(result.stdout)["hint"].startswith("NEW seems")
