"""Engines carry out a task and count."""
