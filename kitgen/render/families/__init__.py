"""Families: what a spec says under one key becomes the objects that it stands for."""
