"""Every command that writes, each with a folder that it is run on."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import kits
import publishing
import pytest
from moving import V1, moving_kit
from running import Run, run
from small_crd import STRING, crd_of, obj

from kitgen.release.matrix.block import END, START
from kitgen.text.yaml import dump_yaml_documents

OLD_MARK = 'kit: old\nkubernetes: ">=1.29 <=1.30"\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """A command that writes, and what has to be there before; all paths are below one folder."""

    args: tuple[str, ...] = ()
    """Nothing for what pytest's plugin writes."""
    before: Callable[[Path], object] = lambda _: None
    command: str = ""
    """Of the command line, such as `crd import`; the first argument when absent."""
    again: int = 0
    """The exit code once it is done: what is there, or gone, cannot be asked for again."""
    generated: bool = False
    """Whether it writes what nobody edits."""
    single: bool = False
    """Whether it writes files one by one, each of them wholly."""
    follows: bool = False
    """Whether it writes what a symbolic link leads to, which somebody named."""
    out: str = ""
    """Where it writes, if that is not the kit."""

    def prepare(self, folder: Path) -> None:
        """Make the folder as it is before the command; files that are so already are not touched."""
        kept = folder.with_suffix(".before")
        if not kept.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            self.before(folder)
            folder.rename(kept)
        restore(kept, folder)

    def run(self, folder: Path) -> Run:
        """Run the command."""
        if not self.args:
            return update_snapshots(folder / "kit")
        return run(*(arg.replace("FOLDER", str(folder)) for arg in self.args))


def restore(kept: Path, folder: Path) -> None:
    """Make a folder the same as one that is kept."""
    folder.mkdir(exist_ok=True)
    there, wanted = ({each.name: each for each in os.scandir(place)} for place in (folder, kept))
    for name, each in there.items():
        if name not in wanted or kind_of(each) != kind_of(wanted[name]):
            (shutil.rmtree if each.is_dir(follow_symlinks=False) else os.unlink)(each.path)
    for name, each in wanted.items():
        if each.is_dir():
            restore(Path(each.path), folder / name)
        elif not (folder / name).is_symlink() and not (folder / name).exists():
            shutil.copy2(each.path, folder / name)
    stat, old = folder.stat(), kept.stat()
    if (stat.st_mode, stat.st_mtime_ns) != (old.st_mode, old.st_mtime_ns):
        shutil.copystat(kept, folder)


def kind_of(entry: os.DirEntry[str]) -> tuple[int, ...]:
    """Return what is another one if a file is changed; a folder is only itself."""
    stat = entry.stat(follow_symlinks=False)
    return (
        (stat.st_mode,)
        if entry.is_dir(follow_symlinks=False)
        else (stat.st_mode, stat.st_size, stat.st_mtime_ns)
    )


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
    kits.write(folder, {name: f"{text}{dump_yaml_documents([body])}" for name, text in both.items()})


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


def offering(folder: Path) -> None:
    """Make a kit with a bundle for catalogs."""
    root = kits.make_kit(folder / "kit", kits.CASES / "valid/olm-bundle")
    target = root / "targets/olm.yaml"
    community = "  community: {reviewers: [somebody], catalogs: [v4.16]}\n"
    target.write_text(target.read_text().replace("install:\n", f"{community}install:\n"))


def locked(folder: Path) -> None:
    """Make a kit with a lock, and a digest that it does not have."""
    root = small(folder)
    digests = {name: f"sha256:{digit * 64}" for name, digit in (("hello:v1.0.0", "1"), ("other:v1", "2"))}
    entries = "".join(f"  quay.io/example/{name}:\n    digest: {each}\n" for name, each in digests.items())
    kits.write(root, {"locks/v1.0.0.yaml": f"release: v1.0.0\nimages:\n{entries}"})


def documented(folder: Path) -> None:
    """Make a kit with a compatibility matrix, and READMEs with an old one."""
    root = small(folder)
    with (root / "kit.yaml").open("a") as mark:
        mark.write(
            "project: hello\nmatrix:\n  rows:\n  - {label: Hello, of: release, repository: example/hello}\n"
        )
    rows = "| Component | Version |\n|---|---|\n| Hello | v0.1.0 |"
    text = f"# Us\n{START}\n{rows}\n{END}\nEnd\n"
    kits.write(folder, {"README.md": text, "README.new": "mine", "docs/README.md": text})


def published(folder: Path) -> None:
    """Make a kit that says how it is published, and the script of an older plan."""
    shutil.copytree(publishing.make(folder / "made"), folder / "kit")
    shutil.rmtree(folder / "made")
    kits.write(folder, {"rel.new": "mine"})
    assert WRITERS["release script"].run(folder).code == 0
    script = folder / "rel.sh"
    script.write_text(f"{script.read_text()}# older\n")


def unpublished(folder: Path) -> None:
    """Make the same, without a script."""
    published(folder)
    (folder / "rel.sh").unlink()


def moving(folder: Path) -> None:
    """Make a kit with a migration, and an object that moves."""
    moving_kit(folder / "kit")
    meta = {"name": "one", "namespace": "a"}
    body = {"apiVersion": V1, "kind": "Greeting", "metadata": meta, "spec": {"text": "hi"}}
    kits.write(folder, {"export.yaml": dump_yaml_documents([body])})


def migrating(folder: Path) -> None:
    """Make a kit with a migration whose phases render."""
    kits.make_kit(folder / "kit", kits.CASES / "valid/migration")


