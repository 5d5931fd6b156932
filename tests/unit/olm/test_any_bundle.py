"""Whatever stands in the files of a bundle: findings come of it, and nothing else."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import bundles
from hypothesis import given
from hypothesis import strategies as st
from some import few

from kitgen.olm.check import BundleCheckRequest, run_bundle_check
from kitgen.olm.rules.profiles import Profile
from kitgen.report.text import locate_findings
from kitgen.text.yaml import Json, read_yaml

CI = "updateGraph: replaces-mode\nreviewers: [ann]\nfbc: {enabled: true, catalog_mapping: []}\n"
RELEASE = (
    "catalog_templates: [{template_name: a, channels: [b], replaces: c, skips: [d], skipRange: '>=1'}]\n"
)
NEEDS = (
    "dependencies: [{type: olm.package, value: {packageName: a, version: '1'}}, "
    "{type: olm.constraint, value: {cel: {rule: a}, all: {constraints: [{package: {packageName: b}}]}}}]\n"
)
FILES = {
    **{name: (bundles.BASE / name).read_text() for name in (bundles.CSV, bundles.CRD, bundles.ANNOTATIONS)},
    "metadata/dependencies.yaml": NEEDS,
    "metadata/properties.yaml": "properties: [{type: a, value: b}]\n",
    "release-config.yaml": RELEASE,
    "manifests/budget.yaml": (
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a}, spec: {maxUnavailable: 1}}\n"
    ),
    "manifests/role.yaml": (
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: a}, rules: "
        "[{apiGroups: [policy], resources: [a], verbs: ['*'], resourceNames: [b]}]}\n"
    ),
}
ODD = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-5, 5),
        st.just(10**400),
        st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from(
            [
                *("", " ", "a", "v", ".", "1.0.0", "v4.", "v4.12-v", "=v4.1", ">=1 || x", "1.x.x.x", "a@b"),
                *(
                    "[{}]",
                    "[1]",
                    "{",
                    "@sha256:",
                    "https://[",
                    "x" * 300,
                    "web-operator.v1.0.0",
                    "\u2028",
                    ",",
                ),
                *("9" * 300 + ".0.0", ">=" + "9" * 50, "olm.package", "olm.constraint", "fast,,"),
            ]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["name", "a", ""]), inner, max_size=3)
    ),
    max_leaves=4,
)


def places(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return every place in a document."""
    found = [path]
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        found += places(item, (*path, key))
    return found


def put(document: Json, path: tuple[str | int, ...], value: Json) -> Json:
    """Return a document with another value in one place."""
    if not path:
        return value
    document[path[0]] = put(document[path[0]], path[1:], value)
    return document


@st.composite
def texts(draw: st.DrawFn) -> dict[str, str]:
    """Draw the files of a bundle that is wrong in some places."""
    found = {}
    for name, text in FILES.items():
        document = read_yaml(text)
        for _ in range(draw(st.integers(0, 3))):
            document = put(document, draw(st.sampled_from(places(document))), draw(ODD))
        found[name] = json.dumps(document) + "\n"
    return found


@few()
@given(older=texts(), newer=texts(), ci=st.one_of(st.none(), ODD))
def test_odd_values_anywhere_are_findings(older: dict[str, str], newer: dict[str, str], ci: Json) -> None:
    with tempfile.TemporaryDirectory() as name:
        package = Path(name)
        for version, files in (("1.0.0", older), ("1.1.0", newer)):
            for file, text in files.items():
                path = package / version / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        (package / "ci.yaml").write_text(CI if ci is None else json.dumps(ci), encoding="utf-8")
        result = run_bundle_check(BundleCheckRequest(folder=name, profile=Profile.CERTIFIED))
        assert result.bundles == 2
        assert all(each.message for each in locate_findings(result.findings, result.texts.get))
