"""Every rule of bundles on the small one of tests/cases/bundle, which breaks none, and on what breaks it.

A folder of tests/cases/bundle has the name of a rule; in it, each ok* and bad* is laid over the base: files
replace its own, edits.diff changes lines, delete.txt names files that go. With folders of versions it is a
package, and each of them is laid over the base as that version. A comment `# <- rule` ends every line that
has a finding, with the ids of the rules; expect.txt has those that no line can show, each as a place and a
rule.
All rules of all profiles count.
"""

from __future__ import annotations

import re
from pathlib import Path

import bundles
import pytest

from kitgen.findings import Chapter, Finding, Origin, Severity, rules_by_id
from kitgen.olm.check import BundleCheckRequest, BundlesChecked, run_bundle_check
from kitgen.olm.packages.records import Bundle, PackageFile
from kitgen.olm.rules.layout import MOST
from kitgen.olm.rules.layout import check as check_layout
from kitgen.olm.rules.profiles import ASKED, Profile
from kitgen.olm.rules.terms import BundleTerms
from kitgen.report.text import locate_findings

MARK = re.compile(r"# <- ([a-z-]+(?:, [a-z-]+)*)$")
MADE = frozenset(
    {"bundle-elsewhere", "bundle-listing", "bundle-webhook", "bundle-webhook-scope", "install-mode"}
)
"""Rules of bundles that cannot be made as they are meant, which are found when targets are compiled."""
LARGE = frozenset({"bundle-size", "bundle-size-near"})
"""Rules whose cases would be too large for a folder."""


def checked(folder: Path) -> BundlesChecked:
    return run_bundle_check(BundleCheckRequest(folder=str(folder), profile=Profile.CERTIFIED))


def marks(folder: Path, case: Path) -> list[tuple[str, int, str]]:
    found = [
        (path.relative_to(folder).as_posix(), number, rule)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (match := MARK.search(line))
        for rule in match[1].split(", ")
    ]
    more = case / "expect.txt"
    for line in more.read_text().splitlines() if more.exists() else ():
        place, rule = line.split()
        name, _, number = place.partition(":")
        found.append((name, int(number or 0), rule))
    return sorted(found)


