"""Turn real trees into the spec of a component, and into what targets change in it.

In: the objects of one tree or several, and the spec of an older version, if there is one. A tree is surveyed
(prefix, namespace, labels), the inverses of the families take its objects apart, and a decision is made for
every place of the spec: who says it, the component, a feature or a target. Out: texts of specs. Nothing here
reads or writes files.
"""