def recorded(folder: Path) -> None:
    """Make a kit with snapshots that were recorded before its specs were changed."""
    root = small(folder)
    kits.write(root, {"pytest.ini": "[pytest]\nkitgen_snapshots = true\n"})
    assert update_snapshots(root).code == 0
    spec = root / "components/hello/v1.0.0/component.yaml"
    spec.write_text(spec.read_text().replace("hello:v1.0.0", "hello:v1.0.9"))
    kits.write(root, {"snapshots/odh/gone/Old.core__x.yaml": "kind: Old\n"})
    (root / "snapshots/odh/images.txt").unlink()


def update_snapshots(root: Path) -> Run:
    """Write the snapshots of a kit anew, in this process."""
    # Nothing that takes long, such as a look for garbage.
    unused = ("cacheprovider", "randomly", "xdist", "threadexception", "unraisableexception")
    plugins = [part for name in unused for part in ("-p", f"no:{name}")]
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = pytest.main([*plugins, "-c", str(root / "pytest.ini"), "--snapshot-update", str(root)])
    return Run(code=int(code), out=out.getvalue(), err=err.getvalue())


def put_crd(folder: Path, *fields: str) -> None:
    spec = obj(dict.fromkeys(fields, STRING))
    both = [crd_of(spec), crd_of(spec, group="example.org")]
    for each, kind in zip(both, ("Widget", "Gadget"), strict=True):
        names = {"kind": kind, "plural": f"{kind.lower()}s", "singular": kind.lower()}
        each["spec"]["names"] = {**names, "listKind": f"{kind}List"}
        each["metadata"]["name"] = f"{names['plural']}.{each['spec']['group']}"
    (folder / "in.yaml").write_text(dump_yaml_documents(both), encoding="utf-8")


IN_KIT = ("--root", "FOLDER/kit")
IMPORT = ("crd", "import", "FOLDER/in.yaml", "--component", "hello", "--version", "v1.1.0", *IN_KIT)
WHOLE = (
    *("import", "FOLDER/own.yaml", "--as", "hello@v1.1.0", "--target", "odh=FOLDER/odh.yaml"),
    *IN_KIT,
)
CATALOG = ("bundle", "write", "FOLDER/catalog", *IN_KIT)
LOCK = ("images", "lock", "--prune", *IN_KIT)
MATRIX = ("matrix", "--release", "v1.0.0", "--write", "FOLDER/README.md", "FOLDER/docs/README.md", *IN_KIT)
MIRROR = ("mirror", "olm", "--registry", "registry.example.com/mirror", "--out", "FOLDER/out", *IN_KIT)
PHASE = ("--target", "olm", "--phase", "introduce", "--out", "FOLDER/out", *IN_KIT)
RESOURCES = (
    "migrate",
    "resources",
    "groups",
    "FOLDER/export.yaml",
    "--backup",
    "FOLDER/backup.yaml",
    *IN_KIT,
)
SCRIPT = ("release", "plan", "v1.0.0", "--script", "FOLDER/rel.sh", *IN_KIT)
ELSEWHERE = ("--out", "FOLDER/kit/build/out", *IN_KIT)
WRITERS = {
    "init": Writer(args=("init", "FOLDER/kit"), again=2, out="kit"),
    "render": Writer(args=("render", *IN_KIT), before=small, generated=True),
    "render again": Writer(args=("render", *IN_KIT), before=rendered, generated=True),
    "render elsewhere": Writer(
        args=("render", *ELSEWHERE), before=small, generated=True, out="kit/build/out"
    ),
    "export": Writer(
        args=("export", "odh", "FOLDER/kit/build/out", *IN_KIT),
        before=small,
        generated=True,
        out="kit/build/out",
    ),
    "import": Writer(args=IMPORT, before=small, command="crd import"),
    "import again": Writer(args=IMPORT, before=imported, command="crd import"),
    "import a component": Writer(args=WHOLE, before=upstream, again=2),
    "pin": Writer(args=("pin", "odh", "v1.0.0", *IN_KIT), before=shipping),
    "release new": Writer(
        args=("release", "new", "v1.0.1", "--hotfix", *IN_KIT), before=project, again=1, command="release new"
    ),
    "release script": Writer(args=SCRIPT, before=published, command="release plan"),
    "release script, new": Writer(args=SCRIPT, before=unpublished, command="release plan"),
    "retire": Writer(args=("retire", "hello@v0.9.0", *IN_KIT), before=retirable, again=2),
    "upgrade": Writer(args=("upgrade", *IN_KIT), before=outdated),
    "flatten": Writer(args=("flatten", "hello@v1.1.0", *IN_KIT), before=chained, again=2),
    "images lock": Writer(args=LOCK, before=locked, command="images lock"),
    "matrix": Writer(args=MATRIX, before=documented, single=True, follows=True),
    "bundle write": Writer(args=CATALOG, before=offering, command="bundle write", out="catalog"),
    "bundle write, catalog": Writer(
        args=(*CATALOG, "--catalog"), before=offering, command="bundle write", out="catalog"
    ),
    "mirror": Writer(args=MIRROR, before=offering, generated=True, out="out"),
    "migrate render": Writer(
        args=("migrate", "render", "new-group", *PHASE),
        before=migrating,
        command="migrate render",
        generated=True,
        out="out",
    ),
    "migrate backup": Writer(args=RESOURCES, before=moving, command="migrate resources"),
    "snapshots": Writer(before=recorded, generated=True, single=True),
}
