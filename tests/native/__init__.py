"""Tests of the C core by itself, without Python in between."""
