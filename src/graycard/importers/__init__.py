"""Readers of other tools' result files."""
