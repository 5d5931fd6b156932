"""Views of Kubernetes objects: names, pods, Services, selectors, CRDs, images, permissions; definitions."""
