"""What Argo CD would trip over: Applications, AppProjects and ApplicationSets, and waves of objects.

Each module knows one sort of mistake. What an Application brings stands in the folders of the context; where
nobody knows it, nothing is said. So it is with clusters, repositories and projects that are elsewhere.
"""
