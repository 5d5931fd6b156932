"""The README of a mirror, for the person who carries the disk."""

from __future__ import annotations

from collections.abc import Iterable
from shlex import quote

from kitgen.images.mirror.contents import MirrorContents
from kitgen.images.mirror.image_set import Offered
from kitgen.render.image_places import Use
from kitgen.text.wording import counted, prose

RED_HAT = "registry.redhat.io"
SYNC = "skopeo sync --all --preserve-digests --scoped"
DISK, SKOPEO_DISK = "disk-oc-mirror", "disk-skopeo"
"""Folders that people carry; each tool has its own, since neither knows what the other wrote."""


def readme(carried: MirrorContents, files: frozenset[str]) -> str:
    """Return what to do with the files of a mirror, in order."""
    copying = (*_with_network(carried), *_without_network(carried)) if carried.copied else ()
    return "\n".join((_head(carried), *_there(carried), *copying, _cluster(carried, files), *_known(carried)))


def title(target: str) -> str:
    """Return how the heading of a README begins, which tells whose files a folder has."""
    return f"# Images of {target} "


def _head(carried: MirrorContents) -> str:
    hosts = sorted({each.source.host for each in carried.places})
    secret = f"{RED_HAT} gives nothing without the pull secret of a Red Hat account. "
    asked = any(each.source.host == RED_HAT for each in carried.copied)
    asking = [*([RED_HAT] if asked else ()), carried.mirror.registry.partition("/")[0]]
    lines = [
        f"{title(carried.target)}{carried.release} for {carried.mirror.registry}\n",
        f"{counted(len(carried.places), 'image')} of {counted(len(hosts), 'registry', 'registries')}: "
        f"{', '.join(hosts)}. `images.txt` has them one a line; lines with # are comments.\n",
        "## Logins\n",
        f"No file here holds a login. {secret if asked else ''}"
        "Each tool takes logins from the machine that it runs on:\n",
        _shell(*(f"podman login {host}" for host in asking)),
    ]
    return "\n".join(lines)


def _shell(*commands: str) -> str:
    return "```sh\n" + "".join(f"{each}\n" for each in commands) + "```\n"


def _when(condition: object, *paragraphs: str) -> tuple[str, ...]:
    """Return paragraphs that hold under a condition."""
    return paragraphs if condition else ()


def _there(carried: MirrorContents) -> tuple[str, ...]:
    there = [str(each.source) for each in carried.places if each.there]
    return _when(
        there,
        "## Already there\n",
        f"These are in {carried.mirror.registry}, and nothing copies them:\n",
        _list(there),
    )


def _with_network(carried: MirrorContents) -> tuple[str, ...]:
    catalog = carried.offered.catalog if carried.offered else None
    return (
        "## 1. Where there is a network\n",
        "Take one of three ways. oc-mirror, which remembers what it copied before:\n",
        _oc_mirror(carried, f"file://{DISK}"),
        *_when(
            carried.mirror.scoped,
            "Only the newest releases of oc-mirror know `targetRepo`, which keeps the registry in a path.\n",
        ),
        *_when(
            catalog and not catalog.there,
            "Only oc-mirror finds the image of the bundle itself, which stands in the catalog alone. After "
            "one of the other ways, OLM cannot install the operator.\n",
        ),
        "skopeo, which needs nothing of OpenShift:\n",
        _shell(f"{SYNC} --src yaml --dest dir skopeo-sync.yaml {SKOPEO_DISK}"),
        "Or, where one machine reaches both sides, no disk at all, and step 3 is next:\n",
        _shell("oc image mirror -f mapping.txt --keep-manifest-list=true"),
        "Without `--keep-manifest-list=true` digests change, and no cluster finds them.\n",
    )


def _without_network(carried: MirrorContents) -> tuple[str, ...]:
    registry = carried.mirror.registry
    hosts = sorted({each.source.host for each in carried.copied})
    places = {host: f"{registry}/{carried.mirror.scope(host)}".removesuffix("/") for host in hosts}
    pushes = (
        f"{SYNC} --src dir --dest docker {quote(f'{SKOPEO_DISK}/{host}')} {quote(to)}"
        for host, to in places.items()
    )
    return (
        "## 2. Where there is none\n",
        f"Carry this folder over, with `{DISK}` or `{SKOPEO_DISK}`. What oc-mirror wrote:\n",
        _oc_mirror(carried, f"docker://{registry}"),
        "What skopeo wrote:\n",
        _shell(*pushes),
        *_when(
            any(each.by_digest for each in carried.copied),
            "It pushes digests without a tag. A registry that drops such images needs one of the other "
            "ways.\n",
        ),
    )


def _oc_mirror(carried: MirrorContents, to: str) -> str:
    source = f" --from file://{DISK}" if to.startswith("docker://") else ""
    return _shell(f"oc-mirror --v2 -c imageset-config.yaml{source} {to}")


