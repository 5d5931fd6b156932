"""The one place that joins the stages: load → compile → emit → check → write, one module a command.

Commands hand it a request and get a result; they print, it does not. Nothing is imported here, so that a
render that has nothing to do need not load the rest.
"""
