"""Check how pods run: the Pod Security Standards, and the reliability of pods and nodes.

In: pods and the labels of their namespace. Out: problems. `baseline` and `restricted` report what violates a
level, as the API server's own admission does; `reliability` checks requests, probes and writable storage.
Only the level that the pod's own namespace enforces makes a violation an error.
"""
