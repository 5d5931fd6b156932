"""What an API server asks of objects of Kubernetes' own kinds and their schemas do not say.

A table leads from the names of Kubernetes' definitions to functions, each of which looks at one value of
that type; `walk` takes an object apart along the definitions and asks them. Nothing here knows a second
object.
"""
