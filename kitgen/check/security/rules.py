"""The rules of how pods run."""

from __future__ import annotations

from kitgen.findings import rule

POD_BASELINE = rule("pod-baseline")
POD_RESTRICTED = rule("pod-restricted")
POD_REFUSED = rule("pod-refused")
POD_RESOURCES = rule("pod-resources")
POD_PROBES = rule("pod-probes")
POD_READONLY = rule("pod-readonly")
