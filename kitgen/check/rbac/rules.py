"""Rules of what roles permit that lets somebody become more than he is, or reach into the whole cluster."""

from __future__ import annotations

from kitgen.findings import Chapter, Rule, Severity

NARROW = "Name the objects, take a role of one namespace, or leave it out."

WILDCARD = Rule(
    id="permission-wildcard",
    chapter=Chapter.PERMISSION,
    checks="No role permits `*`: every verb, resource or API group, or every URL.",
    fix="Name what is needed.",
    why=(
        "A wildcard also stands for what comes later, such as a CRD that somebody else installs, and for "
        "verbs such as escalate and impersonate. Who holds it holds that too, and nobody decided it."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
ESCALATION = Rule(
    id="permission-escalation",
    chapter=Chapter.PERMISSION,
    checks="No role permits to escalate or bind roles, but for roles that it names.",
    fix="Name the roles in resourceNames, or hold what is to be given instead.",
    why=(
        "The API server lets nobody write a role that grants more than he holds himself, nor bind one. The "
        "verbs escalate and bind on roles lift that: whoever has them can make himself cluster-admin. All "
        "verbs (`*`) on roles are those two as well."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
IDENTITY = Rule(
    id="permission-identity",
    chapter=Chapter.PERMISSION,
    checks="No role permits to be somebody else: to impersonate, to make tokens, to sign certificates.",
    fix="Name whom in resourceNames, or leave it out.",
    why=(
        "Whoever may impersonate users, make the token of an account or have a certificate signed may do all "
        "that those may do, of any account that is there or comes."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
ROLES = Rule(
    id="permission-roles",
    chapter=Chapter.PERMISSION,
    checks="No role permits to write roles or their bindings.",
    fix="Ship the roles with the manifests, and leave it out.",
    why=(
        "Whoever writes roles and bindings can give others all that he holds himself, for good. What the "
        "role of an operator grants is then within reach of whoever takes it over."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
SECRETS = Rule(
    id="permission-secrets",
    chapter=Chapter.PERMISSION,
    checks="No role that counts in the whole cluster permits to read or write all secrets.",
    fix=NARROW,
    why=(
        "The secrets of a cluster hold the tokens, keys and passwords of everybody, its administrators too. "
        "Who can read them can be any of them, and who can create one can ask for the token of any account."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
EXEC = Rule(
    id="permission-exec",
    chapter=Chapter.PERMISSION,
    checks="No role permits to enter pods: exec, attach, portforward, debug containers, the proxy of nodes.",
    fix="Leave it out; people get it from edit and admin.",
    why=(
        "A command in a pod runs as its service account and sees its secrets. By the proxy of a node that "
        "holds for every pod there, and no audit log of the API server tells which command it was."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
ADMISSION = Rule(
    id="permission-admission",
    chapter=Chapter.PERMISSION,
    checks="No role permits to write all webhook configurations or admission policies.",
    fix="Name the configurations in resourceNames; only creating one cannot be limited so.",
    why=(
        "A webhook configuration sends every object of its kinds to a service, secrets included, which may "
        "change or refuse it. Who can write any of them can read, change and stop the whole cluster."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
SECURITY_CONTEXT = Rule(
    id="permission-security-context",
    chapter=Chapter.PERMISSION,
    checks="No role permits to write SecurityContextConstraints, or to use privileged and its like.",
    fix="Ship constraints of one's own that allow what is needed, and permit to use those by name.",
    why=(
        "On OpenShift, constraints say what a pod may do on its node. Who may write them, or use those that "
        "let pods be root or be on the node's network, can take over the node and what all pods there have."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
DEFINITIONS = Rule(
    id="permission-definitions",
    chapter=Chapter.PERMISSION,
    checks="No role permits to write CustomResourceDefinitions or APIServices.",
    fix="Ship them with the manifests; name them in resourceNames where they must be changed.",
    why=(
        "Deleting a CRD deletes all of its objects, everywhere. An APIService sends the requests of a group "
        "to another server, with who asks; one for a group that exists takes it over."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
USELESS_NAMES = Rule(
    id="permission-names",
    chapter=Chapter.PERMISSION,
    checks="No rule permits to create objects, or to delete collections, by name.",
    fix="Put create into a rule without resourceNames.",
    why=(
        "A request to create an object, or to delete a collection, carries no name that is looked at. A rule "
        "with resourceNames never fits it, and the request is forbidden."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
