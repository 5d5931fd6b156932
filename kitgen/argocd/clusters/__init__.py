"""Lists of clusters → clusters: as people write them, as Argo CD lists them, Secrets, ManagedClusters.

In: the name of a file, or `-`. Out: clusters, what is wrong, and what was left out. What a list holds besides
names, addresses and labels may be credentials: it is neither kept nor shown.
"""
