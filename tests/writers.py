"""Every command that writes, each with a folder that it is run on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import kits
from running import Run, run
from small_crd import STRING, crd_of, obj

from kitgen.yamlio import dump_all

OLD_MARK = 'kit: old\nkubernetes: ">=1.29 <=1.30"\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """A command that writes, and what has to be there before; all paths are below one folder."""

    args: tuple[str, ...]
    before: Callable[[Path], object] = lambda _: None

    def prepare(self, folder: Path) -> None:
        """Make the folder as it is before the command."""
        shutil.rmtree(folder, ignore_errors=True)
        kept = folder.with_suffix(".before")
        if not kept.exists():
            folder.mkdir(parents=True)
            self.before(folder)
            folder.rename(kept)
        shutil.copytree(kept, folder)

    def run(self, folder: Path) -> Run:
        """Run the command."""
        return run(*(arg.replace("FOLDER", str(folder)) for arg in self.args))


def small(folder: Path) -> Path:
    """Make a kit of one target, and a CRD to import."""
    root = kits.make_kit(folder / "kit")
    for name in ("olm", "rhoai"):
        (root / f"targets/{name}.yaml").unlink()
    put_crd(folder, "a")
    return root


def rendered(folder: Path) -> None:
    """Make a kit that was rendered before its specs were changed: files come, change and go."""
    root = small(folder)
    target = root / "targets/odh.yaml"
    shutil.copy(target, folder / "target")
    target.write_text(target.read_text().replace("target: odh", "target: old"))
    target.rename(root / "targets/old.yaml")
    assert run("render", "-q", "--root", root).code == 0
    (root / "targets/old.yaml").unlink()
    shutil.copy(folder / "target", target)
    (folder / "target").unlink()


def imported(folder: Path) -> None:
    """Make a kit with CRDs that were imported, before they changed."""
    small(folder)
    assert WRITERS["import"].run(folder).code == 0
    put_crd(folder, "a", "b")


def upstream(folder: Path) -> None:
    """Make a kit, and newer trees of a component of its: as upstream has it, and as a fork does."""
    root = small(folder)
    own = run("build", "component:hello@v1.0.0", "--root", root).out
    fork = run("build", "odh", "hello", "--root", root).out.replace("- list", "- list\n  - patch")
    more = {"kind": "Gadget", "listKind": "GadgetList", "plural": "gadgets", "singular": "gadget"}
    body = crd_of(obj({"a": STRING}))
    body["metadata"]["labels"] = {"app.kubernetes.io/name": "hello"}
    body["spec"]["names"] = more
    body["metadata"]["name"] = f"gadgets.{body['spec']['group']}"
    both = {"own.yaml": own, "odh.yaml": fork}
    kits.write(folder, {name: f"{text}{dump_all([body])}" for name, text in both.items()})


def outdated(folder: Path) -> None:
    """Make a kit of an older form."""
    kits.write(kits.make_kit(folder / "kit", kits.CASES / "invalid/crd-minor"), {"kit.yaml": OLD_MARK})


def chained(folder: Path) -> None:
    """Make a kit with a version that builds on another one, and changes its files."""
    kits.make_kit(folder / "kit", kits.CASES / "valid/from-a-version-with-files")


def shipping(folder: Path) -> None:
    """Make a kit with two releases, one of which a target pins."""
    root = kits.make_kit(folder / "kit", kits.CASES / "valid/two-releases")
    shutil.copytree(root / "components/hello/v1.0.0/crds", root / "components/hello/v1.1.0/crds")


def project(folder: Path) -> None:
    """Make a kit whose releases have the version of its component."""
    mark = small(folder) / "kit.yaml"
    mark.write_text(f"{mark.read_text()}project: hello\n")


def retirable(folder: Path) -> None:
    """Make a kit with a version that nothing needs, of several files."""
    root = small(folder)
    old = root / "components/hello/v1.0.0"
    shutil.copytree(old, root / "components/hello/v0.9.0")
    spec = root / "components/hello/v0.9.0/component.yaml"
    spec.write_text(spec.read_text().replace("version: v1.0.0", "version: v0.9.0"))


def put_crd(folder: Path, *fields: str) -> None:
    spec = obj(dict.fromkeys(fields, STRING))
    both = [crd_of(spec), crd_of(spec, group="example.org")]
    for each, kind in zip(both, ("Widget", "Gadget"), strict=True):
        names = {"kind": kind, "plural": f"{kind.lower()}s", "singular": kind.lower()}
        each["spec"]["names"] = {**names, "listKind": f"{kind}List"}
        each["metadata"]["name"] = f"{names['plural']}.{each['spec']['group']}"
    (folder / "in.yaml").write_text(dump_all(both), encoding="utf-8")


IN_KIT = ("--root", "FOLDER/kit")
IMPORT = ("crd", "import", "FOLDER/in.yaml", "--component", "hello", "--version", "v1.1.0", *IN_KIT)
WHOLE = (
    *("import", "FOLDER/own.yaml", "--as", "hello@v1.1.0", "--target", "odh=FOLDER/odh.yaml"),
    *IN_KIT,
)
WRITERS = {
    "init": Writer(args=("init", "FOLDER/kit")),
    "render": Writer(args=("render", *IN_KIT), before=small),
    "render again": Writer(args=("render", *IN_KIT), before=rendered),
    "render elsewhere": Writer(args=("render", "--out", "FOLDER/kit/build/out", *IN_KIT), before=small),
    "export": Writer(args=("export", "odh", "FOLDER/kit/build/out", *IN_KIT), before=small),
    "import": Writer(args=IMPORT, before=small),
    "import again": Writer(args=IMPORT, before=imported),
    "import a component": Writer(args=WHOLE, before=upstream),
    "pin": Writer(args=("pin", "odh", "v1.0.0", *IN_KIT), before=shipping),
    "release new": Writer(args=("release", "new", "v1.0.1", "--hotfix", *IN_KIT), before=project),
    "retire": Writer(args=("retire", "hello@v0.9.0", *IN_KIT), before=retirable),
    "upgrade": Writer(args=("upgrade", *IN_KIT), before=outdated),
    "flatten": Writer(args=("flatten", "hello@v1.1.0", *IN_KIT), before=chained),
}
