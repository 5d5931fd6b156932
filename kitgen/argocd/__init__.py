"""Argo CD: layers over the overlays, Applications, fleets of clusters, health checks, and their rules."""
