"""Redact secrets that are recognisable by their form: credentials in URLs, and tokens."""

from __future__ import annotations

import re
from binascii import a2b_base64

from kitgen.text.patterns import compile_late

HIDDEN = "(hidden)"
LOGIN = compile_late(r"(:/{1,2})[^/\s@:\"]*:[^/\s\"]*(?=@)")
"""The user and password of an address, up to the last @; with one slash, as a path has it."""
LONE = compile_late(r"(https?:/{1,2})(?!\(hidden\))[^/\s@:\"]+(?=@)")
"""A token that stands for the user of a web address."""
BARE = compile_late(
    r"(?<![\w.:/~@%+-])(?!(?:target|component|release|path|git|mailto):)"
    r"[\w.~%+-]{1,100}:(?!//)[^\s/@\"'`,]{1,400}@(?!sha(?:256|384|512):)(?=[A-Za-z0-9\[])"
)
"""The user and password before a host, without a scheme. Sources of kitgen look alike, and digests."""
USER = compile_late(r"(?<![\w-])((?:-u|--(?:proxy-)?user)[ =][\"']?[^\s:\"'/]{0,100}:)[^\s\"']+")
"""The user and password that curl takes."""
NETRC = compile_late(r"(?<!\w)(login\s+\S{1,100}\s+password\s+)\S+")
"""The password in a file of logins, as curl and git read it."""
ENCODED = compile_late(r"LS0tLS1CRUdJ[A-Za-z0-9+/]{32}[\w+/=-]*")
"""What has a header and is encoded as a Secret holds it: a certificate, or a key."""
TOKEN = compile_late(
    r"(?<![\w-])(?:eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{15,}"
    r"|xox[abeoprs]-[\w-]{10,}|sha256~[\w-]{30,}|A(?:KIA|SIA)[0-9A-Z]{16}(?!\w)|AIza[\w-]{30,}|hv[bs]\.[\w-]{20,})"
)
"""What tokens look like: JWTs, those of GitHub, GitLab, Slack, OpenShift, AWS, Google and Vault."""


def redact_credentials(text: str) -> str:
    """Return a text without logins that stand in addresses, and without what is a token by its form."""
    if "@" in text:
        if ":/" in text:
            text = LONE.sub(rf"\1{HIDDEN}", LOGIN.sub(rf"\1{HIDDEN}", text))
        text = BARE.sub(f"{HIDDEN}@", text)
    if "LS0tLS1CRUdJ" in text:
        text = ENCODED.sub(_redact_private_key, text)
    if "password" in text:
        text = NETRC.sub(rf"\1{HIDDEN}", text)
    return TOKEN.sub(HIDDEN, USER.sub(rf"\1{HIDDEN}", text))


def _redact_private_key(found: re.Match[str]) -> str:
    """Return what is encoded, unless it is a private key."""
    return HIDDEN if b"PRIVATE" in a2b_base64(found[0][:44]) else found[0]
