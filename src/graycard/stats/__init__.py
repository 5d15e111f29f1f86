"""Statistics with the standard library alone; pure functions."""