def _cluster(carried: MirrorContents, files: frozenset[str]) -> str:
    applied = [
        each for each in ("mirror-sets.yaml", "operator-hub.yaml", "catalog-source.yaml") if each in files
    ]
    wait = "oc wait machineconfigpool --all --for=condition"
    return "\n".join(
        (
            "## 3. On the cluster\n",
            *_pull_secret(carried.mirror.registry.partition("/")[0]),
            "If nodes do not know who signed the certificate of the mirror, add that to "
            "`additionalTrustedCA` of the Image `cluster` (`config.openshift.io/v1`).\n",
            *_when(
                carried.rewritten,
                "Both are for OpenShift. Elsewhere, the container runtime of each node has logins and "
                "certificates, or an `imagePullSecret` of the namespace has the login.\n",
            ),
            *_when(applied, _shell(*(f"oc apply -f {each}" for each in applied))),
            *_when(
                "mirror-sets.yaml" in files,
                "Mirror sets change the configuration of every node. The machine config operator rolls it "
                "out node by node, and may drain or restart them: apply them when that is welcome, and wait "
                "for\n",
                # Right after the change, pools still say that they are updated: with what was there before.
                _shell(f"{wait}=Updating --timeout=5m || true", f"{wait}=Updated --timeout=1h"),
            ),
            *([_catalog(carried, carried.offered)] if carried.offered else ()),
            *(_manifests(carried) if carried.rewritten else ()),
        )
    )


def _manifests(carried: MirrorContents) -> tuple[str, ...]:
    tree = f"`kitgen export {carried.target} DIR --release {carried.release}`"
    return (
        "Manifests name the mirror, so no mirror set is needed:\n",
        _shell(f"oc apply --server-side -k overlays/{carried.target}"),
        *_when(
            carried.platform,
            "Where the ODH operator runs the components, it brings manifests and images of its own: what is "
            f"applied here does not change them. {tree} writes the tree that it mounts, and variables of "
            "that operator name images.\n",
        ),
        *_when(
            carried.offered,
            "Or OLM installs it. Bundles in a catalog keep the names that they were built with, so build one "
            f"of `overlays/{carried.target}/bundle` and a catalog of it, and put that where "
            "`catalog-source.yaml` says.\n",
        ),
    )


def _pull_secret(host: str) -> tuple[str, ...]:
    """Return how a login is added; what a cluster has already stays, for it cannot live without."""
    secret = "secret/pull-secret -n openshift-config"
    template = """--template='{{index .data ".dockerconfigjson" | base64decode}}'"""
    return (
        "If the mirror asks for a login, nodes have it from the pull secret of the cluster. Add it there:\n",
        _shell(
            f"oc get {secret} {template} > pull-secret.json",
            f"oc registry login --registry={host} --auth-basic=USER:PASSWORD --to=pull-secret.json",
            f"oc set data {secret} --from-file=.dockerconfigjson=pull-secret.json",
            "rm pull-secret.json",
        ),
    )


def _catalog(carried: MirrorContents, offered: Offered) -> str:
    made = (
        "`operator-hub.yaml` turns off the catalogs that OpenShift comes with, community-operators among "
        f"them. So the Subscription has to say `source: {offered.name}` and "
        f"`sourceNamespace: {offered.namespace}`.",
        *_when(
            offered.openshift,
            f"The catalog is that of OpenShift {offered.openshift}; for another one, write these files with "
            "`--catalog`.",
        ),
    )
    if carried.rewritten or offered.catalog.there:
        return f"{' '.join(made)}\n"
    told = (
        *_when(
            offered.rendered,
            f"`overlays/{carried.target}/install` has a CatalogSource too: leave that one out, for it "
            "does not name the mirror.",
        ),
        f"oc-mirror writes mirror sets of its own in `{DISK}/working-dir/cluster-resources`: apply them "
        "too, for the image of the bundle.",
    )
    return f"{' '.join((*made, *told))}\n"


def _known(carried: MirrorContents) -> tuple[str, ...]:
    tags = [str(each.source) for each in carried.redirected if not each.by_digest]
    unnamed = {each.image: each.place for each in carried.uses if each.use is Use.RUNTIME}
    names = {name: each.mirrored for each in carried.places for name in each.names}
    renamed = names if carried.rewritten else {}
    return (
        *_when(
            tags and not carried.rewritten,
            "## By tag\n",
            "Mirrors of digests do not redirect these, and a tag may be another image tomorrow:\n",
            _list(tags),
            "The ImageTagMirrorSet redirects them. Lock their digests, and say `digests: true` in the "
            "target.\n",
        ),
        *_when(
            unnamed,
            "## Named by no object\n",
            "Only code, an SDK or people name these. Other images that people name are not here:\n",
            _list(
                f"{image}: {prose(place)}" + (f"; to be named `{renamed[image]}`" if image in renamed else "")
                for image, place in sorted(unnamed.items())
            ),
        ),
    )


def _list(items: Iterable[str]) -> str:
    return "".join(f"- {each}\n" for each in items)
