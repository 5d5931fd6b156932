"""How pods run: what the Pod Security Standards say of them, and what keeps them and their nodes well.

`baseline` and `restricted` tell, each for one pod, what breaks the level of the standard, as the API
server's own admission has it; `reliability` tells of requests, probes and what may be written. Nothing here
changes by who looks at the pod: only its own namespace makes an error of it.
"""
