"""One set-up beside another."""
