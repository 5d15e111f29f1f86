"""Renderers: a report becomes bytes."""
