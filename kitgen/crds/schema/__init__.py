"""Schemas inside CRDs: paths, sizes, what the API server demands of them, and the CRD around them."""
