"""Addresses of repositories and clusters, in a form in which the same ones are equal."""

from __future__ import annotations

import re

from kitgen.model.argocd import HERE

NAME_HERE = "in-cluster"
"""What Argo CD calls the cluster that it runs on, if nobody calls it otherwise."""
SHORT = re.compile(r"(?:[^@/:]+@)?([^@/:]+):(?!//)(.*)", re.DOTALL)
"""How git writes an address of SSH: host:path."""
PARTS = re.compile(r"([a-z][a-z0-9+.-]*)://(?:[^@/]*@)?([^/]*)(.*)", re.DOTALL | re.IGNORECASE)
PORTS = {"https": ":443", "http": ":80", "ssh": ":22"}


def repository(address: str) -> str:
    """Return host and path of a repository; whoever reads it, and how, makes no difference."""
    text = address.strip()
    if match := PARTS.fullmatch(text):
        scheme, host, path = match[1].lower(), match[2].lower(), match[3]
        host = host.removesuffix(PORTS.get(scheme, ":0"))
    elif match := SHORT.fullmatch(text):
        host, path = match[1].lower(), match[2]
    else:
        host, path = "", text
    path = path.rstrip("/").removesuffix(".git").strip("/")
    return f"{host}/{path}" if host else path


def cluster(server: str, name: str) -> tuple[str, str]:
    """Return address and name of a cluster; the one that Argo CD runs on has both."""
    server = server.rstrip("/")
    if server == HERE or name == NAME_HERE:
        return HERE, NAME_HERE
    return server, name


def folder(path: str) -> str:
    """Return a path in a repository without what makes no difference; empty for its top."""
    return "/".join(step for step in path.split("/") if step not in ("", "."))