@pytest.mark.parametrize("case", bundles.bundle_cases(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_is_marked_is_found_and_nothing_else(case: Path, tmp_path: Path) -> None:
    folder = bundles.make_case(tmp_path, case)
    result = checked(folder)
    wanted = marks(folder, case)
    assert bool(wanted) == case.name.startswith("bad")
    meant = {rule for *_, rule in wanted}
    found = [
        each
        for each in locate_findings(result.findings, result.texts.get)
        if each.rule.chapter is Chapter.BUNDLE or each.rule.id in meant or (each.is_blocking and not wanted)
    ]
    places = [(_inside(each.origin, folder), each.rule.id) for each in found]
    assert sorted((*place, rule) for place, rule in places) == wanted


def _inside(origin: Origin, folder: Path) -> tuple[str, int]:
    path = Path(origin.file)
    lined = path.suffix in (".yaml", ".yml", ".Dockerfile")
    return path.relative_to(folder).as_posix(), origin.line if lined else 0


def test_the_base_breaks_no_rule(tmp_path: Path) -> None:
    assert checked(bundles.make_bundle(tmp_path / "bundle")).findings == ()


SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: web-operator}
spec:
  selector: {app: APP, tier: back}
  ports: [{port: 80, targetPort: PORT}]
"""


@pytest.mark.parametrize(
    ("app", "port", "told"),
    [
        ("web-operator", "80", "service-selector"),
        ("other", "80", ""),
        ("web-operator", "http", "service-port"),
    ],
)
def test_services_lead_to_what_olm_deploys(tmp_path: Path, app: str, port: str, told: str) -> None:
    folder = bundles.make_bundle(tmp_path / "bundle")
    text = SERVICE.replace("APP", app).replace("PORT", port)
    if told == "service-port":
        text = text.replace(", tier: back", "")
    (folder / "manifests" / "service.yaml").write_text(text)
    found = [(each.rule.id, each.severity) for each in checked(folder).findings]
    assert found == ([(told, Severity.WARNING)] if told else [])


def test_what_a_deployment_mounts_is_in_the_bundle_or_there_before(tmp_path: Path) -> None:
    folder = bundles.make_bundle(tmp_path / "bundle")
    some = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: some}\n"
    (folder / "manifests" / "some.yaml").write_text(some)
    csv, mounted = folder / bundles.CSV, "              volumes: [{name: a, configMap: {name: NAME}}]\n"
    text = csv.read_text()
    found = {}
    for name in ("some", "other"):
        added = mounted.replace("NAME", name)
        csv.write_text(text.replace("              containers:\n", f"{added}              containers:\n"))
        found[name] = [(each.rule.id, each.hint) for each in checked(folder).findings]
    hint = "correct only if it is created before the operator is installed"
    assert found == {"some": [], "other": [("configuration-missing", hint)]}


IMAGE = re.compile(r" +image: example.com/web/operator@\S+\n(?= +env:)")
CONTAINERS = re.compile(r" +containers:\n.*", re.DOTALL)
MORE = "                resources:\n"
PORT = "{containerPort: 80, name: a}"
VOLUME = "{name: a, emptyDir: {}}"
HOOK = """\
  webhookdefinitions:
  - type: ValidatingAdmissionWebhook
    generateName: vweb.example.com
    admissionReviewVersions: [v1]
    sideEffects: None
    deploymentName: web-operator
  relatedImages:
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (IMAGE, "", [("container-image", 75)]),
        (CONTAINERS, "", [("field-missing", 72)]),
        (
            MORE,
            f"                volumeMounts: [{{name: data, mountPath: /d}}]\n{MORE}",
            [("server-invalid", 80)],
        ),
        (MORE, f"                livenessProbe: {{httpGet: {{port: htp}}}}\n{MORE}", [("probe-port", 80)]),
        (MORE, f"                args: [$(WEBS)]\n{MORE}", [("variable-undefined", 80)]),
        (MORE, f"                args: [$(OPERATOR_CONDITION_NAME)]\n{MORE}", []),
        (MORE, f"                limits: {{}}\n{MORE}", [("field-unknown", 80)]),
        (IMAGE, "                image: example.com/Web operator\n", [("image-reference", 76)]),
        (
            MORE,
            f"                ports: [{PORT}, {PORT.replace('80', '81')}]\n{MORE}",
            [("server-duplicate", 80)],
        ),
        (
            "              containers:\n",
            f"              volumes: [{VOLUME}, {VOLUME}]\n              containers:\n",
            [("server-duplicate", 74)],
        ),
        ("replicas: 1", "replicas: -1", [("server-invalid", 66)]),
        ("- name: web-operator\n", "- name: Web\n", [("name-invalid", 64)]),
    ],
)
def test_deployments_are_checked_as_any_other(
    tmp_path: Path, old: str | re.Pattern[str], new: str, told: list[tuple[str, int]]
) -> None:
    folder = bundles.make_bundle(tmp_path / "bundle")
    csv = folder / bundles.CSV
    text = csv.read_text()
    changed = text.replace(old, new) if isinstance(old, str) else old.sub(new, text)
    assert changed != text
    csv.write_text(changed)
    result = checked(folder)
    found = [
        each
        for each in locate_findings(result.findings, result.texts.get)
        if each.rule.chapter is not Chapter.BUNDLE
    ]
    assert [(each.rule.id, each.origin.line) for each in found] == told
    assert all("Deployment/" in each.subject for each in found)


def test_olm_mounts_certificates_where_webhooks_are_served(tmp_path: Path) -> None:
    folder = bundles.make_bundle(tmp_path / "bundle")
    csv = folder / bundles.CSV
    mount = f"                volumeMounts: [{{name: webhook-cert, mountPath: /c}}]\n{MORE}"
    csv.write_text(csv.read_text().replace(MORE, mount))
    assert [each.rule.id for each in checked(folder).findings] == ["server-invalid"]
    csv.write_text(csv.read_text().replace("  relatedImages:\n", HOOK))
    assert checked(folder).findings == ()


def test_every_rule_is_broken_by_a_case() -> None:
    wanted = {rule.id for rule in rules_by_id().values() if rule.chapter is Chapter.BUNDLE} - MADE - LARGE
    assert wanted == {path.name for path in bundles.FOLDER.iterdir()} - {"base"}


def test_every_rule_is_asked_for_by_one_profile() -> None:
    asked = [rule for some in ASKED.values() for rule in some]
    assert sorted(asked) == sorted(
        {rule.id for rule in rules_by_id().values() if rule.chapter is Chapter.BUNDLE} - MADE
    )


@pytest.mark.parametrize(
    ("size", "told"),
    [
        (MOST // 2, []),
        (int(MOST * 0.9), ["bundle-size-near"]),
        (MOST + 1, ["bundle-size"]),
    ],
)
def test_the_size_is_told_with_its_figure(size: int, told: list[str]) -> None:
    files = (PackageFile(path="a.yaml", size=size - 10), PackageFile(path="b.yaml", size=10))
    bundle = Bundle(origin=Origin("bundle"), files=files, folders=("manifests", ""))
    found = [each for each in check_layout(bundle, BundleTerms()) if isinstance(each, Finding)]
    found = [each for each in found if each.rule.id != "csv-single"]
    assert [each.rule.id for each in found] == told
    assert all(f"{size:,} bytes" in each.message and "a.yaml" in each.hint for each in found)
