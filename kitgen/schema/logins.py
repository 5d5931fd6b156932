"""Leave out what is a secret by its form, whatever it is called: logins in addresses, and tokens."""

from __future__ import annotations

import re

HIDDEN = "(hidden)"
LOGIN = re.compile(r"(:/{1,2})[^/\s@:\"]*:[^/\s@\"]*(?=@)")
"""The user and password of an address; with one slash, as a path has it."""
LONE = re.compile(r"(https?:/{1,2})(?!\(hidden\))[^/\s@:\"]+(?=@)")
"""A token that stands for the user of a web address."""
BARE = re.compile(
    r"(?<![\w.:/~@%+-])(?!(?:target|component|release|path|git|mailto):)"
    r"[\w.~%+-]{1,100}:(?!//)[^\s/@\"'`,]{1,400}@(?!sha(?:256|384|512):)(?=[A-Za-z0-9\[])"
)
"""The user and password before a host, without a scheme. Sources of kitgen look alike, and digests."""
USER = re.compile(r"(?<![\w-])((?:-u|--(?:proxy-)?user)[ =][\"']?[^\s:\"'/]{0,100}:)[^\s\"']+")
"""The user and password that curl takes."""
TOKEN = re.compile(
    r"(?<![\w-])(?:eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{15,}"
    r"|xox[abeoprs]-[\w-]{10,}|sha256~[\w-]{30,}|A(?:KIA|SIA)[0-9A-Z]{16}(?!\w)|AIza[\w-]{30,}|hv[bs]\.[\w-]{20,})"
)
"""What tokens look like: JWTs, those of GitHub, GitLab, Slack, OpenShift, AWS, Google and Vault."""


def without_login(text: str) -> str:
    """Return a text without logins that stand in addresses, and without what is a token by its form."""
    if "@" in text:
        if ":/" in text:
            text = LONE.sub(rf"\1{HIDDEN}", LOGIN.sub(rf"\1{HIDDEN}", text))
        text = BARE.sub(f"{HIDDEN}@", text)
    return TOKEN.sub(HIDDEN, USER.sub(rf"\1{HIDDEN}", text))
