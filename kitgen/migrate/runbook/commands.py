"""The commands of a runbook, as a POSIX shell reads them; names may be anybody's, and are quoted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from shlex import join, quote

from kitgen.kit.model.migration import Phase
from kitgen.migrate.runbook.kinds import PHASES, KindSide, MovingKind
from kitgen.migrate.runbook.managers import OperatorDeployment
from kitgen.text.yaml import Json

NAMES = 'jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name}{"\\n"}{end}'
UIDS = 'jsonpath={range .items[*]}{.metadata.uid}{"\\n"}{end}'
OWNED = (
    "go-template={{range .items}}{{$child := .}}{{range .metadata.ownerReferences}}"
    "{{$child.kind}} {{$child.metadata.namespace}}/{{$child.metadata.name}} is owned by "
    '{{.apiVersion}} {{.kind}}/{{.name}} {{.uid}}{{"\\n"}}{{end}}{{end}}'
)
HELD = (
    "go-template={{range .items}}{{if .metadata.finalizers}}"
    '{{.metadata.namespace}} {{.metadata.name}}{{"\\n"}}{{end}}{{end}}'
)
HOLDING = (
    "custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,"
    "FINALIZERS:.metadata.finalizers,DELETED:.metadata.deletionTimestamp"
)
FORCED = ("--server-side", "--force-conflicts")
"""Fields that `kubectl scale` or another tool has set are taken over."""


def folder(phase: Phase) -> str:
    """Return where a phase is rendered."""
    return f"{PHASES}/{phase}"


def applied(phase: Phase) -> str:
    """Return what brings all of a phase to the cluster."""
    return join(["kubectl", "apply", *FORCED, "-k", folder(phase)])


def applied_files(phase: Phase, files: Iterable[str]) -> tuple[str, ...]:
    """Return what brings some objects of a phase."""
    return _with_files(["apply", *FORCED], phase, files)


def deleted_files(phase: Phase, files: Iterable[str]) -> tuple[str, ...]:
    """Return what deletes some objects of a phase."""
    return _with_files(["delete", "--ignore-not-found"], phase, files)


def compared_files(phase: Phase, files: Iterable[str]) -> tuple[str, ...]:
    """Return what shows how some objects of a phase differ from the cluster; kubectl exits with 1 then."""
    return tuple(f"{each} || test $? -eq 1" for each in _with_files(["diff", *FORCED], phase, files))


def _with_files(words: Sequence[str], phase: Phase, files: Iterable[str]) -> tuple[str, ...]:
    """Return one command for all files, a line each, or none without files."""
    named = [join(["-f", f"{folder(phase)}/{each}"]) for each in files]
    parts = [join(["kubectl", *words]), *named]
    return ((" \\\n  " if len(named) > 1 else " ").join(parts),) if named else ()


def every(named: KindSide, *options: str, verb: str = "get") -> str:
    """Return what does something with all resources of a kind."""
    all_of = ["-A"] if named.namespaced else []
    return join(["kubectl", verb, named.resource, *all_of, *options])


def counted_by_namespace(named: KindSide) -> str:
    """Return what counts the resources of a kind, by namespace."""
    columns = "custom-columns=NAMESPACE:.metadata.namespace"
    return f"{every(named, '--no-headers', '-o', columns)} | sort | uniq -c"


def listed(named: KindSide, file: str = "") -> str:
    """Return what lists the resources of a kind, one line each, or keeps the list."""
    first, last = (f"test ! -e {quote(file)} && ", f" > {quote(file)}") if file else ("", "")
    return f"{first}{every(named, '-o', NAMES)} | sort{last}"


def identified(named: KindSide, file: str) -> str:
    """Return what keeps the UIDs of the resources of a kind."""
    return f"test ! -e {quote(file)} && {every(named, '-o', UIDS)} > {quote(file)}"


def exported(named: KindSide, file: str) -> str:
    """Return what keeps the resources of a kind as they are; a file that is there stays."""
    return f"test ! -e {quote(file)} && {every(named, '-o', 'yaml')} > {quote(file)}"


def kept_crd(named: KindSide, file: str) -> str:
    """Return what keeps a CRD."""
    return f"{join(['kubectl', 'get', 'crd', named.crd, '-o', 'yaml'])} > {quote(file)}"


def restored(migration: str, named: KindSide) -> str:
    """Return what makes resources as they were, without what only the server knew of them.

    An apply leaves alone what is there, so that it can be run again.
    """
    call = kitgen("migrate", "resources", migration, "--restore", "-")
    return if_any(named, f"{call} < {quote(named.backup)} | kubectl apply --server-side -f -")


def if_any(named: KindSide, command: str) -> str:
    """Return what does something if resources of a kind were exported: kubectl takes no empty list."""
    return f"test ! -s {quote(named.names)} || {command}"


def with_moved(kind: MovingKind, *words: str) -> str:
    """Return what does something with the resources that others became."""
    return if_any(kind.old, join(["kubectl", *words, "-f", kind.moved]))


def delete_empty_crd(crd: str, resource: str, *, namespaced: bool = True) -> str:
    """Return what deletes a CRD, unless resources of it are left, or cannot be listed."""
    listing = join(["kubectl", "get", resource, *(["-A"] if namespaced else []), "-o", "name"])
    return f'left=$({listing}) && test -z "$left" && {join(["kubectl", "delete", "crd", crd])}'


def owned(*greps: str, into: str = "") -> str:
    """Return what lists objects with their owners, and those lines of it that fit."""
    found = "kubectl api-resources --verbs=list -o name"
    each = f'kubectl get "$each" -A --ignore-not-found -o {quote(OWNED)}'
    lines = (
        f"for each in $({found}); do\n  {each}\ndone | {{ {found_none_too(join(['grep', '-F', *greps]))}; }}"
    )
    return f"test ! -e {quote(into)} && {lines} > {quote(into)}" if into else lines


def found_none_too(command: str) -> str:
    """Return a grep that does not fail where nothing fits."""
    return f"{command} || test $? -eq 1"


def of_groups(kinds: Iterable[MovingKind]) -> list[str]:
    """Return how lines are found that name an old side as an owner."""
    words: dict[str, None] = {}
    for old, within in ((each.old, each.within) for each in kinds):
        group = old.api_version.rpartition("/")[0]
        versions = (old.version,) if within else old.versions
        words |= dict.fromkeys(f" {group}/{version} {old.kind}/" for version in versions)
    return [part for each in words for part in ("-e", each)]


def released(named: KindSide) -> str:
    """Return what takes finalizers off, so that nobody has to answer a deletion."""
    patch = ["--type=merge", "-p", _json({"metadata": {"finalizers": None}})]
    read, where = ("namespace name", '-n "$namespace" ') if named.namespaced else ("name", "")
    held = HELD if named.namespaced else HELD.replace("{{.metadata.namespace}} ", "")
    one = f'kubectl {where}patch {quote(named.resource)} "$name" {join(patch)}'
    return f"{every(named, '-o', held)} |\nwhile read -r {read}; do\n  {one} < /dev/null\ndone"


def stored_versions(named: KindSide) -> str:
    """Return what tells the versions in which a server may have stored resources."""
    return join(["kubectl", "get", "crd", named.crd, "-o", 'jsonpath={.status.storedVersions}{"\\n"}'])


def forget_versions(named: KindSide) -> str:
    """Return what says that resources are stored in one version alone."""
    said = _json({"status": {"storedVersions": [named.version]}})
    return join(["kubectl", "patch", "crd", named.crd, "--subresource=status", "--type=merge", "-p", said])


def stores(crd: str, versions: Sequence[str], version: str) -> str:
    """Return what makes a CRD store another version of those that it has."""
    patch: Json = [
        {"op": "replace", "path": f"/spec/versions/{at}/storage", "value": each == version}
        for at, each in enumerate(versions)
    ]
    return join(["kubectl", "patch", "crd", crd, "--type=json", "-p", _json(patch)])


def established(named: KindSide) -> str:
    """Return what waits until a server serves a CRD."""
    return join(["kubectl", "wait", "--for=condition=Established", f"crd/{named.crd}", "--timeout=60s"])


def scaled(operator: OperatorDeployment, replicas: int) -> tuple[str, ...]:
    """Return what starts or stops an operator, and waits for it."""
    home = ["kubectl", "-n", operator.namespace]
    return (
        join([*home, "scale", "deployment", operator.name, f"--replicas={replicas}"]),
        rolled_out(operator.namespace, operator.name),
    )


def rolled_out(namespace: str, name: str) -> str:
    """Return what waits until a Deployment runs."""
    return join(["kubectl", "-n", namespace, "rollout", "status", "deployment", name, "--timeout=5m"])


def pods(operator: OperatorDeployment) -> str:
    """Return what lists the pods of an operator."""
    return join(["kubectl", "-n", operator.namespace, "get", "pods", "--selector", operator.selector])


def patched(resource: str, name: str, namespace: str, patch: Json) -> str:
    """Return what changes fields of an object."""
    home = ["-n", namespace] if namespace else []
    return join(["kubectl", *home, "patch", resource, name, "--type=merge", "-p", _json(patch)])


def kitgen(*words: str) -> str:
    """Return a call of kitgen."""
    return join(["kitgen", *words])


def transformed(migration: str, kind: MovingKind) -> str:
    """Return what turns exported resources into new ones."""
    call = kitgen("migrate", "resources", migration, "-")
    return f"{call} < {quote(kind.old.backup)} > {quote(kind.moved)}"


def _json(data: Json) -> str:
    return json.dumps(data, separators=(",", ":"))


def chained(*groups: Sequence[str]) -> tuple[str, ...]:
    """Return commands one after the other."""
    return tuple(each for group in groups for each in group)
